"""Who may attend to whom: boolean masks in which True means "may attend"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .checks import Array, as_array, whole_number
from .errors import SettingsError, short_repr
from .numbers import MAX_SCORES, check_room


def causal_mask(T: int, S: int | None = None) -> Array:
    """Query t sees keys s <= t: aligned at the top left, as in PyTorch 2.13 and ONNX 1.23.

    That is for whole sequences. Where the queries are the last T of S tokens (generation with a KV
    cache) query t must see keys s <= t + S - T: `window_mask(S, S, right=0)[-T:]`, aligned at the
    bottom right as in FlashAttention since 2.1.
    Shapes: (T, S) bool; S is T when not given.
    Source: Vaswani et al. 2017, section 3.2.3.

    >>> causal_mask(2, 3).astype(int).tolist()
    [[1, 0, 0], [1, 1, 0]]
    """
    return window_mask(T, T if S is None else S, right=0)


def window_mask(T: int, S: int, left: int | None = None, right: int | None = None) -> Array:
    """Query t sees keys t-left <= s <= t+right; None leaves that side open.

    Shapes: (T, S) bool. Raises: SettingsError for a width below 0, and for more cells than a layer
    may have scores.
    Source: Beltagy et al. 2020 (Longformer), sliding window attention.

    >>> window_mask(3, 3, left=1, right=0).astype(int).tolist()
    [[1, 0, 0], [1, 1, 0], [0, 1, 1]]
    """
    n_queries, n_keys = whole_number("T", T, 0), whole_number("S", S, 0)
    check_room(MAX_SCORES, T=n_queries, S=n_keys)
    query_T1, key_S = np.arange(n_queries)[:, np.newaxis], np.arange(n_keys)
    allowed_TS = np.ones((n_queries, n_keys), dtype=bool)
    if left is not None:
        allowed_TS &= key_S >= query_T1 - min(whole_number("left", left, 0), n_queries)
    if right is not None:
        allowed_TS &= key_S <= query_T1 + min(whole_number("right", right, 0), n_keys)
    return allowed_TS


def padding_mask(lengths: Sequence[int] | Array, S: int) -> Array:
    """Sequence b has lengths[b] real tokens; the keys after them are hidden from every query.

    Padded queries keep their rows: a padding mask hides keys only.
    Shapes: (B, 1, 1, S) bool. Raises: SettingsError.

    >>> padding_mask([1, 3], 3)[:, 0, 0].astype(int).tolist()
    [[1, 0, 0], [1, 1, 1]]
    """
    n_keys = whole_number("S", S, 0)
    lengths_B = as_array("lengths", lengths)
    check_room(lengths=lengths_B.size, S=n_keys)
    if lengths_B.ndim != 1 or lengths_B.dtype.kind not in "iu":
        raise SettingsError(
            f"lengths must be a list of whole numbers, one per sequence, but is"
            f" {short_repr(lengths)}"
        )
    if ((lengths_B < 0) | (lengths_B > n_keys)).any():
        raise SettingsError(
            f"lengths must lie from 0 to {n_keys}, the number of keys, but are {lengths_B.tolist()}"
        )
    allowed_BS: Array = np.arange(n_keys) < lengths_B[:, np.newaxis]
    return allowed_BS[:, np.newaxis, np.newaxis, :]
