"""A mask painted cell by cell, as a short text for a link. Such a text may come from anybody."""

import re

import numpy as np

from attention_core.checks import Array
from attention_core.errors import SettingsError
from attention_core.numbers import check_room

from ..files.packed_text import HEADLESS, packed, unpacked
from .matrix_names import MAX_TOKENS

# Queries x keys, then the hidden cells as compressed bits.
_FORM = re.compile(r"([1-9][0-9]?)x([1-9][0-9]?)\.([A-Za-z0-9_-]+)")
# 64 x 64 bits that cannot be compressed take 523 bytes, which are 698 characters.
_MAX_LENGTH = 800


def mask_to_text(allowed_TS: Array) -> str:
    """A mask as letters, digits, dot, hyphen and underscore. Shapes: (T, S) bool, at most 64 by
    64.
    """
    hidden = packed(np.packbits(~allowed_TS).tobytes(), wbits=HEADLESS)
    n_queries, n_keys = allowed_TS.shape
    return f"{n_queries}x{n_keys}.{hidden}"


def mask_from_text(text: str) -> Array:
    """The mask in a text of `mask_to_text`. Of any text, at most 513 bytes are unpacked.

    Shapes: (T, S) bool. Raises: SettingsError for a text that `mask_to_text` did not write.

    >>> mask_from_text(mask_to_text(np.array([[True, False, True]]))).tolist()
    [[True, False, True]]
    """
    if len(text) > _MAX_LENGTH or not (match := _FORM.fullmatch(text)):
        raise _damaged()
    n_queries, n_keys = int(match[1]), int(match[2])
    if max(n_queries, n_keys) > MAX_TOKENS:
        raise SettingsError(
            f"The painted mask is {n_queries} × {n_keys}, but may be at most {MAX_TOKENS} ×"
            f" {MAX_TOKENS}; paint it again"
        )
    n_bytes = -(-n_queries * n_keys // 8)  # rounded up
    try:
        data = unpacked(match[3], n_bytes + 1, HEADLESS)
    except ValueError as error:
        raise _damaged() from error
    if len(data) != n_bytes:
        raise _damaged()
    hidden_N = np.unpackbits(np.frombuffer(data, np.uint8))
    allowed_TS: Array = hidden_N[: n_queries * n_keys].reshape(n_queries, n_keys) == 0
    return allowed_TS


def _damaged() -> SettingsError:
    return SettingsError("The painted mask in this link is damaged or cut off; paint it again")


def resize_mask(allowed_TS: Array, n_queries: int, n_keys: int) -> Array:
    """A mask for another number of tokens: cut off, or extended with allowed cells. Shapes: (T, S)
    bool.

    >>> resize_mask(np.array([[True, False], [False, True]]), 1, 3).tolist()
    [[True, False, True]]
    """
    resized_TS = np.ones((n_queries, n_keys), dtype=bool)
    kept_TS = allowed_TS[:n_queries, :n_keys]
    resized_TS[: kept_TS.shape[0], : kept_TS.shape[1]] = kept_TS
    return resized_TS


def painted_mask(text: str, n_tokens: int) -> Array:
    """The mask in a text, for a number of tokens; "" hides nothing. Shapes: (T, T) bool.

    Raises: SettingsError.
    """
    check_room(n_tokens=n_tokens, keys=n_tokens)
    if not text:
        return np.ones((n_tokens, n_tokens), dtype=bool)
    return resize_mask(mask_from_text(text), n_tokens, n_tokens)
