"""docs/adding-an-adapter.md, followed to the letter: its code becomes a package, is installed, tested and run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "adding-an-adapter.md"
FILE = re.compile(r"```\w+\n# (?P<name>\S+\.\w+)\n(?P<text>.*?)```", re.DOTALL)

SUITE = """\
evalparity: 1
name: house
cases:
  - id: answered
    input: How long is the return period?
    output: The return period is 7 days.
  - id: refused
    input: How long is the return period?
    output: I do not know.
"""

pytestmark = pytest.mark.slow


def files_of_the_page() -> dict[str, str]:
    return {found["name"]: found["text"] for found in FILE.finditer(PAGE.read_text(encoding="utf-8"))}


def environment(folder: Path) -> Path:
    """Make a virtual environment that sees all that is installed here, and return its Python."""
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    packages = next(folder.glob("lib/python*/site-packages"))
    (packages / "parent.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    return python


def install(python: Path, source: Path) -> None:
    target = next(python.parents[1].glob("lib/python*/site-packages"))
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
         "--no-build-isolation", "--no-index", "--target", str(target), str(source)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip


def place(python: Path, package: str, adapter: str, *, named: str) -> None:
    """Put a package with an adapter of this name where pip would; that pip does so is shown by the page's own one."""
    target = next(python.parents[1].glob("lib/python*/site-packages"))
    module = package.replace("-", "_")
    files = {
        f"{module}/__init__.py": "",
        f"{module}/adapter.py": adapter,
        f"{module}-1.0.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0.0\n",
        f"{module}-1.0.0.dist-info/entry_points.txt": f"[evalparity.adapters]\n{named} = {module}.adapter:ADAPTER\n",
    }
    write_package(target, files)


def write_package(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the page's package installed."""
    folder = tmp_path_factory.mktemp("house")
    made = environment(folder / "venv")
    files = {**files_of_the_page(), "evalparity_house/__init__.py": ""}
    install(made, write_package(folder / "house", files))
    return made


def evalparity(python: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    names = {name: value for name, value in os.environ.items() if not name.startswith("EVALPARITY_")}
    return subprocess.run(
        [str(python), "-m", "evalparity.comparisons", *arguments],
        cwd=cwd, env=names, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip


def test_the_page_holds_every_file_that_it_speaks_of() -> None:
    assert set(files_of_the_page()) == {
        "pyproject.toml",
        "evalparity_house/bindings.py",
        "evalparity_house/worker.py",
        "evalparity_house/adapter.py",
        "test_house.py",
    }


def test_the_tests_of_the_page_pass(python: Path, tmp_path: Path) -> None:
    write_package(tmp_path, {"test_house.py": files_of_the_page()["test_house.py"]})
    done = subprocess.run(
        [str(python), "-m", "pytest", "-q", "-p", "no:deepeval", "-p", "no:cacheprovider", "test_house.py"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_it_is_listed_with_its_version_and_its_metric(python: Path, tmp_path: Path) -> None:
    listed = evalparity(python, "adapters", cwd=tmp_path).stdout
    assert re.search(r"^house +1\.0\.0 +evalparity-house==1\.0\.0 +answer_relevancy$", listed, re.MULTILINE)
    assert "house:rating" in evalparity(python, "adapters", "--table", cwd=tmp_path).stdout


def test_it_scores_beside_another_framework_with_the_same_judge(python: Path, tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    done = evalparity(
        python, "run", "suite.yaml", "--framework", "deepeval", "--framework", "house",
        "--metric", "answer_relevancy", "--format", "json", "--out", "run", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    house = {cell["case_id"]: cell for cell in report["cells"] if cell["framework"] == "house"}
    assert {name: (cell["raw"], cell["score"]) for name, cell in house.items()} == {
        "answered": (5.0, 1.0),
        "refused": (1.0, 0.0),
    }
    assert all(cell["judge"]["calls"] == 1 and cell["judge"]["input_tokens"] > 0 for cell in house.values())
    assert report["inputs"]["house"]["verified"] == 2
    assert [(pair["a"], pair["b"], pair["n"]) for pair in report["agreement"][0]["pairs"]] == [
        ("deepeval:answer_relevancy", "house:rating", 2)
    ]


RENAMED = "object.__setattr__(ADAPTER, 'name', 'other')"
BROKEN = {
    "import": ("import no_such_module_at_all\n", "cannot be loaded (ModuleNotFoundError: No module named"),
    "exit": ("raise SystemExit('gone')\n", "cannot be loaded (SystemExit: gone)"),
    "type": ("ADAPTER = {'name': 'broken'}\n", "its entry point names an object of type dict, no Adapter"),
    "name": (
        f"from evalparity.adapters.builtin_adapter.adapter import ADAPTER\n{RENAMED}\n",
        "it calls itself 'other'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_one_is_named_and_harms_no_other(fault: str, tmp_path: Path) -> None:
    text, message = BROKEN[fault]
    made = environment(tmp_path / "venv")
    place(made, "evalparity-broken", text, named="broken")
    (tmp_path / "suite.yaml").write_text(
        SUITE.replace("output:", "reference: The return period is 7 days.\n    output:")
    )

    done = evalparity(made, "run", "suite.yaml", "--framework", "builtin", "--metric", "exact_match", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert message in done.stderr
    assert "evalparity-broken 1.0.0" in done.stderr

    named = evalparity(made, "run", "suite.yaml", "--framework", "broken", cwd=tmp_path)
    assert named.returncode == 2
    assert message in named.stderr
    assert "Traceback" not in named.stderr
    assert message in evalparity(made, "adapters", cwd=tmp_path).stdout


def test_one_that_takes_the_name_of_ours_is_left_out(tmp_path: Path) -> None:
    made = environment(tmp_path / "venv")
    place(made, "evalparity-theft", "raise RuntimeError('never imported')\n", named="ragas")
    listed = evalparity(made, "adapters", cwd=tmp_path).stdout
    assert re.search(r"^ragas +0\.4\.3 ", listed, re.MULTILINE)
    assert "is not used: evalparity brings one of this name." in listed
    assert "never imported" not in listed
