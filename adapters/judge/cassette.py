"""A cassette: the answers of one run in one file, by which the same run is played again without any server.

Lines of JSON, compressed with gzip: first what was asked of whom, then an answer a line in the order of their keys.
It holds no key of a server, no prompt, no path and no time of its making, so equal recordings are equal bytes.

    {"cassette": 1, "judges": [{"model": "gpt-4.1-mini", "url": "https://api.openai.com/v1", ...}]}
    {"key": "<64 hexadecimal digits>", "answer": {...}}
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evalparity.adapters.judge.answers import Json
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.unified_schema.errors import UsageError

VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedJudge:
    """With which judge a cassette was recorded: all that is part of the address of an answer.

    Attributes:
        model, url, temperature, seed, max_output_tokens: of the judge.
        embedding_model, embedding_url: of the embedding model; None where there is none.
    """

    model: str
    url: str | None
    temperature: float
    seed: int
    max_output_tokens: int
    embedding_model: str | None
    embedding_url: str | None

    @classmethod
    def of(cls, judge: JudgeSettings) -> RecordedJudge:
        """Return it for a judge, without its keys."""
        return cls(
            model=judge.model,
            url=judge.url,
            temperature=judge.temperature,
            seed=judge.seed,
            max_output_tokens=judge.max_output_tokens,
            embedding_model=judge.embedding_model,
            embedding_url=judge.embedding_server,
        )

    @property
    def options(self) -> str:
        """Return the options that name this judge, as a user would type them."""
        named = {
            "--judge": self.model,
            "--judge-url": self.url,
            "--embedding-model": self.embedding_model,
            "--embedding-url": self.embedding_url if self.embedding_url != self.url else None,
            "--max-output-tokens": self.max_output_tokens,
        }
        return " ".join(f"{option} {value}" for option, value in named.items() if value is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cassette:
    """A cassette that was read.

    Attributes:
        path: its file.
        judges: with which it was recorded.
        answers: by key.
    """

    path: Path
    judges: tuple[RecordedJudge, ...]
    answers: Mapping[str, Json]

    def find(self, key: str) -> Json | None:
        """Return the answer at an address; None where there is none."""
        return self.answers.get(key)

    def check(self, judges: Sequence[JudgeSettings]) -> None:
        """Do nothing when the cassette was recorded with all of these judges.

        Raises:
            UsageError: one is another; no answer would be found.
        """
        for judge in judges:
            if RecordedJudge.of(judge) not in self.judges:
                known = " or ".join(recorded.options for recorded in self.judges)
                raise UsageError(
                    f"--replay {self.path}: was not recorded with judge {judge.name!r} as it is set now; give what it "
                    f"was recorded with: {known}"
                )


def write_cassette(path: Path, judges: Sequence[JudgeSettings], answers: Mapping[str, Json]) -> None:
    """Write a cassette; a file that stands there is replaced as a whole.

    Args:
        path: the file.
        judges: of the run.
        answers: by key.

    Raises:
        UsageError: the file cannot be written.
    """
    header = {"cassette": VERSION, "judges": [asdict(RecordedJudge.of(judge)) for judge in judges]}
    lines = [header, *({"key": key, "answer": answers[key]} for key in sorted(answers))]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    partial = path.with_name(f"{path.name}.partial")
    try:
        partial.unlink(missing_ok=True)
        # Replies may be confidential: the file is its owner's alone.
        with os.fdopen(os.open(partial, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600), "wb") as file:
            file.write(gzip.compress(text.encode("ascii"), mtime=0))
        partial.replace(path)
    except OSError as error:
        raise UsageError(f"--record {path}: cannot be written ({error.strerror}).") from error


def read_cassette(path: Path) -> Cassette:
    """Return a cassette.

    Raises:
        UsageError: the file cannot be read, is no cassette, is damaged, or is from another version.
    """
    try:
        content = gzip.decompress(path.read_bytes())
    except OSError as error:
        why = "is no gzip file" if isinstance(error, gzip.BadGzipFile) else f"cannot be read ({error.strerror})"
        raise UsageError(f"--replay {path}: {why}; name a file that `evalparity run --record` made.") from error
    except (EOFError, zlib.error) as error:
        raise UsageError(f"--replay {path}: the file is damaged ({error}); copy or record it anew.") from error
    try:
        lines = iter(content.splitlines())
        judges = _judges(json.loads(next(lines)), path)
        return Cassette(path=path, judges=judges, answers=dict(_answers(lines)))
    except (ValueError, LookupError, TypeError, StopIteration) as error:
        raise UsageError(
            f"--replay {path}: is no cassette; name a file that `evalparity run --record` made."
        ) from error


def _judges(header: Mapping[str, Any], path: Path) -> tuple[RecordedJudge, ...]:
    version = header["cassette"]
    if version != VERSION:
        raise UsageError(
            f"--replay {path}: is a cassette of version {version}, and this evalparity reads version {VERSION}; "
            "install the one that recorded it, or record it anew."
        )
    return tuple(RecordedJudge(**judge) for judge in header["judges"])


def _answers(lines: Iterator[bytes]) -> Iterator[tuple[str, Json]]:
    for line in lines:
        entry = json.loads(line)
        yield entry["key"], dict(entry["answer"])
