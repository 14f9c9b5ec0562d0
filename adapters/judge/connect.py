"""From the settings of a run to its upstreams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evalparity.adapters.base import PromptStep
from evalparity.adapters.judge.lexical_upstream import LexicalUpstream
from evalparity.adapters.judge.settings import LEXICAL, JudgeSettings
from evalparity.adapters.judge.upstream import HttpUpstream, Upstream
from evalparity.unified_schema.errors import UsageError

Steps = Mapping[str, Sequence[PromptStep]]


def connect(settings: JudgeSettings, steps: Steps) -> tuple[Upstream, Upstream | None]:
    """Return where chat calls go and where embedding calls go; nothing is sent yet.

    Args:
        settings: the judge of the run.
        steps: the prompts that the lexical judge answers, by framework.

    Returns:
        The judge, and the embedder, None when the run has no embedding model.

    Raises:
        UsageError: a model other than `lexical` has no URL, or a URL is none.
    """
    return _judge(settings, steps), _embedder(settings, steps)


def _judge(settings: JudgeSettings, steps: Steps) -> Upstream:
    if settings.model == LEXICAL:
        return _lexical(steps)
    if settings.url is None:
        raise UsageError(f"judge {settings.model!r} needs the URL of its server: --judge-url https://host/v1")
    return HttpUpstream(settings.url, settings.api_key)


def _embedder(settings: JudgeSettings, steps: Steps) -> Upstream | None:
    if settings.embedding_model is None:
        return None
    if settings.embedding_model == LEXICAL:
        return _lexical(steps)
    if settings.embedding_url is not None:
        return HttpUpstream(settings.embedding_url, settings.embedding_api_key, option="--embedding-url")
    if settings.url is None:
        raise UsageError(
            f"embedding model {settings.embedding_model!r} needs the URL of its server: --embedding-url https://host/v1"
        )
    return HttpUpstream(settings.url, settings.embedding_api_key or settings.api_key)


def _lexical(steps: Steps) -> Upstream:
    # Imported here as it brings word lists that a run with a real judge does not need.
    from evalparity.adapters.judge.lexical.judge import LEXICAL_JUDGE  # noqa: PLC0415

    return LexicalUpstream(steps, LEXICAL_JUDGE)
