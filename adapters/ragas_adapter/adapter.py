"""The Ragas adapter: its process, and the parts of this folder put together."""

from __future__ import annotations

from pathlib import Path

from evalparity.adapters.base import Adapter, WorkerCommand
from evalparity.adapters.python_worker import python_worker, version_of
from evalparity.adapters.ragas_adapter.bindings import BINDINGS, UNSUPPORTED
from evalparity.adapters.ragas_adapter.failures import error_kind
from evalparity.adapters.ragas_adapter.files import FILES
from evalparity.adapters.ragas_adapter.prompts import STEPS
from evalparity.adapters.ragas_adapter.reading import read
from evalparity.adapters.ragas_adapter.translate import translate


def _command(_folder: Path) -> WorkerCommand:
    return python_worker("evalparity.adapters.ragas_adapter.judge", {"RAGAS_DO_NOT_TRACK": "true"})


ADAPTER = Adapter(
    name="ragas",
    requirement="ragas==0.4.3",
    install_hint=(
        'pip install "ragas==0.4.3" "langchain-community>=0.3.27,<0.4" "instructor>=1.13,<2" "rouge-score>=0.1.2,<0.2"'
    ),
    bindings=BINDINGS,
    unsupported=UNSUPPORTED,
    installed_version=version_of("ragas"),
    translate=translate,
    read=read,
    command=_command,
    error_kind=error_kind,
    steps=STEPS,
    files=FILES,
)
