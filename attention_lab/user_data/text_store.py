"""What is too long for the address of a page: kept by this process under the hash of its content.

The address then holds the key. The same key means the same text on any day and in any process, so
that what was computed from it may be cached; but only this process knows the text. It keeps those
that were asked for last, as many as there is room for, and any that somebody holds: what a visitor
sees is not lost to what others load. What must last is in the state file.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from threading import Lock
from weakref import WeakValueDictionary

from attention_core.errors import SettingsError

KEY_MARK = "."  # no text that is kept begins with it, and an address carries it as it is
MAX_STORED_CHARACTERS = 96 * 2**20  # characters: the longest text there can be, twice


class StoredText:
    """A text with its key: who has this can ask for the text by the key, whatever others keep."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.key = KEY_MARK + hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


_held: WeakValueDictionary[str, StoredText] = WeakValueDictionary()
_texts: OrderedDict[str, StoredText] = OrderedDict()
_lock = Lock()


def hold_text(text: str) -> StoredText:
    """A text under its key for as long as the result is held; it takes no room of others."""
    new = StoredText(text)
    with _lock:
        return _held.setdefault(new.key, new)


def store_text(text: str) -> str:
    """Keep a text and give its key.

    >>> stored_text(store_text("a very long text"))
    'a very long text'
    """
    kept = hold_text(text)
    with _lock:
        _texts[kept.key] = kept
        _texts.move_to_end(kept.key)
        while (
            len(_texts) > 1
            and sum(len(one.text) for one in _texts.values()) > MAX_STORED_CHARACTERS
        ):
            _texts.popitem(last=False)
    return kept.key


def is_key(address: str) -> bool:
    """Whether a part of an address is the key of a kept text, not a text itself."""
    return address.startswith(KEY_MARK)


def stored(key: str) -> StoredText:
    """What is kept under a key, to be held as long as it is shown; it counts as used now. Raises:
    SettingsError when it is not, or no longer, kept.
    """
    with _lock:
        kept = _held.get(key)
        if kept is None:
            raise SettingsError(
                "The address refers to numbers that are too many to stand in it, and this server"
                " holds them no longer: load your state file or your matrices again"
            )
        if key in _texts:
            _texts.move_to_end(key)
        return kept


def stored_text(key: str) -> str:
    """The text kept under a key. Raises: SettingsError."""
    return stored(key).text
