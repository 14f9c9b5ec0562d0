"""Finds the function that a user named, and how to call it; runs in the application's process.

Standard library only, as `evalparity.comparisons.recording.returned`.
"""

from __future__ import annotations

import difflib
import hashlib
import inspect
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from inspect import Parameter
from pathlib import Path
from types import ModuleType
from typing import Any

OFFERED = ("case_id", "conversation", "tenant", "as_of", "metadata")
"""What a function gets by keyword, beyond the question, when its signature names it."""

_OURS = frozenset({"evalparity", "__main__"})
_HERE = Path(__file__).parent
_QUESTION_NAMES = ("question", "query", "input", "user_input")
_NAMED = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
_BY_PLACE = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.VAR_POSITIONAL)


class RefusedError(Exception):
    """Raised when the user must mend the name, the module or the function before anything can be called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """A function that was found.

    Attributes:
        function: what to call.
        question: keyword of the question; None: it goes in first place.
        takes: what else it takes by keyword, and whether it has a default of its own for it.
        module: where it was found.
    """

    function: Callable[..., Any]
    question: str | None
    takes: Mapping[str, bool]
    module: ModuleType

    @property
    def asynchronous(self) -> bool:
        """Whether calling it gives something to await."""
        return inspect.iscoroutinefunction(self.function) or inspect.iscoroutinefunction(
            getattr(self.function, "__call__", None)  # noqa: B004 - asked for its kind, not whether it is there
        )


def find_app(name: str, folder: Path) -> App:
    """Return the function named as `package.module:function`, imported with `folder` first on the import path.

    Raises:
        RefusedError: it cannot be imported or called; says why and what to do.
    """
    module_name, _, path = name.partition(":")
    sys.path.insert(0, str(folder))
    module = _import(module_name, folder)
    found: Any = module
    for step in path.split("."):
        if not hasattr(found, step):
            raise RefusedError(_no_such(step, found, name))
        found = getattr(found, step)
    if isinstance(found, type):
        raise RefusedError(f"{name} is a class: make an object of it in the module, and name that or its method.")
    if not callable(found):
        raise RefusedError(f"{name} is no function but of type {type(found).__name__}: name what answers a question.")
    question, takes = call_form(found, name)
    return App(function=found, question=question, takes=takes, module=module)


def _import(module_name: str, folder: Path) -> ModuleType:
    try:
        return import_module(module_name)
    except BaseException as error:  # importing runs the user's code, which may raise anything, SystemExit included
        traceback.print_exc()
        raise RefusedError(_import_failed(error, module_name, folder)) from error


def _import_failed(error: BaseException, module_name: str, folder: Path) -> str:
    missing = getattr(error, "name", None) if isinstance(error, ModuleNotFoundError) else None
    if missing is not None and f"{module_name}.".startswith(f"{missing}."):
        near = difflib.get_close_matches(missing, _modules_in(folder), n=1)
        hint = f"did you mean {near[0]}?" if near else "run evalparity in the folder that holds it."
        return f"there is no module {missing} in {folder} or among the installed packages: {hint}"
    if isinstance(error, SystemExit):
        told = "put what it runs under `if __name__ == '__main__':`."
        return f"importing {module_name} ended the program (SystemExit){_place(error, folder)}: {told}"
    if missing is not None:
        told = f"install it where evalparity is installed ({sys.prefix})."
        return f"importing {module_name} failed, there is no module {missing}{_place(error, folder)}: {told}"
    return f"importing {module_name} failed: {describe(error, folder)}"


def _modules_in(folder: Path) -> list[str]:
    try:
        return [path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()]
    except OSError:
        return []


def _no_such(step: str, found: object, name: str) -> str:
    public = [other for other in dir(found) if callable(getattr(found, other, None)) and not other.startswith("_")]
    near = difflib.get_close_matches(step, public, n=1)
    hint = f"did you mean {near[0]}?" if near else "name one that is there."
    return f"{name}: there is no {step} in {getattr(found, '__name__', type(found).__name__)}: {hint}"


def call_form(function: Callable[..., Any], name: str) -> tuple[str | None, dict[str, bool]]:
    """Return how a function is called: the keyword of the question, None for first place, and what else it takes.

    What else it takes is out of `OFFERED`, each with whether the function has a default of its own.

    Raises:
        RefusedError: it takes no question, or needs something that nobody gives it.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):  # some functions written in C tell nothing
        return None, {}
    asked = _question_parameter(parameters)
    if asked is None:
        raise RefusedError(f"{name} takes no question: give it a first parameter for the text of the question.")
    takes = {p.name: p.default is not Parameter.empty for p in parameters if p.name in OFFERED and p.kind in _NAMED}
    needed = [p.name for p in parameters if p is not asked and p.name not in takes and _is_required(p)]
    if needed:
        raise RefusedError(
            f"{name} needs {', '.join(needed)}, which evalparity cannot give: it passes the question, and "
            f"{', '.join(OFFERED)} where these are named. Give the others defaults, or write a function around it."
        )
    first = parameters[0] is asked and asked.kind in _BY_PLACE
    return (None if first else asked.name), takes


