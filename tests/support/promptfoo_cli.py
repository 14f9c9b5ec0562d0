"""Promptfoo's own command line, for tests and benchmarks alone: install it, write a configuration, run `eval`.

    cli = install_cli(print)                    # once per machine: the locked Promptfoo, and 20 MB beside it
    rows = [Row(assertion={"type": "context-recall", "value": "{{reference}}"}, variables={...}, output="...")]
    config = write_config(folder, rows, provider=provider_for(server.url, model="m", embedding_model="e"))
    results = cli.evaluate(config, jobs=4)      # one result per row, in the order of the rows

`install_cli` installs two locked trees into evalparity's cache folder (`$EVALPARITY_CACHE_DIR`, else the user's), each
once and safely in several processes at a time: Promptfoo itself exactly as evalparity's driver uses it, and, from
`tests/equivalence/package-lock.json`, the SQLite binding of this platform, which the driver has no need of. Node finds
the binding by NODE_PATH, so that both routes run the very same Promptfoo. It needs pip's Node and an npm registry,
nothing else; with both trees there it fetches nothing.

The configuration binds late: rows hold nothing but their number, and the texts come in when Promptfoo has rendered its
templates, because it would run code that stands in a text.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalparity.adapters.base import Progress
from evalparity.adapters.boundary import scrubbed_environment
from evalparity.adapters.promptfoo_adapter import adapter, installation, npm

SOURCE = Path(__file__).parents[1] / "equivalence"
LIBSQL = "0.5.29"
"""Version of libsql in Promptfoo's lock; its binding must be of the same."""

ENTRY = "node_modules/promptfoo/dist/src/entrypoint.js"
_FAILED_TESTS = 100
"""Exit code where a test failed, which says nothing about whether the command worked."""

