"""Multi-head attention: the order in which the formulas are applied, and the record of what
they gave.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .checks import Array, check_switch
from .errors import SettingsError, ShapeError
from .fast_heads import fast_heads
from .formulas import (
    cut_heads,
    dot_products,
    join_heads,
    mask_scores,
    mix_heads,
    mix_values,
    project,
    rms_norm,
    scale_scores,
    sink_softmax,
)
from .formulas import empty_rows as empty_rows_of
from .layer_checks import HeadNorm, Options, as_heads, as_sequence, checked_options
from .numbers import check_range, engine_dtype
from .positions import Rotary, turn
from .projections import Projections, check_projections
from .steps import HeadTrace
from .trace import Trace


# NumPy does not warn about numbers that grow too large: `check_range` refuses them with a sentence.
@np.errstate(over="ignore", invalid="ignore")
def attend(
    x: ArrayLike,
    projections: Projections,
    *,
    memory: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    scale: float | None = None,
    causal: bool = False,
    softcap: float | None = None,
    residual: bool = False,
    empty_rows: str = "zero",
    rotary: Rotary | None = None,
    head_norm: HeadNorm | None = None,
    sink: ArrayLike | None = None,
    tokens: Sequence[str] | None = None,
    memory_tokens: Sequence[str] | None = None,
) -> Trace:
    """Multi-head attention of the sequence x over itself, or over `memory`; everything is kept.

    Shapes: x (T, D) or (B, T, D); memory (S, D_memory) or (B, S, D_memory); mask and bias broadcast
    to (B, H, T, S). mask is bool, True = may attend; bias is added after scaling; causal: query t
    sees keys s <= t; scale is 1/sqrt(d_k) when None; softcap squeezes the scaled scores into
    (-softcap, softcap) before mask and bias; residual adds x to the output. Biases of the matrices,
    and heads that share keys and values, belong to the projections. float32 stays float32,
    everything else becomes float64. empty_rows: "zero" or, as in torch.softmax, "nan".

    head_norm normalises the queries and keys of each head, rotary then turns them by their
    positions; sink, (H,) or one number, is one more score of every row, whose share goes to no
    value. tokens and memory_tokens name the positions. Raises: ShapeError, SettingsError, this also
    for over 2**31 scores (B*H*T*S), TextError. Source: Vaswani et al. 2017, section 3.2; the sink:
    gpt-oss model card (2025), section 2.

    >>> trace = attend([[1.0], [2.0], [3.0]], Projections.weightless(d_model=1))
    >>> trace.probabilities[0, 0].round(4).tolist()
    [[0.09, 0.2447, 0.6652], [0.0159, 0.1173, 0.8668], [0.0024, 0.0473, 0.9503]]
    """
    inputs, source, p = _checked_inputs(x, memory, projections)
    shape = (inputs.shape[0], p.n_heads, inputs.shape[1], source.shape[1])
    dtype = inputs.dtype.type
    options = checked_options(
        shape,
        p.d_k,
        dtype,
        mask,
        bias,
        scale,
        causal,
        softcap,
        empty_rows,
        sink,
        rotary,
        head_norm,
    )
    trace = run_layer(inputs, source, p, options, _residual_connection(inputs, p, residual))
    if tokens is None and memory_tokens is None:
        return trace
    return trace.labelled(*(() if one is None else one for one in (tokens, memory_tokens)))


def _checked_inputs(
    x: ArrayLike, memory: ArrayLike | None, p: Projections
) -> tuple[Array, Array, Projections]:
    """Copies of x and of the memory (x itself if there is none) as (batch, tokens, features), and
    the weights, all of one number type and checked against each other.
    """
    check_projections(p)
    x_BTD = as_sequence("x", x)
    memory_BSM = x_BTD if memory is None else as_sequence("memory", memory)
    n_x, n_memory = x_BTD.shape[0], memory_BSM.shape[0]
    if n_x != n_memory:
        raise ShapeError(f"x holds {n_x} sequences but memory {n_memory}; make them equal")
    _check_features("x", x_BTD, "w_q", p.d_model)
    _check_features("memory", memory_BSM, "w_k", p.d_memory)
    dtype = engine_dtype(x_BTD, memory_BSM, p.w_q)
    inputs = np.array(x_BTD, dtype=dtype)
    source = inputs if memory is None else np.array(memory_BSM, dtype=dtype)
    return inputs, source, p if p.dtype.type is dtype else p.astype(dtype)


def _check_features(name: str, sequence: Array, matrix: str, expected: int) -> None:
    if sequence.shape[2] != expected:
        raise ShapeError(
            f"{name} has {sequence.shape[2]} features per token but {matrix} reads {expected};"
            " make them agree"
        )


def _residual_connection(inputs_BTD: Array, p: Projections, residual: bool) -> Array | None:
    """The inputs where they are added to the output, which must then be as wide."""
    check_switch("residual", residual)
    if residual and p.d_out != inputs_BTD.shape[2]:
        raise SettingsError(
            f"residual adds the inputs of width {inputs_BTD.shape[2]} to an output of width"
            f" {p.d_out}: they must agree"
        )
    return inputs_BTD if residual else None


class LayerSteps(NamedTuple):
    """The steps of a layer that can be replaced: by a mistake, or by another way to compute the
    same. Their arguments and results are those of the formulas.
    """

    project: Callable[[Array, Array, Array | None], Array] = project
    split: Callable[[Array, int], Array] = cut_heads
    norm: Callable[[Array, Array, float], Array] = rms_norm
    turn: Callable[[Array, Rotary], Array] = turn
    heads: Callable[[Array, Array, Array, Options], HeadTrace] = fast_heads
    merge: Callable[[Array], Array] = join_heads
    mix: Callable[[Array, Array | None, Array | None, Array | None], Array] = mix_heads


USUAL_STEPS = LayerSteps()


def run_layer(
    inputs: Array,
    memory: Array,
    p: Projections,
    options: Options,
    connection: Array | None,
    steps: LayerSteps = USUAL_STEPS,
) -> Trace:
    """The layer: softmax(Q_h K_hᵀ / √d_k + mask) V_h for every head, merged and mixed by W_O.

    Nothing is checked here but the range of the output. connection: the inputs where they are
    added to it. Raises: SettingsError.
    """
    # Q = X W_Q + b_Q, K = M W_K + b_K, V = M W_V + b_V
    queries = steps.project(inputs, p.w_q, p.b_q)
    keys = steps.project(memory, p.w_k, p.b_k)
    values = steps.project(memory, p.w_v, p.b_v)
    # each head takes its own columns of Q, K and V
    query_heads = steps.split(queries, p.n_heads)
    key_heads = steps.split(keys, p.groups)
    value_heads = steps.split(values, p.groups)
    # QK-norm, then rotary positions, where they are asked for
    compared_queries, compared_keys, modern = optional_steps(query_heads, key_heads, options, steps)
    # O_h = softmax(scale Q_h K_hᵀ + bias, -inf where masked) V_h, as `plain_heads` writes it out
    heads = steps.heads(compared_queries, compared_keys, value_heads, options)
    # Y = [O_0 | O_1 | …] W_O + b_O, plus X
    merged = steps.merge(heads.head_outputs)
    output = steps.mix(merged, p.w_o, p.b_o, connection)
    check_range(output)
    if _fill_empty_rows(heads, options):
        merged = steps.merge(heads.head_outputs)
        output = steps.mix(merged, p.w_o, p.b_o, connection)
    return Trace.of(
        inputs=inputs,
        memory=memory,
        queries=queries,
        keys=keys,
        values=values,
        query_heads=query_heads,
        key_heads=key_heads,
        value_heads=value_heads,
        **modern,
        **vars(heads),
        merged=merged,
        output=output,
        projections=p,
        scale=options.scale,
        softcap=options.softcap,
        mask=options.allowed,
        bias=options.bias,
        residual=connection is not None,
        empty_rows_as=options.empty_rows,
        rotary=options.rotary,
        head_norm=options.head_norm,
        sink=options.sink,
    )


def optional_steps(
    query_heads: Array, key_heads: Array, options: Options, steps: LayerSteps
) -> tuple[Array, Array, dict[str, Array]]:
    """The queries and keys that are compared, and what options made on the way, by the names of the
    fields: each step reads what the one before it made.
    """
    fields = {}
    if (norm := options.head_norm) is not None:
        query_heads = fields["normed_queries"] = steps.norm(
            query_heads, np.asarray(norm.query_gain), norm.epsilon
        )
        key_heads = fields["normed_keys"] = steps.norm(
            key_heads, np.asarray(norm.key_gain), norm.epsilon
        )
    if options.rotary is not None:
        query_heads = fields["turned_queries"] = steps.turn(query_heads, options.rotary)
        key_heads = fields["turned_keys"] = steps.turn(key_heads, options.rotary)
    return query_heads, key_heads, fields


def options_of(trace: Trace) -> Options:
    """The options of the call that gave a trace."""
    t = trace
    how = (t.mask, t.bias, t.scale, t.softcap, t.empty_rows_as)
    return Options(*how, t.rotary, t.head_norm, t.sink)


def plain_heads(
    query_BHTK: Array,
    key_BGSK: Array,
    value_BGSV: Array,
    options: Options,
    shares: Callable[[Array, Array, Options], Array] | None = None,
) -> HeadTrace:
    """What happens inside the heads as it is written in the papers: softmax(Q Kᵀ / √d_k + mask) V.

    `attend` computes the same numbers with `fast_heads`, up to rounding. Shapes: as there. shares:
    what takes the place of the softmax; it gets the scores without the mask and with it.
    """
    scores = dot_products(query_BHTK, key_BGSK)
    scaled_scores = scale_scores(scores, options.scale, options.softcap)
    masked_scores = mask_scores(scaled_scores, options.allowed, options.bias)
    probabilities = (
        sink_softmax(masked_scores, options.sink)
        if shares is None
        else shares(scaled_scores, masked_scores, options)
    )
    head_outputs = mix_values(probabilities, value_BGSV)
    return HeadTrace(scores, scaled_scores, masked_scores, probabilities, head_outputs)


@np.errstate(over="ignore", invalid="ignore")
def scaled_dot_product_attention(
    query_heads: ArrayLike,
    key_heads: ArrayLike,
    value_heads: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    scale: float | None = None,
    causal: bool = False,
    softcap: float | None = None,
    empty_rows: str = "zero",
    sink: ArrayLike | None = None,
) -> HeadTrace:
    """The part inside the heads: compare, scale, mask, softmax, mix. The options are those of
    `attend`.

    Shapes: (B, H, T, K), (B, G, S, K), (B, G, S, V) with G dividing H -> head_outputs (B, H, T, V).
    Raises: ShapeError, SettingsError, this also for more than 2**31 scores (B × H × T × S).
    """
    query, key, value = as_heads(query_heads, key_heads, value_heads)
    shape = (*query.shape[:3], key.shape[2])
    d_k, dtype = query.shape[3], query.dtype.type
    options = checked_options(
        shape, d_k, dtype, mask, bias, scale, causal, softcap, empty_rows, sink
    )
    heads = fast_heads(query, key, value, options)
    check_range(heads.head_outputs)
    _fill_empty_rows(heads, options)
    return heads


def _fill_empty_rows(heads: HeadTrace, options: Options) -> bool:
    """Where it is asked for, put NaN where a query had nothing to attend to, as torch.softmax does;
    whether one had. With a sink no row is without a score.
    """
    if options.empty_rows == "zero" or options.sink is not None:
        return False
    empty_BHT = empty_rows_of(heads.masked_scores)
    heads.probabilities[empty_BHT] = np.nan
    heads.head_outputs[empty_BHT] = np.nan
    return bool(empty_BHT.any())
