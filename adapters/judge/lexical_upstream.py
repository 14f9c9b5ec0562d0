"""The lexical judge as an upstream: answers the known prompts of the frameworks, refuses all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evalparity.adapters.base import PromptStep
from evalparity.adapters.judge.lexical import LexicalJudge
from evalparity.adapters.judge.settings import LEXICAL
from evalparity.adapters.judge.steps import find_step, last_user_text, message_text
from evalparity.adapters.judge.upstream import UpstreamRequest
from evalparity.unified_schema.errors import JudgeError

_SHOWN = 60


class LexicalUpstream:
    """Answers like a chat and embedding server, offline and always the same.

    Args:
        steps: the prompts that it knows, by framework.
        judge: what decides.
    """

    def __init__(self, steps: Mapping[str, Sequence[PromptStep]], judge: LexicalJudge) -> None:
        self._steps, self._judge = steps, judge

    @property
    def where(self) -> str:
        """Return that it needs no server."""
        return "built in"

    @property
    def server(self) -> None:
        """Return None: it costs nothing, and its answers change with evalparity itself."""

    async def send(self, request: UpstreamRequest) -> dict[str, Any]:
        """Return the answer to one request.

        Raises:
            JudgeError: kind `unknown_step`; the prompt is none of the known ones, or not in its known form.
        """
        if request.kind == "embedding":
            return self._embed(request.body["input"])
        messages = request.body["messages"]
        text = last_user_text(messages)
        step = find_step(self._steps.get(request.framework, ()), told=request.step, text=text)
        if step is None:
            raise _unknown(request, text, "the lexical judge does not know this prompt")
        return self._chat_answer(messages, self._reply(step, request, text))

    async def close(self) -> None:
        """Nothing is held."""

    def _reply(self, step: PromptStep, request: UpstreamRequest, text: str) -> str:
        try:
            return step.answer(text, self._judge)
        except Exception as error:  # a prompt of another form may break its reader anywhere
            why = f"the prompt of this step is not in the form that the lexical judge knows ({error!r})"
            raise _unknown(request, text, why) from error

    def _chat_answer(self, messages: Sequence[Mapping[str, Any]], reply: str) -> dict[str, Any]:
        asked = sum(self._judge.count_tokens(message_text(message)) for message in messages)
        answered = self._judge.count_tokens(reply)
        message = {"role": "assistant", "content": reply}
        return {
            "object": "chat.completion",
            "model": LEXICAL,
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {
                "prompt_tokens": asked,
                "completion_tokens": answered,
                "total_tokens": asked + answered,
                "prompt_tokens_details": {"cached_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 0},
            },
        }

    def _embed(self, texts: Sequence[str]) -> dict[str, Any]:
        asked = sum(self._judge.count_tokens(text) for text in texts)
        return {
            "object": "list",
            "model": LEXICAL,
            "data": [
                {"object": "embedding", "index": index, "embedding": self._judge.embed(text)}
                for index, text in enumerate(texts)
            ],
            "usage": {"prompt_tokens": asked, "total_tokens": asked},
        }


def _unknown(request: UpstreamRequest, text: str, why: str) -> JudgeError:
    beginning = " ".join(text[: 2 * _SHOWN].split())[:_SHOWN]
    which = f"step {request.step}" if request.step else f'the prompt that begins "{beginning}"'
    return JudgeError(
        "unknown_step",
        f"{request.framework}, metric {request.metric}, {which}: {why}; "
        "use a language model as the judge (--judge) for this metric",
    )
