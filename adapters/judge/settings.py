"""How the one judge is called: the same model, temperature, seed and output limit for every framework."""

from __future__ import annotations

from dataclasses import dataclass, field

from evalparity.adapters.judge.structured import Form

LEXICAL = "lexical"
"""Name of the built-in deterministic judge and of its embeddings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings:
    """The judge of a run.

    Attributes:
        label: tells this judge from others of the same run; None: the run has one judge.
        model: name of the judge model, or `lexical`.
        url: base URL of an OpenAI-compatible server, up to and including `/v1`; None for `lexical`.
        embedding_model: name of the embedding model, `lexical`, or None when there is none.
        embedding_url: base URL for embeddings; None: the judge's.
        api_key: the key; lives in the gateway's process only and is left out of every representation.
        embedding_api_key: key for embeddings. None: the judge's key while `embedding_url` is None, else no key.
        temperature: sent with every chat call.
        seed: sent with every chat call; the repeat index is added to it.
        max_output_tokens: limit of every reply.
        concurrency: calls in flight upstream, shared fairly among frameworks.
        requests_per_minute: sent to a server at most, retries included; None: any number.
        tokens_per_minute: in and out, that the calls to a server may use; None: any number.
        attempts: requests per call at most, the first included.
        request_timeout: seconds until one request is given up. It is not sent again: a slow server is still
            at the first one.
        deadline: seconds that a call may wait between its attempts, all waits together; neither the attempts
            themselves nor the waiting for a turn count.
        structured_output: the forms of `response_format` that the server takes; None: not known, so that what a
            framework asks for is sent as it is.
    """

    label: str | None = None
    model: str = LEXICAL
    url: str | None = None
    embedding_model: str | None = LEXICAL
    embedding_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    embedding_api_key: str | None = field(default=None, repr=False)
    temperature: float = 0.0
    seed: int = 0
    max_output_tokens: int = 4096
    concurrency: int = 16
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    attempts: int = 4
    request_timeout: float = 600.0
    deadline: float = 300.0
    structured_output: tuple[Form, ...] | None = None

    @property
    def name(self) -> str:
        """Return what reports call the judge."""
        return self.label or self.model

    @property
    def embedding_server(self) -> str | None:
        """Return the base URL that embeddings are asked from; None for the lexical ones, or without a model."""
        if self.embedding_model is None or self.embedding_model == LEXICAL:
            return None
        return self.embedding_url or self.url
