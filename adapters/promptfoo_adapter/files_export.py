"""Writes a suite as a folder that `promptfoo eval` runs, and in which no text of the suite ever meets a template.

Promptfoo renders what its configuration holds: a text there could run code, open files and show the environment. So
the configuration holds constants and percent-encoded ids alone; the texts stand in a JSON file that a provider of ours
reads, and enter once the templates have been rendered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from evalparity.adapters.base import Binding
from evalparity.adapters.promptfoo_adapter.bindings import BINDINGS, is_reserialised
from evalparity.adapters.promptfoo_adapter.installation import LOCKED_VERSION
from evalparity.adapters.promptfoo_adapter.rubrics import LAYOUTS, SCORERS, criteria, middle
from evalparity.unified_schema.cases import Chunk, EvalCase, EvalSuite, is_blank
from evalparity.unified_schema.errors import UsageError
from evalparity.unified_schema.exchange import Loss, Writer
from evalparity.unified_schema.metrics import METRICS
from evalparity.unified_schema.writing import suite_text

CONFIG = "promptfooconfig.yaml"
SUITE = "suite.json"
"""The suite itself, for evalparity to read the folder back."""
TAG = "evalparity"
"""The tag of a configuration that evalparity wrote."""

_REFERENCE = "{{reference}}"
_CONTEXT_FIELDS = ("prompt_contexts", "retrieved_contexts")
_THRESHOLDS: Mapping[str, float] = MappingProxyType(
    {
        "context-faithfulness": 0.5,
        "context-recall": 0.5,
        "context-relevance": 0.5,
        "answer-relevance": 0.5,
        "similar": 0.75,
        "bleu": 0.5,
    }
)
"""Promptfoo 0.123.1's own, written out because they were others before; what is not here scores 0 or 1."""
_WITH_REFERENCE = frozenset({"context-recall", "factuality", "similar", "equals", "contains", "bleu"})

_UNSEEN = "Promptfoo does not see it; it is kept in suite.json."
_HIDDEN: Mapping[str, str] = MappingProxyType(
    {
        "conversation": "Promptfoo's graders see the last question alone; the turns are kept in suite.json.",
        **dict.fromkeys(
            (
                "reference_contexts",
                "stages",
                "relevance",
                "evidence",
                "answerable",
                "citations",
                "access",
                "as_of",
                "hops",
                "labels",
                "usage",
                "category",
                "metadata",
            ),
            _UNSEEN,
        ),
    }
)
"""What becomes of the fields that no assertion looks at."""


def write_folder(suite: EvalSuite, path: Path) -> tuple[Loss, ...]:
    """Write a suite as a folder for `promptfoo eval`; one assertion per row, the default scorer of every metric.

    Args:
        suite: what is written.
        path: the folder; its parent must be there. Files of these names in it are replaced, others stay.

    Returns:
        What Promptfoo cannot see, case by case.

    Raises:
        UsageError: the suite has nothing that Promptfoo could score, or the folder cannot be written.
    """
    tests = [test for case in suite.cases for test in tests_of(case)]
    if not tests:
        raise UsageError(f"{path}: no case holds what any metric of Promptfoo's needs: record outputs first.")
    files = {
        SUITE: suite_text(suite, ".json"),
        "recorded.json": _json({key_of(case.id): _recorded(case) for case in suite.cases}),
        "recorded.mjs": _source("files_recorded.mjs"),
        "question.mjs": _source("files_question.mjs"),
        "README.md": _README,
        CONFIG: f"{_SCHEMA}{_json(_config(tests))}",
    }
    _write(files, path)
    return tuple(_losses(suite))


def key_of(case_id: str) -> str:
    """Return an id as it stands in the configuration: nothing in it can be a template, a path or a number."""
    return quote(case_id, safe="")


def tests_of(case: EvalCase) -> Iterator[dict[str, Any]]:
    """Yield a test for each metric whose fields the case holds."""
    for metric, bindings in BINDINGS.items():
        if not case.blank_fields(METRICS[metric].requires):
            yield _test(case, bindings[0])


def assertion_of(binding: Binding) -> dict[str, Any]:
    """Return the assertion of a scorer: constants and templates of ours, which take in variables."""
    rubric = SCORERS.get(binding.scorer)
    if rubric is not None:
        asked = "".join(_rubric_part(field) for field in rubric.fields if field != "output")
        return {"type": binding.native_name, "value": criteria(rubric) + asked, "threshold": middle(rubric)}
    value = {"value": _REFERENCE} if binding.native_name in _WITH_REFERENCE else {}
    threshold = _THRESHOLDS.get(binding.native_name)
    return {"type": binding.native_name, **value, **({} if threshold is None else {"threshold": threshold})}


def _rubric_part(field: str) -> str:
    variable = {"input": "query", "reference": "reference"}.get(field)
    if variable is not None:
        return LAYOUTS[field].replace("{text}", f"{{{{{variable}}}}}")
    return f"{{% for chunk in context %}}{LAYOUTS[field].replace('{text}', '{{chunk}}')}{{% endfor %}}"


def _test(case: EvalCase, binding: Binding) -> dict[str, Any]:
    key = key_of(case.id)
    needs = "nothing" if not binding.asks_judge else "chat" if binding.embedding_calls.none else "embeddings"
    return {
        "description": f"{key} {binding.metric}",
        "vars": {"case": key, "contexts": METRICS[binding.metric].contexts or "retrieved_contexts", "needs": needs},
        "metadata": {"metric": binding.metric},
        "assert": [assertion_of(binding)],
    }


