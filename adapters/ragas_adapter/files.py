"""The files of Ragas: samples, test sets and saved data sets in, results in, samples out."""

from __future__ import annotations

from evalparity.adapters.exchange import FrameworkFiles
from evalparity.adapters.ragas_adapter.files_folder import SAVED_DATASET
from evalparity.adapters.ragas_adapter.files_results import RESULTS
from evalparity.adapters.ragas_adapter.files_samples import OLD_TEST_SET, SAMPLES
from evalparity.adapters.ragas_adapter.files_writing import RAGAS
from evalparity.adapters.row_documents import as_document
from evalparity.unified_schema.exchange import Shapes

FILES = FrameworkFiles(
    shapes=Shapes(
        documents=(as_document(SAMPLES), as_document(OLD_TEST_SET)),
        rows=(SAMPLES, OLD_TEST_SET),
        folders=(SAVED_DATASET,),
    ),
    results=(RESULTS,),
    writers=(RAGAS,),
)
