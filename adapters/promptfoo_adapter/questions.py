"""Whether a judge that was asked for a question wrote one.

Promptfoo compares whatever text it gets with the input, so talk ("Certainly! Here is what I think ...") would end in
a low score that says nothing about the answer. A question is not refused for want of a question mark: in doubt a text
counts as one.
"""

from __future__ import annotations

import re

_MARKS = "?？؟\u037e՞፧⁇⸮﹖"
_GREEK = re.compile(r"[\u0370-\u03ff\u1f00-\u1fff];")  # its mark looks like a semicolon and is often written as one
_PARTICLES = ("か", "吗", "嗎", "呢", "까", "ไหม", "หรือไม่")
_ENDS = ".。!！ \t\n\r\v\f\u00a0\u3000\ufeff\"'”’*`}"

_LONGEST = 4000
_PART = re.compile(r"[。！।!:：\n]+|\.(?=\s|$|[\"'*])|,\s+(?=(?:what|how|why)\b)", re.IGNORECASE)
_LEADING = re.compile(r"^(?:[\W_]|\d+[.)]\s*)+")
_SENTENCE_END = re.compile(r"[。！।]|(?:(?<=[^\W\d_]{3})|(?<=\d\d))[.!](?=\s|$)")
_GREETING = re.compile(
    r"(?:hello|hi|sure|certainly|of course|absolutely|okay|ok|您好|你好|好的|当然|當然|はい)[,，、\s]+", re.IGNORECASE
)

_ASKING = re.compile(
    r"(?:(?:(?:so|and|in|on|at|for|from|to|by|under|with|about|of|until|since) )?"
    r"(?:what|which|who|whom|whose|when|where|why|how)(?:'s)?"
    r"|(?:is|are|was|were|do|does|did|can|could|will|would|shall|should|may|might|must|has|have|had)(?:n't)?"
    r"|please|explain|describe|tell|list|name|give|state|define|outline|summari[sz]e|compare|discuss|identify|specify"
    r"|clarify|find|show|provide|write|calculate|determine"
    r"|i (?:want|need|wonder|would like|wish)|i'd like"
    r"|(?:por |para |con |de |en )?(?:qué|cuál|cuáles|quién|cuándo|cuánto|cuántos|cuánta|dónde|cómo)"
    r"|expli(?:que|ca|car)|descri(?:ba|be)|puede|indique"
    r"|quel|quelle|quels|quelles|qui|quand|où|pourquoi|comment|combien|est-ce|peut-on|expliquez|décrivez"
    r"|welche\w*|wer|wem|wessen|wann|wo|warum|wieso|wie|kann|können|darf|ist|sind|erklär\w*|beschreib\w*|nenn\w*"
    r"|qual|quais|quem|quando|onde|como(?! (?:modelo|um|uma|una|ia))|quanto|quanti|cosa|che|chi|dove|perché|spiega"
    r"|какой|какая|какие|каков|какова|кто|что|где|когда|почему|сколько|как(?! (?:языковая|ии))|объясните|опишите"
    r"|ما|ماذا|من|متى|أين|كيف|كم|هل|لماذا|اشرح)\b"
    r"|请|請|我想(?:知道|了解|问)",
    re.IGNORECASE,
)
"""Beginnings of questions and requests. A language that is not here loses its unmarked questions of two sentences."""

_ASKING_INSIDE = re.compile(
    r"什么|什麼|谁|誰|哪|怎|多少|多久|多长|几[天个次年]|为何|何时|如何|是否|何|いつ|どこ|どの|どう|なぜ|いくら"
    r"|무엇|누가|언제|어디|왜|어떻|얼마|몇"
)
"""Question words that need not begin the sentence."""

_TALKING = re.compile(
    r"(?:sorry|(?:i am|i'm|we are|we're) (?:sorry|afraid|unable|not able)|i apologi[sz]e|apologies|unfortunately"
    r"|certainly|sure|of course|absolutely|okay|ok|thank|thanks|great (?:question|answer)|here (?:is|are)|here's"
    r"|as an ai|as a language model|i (?:think|believe|understand)"
    r"|i (?:cannot|can't|can not|could not|couldn't)(?: (?:help|assist|answer|generate|provide|create|comply|do)|\W*$)"
    r"|i (?:don't|do not) (?:know|understand|think|have (?:enough|any|access))"
    r"|(?:n/a|none|null|yes|no|not applicable)\W*$|no question|there (?:is|are) no|it is not possible|unable to|cannot"
    r"|lo siento|por supuesto|claro|aquí (?:está|tiene|hay)|no puedo (?:ayudar|responder)|desculpe|lamento|certamente"
    r"|com certeza|mi dispiace|certo|ecco|(?:je suis )?désolée?|bien sûr|certainement|voici"
    r"|je ne peux pas (?:vous|répondre)|es tut mir leid|leider|entschuldigung|natürlich|gerne?|selbstverständlich"
    r"|hier (?:ist|sind)|ich kann (?:das|dabei|dazu|ihnen|dir)|извините|простите|к сожалению|конечно|вот"
    r"|я не могу (?:помочь|ответить)"
    r"|عذراً?|آسف|بالتأكيد|بالطبع)(?!\w)"
    r"|抱歉|很抱歉|对不起|不好意思|当然|當然|好的|以下(?:是(?!否)|为|に|の通り)|谢谢|作为(?:一[个名])?(?:AI|人工智能|语言模型|助手)"
    r"|我(?:来|不知道|认为|觉得|很抱歉|理解|将|(?:无法|不能)(?:回答|提供|帮助|协助|生成|理解|确定))"
    r"|申し訳|すみません|もちろん|承知|죄송|물론|다음은|네,",
    re.IGNORECASE,
)
"""Beginnings of apologies, pleasantries and remarks about the task."""

_STRUCTURED = ("{", "[", "<", "```")


def asks(text: str) -> bool:
    """Return whether a text holds a question: a question mark of any script, or a closing particle without one."""
    marked = any(mark in text for mark in _MARKS) or _GREEK.search(text) is not None
    return marked or text.rstrip(_ENDS).endswith(_PARTICLES)


def is_talk(text: str) -> bool:
    """Return whether a text is neither a question nor a request, as far as can be told.

    Talk begins like an apology or a pleasantry, or is structured data, or has several sentences; and neither has it a
    question mark nor does any part of it begin like a question or a request.
    """
    said = text[:_LONGEST].replace("’", "'")
    if asks(text) or any(map(_is_request, _PART.split(said))):
        return False
    return _begins_like_talk(said) or len(_SENTENCE_END.findall(said)) > 1


def _begins_like_talk(text: str) -> bool:
    return text.lstrip().startswith(_STRUCTURED) or _TALKING.match(_LEADING.sub("", text)) is not None


def _is_request(part: str) -> bool:
    bare = _GREETING.sub("", _LEADING.sub("", part), count=1)
    if _ASKING.match(bare):
        return True
    return _TALKING.match(bare) is None and _ASKING_INSIDE.search(bare) is not None
