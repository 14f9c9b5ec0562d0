"""What a framework's file cannot hold of a suite, field by field."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from evalparity.unified_schema.cases import EvalCase, EvalSuite
from evalparity.unified_schema.exchange import Loss
from evalparity.unified_schema.writing import case_data


def losses_of_case(case: EvalCase, held: Collection[str], told: Mapping[str, str], other: str) -> Iterator[Loss]:
    """Yield a loss for every field that a case has and the target does not.

    Args:
        case: the case.
        held: fields that the target holds, and others that the caller judges by itself.
        told: what becomes of a field.
        other: what becomes of one that is not in `told`.
    """
    for field in case_data(case):
        if field not in held:
            yield Loss(case=case.id, field=field, message=told.get(field, other))


def losses_of_suite(suite: EvalSuite, name: str) -> Iterator[Loss]:
    """Yield what a bare list of cases cannot hold of a suite.

    Args:
        suite: the suite.
        name: what the suite is called when the list is read again.
    """
    if suite.name != name:
        yield Loss(case=None, field="name", message="the list has no name: it is called after its file")
    if suite.label_scales:
        yield Loss(
            case=None, field="label_scales", message="a list of cases has no place for scales: they are left out"
        )
    if suite.corpus is not None:
        yield Loss(case=None, field="corpus", message="a list of cases names no corpus: give it by itself")
