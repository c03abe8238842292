"""What is too long for the address is kept under the hash of its content, within bounds."""

from __future__ import annotations

from collections import OrderedDict
from weakref import WeakValueDictionary

import pytest

from attention_core import SettingsError
from attention_lab.user_data import kept_texts
from attention_lab.user_data.kept_texts import held, hold, is_key, keep, recall
from tests.lab.refusal import refused


@pytest.fixture(autouse=True)
def _room_for_ten_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty place of its own for each test, with little room."""
    monkeypatch.setattr(kept_texts, "MAX_KEPT_BYTES", 10)
    monkeypatch.setattr(kept_texts, "_texts", OrderedDict())
    monkeypatch.setattr(kept_texts, "_held", WeakValueDictionary())


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
    assert sorted(map(recall, keys)) == sorted(one.text for one in kept_texts._texts.values())
    assert len(kept_texts._texts) == 2


def test_what_is_held_is_not_forgotten() -> None:
    """However much others keep, who holds a text can ask for it; once it is let go it is gone."""
    key = keep("aaaa")
    shown = held(key)
    for letter in "bcdef":
        keep(letter * 9)
    assert recall(key) == shown.text == "aaaa"
    del shown
    with refused(SettingsError, "state file"):
        recall(key)


def test_what_is_only_held_takes_no_room() -> None:
    """A text that is tried out drives out none that is kept, and is the one that is kept then."""
    key = keep("aaaaaaaa")
    tried = hold("bbbbbbbb")
    assert (recall(key), recall(tried.key)) == ("aaaaaaaa", "bbbbbbbb")
    assert list(kept_texts._texts) == [key]
    assert keep("bbbbbbbb") == tried.key
    assert list(kept_texts._texts) == [tried.key]
