"""Reads Promptfoo's configurations: their tests, in the file itself and in those that it names, as cases.

Nothing is rendered, run or fetched. What a configuration leaves to code or to the network is a problem that says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

from evalparity.adapters.promptfoo_adapter.files_export import SUITE, TAG
from evalparity.adapters.promptfoo_adapter.files_meaning import REFERENCE_TYPES, Test, flat_assertions, meaning_of
from evalparity.adapters.promptfoo_adapter.files_references import References, as_rows, is_code
from evalparity.adapters.promptfoo_adapter.files_rows import TEST_KEYS, test_of_row
from evalparity.adapters.promptfoo_adapter.files_tests import Expander, Placed, ids_of, inside, merged, nowhere, text_of
from evalparity.adapters.promptfoo_adapter.findings import mapping
from evalparity.unified_schema.cases import SCHEMA_VERSION
from evalparity.unified_schema.errors import Problem
from evalparity.unified_schema.exchange import DocumentShape, FolderShape, Opened
from evalparity.unified_schema.json_source import read_json
from evalparity.unified_schema.positions import FieldPath, Findings, Locate, quoted
from evalparity.unified_schema.records import Record, Source, find_cases
from evalparity.unified_schema.yaml_source import read_yaml

CONFIG_NAMES = ("promptfooconfig.yaml", "promptfooconfig.yml", "promptfooconfig.json")
_COMPANIONS = frozenset(("prompts", "providers", "targets", "defaultTest", "scenarios", "evaluateOptions"))


def is_config(data: object) -> bool:
    """Return whether a document is a configuration."""
    if not isinstance(data, Mapping) or "cases" in data:
        return False
    return bool({"tests", "scenarios"} & data.keys()) and bool(_COMPANIONS & data.keys() or _are_tests(data["tests"]))


def _are_tests(data: object) -> bool:
    return isinstance(data, list) and bool(data) and all(_is_test(one) for one in data[:20])


def _is_test(one: object) -> bool:
    return isinstance(one, Mapping) and "vars" in one and not {"input", "gradingResult", "testCase"} & one.keys()


def read_config(data: object, locate: Locate, opened: Opened) -> Source:
    """Return the cases of a configuration, or of a list of tests."""
    document = data if isinstance(data, Mapping) else {"tests": data}
    if TAG in mapping(document.get("tags")):
        return _read_export(opened)
    desk = _Desk(
        document=document,
        references=References(opened=opened),
        locate=locate if isinstance(data, Mapping) else lambda path: locate(path[1:]),
    )
    records = list(desk.records())
    return Source(
        file=opened.file,
        name=_name(opened.path),
        header={"evalparity": SCHEMA_VERSION, "name": _name(opened.path)},
        locate=locate,
        records=records,
        problems=desk.references.problems,
        remarks=tuple(desk.remarks()),
    )


def _name(path: Path) -> str:
    return path.resolve().parent.name or path.stem if path.name in CONFIG_NAMES else path.stem


def _read_export(opened: Opened) -> Source:
    """Return the suite that stands beside a configuration of evalparity's own."""
    references = References(opened=opened)
    file = str(Path(opened.file).parent / SUITE)
    found = references.paths(SUITE, opened.path.resolve().parent, None)
    text = references.text(found[0]) if found else None
    data, locate, damaged = (None, nowhere, []) if text is None else read_json(text, file)
    problems = [*references.problems, *damaged]
    source = find_cases(data, locate, file=file, name=_name(opened.path), problems=problems)
    return replace(
        source, remarks=(*source.remarks, f"{opened.path.name} is evalparity's own; this suite stands beside it")
    )


