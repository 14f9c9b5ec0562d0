"""What evalparity reads and writes of the InspectorRAGet viewer."""

from __future__ import annotations

from evalparity.adapters.exchange import FrameworkFiles
from evalparity.adapters.inspectorraget.results import READER
from evalparity.adapters.inspectorraget.suite import SHAPE
from evalparity.adapters.inspectorraget.writing import WRITER
from evalparity.unified_schema.exchange import Shapes

FILES = FrameworkFiles(shapes=Shapes(documents=(SHAPE,)), results=(READER,), writers=(WRITER,))
"""Suites and scores out of its files, and suites into them."""
