"""The adapter of the built-in scorers: it reads a score straight from the translated inputs."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

from evalparity.adapters.base import Adapter, Binding, JsonObject, JudgeReply, Reading
from evalparity.adapters.builtin_adapter.bindings import BINDINGS, UNSUPPORTED
from evalparity.unified_schema.cases import EvalCase


def _installed_version() -> str:
    return version("evalparity")


def _translate(case: EvalCase, _binding: Binding) -> JsonObject:
    return {"output": case.output, "reference": case.reference}


def _read(_binding: Binding, inputs: JsonObject, _replies: Sequence[JudgeReply]) -> Reading:
    output, reference = str(inputs["output"]).strip(), str(inputs["reference"]).strip()
    if output == reference:
        return Reading(raw=1.0, reason="Output and reference are the same text.")
    return Reading(raw=0.0, reason="Output and reference differ.")


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
