"""What the user should know about a suite that loaded well: names read as others, values converted, doubts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from evalparity.unified_schema.positions import FieldPath, path_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One thing that was renamed, assumed or doubted on loading; the same thing in many cases is one note.

    Attributes:
        file: path as the user gave it.
        line: 1-based line of the first place, or None.
        case: id of the first case, or None for the file.
        field: path inside that case as the file has it, or None.
        message: what was done or is doubtful.
        cases: in how many cases.
    """

    file: str
    line: int | None = None
    case: str | None = None
    field: str | None = None
    message: str
    cases: int = 1

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        if self.case is None:
            return f"{place}: {self.message}"
        many = f" (and in {self.cases - 1} more cases)" if self.cases > 1 else ""
        return f"{place}: case {self.case}{f' {self.field}' if self.field else ''}: {self.message}{many}"


@dataclass(slots=True)
class NoteBook:
    """Collects notes in the order of their first place and counts the cases of each."""

    file: str
    _notes: dict[tuple[object, str], Note] = field(default_factory=dict)
    _last: dict[tuple[object, str], str] = field(default_factory=dict)

    def is_new(self, path: FieldPath, message: str) -> bool:
        """Tell whether no case so far has this note; only then is its line worth finding."""
        return (path[:1], message) not in self._notes

    def add(self, message: str, *, line: int | None, case: str | None = None, path: FieldPath = ()) -> None:
        """Add a note, or count one more case of a note that stands."""
        key = (path[:1], message)
        if key not in self._notes:
            field_text = path_text(path)
            self._notes[key] = Note(file=self.file, line=line, case=case, field=field_text, message=message)
        elif case is not None and self._last.get(key) != case:
            self._notes[key] = replace(self._notes[key], cases=self._notes[key].cases + 1)
        if case is not None:
            self._last[key] = case

    def notes(self) -> tuple[Note, ...]:
        """Return the notes, in the order of their first place."""
        return tuple(self._notes.values())
