"""Feeds damaged files to every loader: whatever it is given, it answers with a suite or with a message, and in time.

    python benchmarks/fuzz_loaders.py --minutes 10

Each input is a good file of some kind (the example suite in every kind that `convert` writes, results of each
framework, a study, a price file) after a few random changes: bits, bytes and stretches changed, taken out, repeated or
exchanged with another file's, words that parsers stumble over, a cut, another encoding, another ending of its name. It
is read as a suite and checked without keeping it, read for scores, and read as a study and as prices. Anything but a
result or one of our own errors is a failure, and so is an input that takes longer than ten seconds; it is kept, with as
much taken out as leaves the failure as it is.
"""

from __future__ import annotations

import argparse
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from evalparity.adapters.reading import check_any, known_writers, load_any, result_readers
from evalparity.unified_schema.errors import EvalparityError, UsageError
from evalparity.unified_schema.exchange import Opened, ReadOptions
from evalparity.unified_schema.loading import load_suite
from evalparity.unified_schema.price_file import load_price_file
from evalparity.unified_schema.study_loading import is_study, load_study

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "refund_policy" / "suite.yaml"
MORE = (*sorted((ROOT / "examples").rglob("*.yaml")), *sorted((ROOT / "docs" / "examples").rglob("*.*")))
PRICES = b"per: 1M tokens\nmodels:\n  - {model: m, host: h, input: 1, cached_input: 0.5, output: 2}\n"
ENDINGS = (".yaml", ".json", ".jsonl", ".csv", ".tsv", ".xlsx", ".parquet", ".txt", "")
LIMIT = 10.0
"""Seconds for one reading of one input."""
LARGEST = 400_000
"""Bytes of an input; larger ones take time and show nothing else."""
WORDS = (
    b'"', b"'", b"[", b"]", b"{", b"}", b",", b":", b"\n", b"\r\n", b"\t", b"|", b";", b"\0", b"\xff", b"\xc3",
    b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"\\ud83d", b"\\u2028", b"\xe2\x80\xa8", b"&a [*a, *a]", b"*a",
    b"<<: *a", b"!!python/object:x", b"? ", b"- - - -", b"---", b"nan", b"NaN", b"Infinity", b"1e999", b"-0",
    b"9" * 400, b"null", b"true", b"007", b"{{ x }}", b"file://../../etc/passwd", b"evalparity: 2", b'"cases": ',
    b'"samples": ', b'"tests": ', b'"results": ', b"retrieved_contexts", b"ground_truths", b"contexts", b'["a", "b"]',
    b"['a' 'b']", b"array(['a'])", b"__expected", b"=1+1", b"a" * 5000, b"[" * 3000,
)  # fmt: skip
RESULTS = {
    "ragas.csv": b"""user_input,retrieved_contexts,response,reference,faithfulness,answer_relevancy
How long?,"['Seven days.', 'No fee.']",Seven days.,Seven days.,0.5,
What?,"['A.']",B.,C.,,0.25
""",
    "deepeval.json": b"""{"test_cases_lookup_map": {}, "testRunData": {"testCases": [{"name": "a", "input": "How long?",
"actualOutput": "Seven days.", "retrievalContext": ["Seven days."], "success": true, "metricsData": [{"name":
"Faithfulness", "threshold": 0.5, "success": true, "score": 1.0, "reason": "r", "evaluationModel": "m", "error": null,
"verboseLogs": "Truths:\\n[]"}]}], "conversationalTestCases": [], "metricsScores": []}}""",
    "promptfoo.json": b"""{"evalId": "e", "results": {"version": 3, "timestamp": "2026-12-01T00:00:00Z", "prompts": [],
"results": [{"testIdx": 0, "promptIdx": 0, "success": true, "score": 1, "vars": {"query": "How long?", "context":
["Seven days."]}, "response": {"output": "Seven days."}, "gradingResult": {"pass": true, "score": 1, "componentResults":
[{"pass": true, "score": 0.9, "reason": "r", "assertion": {"type": "context-faithfulness", "threshold": 0.5}}]}}],
"stats": {}}, "config": {}, "metadata": {"promptfooVersion": "0.123.1"}}""",
}
"""Small results of each framework, in the form that it writes."""

Read = Callable[[Path], object]


class _TooSlowError(Exception):
    """Raised by the alarm."""


def _scores(path: Path) -> None:
    opened = Opened(path=path, file=str(path), options=ReadOptions())
    readers = [reader for reader in result_readers() if reader.recognises(opened)]
    if not readers:
        raise UsageError(f"{path}: holds no scores")
    for reader in readers:
        reader.read(opened)


def _study(path: Path) -> None:
    is_study(path)
    load_study(path)


READS: dict[str, Read] = {
    "load": load_any,
    "load, bad rows left out": lambda path: load_any(path, ReadOptions(skip_bad_rows=True)),
    "check": check_any,
    "scores": _scores,
    "study": _study,
    "prices": load_price_file,
}


@dataclass(slots=True)
class Tally:
    """What has happened so far."""

    inputs: Counter[str] = field(default_factory=Counter)
    readings: int = 0
    loaded: int = 0
    slowest: float = 0.0
    failures: dict[str, Path] = field(default_factory=dict)
    """By the kind of the failure, the input that is kept."""


def seeds(folder: Path) -> dict[str, bytes]:
    """Return good files by their names."""
    suite = load_suite(EXAMPLE).suite
    small = suite.model_copy(update={"cases": suite.cases[:4]})
    found = {"prices.yaml": PRICES, **RESULTS}
    for name, writer in known_writers().items():
        target = folder / f"{name}{writer.endings[0] if writer.endings else ''}"
        writer.write(small, target)
        files = [target] if target.is_file() else sorted(each for each in target.rglob("*") if each.is_file())
        found |= {f"{name}-{each.name}": each.read_bytes() for each in files}
    found |= {f"{path.parent.name}-{path.name}": path.read_bytes() for path in MORE if path.is_file()}
    return {
        name: content for name, content in found.items() if Path(name).suffix in ENDINGS and len(content) <= LARGEST
    }


