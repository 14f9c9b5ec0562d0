"""Opens study files and reports everything that is wrong with them at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml
from pydantic import ValidationError

from evalparity.unified_schema.encodings import decode, encoding_of
from evalparity.unified_schema.errors import Problem, StudyError
from evalparity.unified_schema.field_types import read_fields
from evalparity.unified_schema.files import fault_of_path, sha256_of, unreadable
from evalparity.unified_schema.messages import explain
from evalparity.unified_schema.positions import FieldPath, Findings, Locate, path_text, quoted
from evalparity.unified_schema.study import STUDY_KEYS, STUDY_VERSION, Study
from evalparity.unified_schema.study_checks import Fault, check_secrets, check_study
from evalparity.unified_schema.yaml_source import read_yaml

ENDINGS = (".yaml", ".yml")

SUITE_KEYS = frozenset({"evalparity", "cases", "samples", "data", "defaults", "corpus", "label_scales"})
"""What stands at the top of a suite, and nowhere at the top of a study."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedStudy:
    """A study that loaded, and where its settings stand.

    Attributes:
        study: the settings.
        file: path as the user gave it.
        sha256: of the file's bytes, in hexadecimal.
        notes: what was read otherwise than written, one sentence each.
        locate: from a path inside the study to its line.
    """

    study: Study
    file: str
    sha256: str
    notes: tuple[str, ...] = ()
    locate: Locate

    def place(self, path: FieldPath) -> str:
        """Return where a setting stands, for messages: file, line and field."""
        line = self.locate(path)
        field = path_text(path)
        return (self.file if line is None else f"{self.file}:{line}") + (f": {field}" if field else "")

    def path(self, text: str) -> Path:
        """Return the path that a text of the study means: relative to the study, `~` being the user's home."""
        try:
            return Path(self.file).parent / Path(text).expanduser()
        except RuntimeError:  # there is no such home
            return Path(self.file).parent / text


def load_study(
    path: str | os.PathLike[str], *, check: Callable[[Study], Iterable[Fault]] = lambda _study: ()
) -> LoadedStudy:
    """Return the study in a file.

    Args:
        path: a .yaml or .yml file.
        check: yields what else is wrong with a study, such as frameworks that do not exist; reported with the rest.

    Raises:
        StudyError: the file cannot be read or breaks the format; it carries every problem, with its line.
    """
    file = os.fspath(path)
    fault = fault_of_path(Path(file), file, endings=ENDINGS, kind="study")
    if fault is not None:
        raise StudyError([fault])
    try:
        text, problems, remarks = decode(Path(file).read_bytes(), file)
        digest = sha256_of(Path(file))
    except OSError as error:
        raise StudyError([unreadable(error, file)]) from error
    if problems:
        raise StudyError(problems)
    data, locate, problems = read_yaml(text, file)
    findings = Findings()
    study = _read(data, findings, check) if not (problems and data is None) else Study()
    problems += [_problem(fault, file, locate) for fault in findings.faults]
    if problems:
        raise StudyError(sorted(problems, key=lambda problem: problem.line or 0))
    notes = (f"{file}:{locate(path)}: {path_text(path)}: {message}" for path, message in findings.remarks)
    of_file = (f"{file}: {remark}" for remark in remarks)
    return LoadedStudy(study=study, file=file, sha256=digest, notes=(*of_file, *notes), locate=locate)


def is_study(path: str | os.PathLike[str]) -> bool:
    """Tell whether a YAML file is a study and not a suite, by the first of its keys that only one of them has."""
    if Path(path).suffix.lower() not in ENDINGS:
        return False
    try:
        codec = encoding_of(Path(path), os.fspath(path)).codec
        with Path(path).open(encoding=codec) as file:
            telling = (key for key in _top_keys(file) if key in STUDY_KEYS | SUITE_KEYS)
            return next(telling, None) in STUDY_KEYS
    except (OSError, ValueError, yaml.YAMLError):
        return False


