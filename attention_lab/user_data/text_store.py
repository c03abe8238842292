"""Texts that are too long for a URL: this process keeps each under the hash of its content.

The URL then holds the key. A key means the same text on any day and in any process, so that results
may be cached by key; but only this process knows the text. It keeps the texts used last, up to
`MAX_STORED_CHARACTERS`, and every text that a session holds: what others load takes nothing from a
visitor's page. What must last is in the state file.
"""

import hashlib
from collections import OrderedDict
from threading import Lock
from weakref import WeakValueDictionary

from attention_core.errors import FileError, SettingsError

KEY_MARK = "."  # no stored text begins with it, and it stands in a URL as it is
MAX_STORED_CHARACTERS = 96 * 2**20  # twice the longest text


# All that sessions hold, with what is stored. Short texts, such as edits, always find room.
MAX_HELD_CHARACTERS, ALWAYS_HELD = 512 * 2**20, 2**20


class StoredText:
    """A text with its key. While this object is held, the key finds the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.key = KEY_MARK + hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


_held: WeakValueDictionary[str, StoredText] = WeakValueDictionary()
_texts: OrderedDict[str, StoredText] = OrderedDict()
_lock = Lock()


def hold_text(text: str) -> StoredText:
    """Store a text for as long as the result is held; it does not count as stored for others.

    Raises: FileError for a long one, if those of all visitors take the room.
    """
    new = StoredText(text)
    with _lock:
        if new.key not in _held and len(text) > ALWAYS_HELD:
            held = sum(len(one.text) for one in list(_held.values()))
            if held + len(text) > MAX_HELD_CHARACTERS:
                raise FileError(
                    f"The own numbers of all visitors may take {MAX_HELD_CHARACTERS:,} characters"
                    " of this server, and yours did not fit: load a smaller file, or try again in"
                    " some minutes"
                )
        return _held.setdefault(new.key, new)


def store_text(text: str) -> str:
    """Store a text and return its key.

    >>> stored_text(store_text("a very long text"))
    'a very long text'
    """
    new = hold_text(text)
    with _lock:
        _texts[new.key] = new
        _texts.move_to_end(new.key)
        while (
            len(_texts) > 1
            and sum(len(one.text) for one in _texts.values()) > MAX_STORED_CHARACTERS
        ):
            _texts.popitem(last=False)
    return new.key


def is_key(value: str) -> bool:
    """Whether the value in a URL is the key of a stored text, not a text itself."""
    return value.startswith(KEY_MARK)


def find_text(key: str) -> StoredText:
    """The text of a key, to be held as long as it is shown; it counts as used now. Raises:
    SettingsError if it is no longer stored.
    """
    with _lock:
        known = _held.get(key)
        if known is None:
            raise SettingsError(
                "The URL refers to numbers that do not fit into it, and this server no longer has"
                " them: load your state file or your matrices again"
            )
        if key in _texts:
            _texts.move_to_end(key)
        return known


def stored_text(key: str) -> str:
    """The text of a key. Raises: SettingsError."""
    return find_text(key).text
