"""The files of DeepEval: goldens, test cases and test runs in, test runs as scores, test cases out."""

from __future__ import annotations

from evalparity.adapters.deepeval_adapter.files_cases import IN_DOCUMENT, IN_ROWS
from evalparity.adapters.deepeval_adapter.files_runs import RESULTS, TEST_RUN
from evalparity.adapters.deepeval_adapter.files_writing import DEEPEVAL
from evalparity.adapters.exchange import FrameworkFiles
from evalparity.adapters.row_documents import as_document
from evalparity.unified_schema.exchange import Shapes

FILES = FrameworkFiles(
    shapes=Shapes(documents=(TEST_RUN, as_document(IN_DOCUMENT)), rows=(IN_ROWS,)),
    results=(RESULTS,),
    writers=(DEEPEVAL,),
)
