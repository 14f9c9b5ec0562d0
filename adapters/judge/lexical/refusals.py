"""Answers that commit to nothing: refusals, evasions and "the documents do not say", in several languages."""

from __future__ import annotations

import re

from evalparity.adapters.judge.lexical.folding import fold

_ENGLISH = (
    r"\bi (?:really |honestly |simply |just )?(?:do not|don't|cannot|can't|could not|couldn't|am not able to|am unable to) "
    r"(?:know|tell|say|answer|determine|find|confirm|provide|help|have (?:any |enough |that |the |this |specific |sufficient )?"
    r"(?:information|knowledge|data|details|context|answer))",
    r"\bi(?:'m| am) (?:not sure|unsure|not certain|not aware|unable to|not able to|afraid (?:i|that))",
    r"\b(?:i have|there is|we have) (?:no|not enough|insufficient) "
    r"(?:\w+ ){0,2}(?:information|idea|knowledge|data|details|context|answer|evidence|mention)\b",
    r"\b(?:document|passage|context|text|source|article|policy|information|excerpt|material|file)s?"
    r"(?: (?:provided|given|available|retrieved|above|i have))? "
    r"(?:do(?:es)? not|do(?:es)?n't|did not|didn't) "
    r"(?:\w+ )?(?:say|mention|state|specify|contain|provide|include|cover|address|give|answer|discuss|indicate|explain|tell|help)\b",
    r"\b(?:is|are|was) not (?:mentioned|specified|stated|provided|covered|given|addressed|included|discussed|available) "
    r"(?:in|by|within) (?:the|these|this|any|my)\b",
    r"\b(?:no|not enough|insufficient) (?:\w+ )?information (?:is |was )?(?:available|given|provided|about|on|to|in)\b",
    r"\bcannot be (?:determined|answered|inferred|established)\b",
    r"\b(?:it depends|hard to say|difficult to say|who knows|no idea)\b",
    r"\b(?:could|can|would) you (?:please )?(?:clarify|specify|rephrase|provide more|give more|tell me more)\b",
    r"\bas an ai\b",
    r"\b(?:beyond|outside) (?:my|the) (?:knowledge|scope|context|provided)\b",
    r"^(?:sorry|i apologi[sz]e|apologies|unfortunately)\b[^.!?]{0,80}\b(?:not|no|unable|cannot|can't|don't|couldn't)\b"
    r"[^.!?]{0,40}\b(?:answer|information|find|know|help|say|provide|assist|details)\b",
)  # fmt: skip
_CHINESE = (
    r"我?(?:们)?(?:也|还|并|真的|暂时|目前)?(?:不知道|不清楚|不确定|不了解|不太清楚|无法确定|无法回答|没法回答|不能回答|无从得知|无法得知|无法判断|難以回答|無法回答|不知道|不確定)",
    r"(?:文档|文件|资料|材料|上下文|文中|文章|知识库|政策|信息|內容|内容|文檔|資料)(?:中|里|裡|内)?(?:并|也|都)?(?:没有|沒有|未|无|無)(?:明确|具体|任何)?(?:提及|提到|说明|說明|提供|涉及|包含|给出|规定|相关|记载)",
    r"(?:没有|沒有|缺乏|缺少|找不到)(?:足够|相关|任何|足夠|相關)?(?:的)?(?:信息|资料|依据|資訊|資料)",
    r"(?:抱歉|对不起|對不起|很遗憾)[,，。]?[^。]{0,20}(?:无法|不能|没有|無法|沒有|不知道)",
    r"(?:不好说|说不准|视情况而定|看情况)",
    r"请(?:您)?(?:提供|补充|说明)(?:更多|具体|一下)",
)  # fmt: skip
_OTHERS = (
    r"\bje ne (?:sais|peux) pas\b|\bje n'ai pas (?:d'|assez|l')|\b(?:le|les) documents? ne (?:dit|disent|mentionne|précise)",
    r"\b(?:ich weiß (?:es )?nicht|ich weiss (?:es )?nicht|weiß ich nicht|kann ich nicht (?:sagen|beantworten)"
    r"|ich kann (?:das|die frage|diese frage) nicht|keine (?:angaben|informationen)|(?:steht|geht) (?:\w+ ){0,3}nicht (?:in|aus))",
    r"\b(?:no (?:lo )?sé\b|no puedo (?:responder|contestar)|no tengo (?:información|datos|suficiente)"
    r"|(?:el|los) documentos? no (?:dice|dicen|menciona|mencionan))",
)  # fmt: skip
_REFUSAL = re.compile("|".join((*_ENGLISH, *_CHINESE, *_OTHERS)), re.IGNORECASE)
_SHORT = 400
_POLITE = re.compile(r"\b(?:sorry|unfortunately|please|thank|hello|hi)\b|抱歉|对不起|谢谢|您好", re.IGNORECASE)


def is_refusal(sentence: str) -> bool:
    """Say whether one sentence refuses or evades, whatever else it politely says."""
    return _REFUSAL.search(fold(sentence[:_SHORT])) is not None


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
