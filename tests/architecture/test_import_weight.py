"""`evalparity --help` answers at once: it imports no framework, no pandas, nothing heavy."""

from __future__ import annotations

import subprocess
import sys

HEAVY = (
    "aiohttp", "deepeval", "instructor", "jsonschema", "langchain_core", "numpy", "openai", "pandas", "pydantic",
    "ragas", "rapidfuzz", "rich", "sacrebleu", "scipy", "sqlite3", "yaml",
)  # fmt: skip


def modules_after(argument_list: list[str]) -> set[str]:
    code = (
        "import sys\n"
        f"sys.argv = {['evalparity', *argument_list]!r}\n"
        "from evalparity.comparisons.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('MODULES', *{name.partition('.')[0] for name in sys.modules})\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    last = done.stdout.splitlines()[-1]
    assert last.startswith("MODULES")
    return set(last.split()[1:])


def test_help_imports_nothing_heavy() -> None:
    loaded = modules_after(["--help"])
    assert "click" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_listing_the_frameworks_imports_none_of_them() -> None:
    loaded = modules_after(["adapters", "--table"])
    assert "pydantic" in loaded
    assert loaded.isdisjoint(
        {"ragas", "deepeval", "openai", "instructor", "langchain_core", "pandas", "rapidfuzz", "sacrebleu"}
    )
