"""Who may attend to whom: boolean masks in which True means "may attend"."""

from collections.abc import Sequence

import numpy as np

from .checks import Array, as_array, check_choice, whole_number
from .errors import SettingsError, short_repr
from .numbers import MAX_SCORES, check_room


def causal_mask(T: int, S: int | None = None, align: str = "top-left") -> Array:
    """No query sees a later key.

    align: "top-left", query t sees keys s <= t, for whole sequences (PyTorch 2.13, ONNX 1.23);
    "bottom-right", s <= t + S - T, where the queries are the last T of S tokens, as in generation
    with a KV cache (FlashAttention since 2.1). Shapes: (T, S) bool; S is T when not given. Raises:
    SettingsError.
    Source: Vaswani et al. 2017, section 3.2.3.

    >>> [causal_mask(2, 3, a).astype(int).tolist() for a in ("top-left", "bottom-right")]
    [[[1, 0, 0], [1, 1, 0]], [[1, 1, 0], [1, 1, 1]]]
    """
    check_choice("align", align, ("top-left", "bottom-right"))
    n_queries = whole_number("T", T, 0)
    n_keys = n_queries if S is None else whole_number("S", S, 0)
    check_room(MAX_SCORES, T=n_queries, S=n_keys)
    shift = 0 if align == "top-left" else n_keys - n_queries
    return np.tri(n_queries, n_keys, shift, dtype=np.bool_)


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


def prefix_mask(T: int, prefix: int, S: int | None = None) -> Array:
    """The first `prefix` keys are seen by every query, the others as under a causal mask: within
    the prefix tokens see one another both ways, after it only what comes before them.

    Shapes: (T, S) bool; S is T when not given. Raises: SettingsError.
    Source: Raffel et al. 2020 (T5), section 3.2.1: prefix language models.

    >>> prefix_mask(3, 2).astype(int).tolist()
    [[1, 1, 0], [1, 1, 0], [1, 1, 1]]
    """
    allowed_TS = causal_mask(T, S)
    allowed_TS[:, : whole_number("prefix", prefix, 0)] = True
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
