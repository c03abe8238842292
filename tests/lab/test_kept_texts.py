"""What is too long for the address is kept under the hash of its content, within bounds."""

from __future__ import annotations

from collections import OrderedDict

import pytest

from attention_core import SettingsError
from attention_lab.user_data import kept_texts
from attention_lab.user_data.kept_texts import is_key, keep, recall
from tests.lab.refusal import refused


@pytest.fixture(autouse=True)
def _room_for_ten_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty place of its own for each test, with little room."""
    monkeypatch.setattr(kept_texts, "CAPACITY", 10)
    monkeypatch.setattr(kept_texts, "_texts", OrderedDict())


def test_a_key_is_the_hash_of_the_content() -> None:
    """The same text has the same key on any day, so that a shared address finds it; another
    text has another key.
    """
    # Computed with b2sum -l 128.
    assert keep("abc") == ".cf4ab791c62b8d2b2109c90275287816"
    assert keep("abd") != keep("abc")
    assert is_key(keep("abc"))
    assert not is_key("x_0_0_.5")
    assert recall(keep("abc")) == "abc"


def test_the_longest_unused_goes_first() -> None:
    """Where the room is full, the text that was not asked for the longest is forgotten; the
    newest never is.
    """
    first, second = keep("aaaa"), keep("bbbb")
    recall(first)
    third = keep("cccc")
    assert (recall(first), recall(third)) == ("aaaa", "cccc")
    with refused(SettingsError, "state file"):
        recall(second)
    longest = keep("d" * 11)
    assert recall(longest) == "d" * 11
    assert list(kept_texts._texts) == [longest]


def test_keeping_again_takes_no_room() -> None:
    """A text that is kept already is not counted twice."""
    keys = {keep("aaaaaa") for _ in range(3)} | {keep("bbbb")}
    assert [recall(key) for key in sorted(keys)] == [kept_texts._texts[key] for key in sorted(keys)]
    assert len(kept_texts._texts) == 2
