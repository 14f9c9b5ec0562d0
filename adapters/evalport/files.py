"""What evalparity reads and writes of EvalPort."""

from __future__ import annotations

from evalparity.adapters.evalport.suite import ROWS, SHAPE
from evalparity.adapters.evalport.writing import WRITER
from evalparity.adapters.exchange import FrameworkFiles
from evalparity.unified_schema.exchange import Shapes

FILES = FrameworkFiles(shapes=Shapes(documents=(SHAPE,), rows=(ROWS,)), writers=(WRITER,))
"""Suites out of its files, and into them."""
