"""A short run of the fuzz target; `python benchmarks/fuzz_loaders.py --minutes 10` is the long one."""

from __future__ import annotations

from pathlib import Path

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


def test_damaged_files_of_every_kind_end_in_a_suite_or_a_message(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import fuzz_loaders

    tally = fuzz_loaders.fuzz(60, 7, tmp_path / "failures", most=400)
    assert not tally.failures
    assert tally.inputs.total() == 400
    assert 0 < tally.loaded < tally.readings