def _question_parameter(parameters: list[Parameter]) -> Parameter | None:
    by_name = {p.name: p for p in parameters if p.kind in _NAMED}
    named = next((by_name[name] for name in _QUESTION_NAMES if name in by_name), None)
    if named is not None:
        return named
    first = next(iter(parameters), None)
    usable = first is not None and first.kind in _BY_PLACE and first.name not in OFFERED
    return first if usable else None


def _is_required(parameter: Parameter) -> bool:
    variable = parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    return parameter.default is Parameter.empty and not variable


def own_sources(app: App, folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every source file of the user's own that is imported by now, by its path.

    The user's own are the modules of the package that the application stands in, and those below `folder` but outside
    of the virtual environment.
    """
    modules = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] not in _OURS]
    files = {file for module in modules if (file := _file_of(module)) is not None}
    package = _package_of(app)
    named = {file: base for file in files if (base := _base(file, package, folder.resolve())) is not None}
    return {
        file.relative_to(base).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file, base in sorted(named.items())
    }


def _package_of(app: App) -> Path | None:
    """Return the folder of the package that the application stands in, or the file of a module that stands alone."""
    file = _file_of(sys.modules.get(app.module.__name__.partition(".")[0]))
    return file.parent if file is not None and file.name == "__init__.py" else file


def _base(file: Path, package: Path | None, folder: Path) -> Path | None:
    """Return the folder from which a file of the user's own is named; None: it is not the user's own."""
    if package is not None and file.is_relative_to(package):
        return package.parent
    environment = Path(sys.prefix).resolve()
    installed = environment != folder and file.is_relative_to(environment)
    return folder if file.is_relative_to(folder) and not installed else None


def _file_of(module: ModuleType | None) -> Path | None:
    name = getattr(module, "__file__", None)
    if not isinstance(name, str) or not name.endswith(".py"):
        return None
    file = Path(name).resolve()
    return file if file.is_file() else None


def describe(error: BaseException, folder: Path) -> str:
    """Return an exception on one line: its type, its message, and the place in the user's own code."""
    try:
        message = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 - an exception of the user's may fail to print itself
        message = "its message cannot be read"
    return f"{type(error).__name__}{f': {message[:300]}' if message else ''}{_place(error, folder)}"


def _place(error: BaseException, folder: Path) -> str:
    frames = [(Path(frame.filename), frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    foreign = ("site-packages", "dist-packages")
    theirs = [
        (file, line)
        for file, line in frames
        if file.parent != _HERE and file.is_file() and not {*foreign} & {*file.parts}
    ]
    own = [(file.relative_to(folder), line) for file, line in theirs if file.is_relative_to(folder)] or theirs
    return f" ({own[-1][0]}:{own[-1][1]})" if own else ""
