"""A function is found and called as it stands, or the user learns what to mend."""

from __future__ import annotations

import pytest

from evalparity.comparisons.recording.app_import import RefusedError, call_form


def plain(question): ...
def by_name(*, query): ...
def second(client=None, question=""): ...
def other_name(text): ...
def more(question, tenant=None, *, as_of, metadata=None, top_k=5): ...
def anything(*args, **kwargs): ...


FORMS = [
    (plain, None, {}),
    (by_name, "query", {}),
    (second, "question", {}),
    (other_name, None, {}),
    (more, None, {"tenant": True, "as_of": False, "metadata": True}),
    (anything, None, {}),
    (len, None, {}),
]


@pytest.mark.parametrize(("function", "question", "takes"), FORMS)
def test_what_a_function_takes(function, question, takes) -> None:
    assert call_form(function, "m:f") == (question, takes)


def nothing(): ...
def only_keywords(*, top_k=3): ...
def needs_more(question, client, index): ...
def wrong_first(tenant): ...


REFUSED = [
    (nothing, "takes no question"),
    (only_keywords, "takes no question"),
    (wrong_first, "takes no question"),
    (needs_more, "needs client, index"),
]


@pytest.mark.parametrize(("function", "told"), REFUSED)
def test_what_cannot_be_called_is_refused(function, told) -> None:
    with pytest.raises(RefusedError, match=told):
        call_form(function, "m:f")
