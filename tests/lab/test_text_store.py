"""Texts that are too long for a URL are stored under the hash of their content, within bounds."""

from __future__ import annotations

from collections import OrderedDict
from weakref import WeakValueDictionary

import pytest

from attention_core import SettingsError
from attention_lab.user_data import text_store
from attention_lab.user_data.text_store import find_text, hold_text, is_key, store_text, stored_text
from tests.lab.refusal import refused


@pytest.fixture(autouse=True)
def _room_for_ten_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty place of its own for each test, with little room."""
    monkeypatch.setattr(text_store, "MAX_STORED_CHARACTERS", 10)
    monkeypatch.setattr(text_store, "_texts", OrderedDict())
    monkeypatch.setattr(text_store, "_held", WeakValueDictionary())


def test_a_key_is_the_hash_of_the_content() -> None:
    # Computed with b2sum -l 128.
    assert store_text("abc") == ".cf4ab791c62b8d2b2109c90275287816"
    assert store_text("abd") != store_text("abc")
    assert is_key(store_text("abc"))
    assert not is_key("x_0_0_.5")
    assert stored_text(store_text("abc")) == "abc"


def test_the_longest_unused_goes_first() -> None:
    first, second = store_text("aaaa"), store_text("bbbb")
    stored_text(first)
    third = store_text("cccc")
    assert (stored_text(first), stored_text(third)) == ("aaaa", "cccc")
    with refused(SettingsError, "state file"):
        stored_text(second)
    longest = store_text("d" * 11)
    assert stored_text(longest) == "d" * 11
    assert list(text_store._texts) == [longest]


def test_keeping_again_takes_no_room() -> None:
    keys = {store_text("aaaaaa") for _ in range(3)} | {store_text("bbbb")}
    assert sorted(map(stored_text, keys)) == sorted(one.text for one in text_store._texts.values())
    assert len(text_store._texts) == 2


def test_what_is_held_is_not_forgotten() -> None:
    key = store_text("aaaa")
    shown = find_text(key)
    for letter in "bcdef":
        store_text(letter * 9)
    assert stored_text(key) == shown.text == "aaaa"
    del shown
    with refused(SettingsError, "state file"):
        stored_text(key)


def test_what_is_only_held_takes_no_room() -> None:
    key = store_text("aaaaaaaa")
    tried = hold_text("bbbbbbbb")
    assert (stored_text(key), stored_text(tried.key)) == ("aaaaaaaa", "bbbbbbbb")
    assert list(text_store._texts) == [key]
    assert store_text("bbbbbbbb") == tried.key
    assert list(text_store._texts) == [tried.key]
