"""What `evalparity cache` does: show or empty the cache of judge answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalparity.adapters.judge.cache import cache_stats, clear_cache
from evalparity.comparisons.render.inert import inert
from evalparity.comparisons.studies.study_settings import cache_settings


def stats_text(options: Mapping[str, Any]) -> str:
    """Return what the cache holds, for people.

    Raises:
        UsageError: the file is no cache.
    """
    stats = cache_stats(cache_settings(options))
    lines = [f"{stats.path}", f"{sum(stats.answers.values()):,} answers, {stats.kilobytes / 1000:,.1f} MB"]
    lines += [f"  {inert(model)}  {count:,}" for model, count in stats.answers.items()]
    if stats.oldest is not None and stats.newest is not None:
        lines.append(f"oldest {stats.oldest:.1f} days, newest {stats.newest:.1f} days")
    return "\n".join(lines) + "\n"


def clear_text(options: Mapping[str, Any], *, older_than: float | None) -> str:
    """Empty the cache and return what was done.

    Raises:
        UsageError: the file cannot be changed.
    """
    settings = cache_settings(options)
    return f"{settings.path}: {clear_cache(settings, older_than=older_than):,} answers taken out\n"
