"""What is too long for the address of a page: kept by this process under the hash of its content.

The address then holds the key. The same key means the same text on any day and in any process, so
that what was computed from it may be cached; but only this process knows the text, and it forgets
the oldest when its room is full. What must last is in the state file.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from threading import Lock

from attention_core.errors import SettingsError

KEY_MARK = "."  # no text that is kept begins with it, and an address carries it as it is
CAPACITY = 96 * 2**20  # characters: the longest text there can be, twice

_texts: OrderedDict[str, str] = OrderedDict()
_lock = Lock()


def keep(text: str) -> str:
    """Keep a text and give its key.

    >>> recall(keep("a very long text"))
    'a very long text'
    """
    key = KEY_MARK + hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    with _lock:
        _texts[key] = text
        _texts.move_to_end(key)
        while len(_texts) > 1 and sum(map(len, _texts.values())) > CAPACITY:
            _texts.popitem(last=False)
    return key


def is_key(address: str) -> bool:
    """Whether a part of an address is the key of a kept text, not a text itself."""
    return address.startswith(KEY_MARK)


def recall(key: str) -> str:
    """The text kept under a key, which counts as used now. Raises: SettingsError when it is
    not, or no longer, kept.
    """
    with _lock:
        if key not in _texts:
            raise SettingsError(
                "The address refers to numbers that are too many to stand in it, and this server"
                " holds them no longer: load your state file or your matrices again"
            )
        _texts.move_to_end(key)
        return _texts[key]
