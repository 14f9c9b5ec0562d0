"""What ships is what stands here, under one name."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("unified_schema", "adapters", "comparisons")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_every_package_is_listed() -> None:
    found = {
        "evalparity." + ".".join(path.parent.relative_to(ROOT).parts)
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("__init__.py")
    }
    assert found == set(PROJECT["tool"]["setuptools"]["packages"])


@pytest.mark.parametrize("folder", FOLDERS)
def test_public_names_exist(folder: str) -> None:
    package = import_module(f"evalparity.{folder}")
    assert all(hasattr(package, name) for name in getattr(package, "__all__", ()))


@pytest.mark.slow
def test_the_wheel_holds_one_top_level_name_and_all_data_files(tmp_path: Path) -> None:
    source = tmp_path / "source"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(source)], check=True)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "."]
    subprocess.run([*build, "--wheel-dir", str(tmp_path)], cwd=source, check=True)

    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()

    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"evalparity"}
    for needed in (
        "evalparity/adapters/promptfoo_adapter/package.json",
        "evalparity/adapters/promptfoo_adapter/package-lock.json",
        "evalparity/adapters/promptfoo_adapter/driver.mjs",
        "evalparity/comparisons/report.schema.json",
        "evalparity/unified_schema/py.typed",
    ):
        assert needed in names


def test_no_registry_host_stands_in_the_locks() -> None:
    lock = (ROOT / "adapters/promptfoo_adapter/package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in lock
    assert "://" not in (ROOT / "requirements.lock").read_text(encoding="utf-8")


def test_the_pins_of_the_lock_are_the_versions_that_were_verified() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    assert "ragas==0.4.3" in lock
    assert "deepeval==4.3.1" in lock
