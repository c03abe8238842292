"""Ways to hide a key: several masks at once, before or after the scale, with -inf or with a large negative number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..checks import Array
from ..errors import SettingsError, ShapeError
from ..formulas import softmax
from . import causal_mask, padding_mask, window_mask


def masks_for(
    n_queries: int,
    n_keys: int,
    *,
    causal: bool = False,
    window: int | None = None,
    lengths: Sequence[int] | None = None,
    painted: Array | None = None,
) -> dict[str, Array]:
    """The masks asked for, by name: causal, window (so many tokens to each side), padding, painted.

    lengths: how many keys of each sequence are real. Shapes: (T, S) bool; padding (B, 1, 1, S). Raises: SettingsError.
    """
    masks = {}
    if causal:
        masks["causal"] = causal_mask(n_queries, n_keys)
    if window is not None:
        masks["window"] = window_mask(n_queries, n_keys, left=window, right=window)
    if lengths is not None:
        masks["padding"] = padding_mask(lengths, n_keys)
    if painted is not None:
        masks["painted"] = painted
    return masks


def combined(masks: Mapping[str, Array]) -> Array | None:
    """What all masks allow; None when there is none. Raises: ShapeError for masks of different sizes.

    >>> combined({"a": np.array([True, True, False]), "b": np.array([False, True, True])}).tolist()
    [False, True, False]
    """
    allowed: Array | None = None
    for name, mask in masks.items():
        try:
            allowed = mask if allowed is None else allowed & mask
        except ValueError as error:
            raise ShapeError(f"the {name} mask of shape {mask.shape} does not fit the others: resize it") from error
    return allowed


def hidden_by(masks: Mapping[str, Array], query: int, key: int, batch: int = 0) -> tuple[str, ...]:
    """The names of the masks that hide a key from a query. Shapes: each mask broadcasts to (B, 1, T, S)."""
    names = []
    for name, mask in masks.items():
        mask_BHTS = mask.reshape((1,) * (4 - mask.ndim) + mask.shape)
        n_batch, _, n_queries, n_keys = mask_BHTS.shape
        if not mask_BHTS[batch % n_batch, 0, query % n_queries, key % n_keys]:
            names.append(name)
    return tuple(names)


@dataclass(frozen=True)
class HidingValue:
    """A number that is added to the score of a key to hide it, and what comes of it."""

    key: str
    name: str
    value: float
    says: str


HIDING_VALUES: tuple[HidingValue, ...] = (
    HidingValue(
        "infinity", "−∞", -np.inf,
        "Its exponential is exactly 0. A row with nothing left has no shares: zeros here, NaN in torch.softmax.",
    ),
    HidingValue(
        "billion", "−10⁹", -1e9,
        "Its exponential is 0 as well, as long as one key of the row is visible. A row with nothing left reads the "
        "hidden keys: by their scores in float64; equally in float32, which cannot tell scores near −10⁹ apart.",
    ),
    HidingValue(
        "finite", "a small bias", -4.0,
        "It makes a key less likely, by the factor e to this number, and hides nothing.",
    ),
)  # fmt: skip


def hidden_with(value: float, scaled_scores: Array, allowed: Array) -> Array:
    """The probabilities when `value` is added to the scores of the keys that should be hidden.

    Shapes: (..., T, S) -> (..., T, S). Raises: SettingsError for NaN or +inf.
    """
    if np.isnan(value) or value == np.inf:
        raise SettingsError(f"the number that hides a key is {value} but must be finite or minus infinity")
    addend = np.where(allowed, 0.0, value).astype(scaled_scores.dtype)
    return softmax(scaled_scores + addend)


def leak(probabilities: Array, allowed: Array) -> Array:
    """How much a query reads from the keys that should be hidden. Shapes: (..., T, S) -> (..., T). Range: 0 to 1."""
    leaked: Array = np.where(allowed, 0.0, probabilities).sum(axis=-1)
    return leaked


@dataclass(frozen=True, eq=False)
class MaskOrder:
    """Probabilities with the mask after the scale and before it, and the largest difference. Shapes: (..., T, S)."""

    scale_first: Array
    mask_first: Array
    gap: float


def mask_order(scores: Array, scale: float, addend: Array) -> MaskOrder:
    """Whether it matters that the scale comes before the mask: softmax(s·scale + m) and softmax((s + m)·scale).

    For m = -inf it does not, for a finite bias it does: mask first, and the bias is scaled too.
    Shapes: scores (..., T, S); addend broadcasts to them. Raises: SettingsError when the scale is not above 0.

    >>> order = mask_order(np.array([[0.0, 0.0]]), 0.5, np.array([0.0, -2.0]))
    >>> order.scale_first.round(3).tolist(), order.mask_first.round(3).tolist()
    ([[0.881, 0.119]], [[0.731, 0.269]])
    """
    if not 0 < scale < np.inf:
        raise SettingsError(f"scale is {scale} but must be above 0: times 0 or less, a hidden key comes back")
    scale_first = softmax(scores * scale + addend)
    mask_first = softmax((scores + addend) * scale)
    return MaskOrder(scale_first, mask_first, float(np.abs(scale_first - mask_first).max()))
