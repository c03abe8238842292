"""What a head is worth to the output: how much of the output comes from it, and what changes when
it is switched off.

Each head's part is compared with the sum of all parts, merged W_O, without bias and residual
connection.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from attention_core.checks import Array, as_list, whole_number
from attention_core.formulas import merge_heads, mix_heads
from attention_core.numbers import too_large
from attention_core.projections import Projections
from attention_core.trace import Trace

from .number_range import binary_exponent
from .reruns import relative_change
from .weight_blocks import head_contributions, output_rows

TIE_TOLERANCE = 1e-9  # relative: rounding of the shares of equal heads


def without_heads(projections: Projections, heads: Collection[int]) -> Projections:
    """The same weights with some heads' rows of W_O set to 0: these heads attend but add nothing.

    A layer without W_O gets one: the identity, with zeros in these rows. heads: −1 is the last.
    Raises: SettingsError.

    >>> without_heads(Projections.weightless(2, n_heads=2), [0]).w_o.tolist()
    [[0.0, 0.0], [0.0, 1.0]]
    """
    p = projections
    kept_H11 = _kept(p.n_heads, heads)[:, np.newaxis, np.newaxis]
    return replace(p, w_o=np.where(kept_H11, output_rows(p), 0).reshape(-1, p.d_out))


def ablated_output(trace: Trace, heads: Collection[int]) -> Array:
    """The output with some heads switched off. With all heads off only the bias and the residual
    are left.

    It equals attending again with `without_heads`, but computes no head again. A head that is off
    adds 0 even where it is NaN; zeros in W_O would give NaN there. heads: −1 is the last. Shapes:
    (B, T, O). Raises: SettingsError.
    """
    kept_H11 = _kept(trace.sizes["H"], heads)[:, np.newaxis, np.newaxis]
    merged_BTF = merge_heads(np.where(kept_H11, trace.head_outputs, 0))
    p = trace.projections
    return mix_heads(merged_BTF, p.w_o, p.b_o, trace.inputs if trace.residual else None)


def signed_shares(trace: Trace) -> Array:
    """How much each head adds to the output in the direction of the whole: ⟨Y_h, Y⟩ / |Y|². The
    shares sum to 1. A head that works against the sum has a negative share.

    Y is the sum of what all heads add, over a whole sequence. Shapes: (B, H); NaN if Y is 0.
    """
    added_BHX = _flat_contributions(trace)
    total_BX1 = added_BHX.sum(axis=1)[:, :, np.newaxis]
    along_BH = (added_BHX @ total_BX1)[..., 0]
    return _quotient(along_BH, np.square(total_BX1).sum(axis=1))


def norm_shares(trace: Trace) -> Array:
    """How far the output moves when one head is switched off: |Y_h| / |Y|. They need not sum to 1,
    because parts can cancel.

    Y is the sum of what all heads add, over a whole sequence. Shapes: (B, H); NaN if Y is 0.
    """
    added_BHX = _flat_contributions(trace)
    length_BH = np.linalg.norm(added_BHX, axis=-1)
    return _quotient(length_BH, np.linalg.norm(added_BHX.sum(axis=1), axis=-1)[:, np.newaxis])


def has_shares(trace: Trace) -> bool:
    """Whether the parts of all heads have a sum other than 0. Otherwise there are no shares.

    >>> from attention_core import attend
    >>> [has_shares(attend([[number]], Projections.weightless(1))) for number in (0.0, 1.0)]
    [False, True]
    """
    return not bool(np.isnan(signed_shares(trace)[0]).any())


def share_without(trace: Trace, heads: Collection[int]) -> float:
    """How far the output moves when some heads are switched off together: |Σ Y_h| / |Y|, for one
    head its norm share.

    Y is the sum of what all heads add, over the first sequence. Raises: SettingsError.
    """
    added_BHX, kept_H = _flat_contributions(trace), _kept(trace.sizes["H"], heads)
    whole_X = added_BHX[0].sum(axis=0)
    return relative_change(whole_X, added_BHX[0][kept_H].sum(axis=0))


def token_changes(trace: Trace) -> Array:
    """How far the output of each token moves when one head is switched off: |Y_h| token by token.
    Shapes: (B, H, T).

    Raises: SettingsError for a length beyond the range of the number type.
    """
    added_BHTO = head_contributions(trace)
    exponent_BHT1 = binary_exponent(added_BHTO, axis=-1)
    with np.errstate(over="ignore"):
        length_BHT: Array = np.ldexp(
            np.linalg.norm(np.ldexp(added_BHTO, -exponent_BHT1), axis=-1), exponent_BHT1[..., 0]
        )
    if np.isinf(length_BHT).any():
        raise too_large(length_BHT.dtype)
    return length_BHT


def ranking(worth_H: Array) -> tuple[int, ...]:
    """The heads, the largest number first; equal ones in their order, NaN last.

    >>> ranking(np.array([0.2, 0.9, 0.2]))
    (1, 0, 2)
    """
    return tuple(int(head) for head in np.argsort(-worth_H, kind="stable"))


@dataclass(frozen=True)
class Extremes:
    """All heads with the largest number, and all with the smallest: those that tie up to
    rounding.
    """

    most: tuple[int, ...]
    least: tuple[int, ...]

    @property
    def are_equal(self) -> bool:
        """Whether all heads have the same number, such as the only head of a layer."""
        return self.most == self.least


def extremes(worth_H: Array) -> Extremes:
    """The heads whose number is largest and smallest.

    >>> extremes(np.array([0.2, 0.9, 0.2]))
    Extremes(most=(1,), least=(0, 2))
    """
    most, least = (
        tuple(map(int, np.flatnonzero(np.isclose(worth_H, end, rtol=TIE_TOLERANCE, atol=0))))
        for end in (worth_H.max(), worth_H.min())
    )
    return Extremes(most, least)


def _kept(n_heads: int, heads: Collection[int]) -> Array:
    kept_H = np.ones(n_heads, dtype=bool)
    for head in as_list("heads", heads):
        kept_H[whole_number("heads", head, -n_heads, n_heads - 1)] = False
    return kept_H


def _flat_contributions(trace: Trace) -> Array:
    """What each head adds, all tokens and features in one row, divided by a power of 2 that makes
    the largest number about 1.

    Shares depend on ratios only. Squares of very small and very large numbers would leave the range
    of float. Shapes: (B, H, T*O).
    """
    added_BHTO = head_contributions(trace)
    added_BHX = added_BHTO.reshape(*added_BHTO.shape[:2], -1)
    scaled_BHX: Array = np.ldexp(added_BHX, -binary_exponent(added_BHX, axis=(1, 2)))
    return scaled_BHX


def _quotient(parts_BH: Array, whole_B1: Array) -> Array:
    shares_BH: Array = np.divide(
        parts_BH, whole_B1, out=np.full_like(parts_BH, np.nan), where=whole_B1 > 0
    )
    return shares_BH
