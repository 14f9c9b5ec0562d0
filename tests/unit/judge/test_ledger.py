"""The ledger keeps every call, and only its owner reads it."""

import sqlite3
import stat
from contextlib import closing
from dataclasses import replace

import pytest

from evalparity.adapters.judge.answers import packed
from evalparity.adapters.judge.ledger import Ledger, PastCall, SentCalls, read_answers, read_calls
from evalparity.adapters.judge.traffic import Call
from evalparity.unified_schema.errors import EvalparityError, UsageError

CALL = Call(
    cell="a",
    ordinal=0,
    kind="chat",
    step="Verdicts",
    asked={"model": "m", "temperature": 0.1, "nested": {"x": [1, None]}},
    attempts=2,
    billable=1,
    input_tokens=5,
    cached_tokens=0,
    output_tokens=7,
    seconds=0.25,
    waited=1.5,
    reply="naïve 你好 🤖 \u2028 \x00 {{ }}",
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.sqlite"


def test_calls_come_back_as_they_were_in_the_order_asked(path):
    ledger = Ledger(path)
    failed = replace(CALL, ordinal=1, reply=None, error_kind="timeout", error="late", input_tokens=None)
    embedding = replace(CALL, kind="embedding", step=None, reply=None)
    for call in (embedding, failed, replace(CALL, cell="b"), CALL):
        ledger.write(call)
    ledger.flush().result(10)
    assert read_calls(path, "a") == (CALL, failed, embedding)  # while the writer is at it
    ledger.close()
    assert read_calls(path, "a") == (CALL, failed, embedding)
    assert read_calls(path, "none") == ()


def test_half_a_surrogate_pair_in_a_reply_is_stored_as_a_mark(path):
    ledger = Ledger(path)
    ledger.write(replace(CALL, reply="broken \ud83d here"))
    ledger.close()
    assert read_calls(path, "a")[0].reply == "broken ? here"


def test_files_are_the_owners_alone(path):
    path.touch(0o644)
    ledger = Ledger(path)
    ledger.write(CALL)
    ledger.flush().result(10)
    files = sorted(path.parent.iterdir())
    modes = {stat.S_IMODE(file.stat().st_mode) for file in files}
    ledger.close()
    assert len(files) == 3  # WAL mode: the file, its log, their shared memory
    assert modes == {0o600}


def test_a_cell_that_is_run_in_a_second_session_has_its_calls_alone(path):
    for step, cells in (("first", ("a", "b")), ("second", ("a",))):
        with closing(Ledger(path)) as ledger:
            for cell in cells:
                ledger.write(replace(CALL, cell=cell, step=step))
    assert [call.step for call in read_calls(path, "a")] == ["second"]
    assert [call.step for call in read_calls(path, "b")] == ["first"]


def test_what_an_earlier_session_was_answered_is_found_by_cell_and_key_with_what_it_cost(path):
    answer = {"choices": ["é \ud83d"], "usage": {}}
    paid = replace(CALL, key="k", cost_usd=0.25)
    with closing(Ledger(path)) as ledger:
        ledger.write(paid, packed(answer))
        ledger.write(replace(CALL, key="k2", error_kind="timeout", reply=None))
        ledger.flush().result(10)
        assert ledger.past("a", "k") is None  # its own session is no earlier one
        assert ledger.sent() == SentCalls(requests=4, tokens=24, cost_usd=0.25)
    with closing(Ledger(path)) as ledger:
        assert ledger.past("a", "k") == PastCall(call=paid, answer=answer)
        assert ledger.past("b", "k") is ledger.past("a", "k2") is None
    assert read_answers(path) == {"k": answer}


def test_what_came_from_elsewhere_was_not_sent(path):
    with closing(Ledger(path)) as ledger:
        for served in ("shared", "cache", "cassette", "earlier"):
            ledger.write(replace(CALL, served=served, cost_usd=1.0))
        ledger.flush().result(10)
        assert ledger.sent() == SentCalls()


def test_nothing_can_be_changed(path):
    with closing(Ledger(path)) as ledger:
        ledger.write(CALL)
    with closing(sqlite3.connect(path)) as database:
        for statement in ("UPDATE calls SET reply = 'x'", "DELETE FROM calls"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                database.execute(statement)


def test_a_write_that_fails_is_told_and_not_swallowed(path):
    ledger = Ledger(path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("DROP TABLE calls")
    ledger.write(CALL)
    with pytest.raises(EvalparityError, match=r"cannot write the ledger .*ledger\.sqlite"):
        ledger.flush().result(10)
    with pytest.raises(EvalparityError, match="check free space"):
        ledger.close()
    with pytest.raises(ValueError, match="closed"):
        ledger.flush()


def test_a_call_that_cannot_be_written_ends_in_an_error_and_never_in_silence(path):
    ledger = Ledger(path)
    ledger.write(replace(CALL, input_tokens=10**30))  # beyond what SQLite holds
    for _ in range(2):
        with pytest.raises(EvalparityError, match="cannot write the ledger"):
            ledger.flush().result(10)
    with pytest.raises(EvalparityError, match="cannot write the ledger"):
        ledger.close()


def test_what_is_no_ledger_is_a_users_mistake(path):
    with pytest.raises(UsageError, match="no ledger at"):
        read_calls(path, "a")
    path.write_bytes(b"not a database, but long enough to be looked at as one" * 50)
    with pytest.raises(UsageError, match="is no ledger"):
        read_calls(path, "a")
    with pytest.raises(EvalparityError, match="cannot write the ledger"):
        Ledger(path)
    with pytest.raises(EvalparityError, match="cannot write the ledger"):
        Ledger(path.parent / "absent" / "ledger.sqlite")


def test_one_who_no_longer_waits_does_not_stop_the_writing(path):
    ledger = Ledger(path)
    for _ in range(50):  # a run that is interrupted cancels what its cells wait for
        ledger.write(CALL)
        ledger.flush().cancel()
    ledger.flush().result(10)
    ledger.close()
    assert len(read_calls(path, "a")) == 50