_RECORDED = """
const rows = JSON.parse(require("node:fs").readFileSync(require("node:path").join(__dirname, "rows.json"), "utf8"));
module.exports = class Recorded {
  id() { return "recorded"; }
  async callApi(_prompt, context) {
    const row = rows[context.vars.row];
    Object.assign(context.vars, row.variables);
    return { output: row.output, cost: 0 };
  }
};
"""
_PROMPT = """
const rows = JSON.parse(require("node:fs").readFileSync(require("node:path").join(__dirname, "rows.json"), "utf8"));
module.exports = ({ vars }) => {
  vars._query = [rows[vars.row].variables.query ?? "none"];
  return "{{ _query[0] }}";
};
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One assertion about one recorded answer.

    Attributes:
        assertion: as in a configuration, without provider; a template in it is rendered with the variables.
        variables: `query`, `context`, `reference` or what the assertion needs; `query` is the prompt as well.
        output: the recorded answer.
    """

    assertion: Mapping[str, Any]
    variables: Mapping[str, Any]
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptfooCli:
    """An installed command line.

    Attributes:
        node: the Node program.
        tree: folder with Promptfoo.
        binding: folder with the SQLite binding.
    """

    node: Path
    tree: Path
    binding: Path

    def command(self, *arguments: str) -> list[str]:
        """Return the program and arguments of a call, as in `command("eval", "-c", "config.json")`."""
        return [str(self.node), str(self.tree / ENTRY), *arguments]

    def environment(self, folder: Path) -> dict[str, str]:
        """Return the whole environment of a call: that of the driver, everything written below `folder`."""
        own = {**adapter.command(folder).env, "NODE_PATH": str(self.binding / "node_modules")}
        return scrubbed_environment(folder, own)

    def evaluate(
        self, config: Path, *, jobs: int = 4, timeout: float = 240, environment: Mapping[str, str] | None = None
    ) -> list[dict[str, Any]]:
        """Run `promptfoo eval` without its cache and return one result per row, in the order of the rows.

        A result holds `score`, `gradingResult` (None where an assertion raised) and `error`, as in Promptfoo's own
        output file, which stands beside the configuration as `results.json` afterwards.

        Args:
            config: what `write_config` wrote.
            jobs: tests at a time, Promptfoo's `-j`.
            timeout: seconds until the process is ended.
            environment: variables beyond those of `environment`.

        Raises:
            RuntimeError: the command failed, or left rows out.
        """
        folder = config.parent
        results = folder / "results.json"
        options = ("--no-cache", "--no-write", "--no-progress-bar", "--no-table", "-j", str(jobs))
        ended = subprocess.run(
            self.command("eval", "-c", str(config), "-o", str(results), *options),
            cwd=folder,
            env={**self.environment(folder), **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        if ended.returncode not in {0, _FAILED_TESTS} or not results.exists():
            raise RuntimeError(f"promptfoo eval ended with {ended.returncode}:\n{ended.stdout}\n{ended.stderr}")
        found = json.loads(results.read_text(encoding="utf-8"))["results"]["results"]
        by_row = {int(result["testCase"]["description"]): result for result in found}  # they come as they end
        if sorted(by_row) != list(range(len(json.loads((folder / "rows.json").read_text(encoding="utf-8"))))):
            raise RuntimeError(f"promptfoo eval left rows out: {sorted(by_row)}")
        return [by_row[number] for number in sorted(by_row)]


def install_cli(progress: Progress) -> PromptfooCli:
    """Install what is not there yet, and return the command line.

    Args:
        progress: takes lines for the user; what it raises ends the installation.

    Raises:
        FrameworkError: Node is missing, the cache folder cannot be written, or npm failed.
    """
    installation.install(progress)
    binding = npm.NpmTree(
        name=f"the SQLite binding of libsql {LIBSQL}",
        source=SOURCE,
        folder=installation.locked_folder(SOURCE, f"libsql-{LIBSQL}"),
        size="about 10 MB",
        optional=True,
        fault=_fault,
    )
    npm.install_tree(binding, progress)
    return PromptfooCli(node=npm.node_path(), tree=installation.tree_path(), binding=binding.folder)


def write_config(folder: Path, rows: Sequence[Row], *, provider: Mapping[str, Any]) -> Path:
    """Write a configuration with one test per row, each with one assertion, and return its path.

    Args:
        folder: an empty folder of its own.
        rows: what to score.
        provider: Promptfoo's grading provider for all rows, as `provider_for` makes it.
    """
    recorded = [{"variables": dict(row.variables), "output": row.output} for row in rows]
    (folder / "rows.json").write_text(json.dumps(recorded), encoding="utf-8")
    (folder / "recorded.cjs").write_text(_RECORDED, encoding="utf-8")
    (folder / "prompt.cjs").write_text(_PROMPT, encoding="utf-8")
    tests = [
        {
            "description": str(number),
            "vars": {"row": str(number)},
            "assert": [{"threshold": 0, **row.assertion, "provider": provider}],
        }
        for number, row in enumerate(rows)
    ]
    config = folder / "config.json"
    config.write_text(
        json.dumps({"prompts": ["file://prompt.cjs"], "providers": ["file://recorded.cjs"], "tests": tests}),
        encoding="utf-8",
    )
    return config


def provider_for(url: str, *, model: str, embedding_model: str, max_tokens: int = 4096, **more: Any) -> dict[str, Any]:
    """Return a grading provider for an OpenAI-compatible server.

    Args:
        url: its base URL, up to and including `/v1`.
        model: the judge.
        embedding_model: the embedding model.
        max_tokens: limit of every reply.
        more: what else the configuration of the chat provider holds, such as `seed`.
    """
    server = {"apiBaseUrl": url, "apiKey": "test", "maxRetries": 0}
    chat = {**server, "temperature": 0, "max_tokens": max_tokens, "showThinking": False, **more}
    return {
        "text": {"id": f"openai:chat:{model}", "config": chat},
        "embedding": {"id": f"openai:embedding:{embedding_model}", "config": server},
    }


def _fault(tree: Path) -> str | None:
    folder = tree / "node_modules/@libsql"
    found = {installation.package_version(tree, f"@libsql/{package.name}") for package in folder.glob("*")}
    return None if found == {LIBSQL} else f"left these versions of the binding: {sorted(map(str, found))}"