def _top_keys(file: Any) -> Iterator[str]:  # noqa: ANN401 - whatever PyYAML reads
    """Yield the keys of the mapping that a YAML file holds, read as far as they are asked for."""
    depth, is_key = 0, False
    for event in yaml.parse(file, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if not isinstance(event, yaml.NodeEvent):
            continue
        if depth == 0 and not isinstance(event, yaml.MappingStartEvent):
            return
        if depth == 1:
            is_key = not is_key
            if is_key and isinstance(event, yaml.ScalarEvent):
                yield event.value
        depth += isinstance(event, yaml.CollectionStartEvent)


def _problem(fault: Fault, file: str, locate: Locate) -> Problem:
    path, message = fault
    return Problem(file=file, line=locate(path), field=path_text(path), message=message)


def _read(data: object, findings: Findings, check: Callable[[Study], Iterable[Fault]]) -> Study:
    if not isinstance(data, Mapping):
        findings.fault((), "a study is a mapping of settings such as frameworks, metrics and judge.")
        return Study()
    if "cases" in data:
        findings.fault(("cases",), "this is a suite, and a study holds no cases: give it as SUITE instead.")
        return Study()
    secrets = list(check_secrets(data))
    findings.faults.extend(secrets)
    written = _without(_written_out(_without_nulls(data)), [path for path, _ in secrets])
    read = read_fields(Study, written, (), findings)
    assert isinstance(read, dict)
    study = _validated(read, findings)
    findings.faults.extend(check_study(study))
    findings.faults.extend(check(study))
    return study


def _validated(read: dict[str, Any], findings: Findings) -> Study:
    """Return the study; without the settings that are refused, so that the others are still checked."""
    try:
        return Study.model_validate(read)
    except ValidationError as error:
        refused = explain(error, read)
        if ("study",) in refused:
            refused[("study",)] = (
                f"this is version {quoted(read['study'])} of the study format and only {STUDY_VERSION} is known here: "
                f"write {STUDY_VERSION}, or upgrade evalparity."
            )
        findings.faults.extend(refused.items())
        return Study.model_validate(_what_is_left(read, refused))


def _what_is_left(read: Mapping[str, Any], refused: Iterable[FieldPath]) -> dict[str, Any]:
    """Return the settings without those that are refused; of a mapping, without its refused entries."""
    left = {key: dict(value) if isinstance(value, Mapping) else value for key, value in read.items()}
    for path in refused:
        group = left.get(str(path[0]))
        if len(path) > 1 and isinstance(group, dict):
            group.pop(str(path[1]), None)
        else:
            left.pop(str(path[0]), None)
    return left


def _without_nulls(value: Any) -> Any:  # noqa: ANN401 - raw data
    """Leave out what is null: that is how a setting is not made."""
    if isinstance(value, Mapping):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [_without_nulls(inner) for inner in value] if isinstance(value, list) else value


def _without(data: dict[str, Any], paths: Iterable[FieldPath]) -> dict[str, Any]:
    for *outer, last in paths:
        inner: Any = data
        for step in outer:
            inner = inner[step]
        inner.pop(last, None)
    return data


def _written_out(data: dict[str, Any]) -> dict[str, Any]:
    return {key: _SHORT_FORMS[key](value) if key in _SHORT_FORMS else value for key, value in data.items()}


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _model(value: object) -> object:
    return {"model": value} if isinstance(value, str) else value


def _models(value: object) -> object:
    return [_model(item) for item in value] if isinstance(value, list) else value


_SHORT_FORMS: Mapping[str, Callable[[object], object]] = MappingProxyType(
    {
        "frameworks": _listed,
        "metrics": _listed,
        "scorers": _listed,
        "judge": _model,
        "judges": _models,
        "embeddings": _model,
    }
)
"""How a person may write a setting in short: one name for a list of one, a model for a judge."""
