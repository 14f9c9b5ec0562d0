"""The errors that evalparity raises on purpose, each with what, where and what to do next.

    EvalparityError                 base of all; a command prints it without a traceback
      + DocumentError               a file of the user's cannot be read or breaks its format, problem by problem
          + SuiteError              a suite file
          + StudyError              a study file
          + PriceFileError          a price file
      + UsageError                  an unknown name, a contradiction between options, a bad path
      + FrameworkError              a framework is absent, broken, or answers out of its contract
      + JudgeError                  a judge or embedding call failed for good

Every class is raised only in the layer that can say something useful about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class EvalparityError(Exception):
    """Anything that evalparity explains to its user instead of showing a traceback."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing wrong with a file of the user's: where it stands, what is wrong, and what to do.

    Attributes:
        file: path as the user gave it.
        line: 1-based line, or None where the format has none.
        column: 1-based column, or None.
        case: id of the case, `#3` for the third case when it has no usable id, or None for the file.
        field: dotted path inside the case, as `retrieved_contexts[1].text`; None for the case as a whole.
        message: what is wrong and what to do, one sentence each, without the place.
    """

    file: str
    line: int | None = None
    column: int | None = None
    case: str | None = None
    field: str | None = None
    message: str

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        case = f" case {self.case}" if self.case is not None else ""
        field = f" {self.field}" if self.field is not None else ""
        subject = f"{case}{field}:" if case or field else ""
        return f"{place}:{subject} {self.message}"


class DocumentError(EvalparityError):
    """Raised when a file of the user's cannot be loaded; carries every problem found, not only the first.

    Attributes:
        problems: at least one `Problem`, in file order.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class SuiteError(DocumentError):
    """Raised when a suite cannot be loaded."""


class StudyError(DocumentError):
    """Raised when a study cannot be loaded."""


class PriceFileError(DocumentError):
    """Raised when a price file cannot be loaded."""


class UsageError(EvalparityError):
    """Raised when a command or call names something unknown or contradicts itself."""


class FrameworkError(EvalparityError):
    """Raised when a framework is absent, cannot start, or answers outside its contract.

    Attributes:
        framework: name of the framework, as on the command line.
    """

    def __init__(self, framework: str, message: str) -> None:
        self.framework = framework
        super().__init__(message)


class JudgeError(EvalparityError):
    """Raised when a judge or embedding call failed; its kind becomes the kind of the errored cell.

    Attributes:
        kind: one of `evalparity.unified_schema.outcomes.ERROR_KINDS`.
        retry_after: seconds that the server asked to wait, or None.
        transient: whether another attempt may succeed.
        billable: whether the server may bill the request all the same: it answered, or was still at it.
    """

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        retry_after: float | None = None,
        transient: bool = False,
        billable: bool = False,
    ) -> None:
        self.kind = kind
        self.retry_after = retry_after
        self.transient = transient
        self.billable = billable
        super().__init__(message)
