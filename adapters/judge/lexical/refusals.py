"""Answers that commit to nothing: refusals, evasions and "the documents do not say", in several languages."""

from __future__ import annotations

import re

from evalparity.adapters.judge.lexical.chinese_lexicon import SIMPLIFY
from evalparity.adapters.judge.lexical.folding import fold

# One alternative a line; `<...>` names a list of words below.
_PATTERNS = r"""
\bi <really>(?:<cannot>) <tell>
\bi <really>(?:do not|don't|did not|didn't) (?:know|have <enough><facts>)
\bi(?:'m| am) (?:not sure|unsure|not certain|not aware|unable to|not able to|afraid (?:i|that))
\b(?:i have|there is|we have) (?:no|not enough|insufficient) (?:\w+ ){0,2}<facts>
\b<sources>(?: (?:provided|given|available|retrieved|above|i have))? (?:<donot>) (?:\w+ )?<say>
\b(?:is|are|was) not <stated> (?:in|by|within) (?:the|these|this|any|my)\b
\b(?:no|not enough|insufficient) (?:\w+ )?information (?:is |was )?(?:available|given|provided|about|on|to|in)\b
\bcannot be (?:determined|answered|inferred|established)\b
\b(?:it depends|hard to say|difficult to say|who knows|no idea|as an ai)\b
\b(?:could|can|would) you (?:please )?(?:clarify|specify|rephrase|provide more|give more|tell me more)\b
\b(?:beyond|outside) (?:my|the) (?:knowledge|scope|context|provided)\b
^(?:sorry|i apologi[sz]e|apologies|unfortunately)\b[^.!?]{0,80}\b<cannot> <tell>
我?(?:们)?(?:也|还|并|真的|暂时|目前)?(?:不知道|不清楚|不太清楚|不确定|不了解)
(?:无法|没法|不能)(?:确定|回答|得知|判断)|无从得知|难以回答
<chinesesources>(?:中|里|内)?(?:并|也|都)?(?:没有|未|无)(?:明确|具体|任何)?<chinesesay>
(?:没有|缺乏|缺少|找不到)(?:足够|相关|任何)?(?:的)?(?:信息|资料|依据|资讯)
(?:抱歉|对不起|很遗憾)[,，。]?[^。]{0,20}(?:无法|不能|没有|不知道)
不好说|说不准|视情况而定|看情况
请(?:您)?(?:提供|补充|说明)(?:更多|具体|一下)
\bje ne (?:sais|peux) pas\b|\bje n'ai pas (?:d'|assez|l')
\b(?:le|les) documents? ne (?:dit|disent|mentionne|précise)
\b(?:ich weiß (?:es )?nicht|ich weiss (?:es )?nicht|weiß ich nicht|kann ich nicht (?:sagen|beantworten))
\b(?:ich kann (?:das|die frage|diese frage) nicht|keine (?:angaben|informationen))
\b(?:steht|geht) (?:\w+ ){0,3}nicht (?:in|aus)\b
\b(?:no (?:lo )?sé\b|no puedo (?:responder|contestar)|no tengo (?:información|datos|suficiente))
\b(?:el|los) documentos? no (?:dice|dicen|menciona|mencionan)
"""
_LISTS = {
    "really": "(?:really |honestly |simply |just )?",
    "cannot": "(?:cannot|can't|could not|couldn't|am not able to|am unable to|unable to|not able to)",
    "tell": "(?:know|tell|say|answer|determine|find|confirm|provide|help|assist)",
    "enough": "(?:any |enough |that |the |this |specific |sufficient )?",
    "facts": r"(?:information|idea|knowledge|data|details|context|answer|evidence|mention)\b",
    "sources": "(?:document|passage|context|text|article|information|excerpt)s?",
    "donot": "do(?:es)? not|do(?:es)?n't|did not|didn't",
    "say": "(?:say|mention|state|specify|contain|provide|include|cover|address|answer|indicate|explain|tell)\\b",
    "stated": "(?:mentioned|specified|stated|provided|covered|given|addressed|included|discussed|available)",
    "chinesesources": "(?:文档|文件|资料|材料|上下文|文中|文章|知识库|信息)",
    "chinesesay": "(?:提及|提到|说明|提供|涉及|包含|给出|规定|相关|记载)",
}
_ALTERNATIVES = re.sub(r"<(\w+)>", lambda match: _LISTS[match.group(1)], "|".join(_PATTERNS.split("\n")[1:-1]))
_REFUSAL = re.compile(_ALTERNATIVES, re.IGNORECASE)
_SHORT = 400
_STATES = re.compile(r"\b(?:but|however|aber|mais|pero)\b(?:\W+\w+){4}|(?:但是?|不过|然而)[^,。]{5}", re.IGNORECASE)
_POLITE = re.compile(r"\b(?:sorry|unfortunately|please|thank|hello|hi)\b|抱歉|对不起|谢谢|您好", re.IGNORECASE)


def is_refusal(sentence: str) -> bool:
    """Say whether one sentence refuses or evades and states nothing besides."""
    text = fold(sentence[:_SHORT]).translate(SIMPLIFY)
    found = _REFUSAL.search(text)
    return found is not None and _STATES.search(text, found.end()) is None


def is_noncommittal(sentences: list[str]) -> bool:
    """Say whether an answer, given as its sentences, commits to nothing.

    It does when it has no sentence, or when it refuses and what is left beside the refusals is politeness.
    """
    refused = not sentences
    for sentence in sentences:
        if is_refusal(sentence):
            refused = True
        elif not _POLITE.search(sentence) and not sentence.endswith(("?", "？")):
            return False
    return refused
