"""The letters of a room, the secret of its teacher, and the digests that are kept of secrets."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Sequence

from attention_core.errors import SettingsError

from .limits import RoomError

# No vowels, so that no word arises; no letters that look or sound like others or like a digit: Q, V
# (like W and B), Y.
ROOM_LETTERS = "BCDFGHJKLMNPRSTWXZ"
N_ROOM_LETTERS, N_OLD_ROOM_LETTERS = 5, 4  # the second: of an older app
_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,64}", re.ASCII)


def new_room(choice: Callable[[Sequence[str]], str] = secrets.choice) -> str:
    """Five letters that are hard to confuse, across a room or on the telephone.

    >>> new_room(lambda letters: letters[0])
    'BBBBB'
    """
    return "".join(choice(ROOM_LETTERS) for _ in range(N_ROOM_LETTERS))


def new_secret() -> str:
    """The secret in the teacher's link: 128 random bits."""
    return secrets.token_urlsafe(16)


def digest(secret: str) -> bytes:
    """The hash of a secret or of a visitor's token; only this is stored."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()


def is_secret(secret: str, kept: bytes) -> bool:
    """Whether a secret has this digest. The comparison takes the same time for every secret."""
    return hmac.compare_digest(digest(secret), kept)


def parse_room(text: str) -> str:
    """The letters of a room from typed text. Raises: RoomError for anything else.

    >>> parse_room(" kx-rtb ")
    'KXRTB'
    """
    letters = re.sub(r"[\s-]", "", text[:40]).upper()
    has_length = len(letters) in (N_ROOM_LETTERS, N_OLD_ROOM_LETTERS)
    if not has_length or not set(letters) <= set(ROOM_LETTERS):
        raise RoomError(
            f"“{text[:40]}” is not a room: type the five letters that the teacher shows, of"
            f" {ROOM_LETTERS}"
        )
    return letters


def check_token(token: object) -> str:
    """A browser's token, which identifies it in a room. Raises: SettingsError."""
    if not isinstance(token, str) or not _TOKEN.fullmatch(token):
        raise SettingsError(
            "token must have 16 to 64 letters, digits, - or _, as from the page; reload the page"
        )
    return token
