"""The letters of a room, the secret of its teacher, and what is kept of secrets."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Sequence

from attention_core.errors import SettingsError

from .limits import RoomError

# Without vowels, so that no word comes about, and without what looks like another letter or a
# digit: Q, V (W, and spoken like B), Y.
LETTERS = "BCDFGHJKLMNPRSTWXZ"
LENGTH = 4
_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,64}", re.ASCII)


def new_room(choice: Callable[[Sequence[str]], str] = secrets.choice) -> str:
    """Four letters that cannot be taken for others, across a room or on the telephone.

    >>> new_room(lambda letters: letters[0])
    'BBBB'
    """
    return "".join(choice(LETTERS) for _ in range(LENGTH))


def new_secret() -> str:
    """What only the teacher's link holds: 128 random bits."""
    return secrets.token_urlsafe(16)


def digest(secret: str) -> bytes:
    """What is kept of a secret or of a visitor's token, from which it cannot be found again."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()


def is_secret(secret: str, kept: bytes) -> bool:
    """Whether a secret is the one of which this is kept; takes equally long for each wrong one."""
    return hmac.compare_digest(digest(secret), kept)


def room_in(text: str) -> str:
    """The letters of a room as somebody types them. Raises: RoomError for anything else.

    >>> room_in(" kx-rt ")
    'KXRT'
    """
    letters = re.sub(r"[\s-]", "", text[:40]).upper()
    if len(letters) != LENGTH or not set(letters) <= set(LETTERS):
        raise RoomError(
            f"“{text[:40]}” names no room: the teacher shows four letters of {LETTERS}; type those"
        )
    return letters


def check_token(token: object) -> str:
    """The token by which a browser is known in a room. Raises: SettingsError for anything else."""
    if not isinstance(token, str) or not _TOKEN.fullmatch(token):
        raise SettingsError(
            "token must be 16 to 64 letters, digits, - or _, as the page makes it; reload the page"
        )
    return token
