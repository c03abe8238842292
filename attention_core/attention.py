"""Multi-head attention: the order in which the formulas are applied, and the record of what they gave."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import checks, formulas, limits, option_checks
from .checks import Array
from .errors import SettingsError, ShapeError
from .masks import causal_mask
from .projections import Projections
from .spare_memory import spare_array
from .trace import HeadTrace, Trace


class _Options(NamedTuple):
    """How scores become probabilities: the checked form of the options of a call."""

    allowed: Array | None
    bias: Array | None
    scale: float
    softcap: float | None
    empty_rows: str


# A number that grows too large is an error of ours, with a sentence, not a warning of NumPy's on the way to it.
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
) -> Trace:
    """Multi-head attention of the sequence x over itself, or over `memory`, with every intermediate kept.

    Shapes: x (T, D) or (B, T, D); memory (S, D_memory) or (B, S, D_memory); mask and bias broadcast to (B, H, T, S).
    mask is bool, True = may attend; bias is added after scaling; causal: query t sees keys s <= t; scale is
    1/sqrt(d_k) when None; softcap squeezes the scaled scores into (-softcap, softcap) before mask and bias; residual
    adds x to the output. Biases of the matrices, and heads that share keys and values, belong to the projections.
    float32 stays float32, everything else becomes float64. empty_rows: "zero" or, as in PyTorch, "nan". Raises:
    ShapeError, SettingsError, this also for over 2**31 scores (B*H*T*S). Source: Vaswani et al. 2017, section 3.2.

    >>> trace = attend([[1.0], [2.0], [3.0]], Projections.weightless(d_model=1))
    >>> trace.probabilities[0, 0].round(4).tolist()
    [[0.09, 0.2447, 0.6652], [0.0159, 0.1173, 0.8668], [0.0024, 0.0473, 0.9503]]
    """
    inputs, source, p = _prepared(x, memory, projections)
    shape = (inputs.shape[0], p.n_heads, inputs.shape[1], source.shape[1])
    options = _options(shape, p.d_k, inputs.dtype.type, mask, bias, scale, causal, softcap, empty_rows)
    return _layer(inputs, source, p, options, _connection(inputs, p, residual))


def _layer(inputs: Array, source: Array, p: Projections, options: _Options, connection: Array | None) -> Trace:
    """The steps of the layer in their order: project, split, what happens inside the heads, mix."""
    queries = formulas.project(inputs, p.w_q, p.b_q)
    keys = formulas.project(source, p.w_k, p.b_k)
    values = formulas.project(source, p.w_v, p.b_v)
    query_heads = formulas.split_heads(queries, p.n_heads)
    key_heads = formulas.split_heads(keys, p.groups)
    value_heads = formulas.split_heads(values, p.groups)
    # The heads write straight into the merged layout: head_outputs is the split view of merged.
    merged = np.empty((*inputs.shape[:2], p.n_heads * p.d_v), inputs.dtype)
    heads = _inside_heads(query_heads, key_heads, value_heads, options, out=formulas.split_heads(merged, p.n_heads))
    output = formulas.mix_heads(merged, p.w_o, p.b_o, connection)
    checks.check_range(output)
    if options.empty_rows == "nan" and _fill_empty_rows(heads):
        output = formulas.mix_heads(merged, p.w_o, p.b_o, connection)
    return Trace(
        inputs, source, queries, keys, values, query_heads, key_heads, value_heads, heads.scores, heads.scaled_scores,
        heads.masked_scores, heads.probabilities, heads.head_outputs, merged, output, p, options.scale, options.softcap,
        options.allowed, options.bias, residual=connection is not None, empty_rows_as=options.empty_rows,
    )  # fmt: skip


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
) -> HeadTrace:
    """The part inside the heads: compare, scale, mask, softmax, mix. The options are those of `attend`.

    Shapes: (B, H, T, K), (B, G, S, K), (B, G, S, V) with G dividing H -> head_outputs (B, H, T, V).
    Raises: ShapeError, SettingsError, this also for more than 2**31 scores (B × H × T × S).
    """
    query, key, value = _heads(query_heads, key_heads, value_heads)
    shape = (*query.shape[:3], key.shape[2])
    options = _options(shape, query.shape[3], query.dtype.type, mask, bias, scale, causal, softcap, empty_rows)
    heads = _inside_heads(query, key, value, options, out=np.empty((*query.shape[:3], value.shape[3]), query.dtype))
    checks.check_range(heads.head_outputs)
    if empty_rows == "nan":
        _fill_empty_rows(heads)
    return heads


def _inside_heads(query_BHTK: Array, key_BGSK: Array, value_BGSV: Array, options: _Options, out: Array) -> HeadTrace:
    """The five steps inside the heads.

    The score arrays come out of one allocation, in memory of a trace that is gone if there is such (`spare_array`):
    else every call pays for fresh pages, 1.25 times the run time of the trained encoder at 128 tokens.
    """
    shape = (*query_BHTK.shape[:3], key_BGSK.shape[2])
    addend = formulas.mask_addend(options.allowed, options.bias, query_BHTK.dtype.type)
    arrays = spare_array((3 if addend is None else 4, *shape), query_BHTK.dtype)
    scores, scaled, probabilities = arrays[0], arrays[1], arrays[-1]
    masked = scaled if addend is None else arrays[2]
    formulas.dot_products(query_BHTK, key_BGSK, out=scores)
    for block in _blocks(shape):
        bounded = _check_scores(scores[block], options)
        formulas.scale_scores(scores[block], options.scale, options.softcap, out=scaled[block])
        if addend is not None:
            hiding = np.broadcast_to(addend, shape)[block]
            np.add(scaled[block], hiding, out=masked[block])
            if options.bias is not None:
                option_checks.check_hidden(masked[block], hiding)
        formulas.softmax_into(masked[block], out=probabilities[block], bounded=bounded)
    formulas.mix_values(probabilities, value_BGSV, out=out)
    return HeadTrace(scores, scaled, masked, probabilities, out)


def _check_scores(scores: Array, options: _Options) -> bool:
    """Whether exp of the scaled scores stays in range as they are.

    Raises: SettingsError when a score, scaled or not, left the range of its type.
    """
    largest = max(float(np.maximum.reduce(scores, axis=None)), -float(np.minimum.reduce(scores, axis=None)))
    if not largest * max(1.0, abs(options.scale)) <= checks.LARGEST[scores.dtype]:
        raise checks.too_large(scores.dtype)
    return options.bias is None and largest * abs(options.scale) <= formulas.SAFE_EXPONENT


def _blocks(shape: tuple[int, int, int, int]) -> Iterator[tuple[slice, ...]]:
    """Cut the scores along batch, heads and queries into blocks that stay in the cache from scaling to softmax.

    With blocks of 2**17 scores what happens inside the heads takes 0.82 times as long as with one block of 512 tokens
    and 8 heads; 2**15 and 2**18 are no better.
    """
    n_batch, n_heads, n_queries, n_keys = shape
    rows = max(1, 2**17 // n_keys)
    if rows >= n_batch * n_heads * n_queries:
        yield ()  # all of it
        return
    heads, batch = max(1, rows // n_queries), max(1, rows // (n_queries * n_heads))
    for b, h, t in product(range(0, n_batch, batch), range(0, n_heads, heads), range(0, n_queries, rows)):
        yield slice(b, b + batch), slice(h, h + heads), slice(t, t + rows)


def _options(
    shape: tuple[int, int, int, int],
    d_k: int,
    dtype: type[np.floating],
    mask: ArrayLike | None,
    bias: ArrayLike | None,
    scale: float | None,
    causal: bool,
    softcap: float | None,
    empty_rows: str,
) -> _Options:
    """Check the options of a call whose scores have `shape` = (batch, heads, queries, keys)."""
    limits.check_scores(*shape)
    checks.check_switch("causal", causal)
    allowed = option_checks.as_mask(mask, shape)
    if causal:
        past = causal_mask(*shape[2:])
        allowed = past if allowed is None else allowed & past
    option_checks.check_softcap(softcap, dtype)
    option_checks.check_empty_rows(empty_rows)
    addend = option_checks.as_bias(bias, shape, dtype)
    return _Options(allowed, addend, checks.score_scale(scale, d_k), softcap, empty_rows)


def _prepared(x: ArrayLike, memory: ArrayLike | None, p: Projections) -> tuple[Array, Array, Projections]:
    """Copies of x and of the memory, which is x where none is given, and the weights, all of one number type."""
    x_BTD, memory_BSM = _sequences(x, memory, p)
    dtype = checks.engine_dtype(x_BTD, memory_BSM, p.w_q)
    inputs = np.array(x_BTD, dtype=dtype)
    source = inputs if memory is None else np.array(memory_BSM, dtype=dtype)
    return inputs, source, p if p.dtype == dtype else p.astype(dtype)


def _sequences(x: ArrayLike, memory: ArrayLike | None, p: Projections) -> tuple[Array, Array]:
    """x and the memory as (batch, tokens, features), checked against each other and the weights."""
    if not isinstance(p, Projections):
        raise SettingsError(f"projections is {checks.shown(p)} but must be Projections, such as Projections.random")
    x_BTD = checks.as_sequence("x", x)
    memory_BSM = x_BTD if memory is None else checks.as_sequence("memory", memory)
    if x_BTD.shape[0] != memory_BSM.shape[0]:
        raise ShapeError(f"x holds {x_BTD.shape[0]} sequences but memory holds {memory_BSM.shape[0]}; make them equal")
    for name, sequence, matrix, expected in (("x", x_BTD, "w_q", p.d_model), ("memory", memory_BSM, "w_k", p.d_memory)):
        if sequence.shape[2] != expected:
            raise ShapeError(
                f"{matrix} reads {expected} features per token but {name} has {sequence.shape[2]}; make them agree"
            )
    return x_BTD, memory_BSM


def _heads(query_heads: ArrayLike, key_heads: ArrayLike, value_heads: ArrayLike) -> tuple[Array, Array, Array]:
    """Query, key and value heads of one dtype, checked against each other."""
    given = {"query_heads": query_heads, "key_heads": key_heads, "value_heads": value_heads}
    query, key, value = (checks.as_numbers(name, heads) for name, heads in given.items())
    for name, heads in zip(given, (query, key, value), strict=True):
        if heads.ndim != 4 or 0 in heads.shape:
            raise ShapeError(f"{name} must have shape (batch, heads, tokens, features), none 0, but has {heads.shape}")
    if not query.shape[0] == key.shape[0] == value.shape[0]:
        raise ShapeError(f"the batch sizes {query.shape[0]}, {key.shape[0]}, {value.shape[0]} differ; make them equal")
    if query.shape[3] != key.shape[3]:
        raise ShapeError(f"a query has width {query.shape[3]} but a key has width {key.shape[3]}; make them equal")
    if key.shape[1:3] != value.shape[1:3]:
        raise ShapeError(f"keys have (heads, tokens) {key.shape[1:3]} but values {value.shape[1:3]}; make them equal")
    if query.shape[1] % key.shape[1]:
        raise ShapeError(option_checks.uneven_sharing(query.shape[1], key.shape[1]))
    dtype = checks.engine_dtype(query, key, value)
    return query.astype(dtype, copy=False), key.astype(dtype, copy=False), value.astype(dtype, copy=False)


def _connection(inputs_BTD: Array, p: Projections, residual: bool) -> Array | None:
    checks.check_switch("residual", residual)
    if residual and p.d_out != inputs_BTD.shape[2]:
        raise SettingsError(
            f"residual adds the inputs of width {inputs_BTD.shape[2]} to an output of width {p.d_out}: they must agree"
        )
    return inputs_BTD if residual else None


def _fill_empty_rows(heads: HeadTrace) -> bool:
    """Put NaN where a query had nothing to attend to, as PyTorch does; whether there was such a query."""
    empty_BHT = formulas.empty_rows(heads.masked_scores)
    heads.probabilities[empty_BHT] = np.nan
    heads.head_outputs[empty_BHT] = np.nan
    return bool(empty_BHT.any())
