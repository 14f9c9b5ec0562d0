"""The adapter of the built-in scorers: it reads a score straight from the translated inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from types import MappingProxyType

from evalparity.adapters.base import Adapter, Binding, JsonObject, JudgeReply, Reading
from evalparity.adapters.builtin_adapter.bindings import BINDINGS, UNSUPPORTED
from evalparity.adapters.builtin_adapter.scorers import bleu, contains, exact_match, levenshtein, rouge_l
from evalparity.adapters.builtin_adapter.sentence_overlap import sentence_overlap
from evalparity.unified_schema.cases import EvalCase
from evalparity.unified_schema.metrics import METRICS

_SCORERS: Mapping[str, Callable[[JsonObject], Reading]] = MappingProxyType(
    {
        "sentence_overlap": sentence_overlap,
        "exact_match": exact_match,
        "contains": contains,
        "rouge_l": rouge_l,
        "bleu": bleu,
        "levenshtein": levenshtein,
    }
)
"""By native name."""


def _installed_version() -> str:
    return version("evalparity")


def _translate(case: EvalCase, binding: Binding) -> JsonObject:
    contexts = METRICS[binding.metric].contexts
    if contexts is not None:
        return {"output": case.output, "contexts": list(case.context_texts(contexts))}
    return {"output": case.output, "reference": case.reference}


def _read(binding: Binding, inputs: JsonObject, _replies: Sequence[JudgeReply]) -> Reading:
    return _SCORERS[binding.native_name](inputs)


ADAPTER = Adapter(
    name="builtin",
    requirement="evalparity",
    install_hint="pip install evalparity",
    bindings=BINDINGS,
    unsupported=UNSUPPORTED,
    installed_version=_installed_version,
    translate=_translate,
    read=_read,
)
