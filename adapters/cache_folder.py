"""Where evalparity keeps what it can fetch or ask for again."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_path

CACHE_VARIABLE = "EVALPARITY_CACHE_DIR"


def cache_root() -> Path:
    """Return the folder of all that is cached: `$EVALPARITY_CACHE_DIR`, else one in the user's cache folder."""
    named = os.environ.get(CACHE_VARIABLE)
    return Path(named).expanduser().absolute() if named else user_cache_path("evalparity", appauthor=False)
