"""Promptfoo's own files: which become suites or scores, and what a suite is written to for it."""

from __future__ import annotations

from evalparity.adapters.exchange import FrameworkFiles
from evalparity.adapters.promptfoo_adapter import files_config, files_results, files_rows
from evalparity.adapters.promptfoo_adapter.files_export import WRITERS
from evalparity.adapters.promptfoo_adapter.files_scores import RESULTS
from evalparity.unified_schema.exchange import Shapes

FILES = FrameworkFiles(
    shapes=Shapes(
        documents=(*files_results.DOCUMENTS, *files_config.DOCUMENTS),
        rows=(*files_results.ROWS, files_rows.ROWS),
        folders=files_config.FOLDERS,
    ),
    results=RESULTS,
    writers=WRITERS,
)
"""What evalparity reads and writes of Promptfoo's."""