@dataclass(slots=True, kw_only=True)
class _Desk:
    """Reads one configuration."""

    document: Mapping[str, Any]
    references: References
    locate: Locate
    default: Mapping[str, Any] = field(default_factory=dict)

    @property
    def expander(self) -> Expander:
        """Return what makes several tests of one."""
        return Expander(references=self.references)

    def remarks(self) -> Iterator[str]:
        """Yield what is known of the configuration and not read."""
        yield "prompts and providers are not read: what a model answered stands in results (promptfoo eval -o)"
        yield from self.references.remarks

    def records(self) -> Iterator[Record]:
        """Yield the tests as records, each with an id."""
        self.default = self._default_test()
        expanded = [one for placed in self._all_tests() for one in self.expander.tests_in(self._with_default(placed))]
        ids = ids_of(expanded)
        for number, (placed, test_id) in enumerate(zip(expanded, ids, strict=True), start=1):
            yield self._record(placed, test_id, number)

    def _record(self, placed: Placed, test_id: object, number: int) -> Record:
        findings = Findings(remarks=list(placed.notes))
        test = placed.test
        told = Test(
            variables=mapping(test.get("vars")),
            assertions=self._assertions(placed),
            metadata=mapping(test.get("metadata")),
            description=text_of(test.get("description")),
            output=text_of(test.get("providerOutput")),
        )
        case = meaning_of(told, findings)
        if placed.file is not None:
            findings.remark((), f"stands in {placed.file}")
        data = {"id": test_id, **case}
        return Record(number=number, data=data, locate=placed.locate, findings=findings)

    def _all_tests(self) -> Iterator[Placed]:
        folder = self.references.folder
        yield from self._tests(self.document.get("tests"), self.locate, ("tests",), folder)
        for rank, scenario in enumerate(self._scenarios()):
            yield from self._scenario(scenario, ("scenarios", rank))

    def _tests(self, given: object, locate: Locate, path: FieldPath, base: Path) -> Iterator[Placed]:
        if given is None:
            return
        items = given if isinstance(given, list) else [given]
        for rank, item in enumerate(items):
            place = (*path, rank) if isinstance(given, list) else path
            reference = item.get("path") if isinstance(item, Mapping) and "vars" not in item else item
            if isinstance(reference, str):
                yield from self._from_files(reference, base, locate(place))
            elif isinstance(item, Mapping):
                yield Placed(test=item, locate=inside(locate, place), base=base)
            else:
                told = "a test must be a mapping with vars, or the name of a file."
                self.references.note(told, locate(place))

    def _from_files(self, reference: str, base: Path, line: int | None) -> Iterator[Placed]:
        for found in self.references.tests(reference, base, line):
            for item in as_rows(found.data):
                if not isinstance(item, Mapping):
                    told = f"{found.path.name} holds something that is no test: a test is a mapping."
                    self.references.note(told, line)
                    continue
                flat = not TEST_KEYS & item.keys()
                test = test_of_row(item) if flat else item
                # Its line is one of another file, and would be taken for one of the configuration.
                yield Placed(test=test, locate=nowhere, base=found.path.parent, file=found.path.name)

    def _default_test(self) -> Mapping[str, Any]:
        given = self.document.get("defaultTest")
        if isinstance(given, str):
            found = next(self.references.tests(given, self.references.folder, self.locate(("defaultTest",))), None)
            given = found.data if found is not None else None
        return mapping(given)

    def _scenarios(self) -> Iterator[Mapping[str, Any]]:
        given = self.document.get("scenarios")
        for rank, scenario in enumerate(given if isinstance(given, list) else []):
            line = self.locate(("scenarios", rank))
            if isinstance(scenario, str):
                for found in self.references.tests(scenario, self.references.folder, line):
                    yield from (mapping(one) for one in as_rows(found.data))
            elif isinstance(scenario, Mapping):
                yield scenario
            else:
                self.references.note("a scenario must be a mapping with config and tests.", line)

    def _scenario(self, scenario: Mapping[str, Any], path: FieldPath) -> Iterator[Placed]:
        base = self.references.folder
        settings = list(self._tests(scenario.get("config"), self.locate, (*path, "config"), base))
        tests = list(self._tests(scenario.get("tests") or [{}], self.locate, (*path, "tests"), base))
        for setting, placed in product(settings, tests):
            yield replace(placed, test=merged(setting.test, placed.test))

    def _with_default(self, placed: Placed) -> Placed:
        options = mapping(placed.test.get("options"))
        alone = str(options.get("disableDefaultAsserts")).lower() == "true"
        default = {**self.default, "assert": []} if alone else self.default
        test = merged({key: value for key, value in default.items() if key != "description"}, placed.test)
        given = test.get("vars")
        if isinstance(given, str):
            found = next(self.references.tests(given, placed.base, placed.locate(("vars",))), None)
            test = {**test, "vars": mapping(found.data if found else None)}
        return replace(placed, test=test)

    def _assertions(self, placed: Placed) -> tuple[Mapping[str, Any], ...]:
        given = placed.test.get("assert")
        if isinstance(given, str | Mapping):
            self.references.note("assert must be a list of assertions.", placed.locate(("assert",)))
        resolved = [self._resolved(one) for one in given] if isinstance(given, list) else []
        return tuple(self._withtext_of(one, placed) for one in flat_assertions(resolved))

    def _resolved(self, assertion: object) -> object:
        """Return an assertion, or the one of the same document that it points to."""
        pointer = assertion.get("$ref") if isinstance(assertion, Mapping) else None
        if not isinstance(pointer, str) or not pointer.startswith("#/"):
            return assertion
        found: object = self.document
        for step in pointer.removeprefix("#/").split("/"):
            found = found.get(step) if isinstance(found, Mapping) else None
        return found

    def _withtext_of(self, assertion: Mapping[str, Any], placed: Placed) -> Mapping[str, Any]:
        value = assertion.get("value")
        is_file = isinstance(value, str) and value.startswith("file://")
        if not is_file or str(assertion.get("type")) not in REFERENCE_TYPES or is_code(str(value)):
            return assertion
        texts = self.expander.value("value", value, placed)
        return {**assertion, "value": texts[0] if texts else None}


def read_folder(opened: Opened) -> Source:
    """Return the cases of the configuration in a folder."""
    path = next(opened.path / name for name in CONFIG_NAMES if (opened.path / name).is_file())
    inner = replace(opened, path=path, file=f"{opened.file.rstrip('/')}/{path.name}")
    references = References(opened=inner)
    text = references.text(path)
    parse = read_json if path.suffix == ".json" else read_yaml
    data, locate, problems = (None, nowhere, []) if text is None else parse(text, inner.file)
    if not isinstance(data, Mapping):
        told = f"is no configuration of Promptfoo's: {quoted(path.name)} must hold a mapping with tests."
        problems = [*references.problems, *problems] or [Problem(file=inner.file, message=told)]
        return Source(
            file=inner.file, name=_name(path), header=None, locate=locate, records=(), problems=list(problems)
        )
    source = read_config(data, locate, inner)
    source.problems.extend([*references.problems, *problems])
    return source


def has_config(folder: Path) -> bool:
    """Return whether a folder holds a configuration."""
    try:
        return any((folder / name).is_file() for name in CONFIG_NAMES)
    except OSError:
        return False


DOCUMENTS = (
    DocumentShape(name="promptfoo config", recognises=is_config, read=read_config),
    DocumentShape(name="promptfoo tests", recognises=_are_tests, read=read_config),
)
"""A configuration, and a list of tests."""
FOLDERS = (FolderShape(name="promptfoo folder", recognises=has_config, read=read_folder),)
"""A folder with a configuration."""
