"""The layer with tokens as columns: the formulas of that notation take the place of the steps, and
give the same numbers.
"""

import numpy as np

from attention_core import HeadTrace
from attention_core.attention import LayerSteps, options_of, run_layer
from attention_core.checks import Array
from attention_core.layer_checks import Options
from attention_core.positions import Rotary, pair_members, rotation
from attention_core.trace import Trace


def _transposed(matrix: Array) -> Array:
    """Tokens as columns for tokens as rows, and the other way round."""
    return matrix.swapaxes(-1, -2)


def _project(x_BTD: Array, weights_DF: Array, bias_F: Array | None) -> Array:
    """Wᵀ Xᵀ + b."""
    product_BFT = weights_DF.T @ _transposed(x_BTD)
    return _transposed(product_BFT if bias_F is None else product_BFT + bias_F[:, np.newaxis])


def _split(fused_BTF: Array, n_heads: int) -> Array:
    """Each head takes its own block of rows."""
    return _transposed(np.stack(np.split(_transposed(fused_BTF), n_heads, axis=1), axis=1))


def _norm(heads_BHTK: Array, gain_K: Array, epsilon: float) -> Array:
    """Every column divided by its root mean square, every row times its gain."""
    heads_BHKT = _transposed(heads_BHTK)
    squares_BH1T = np.sum(heads_BHKT**2, axis=2, keepdims=True) / heads_BHKT.shape[2]
    return _transposed(np.diag(gain_K) @ (heads_BHKT * (squares_BH1T + epsilon) ** -0.5))


def _turn(heads_BHTK: Array, rotary: Rotary) -> Array:
    """Every column times the transposed rotation matrix of its position."""
    n_tokens, d_k = heads_BHTK.shape[2:]
    members_T2K = rotation(rotary, n_tokens, d_k, heads_BHTK.dtype)
    first_K, second_K = pair_members(d_k, rotary.pairs)
    matrices_TKK = np.zeros((n_tokens, d_k, d_k), heads_BHTK.dtype)
    for member, members_K in enumerate((first_K, second_K)):
        matrices_TKK[:, np.arange(d_k), members_K] = members_T2K[:, member]
    turned: Array = (matrices_TKK @ heads_BHTK[..., np.newaxis])[..., 0]
    return turned


def _heads(query_BHTK: Array, key_BGSK: Array, value_BGSV: Array, options: Options) -> HeadTrace:
    """Kᵀ Q, a softmax down each column, V A."""
    n_heads, groups = query_BHTK.shape[1], key_BGSK.shape[1]
    read = [head * groups // n_heads for head in range(n_heads)]
    scores_BHST = key_BGSK[:, read] @ _transposed(query_BHTK)
    scaled_BHST = options.scale * scores_BHST
    if options.softcap is not None:
        scaled_BHST = options.softcap * np.tanh(scaled_BHST / options.softcap)
    masked_BHST, shape = scaled_BHST, _transposed(scores_BHST).shape
    if options.bias is not None:
        masked_BHST = masked_BHST + _transposed(np.broadcast_to(options.bias, shape))
    if options.allowed is not None:
        allowed_BHST = _transposed(np.broadcast_to(options.allowed, shape))
        masked_BHST = np.where(allowed_BHST, masked_BHST, -np.inf)
    shares_BHST = _softmax_down(masked_BHST, options.sink)
    mixed_BHVT = _transposed(value_BGSV)[:, read] @ shares_BHST
    arrays = (scores_BHST, scaled_BHST, masked_BHST, shares_BHST, mixed_BHVT)
    return HeadTrace(*map(_transposed, arrays))


def _softmax_down(scores_BHST: Array, sink_H: Array | None) -> Array:
    """The softmax of every column; one with nothing to attend to becomes zeros. A sink is one more
    row, which is taken away again.
    """
    if sink_H is not None:
        row_BH1T = np.broadcast_to(sink_H[:, np.newaxis, np.newaxis], scores_BHST[:, :, :1].shape)
        return _softmax_down(np.concatenate([row_BH1T, scores_BHST], axis=2), None)[:, :, 1:]
    largest_BH1T = scores_BHST.max(axis=2, keepdims=True)
    empty_BH1T = np.isneginf(largest_BH1T)
    exponentials = np.exp(scores_BHST - np.where(empty_BH1T, 0, largest_BH1T))
    shares: Array = exponentials / np.where(empty_BH1T, 1, exponentials.sum(axis=2, keepdims=True))
    return shares


def _merge(heads_BHTV: Array) -> Array:
    """The heads one below another."""
    return _transposed(np.concatenate(list(_transposed(heads_BHTV).swapaxes(0, 1)), axis=1))


def _mix(
    merged_BTF: Array, w_o: Array | None, b_o: Array | None, connection_BTO: Array | None
) -> Array:
    """W_Oᵀ times the heads."""
    mixed_BTO = merged_BTF if w_o is None else _project(merged_BTF, w_o, None)
    for addend in (b_o, connection_BTO):
        mixed_BTO = mixed_BTO if addend is None else mixed_BTO + addend
    return mixed_BTO


COLUMN_STEPS = LayerSteps(_project, _split, _norm, _turn, _heads, _merge, _mix)


def column_layer(trace: Trace) -> dict[str, Array]:
    """Every field of a trace computed anew from Xᵀ in the column convention, with none of the
    engine's formulas.

    Shapes: those of the `Trace` with the last two axes swapped: inputs (B, D, T), scores (B, H, S,
    T).
    """
    given = trace.inputs, trace.memory, trace.projections, options_of(trace)
    columns = run_layer(*given, trace.inputs if trace.residual else None, COLUMN_STEPS)
    return {name: _transposed(getattr(columns, name)) for name in trace.steps}


def column_gap(trace: Trace) -> float:
    """The largest difference between any field and the same one in the column convention: nothing
    but rounding.

    >>> from attention_core import Projections, attend
    >>> column_gap(attend([[1.0], [2.0], [3.0]], Projections.weightless(1))) < 1e-15
    True
    """
    columns = column_layer(trace).items()
    gaps = [_gap(_transposed(array), getattr(trace, name)) for name, array in columns]
    return float(np.max(gaps))  # unlike max, it does not lose a NaN


def _gap(one: Array, other: Array) -> float:
    """The largest difference; it is 0 where both are minus infinity, or both NaN."""
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    return float(np.abs(np.where(same, 0, one) - np.where(same, 0, other)).max())
