"""Promptfoo's own run: `promptfoo eval`, so many tests at a time, without its cache.

    python benchmarks/native_promptfoo.py SUITE URL IN_FLIGHT      # prints how many scores came out

The configuration is that of the tests, which binds the texts late; the command line is the same as a user's. Its
cache would give one of three equal questions' answers three times, which the other frameworks do not offer.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from made_cases import MadeCase, read_cases

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.promptfoo_cli import Row, install_cli, provider_for, write_config

_ASSERTIONS = (
    {"type": "context-faithfulness"},
    {"type": "context-recall", "value": "{{reference}}"},
    {"type": "answer-relevance"},
)


def rows(cases: list[MadeCase]) -> list[Row]:
    """Return one row per case and metric."""
    return [
        Row(
            assertion=assertion,
            variables={"query": case.input, "context": case.retrieved_contexts, "reference": case.reference},
            output=case.output,
        )
        for case in cases
        for assertion in _ASSERTIONS
    ]


def main(suite: str, url: str, in_flight: str) -> None:
    """Score with the three core metrics."""
    cli = install_cli(lambda line: print(line, file=sys.stderr))
    provider = provider_for(url, model="judge", embedding_model="embedder")
    config = write_config(Path.cwd(), rows(read_cases(Path(suite))), provider=provider)
    results = cli.evaluate(config, jobs=int(in_flight), timeout=3600)
    scored = [result for result in results if result.get("gradingResult") and not result.get("error")]
    print(json.dumps({"scores": len(scored), "of": len(results)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