def _config(tests: list[dict[str, Any]]) -> dict[str, Any]:
    server = {"apiBaseUrl": "{{ env.EVALPARITY_JUDGE_URL }}", "apiKeyEnvar": "EVALPARITY_JUDGE_API_KEY"}
    chat = {**server, "temperature": 0, "max_tokens": 4096, "showThinking": False}
    provider = {
        "text": {"id": "openai:chat:{{ env.EVALPARITY_JUDGE }}", "config": chat},
        "embedding": {"id": "openai:embedding:{{ env.EVALPARITY_EMBEDDING_MODEL }}", "config": server},
    }
    return {
        "description": "Recorded answers, written by evalparity",
        "tags": {TAG: "1"},
        "prompts": ["file://question.mjs"],
        "providers": ["file://recorded.mjs"],
        "defaultTest": {"options": {"provider": provider}},
        "tests": tests,
    }


def _recorded(case: EvalCase) -> dict[str, Any]:
    contexts = {field: list(case.context_texts(field)) for field in _CONTEXT_FIELDS}
    return {"id": case.id, "input": case.input, "output": case.output, "reference": case.reference, **contexts}


def _losses(suite: EvalSuite) -> Iterator[Loss]:
    if suite.corpus is not None:
        yield Loss(case=None, field="corpus", message="Promptfoo does not see it: copy the file beside suite.json.")
    if suite.label_scales:
        yield Loss(case=None, field="label_scales", message=_UNSEEN)
    for case in suite.cases:
        for field, message in _lost(case):
            yield Loss(case=case.id, field=field, message=message)


def _lost(case: EvalCase) -> Iterator[tuple[str, str]]:
    for field, message in _HIDDEN.items():
        if getattr(case, field) not in ((), {}, None):
            yield field, message
    for field, holds, message in _ODDITIES:
        if holds(case):
            yield field, message


def _has_more_than_text(case: EvalCase) -> bool:
    return any(chunk != Chunk(id=f"c{rank}", text=chunk.text) for rank, chunk in enumerate(case.retrieved_contexts, 1))


_ODDITIES: tuple[tuple[str, Callable[[EvalCase], bool], str], ...] = (
    (
        "retrieved_contexts",
        _has_more_than_text,
        "Promptfoo sees the texts alone; ids and all else are kept in suite.json.",
    ),
    (
        "retrieved_contexts",
        lambda case: any(is_blank(chunk.text) for chunk in case.retrieved_contexts),
        "Promptfoo refuses blank contexts: they are left out there, and kept in suite.json.",
    ),
    (
        "output",
        lambda case: case.output is None,
        "there is none, so there are no rows for the metrics that look at it.",
    ),
    (
        "output",
        lambda case: case.output is not None and is_reserialised(case.output),
        "it is JSON, which Promptfoo writes anew before its graders see it (1.0 becomes 1).",
    ),
    (
        "id",
        lambda case: not any(True for _ in tests_of(case)),
        "the case lacks what every metric of Promptfoo's needs: it has no row, and is kept in suite.json.",
    ),
)
"""By field, what a case may hold that changes on its way, and what becomes of it."""


def _write(files: Mapping[str, str], path: Path) -> None:
    try:
        path.mkdir(exist_ok=True)
        for name, text in files.items():
            (path / name).write_bytes(text.encode())
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror or error}).") from error


def _source(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _json(data: object) -> str:
    # JSON is YAML as well; non-ASCII as escapes, so that no reader takes U+2028 or U+0085 for the end of a line.
    return json.dumps(data, indent=1, allow_nan=False) + "\n"


_SCHEMA = "# yaml-language-server: $schema=https://promptfoo.dev/config-schema.json\n"
_README = f"""# A suite for Promptfoo {LOCKED_VERSION}

Written by `evalparity convert --to promptfoo`. Recorded answers are scored; no model under test is asked.

```bash
export EVALPARITY_JUDGE=...              # the model that judges, at an OpenAI-compatible server
export EVALPARITY_JUDGE_URL=...          # as https://api.openai.com/v1
export EVALPARITY_JUDGE_API_KEY=...      # any text where the server wants none
export EVALPARITY_EMBEDDING_MODEL=...    # for answer_relevancy and answer_similarity
npx promptfoo@{LOCKED_VERSION} eval --no-cache -o results.json
npx promptfoo@{LOCKED_VERSION} eval --no-cache -o results.json --filter-metadata metric=faithfulness
```

| file | holds |
|---|---|
| `promptfooconfig.yaml` | one test per case and metric, each with one assertion; thresholds can be changed here |
| `recorded.json` | the texts; Promptfoo never renders them |
| `recorded.mjs`, `question.mjs` | hand the texts to Promptfoo after its templates are rendered |
| `suite.json` | the suite itself, from which evalparity reads this folder back |

Keep the texts out of `promptfooconfig.yaml`: Promptfoo renders what stands there, and runs code that stands in it.
"""

WRITERS = (
    Writer(
        name="promptfoo",
        endings=(),
        write=write_folder,
        about="a folder for `promptfoo eval`: recorded answers, one assertion per row",
    ),
)
"""What a suite can be written to for Promptfoo."""
