"""What a head is worth to the output: what changes when it is switched off, and how much of the
output is its own.

The heads' outputs are compared with what all heads add together, merged W_O, without bias and
residual connection.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from attention_core.checks import Array, as_list, too_large, whole_number
from attention_core.errors import ShapeError
from attention_core.formulas import merge_heads, mix_heads
from attention_core.head_blocks import check_places
from attention_core.projections import Projections
from attention_core.trace import Trace

from .basis_change import output_rows
from .contributions import head_contributions
from .measure_checks import as_measured, binary_size


def switch_off(projections: Projections, heads: Collection[int]) -> Projections:
    """The same weights with the heads' rows of W_O set to 0, so that they attend but add nothing.

    Joined heads without W_O get one: the identity, with zeros in these rows. Raises: SettingsError
    for a head that does not exist.

    >>> switch_off(Projections.weightless(2, n_heads=2), [0]).w_o.tolist()
    [[0.0, 0.0], [0.0, 1.0]]
    """
    p = projections
    kept_H11 = _kept(p.n_heads, heads)[:, np.newaxis, np.newaxis]
    return replace(p, w_o=np.where(kept_H11, output_rows(p), 0).reshape(-1, p.d_out))


def ablated_output(trace: Trace, heads: Collection[int]) -> Array:
    """The output with some heads switched off; with all of them off only the bias and the residual
    are left.

    The same as attending again with `switch_off`, without computing the heads again; but a head
    that is off adds nothing even where it is NaN, of which zeros in W_O make NaN. Shapes: (B, T,
    O).
    Raises: SettingsError for a head that does not exist.
    """
    kept_H11 = _kept(trace.sizes["H"], heads)[:, np.newaxis, np.newaxis]
    merged_BTF = merge_heads(np.where(kept_H11, trace.head_outputs, 0))
    p = trace.projections
    return mix_heads(merged_BTF, p.w_o, p.b_o, trace.inputs if trace.residual else None)


def signed_shares(trace: Trace) -> Array:
    """How far each head pushes the output the way it goes: ⟨Y_h, Y⟩ / |Y|². They sum to 1; a head
    may pull against it.

    Y is what all heads add together over a whole sequence. Shapes: (B, H); NaN where Y is 0.
    """
    added_BHX = _flat_contributions(trace)
    total_BX1 = added_BHX.sum(axis=1)[:, :, np.newaxis]
    along_BH = (added_BHX @ total_BX1)[..., 0]
    return _quotient(along_BH, np.square(total_BX1).sum(axis=1))


def norm_shares(trace: Trace) -> Array:
    """How far the output moves when one head is switched off: |Y_h| / |Y|. They do not sum to 1:
    heads may cancel.

    Y is what all heads add together over a whole sequence. Shapes: (B, H); NaN where Y is 0.
    """
    added_BHX = _flat_contributions(trace)
    length_BH = np.linalg.norm(added_BHX, axis=-1)
    return _quotient(length_BH, np.linalg.norm(added_BHX.sum(axis=1), axis=-1)[:, np.newaxis])


def has_shares(trace: Trace, batch: int = 0) -> bool:
    """Whether all heads together add anything to the output of a sequence; of 0 there are no
    shares.

    >>> from attention_core import attend
    >>> [has_shares(attend([[number]], Projections.weightless(1))) for number in (0.0, 1.0)]
    [False, True]
    """
    check_places(trace, batch=batch)
    return not bool(np.isnan(signed_shares(trace)[batch]).any())


def token_changes(trace: Trace) -> Array:
    """How far each token's output moves when one head is switched off: |Y_h| token by token.
    Shapes: (B, H, T).

    Raises: SettingsError for a length that the number type cannot hold.
    """
    added_BHTO = head_contributions(trace)
    size_BHT1 = binary_size(added_BHTO, axis=-1)
    with np.errstate(over="ignore"):
        length_BHT: Array = np.ldexp(
            np.linalg.norm(np.ldexp(added_BHTO, -size_BHT1), axis=-1), size_BHT1[..., 0]
        )
    if np.isinf(length_BHT).any():
        raise too_large(length_BHT.dtype)
    return length_BHT


def ranking(worth_H: Array) -> tuple[int, ...]:
    """The heads, the one with the largest number first; equal ones in their order, NaN last.

    >>> ranking(np.array([0.2, 0.9, 0.2]))
    (1, 0, 2)
    """
    worth_H = as_measured("worth", worth_H)
    if worth_H.ndim != 1:
        raise ShapeError(f"worth has shape {worth_H.shape} but must hold one number for each head")
    return tuple(int(head) for head in np.argsort(-worth_H, kind="stable"))


def _kept(n_heads: int, heads: Collection[int]) -> Array:
    kept_H = np.ones(n_heads, dtype=bool)
    for head in as_list("heads", heads):
        kept_H[whole_number("head", head, 0, n_heads - 1)] = False
    return kept_H


def _flat_contributions(trace: Trace) -> Array:
    """What each head adds, all tokens and features in one row, over a power of 2 that makes the
    largest about 1.

    Shares only depend on ratios; squares of very small and very large numbers would leave the range
    of float.
    Shapes: (B, H, T*O).
    """
    added_BHTO = head_contributions(trace)
    added_BHX = added_BHTO.reshape(*added_BHTO.shape[:2], -1)
    scaled_BHX: Array = np.ldexp(added_BHX, -binary_size(added_BHX, axis=(1, 2)))
    return scaled_BHX


def _quotient(parts_BH: Array, whole_B1: Array) -> Array:
    shares_BH: Array = np.divide(
        parts_BH, whole_B1, out=np.full_like(parts_BH, np.nan), where=whole_B1 > 0
    )
    return shares_BH