def changed(content: bytes, others: list[bytes], chance: random.Random) -> bytes:
    """Return a file after one random change."""
    at = chance.randrange(len(content) + 1)
    length = min(len(content) - at, int(chance.expovariate(1 / 40)) + 1)
    other = chance.choice(others)
    start = chance.randrange(len(other) + 1)
    changes: tuple[Callable[[], bytes], ...] = (
        lambda: (
            content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :] if length else content
        ),
        lambda: content[:at] + chance.randbytes(length) + content[at + length :],
        lambda: content[:at] + content[at + length :],
        lambda: content[:at] + content[at : at + length] * chance.randrange(2, 30) + content[at + length :],
        lambda: content[:at] + chance.choice(WORDS) + content[at + chance.choice((0, length)) :],
        lambda: content[:at] + other[start : start + 20 * length] + content[at:],
        lambda: content[:at],
        lambda: content.decode("utf-8", "replace").encode(chance.choice(("utf-16", "utf-16-le", "cp1252")), "replace"),
    )
    weights = (4, 3, 4, 2, 8, 3, 1, 1)
    return chance.choices(changes, weights)[0]()[:LARGEST]


def failure_of(read: Read, path: Path) -> str | None:
    """Return the kind of the failure of one reading, by its error and where it was raised; None: as it should be.

    A reading that gives a result returns the empty text.
    """
    signal.setitimer(signal.ITIMER_REAL, LIMIT)
    try:
        read(path)
    except EvalparityError as error:
        return None if str(error).strip() else "an error that says nothing"
    except _TooSlowError:
        return f"slower than {LIMIT:g} s"
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        frames = [
            each
            for each in traceback.extract_tb(error.__traceback__)
            if "evalparity" in each.name or ROOT.as_posix() in each.filename
        ]
        last = frames[-1] if frames else traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return ""


def smaller(read: Read, kind: str, path: Path, content: bytes) -> bytes:
    """Return a smaller input that fails alike: stretches are taken out as long as it does."""
    length = len(content) // 2
    while length:
        at = 0
        while at < len(content):
            shorter = content[:at] + content[at + length :]
            path.write_bytes(shorter)
            if failure_of(read, path) == kind:
                content = shorter
            else:
                at += length
        length //= 2
    return content


def inputs(chance: random.Random, files: dict[str, bytes]) -> Iterator[tuple[str, str, bytes]]:
    """Yield the seed's name, a name for the file and its content, without end."""
    names, contents = list(files), list(files.values())
    while True:
        seed = chance.choice(names)
        content = files[seed]
        for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
            content = changed(content, contents, chance)
        ending = Path(seed).suffix if chance.random() < 0.8 else chance.choice(ENDINGS)
        yield seed, f"input{ending}", content


def fuzz(seconds: float, seed: int, keep: Path, *, most: int | None = None) -> Tally:
    """Feed damaged files for so long; the failures are kept in a folder.

    Args:
        seconds: how long.
        seed: of the random changes.
        keep: folder for inputs that fail.
        most: inputs at most; None: as many as fit in the time.
    """
    tally, end = Tally(), time.monotonic() + seconds
    previous = signal.signal(signal.SIGALRM, _alarm)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written = folder / "seeds"
        written.mkdir()
        for number, (origin, file, content) in enumerate(inputs(random.Random(seed), seeds(written))):
            if time.monotonic() > end or number == most:
                break
            tally.inputs[Path(origin).suffix or "none"] += 1
            path = folder / file
            path.write_bytes(content)
            for reading, read in READS.items():
                _feed(tally, reading, read, path, content, keep)
            path.unlink()
    signal.signal(signal.SIGALRM, previous)
    return tally


def _alarm(_number: int, _frame: object) -> None:
    raise _TooSlowError


def _feed(tally: Tally, reading: str, read: Read, path: Path, content: bytes, keep: Path) -> None:
    begun = time.perf_counter()
    failure = failure_of(read, path)
    tally.slowest = max(tally.slowest, time.perf_counter() - begun)
    tally.readings += 1
    tally.loaded += failure == ""
    kind = f"{reading}: {failure}"
    if not failure or kind in tally.failures:
        return
    keep.mkdir(exist_ok=True)
    kept = keep / f"{len(tally.failures)}{path.suffix}"
    kept.write_bytes(smaller(read, failure, path, content) if failure[:6] != "slower" else content)
    path.write_bytes(content)
    tally.failures[kind] = kept


def main() -> None:
    """Fuzz as long as asked for, and tell what came of it; exit code 1 with failures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"), help="folder for inputs that fail")
    options = parser.parse_args()
    tally = fuzz(options.minutes * 60, options.seed, options.keep)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"seed {options.seed}: {tally.inputs.total():,} inputs in {options.minutes:g} minutes")
    print(f"{tally.readings:,} readings, {tally.loaded:,} of them gave a result and the others a message")
    print(
        "by ending of the file they come from: " + ", ".join(f"{n:,} {name}" for name, n in tally.inputs.most_common())
    )
    print(f"slowest reading {tally.slowest:.1f} s, memory at most {memory:.0f} MiB")
    for kind, kept in tally.failures.items():
        print(f"FAILURE {kind}: {kept}")
    print(f"{len(tally.failures)} kinds of failures")
    sys.exit(bool(tally.failures))


if __name__ == "__main__":
    main()
