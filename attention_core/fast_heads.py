"""The fast way to compute what happens inside the heads; `attention.plain_heads` says the same in
five lines.

What makes it fast: score arrays use the memory of dropped arrays again, blocks of scores stay in
the cache, a softmax that leaves out the row maximum where no score is large, and row sums
as a product with ones.
"""

import math
import weakref
from collections import deque
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from .checks import Array
from .errors import SettingsError
from .formulas import multiply_heads
from .layer_checks import Options, check_hidden
from .numbers import MAX_OF_TYPE, too_large
from .steps import HeadTrace

# exp of it, and of its negative, times a billion keys, stays inside float32.
SAFE_EXPONENT = 64.0
# Scores in a block. With 2**17 what happens inside the heads takes 0.82 times as long as with one
# block of 512 tokens and 8 heads; 2**15 and 2**18 are no better.
BLOCK_SCORES = 2**17
# Up to these sizes the short cuts below save time that can be measured.
MAX_SUMMED_SCORES, MAX_PREPARED_ONES = 2**12, 2**6


# Memory of large arrays that nobody reads any longer is kept for the next arrays of the same size.
# The system takes it back when they are dropped and clears every fresh page before it hands it
# out: for the scores of the trained encoder, 226 MB at 512 tokens, that is up to a third of the
# time of a run.
MIB = 2**20
# Smaller arrays the C library keeps by itself; the largest are four arrays of scores of 12 heads
# and 512 tokens.
MIN_POOLED_BYTES, MAX_POOLED_BYTES = MIB, 48 * MIB
MAX_KEPT_BUFFERS = 8  # the scores of six layers, what stands between them, and one more

# Threads may take and give at any moment, the collector too: of a deque, both are one indivisible
# step.
_spare: deque[memoryview] = deque(maxlen=MAX_KEPT_BUFFERS)


class TypeLimits(NamedTuple):
    """The lowest and the smallest positive number of a type. Looking them up in NumPy is slow."""

    min: np.floating
    tiny: np.floating


LIMITS_OF_TYPE = {
    np.dtype(dtype): TypeLimits(np.finfo(dtype).min, np.finfo(dtype).tiny)
    for dtype in (np.float32, np.float64)
}
ONES = {dtype: np.ones((MAX_PREPARED_ONES, 1), dtype) for dtype in LIMITS_OF_TYPE}


def fast_heads(
    query_BHTK: Array, key_BGSK: Array, value_BGSV: Array, options: Options
) -> HeadTrace:
    """Compare, scale, mask, softmax, mix; the head outputs lie side by side, as they are merged.

    Shapes: (B, H, T, K), (B, G, S, K), (B, G, S, V) -> (B, H, T, V). Raises: SettingsError for
    numbers that leave the range of their type. The score arrays come out of one allocation, in
    memory of a dropped trace if there is one (`pooled_array`): else every call pays for fresh
    pages, 1.25 times the run time of the trained encoder at 128 tokens.
    """
    shape = (*query_BHTK.shape[:3], key_BGSK.shape[2])
    addend = _mask_addend(options, query_BHTK.dtype.type)
    arrays = pooled_array((3 if addend is None else 4, *shape), query_BHTK.dtype)
    scores, scaled, probabilities = arrays[0], arrays[1], arrays[-1]
    masked = scaled if addend is None else arrays[2]
    multiply_heads(query_BHTK, key_BGSK.swapaxes(-1, -2), out=scores)
    sink, seen = options.sink, None
    if options.allowed is not None and scores.dtype == np.float64:
        seen = np.broadcast_to(options.allowed, shape)
    if sink is not None:
        sink = np.broadcast_to(sink[:, np.newaxis, np.newaxis], (*shape[:3], 1))
    for block in _blocks(shape):
        bounded = _check_scores(scores[block], options)
        _scale(scores[block], options, out=scaled[block])
        if addend is not None:
            hiding = np.broadcast_to(addend, shape)[block]
            np.add(scaled[block], hiding, out=masked[block])
            if options.bias is not None:
                check_hidden(masked[block], hiding)
        of_block = (None if one is None else one[block] for one in (sink, seen))
        _softmax(masked[block], probabilities[block], bounded, *of_block)
    n_batch, n_heads, n_queries, _ = shape
    merged_BTHV = np.empty((n_batch, n_queries, n_heads, value_BGSV.shape[3]), query_BHTK.dtype)
    head_outputs = merged_BTHV.swapaxes(1, 2)
    multiply_heads(probabilities, value_BGSV, out=head_outputs)
    return HeadTrace(scores, scaled, masked, probabilities, head_outputs)


def _mask_addend(options: Options, dtype: type[np.floating]) -> Array | None:
    """What masking adds to the scores: the bias, and -inf where a query may not see a key; None for
    nothing.

    The additive form (0 or -inf) costs a third of a masked copy (0.13 against 0.36 ns per score).
    """
    if options.allowed is None:
        return options.bias
    hidden = np.where(options.allowed, dtype(0), dtype(-np.inf))
    return hidden if options.bias is None else options.bias + hidden


def _scale(scores: Array, options: Options, out: Array) -> None:
    """`formulas.scale_scores` without a temporary array."""
    np.multiply(scores, options.scale, out=out)
    if options.softcap is not None:
        np.divide(out, options.softcap, out=out)
        np.multiply(np.tanh(out, out=out), options.softcap, out=out)


def _check_scores(scores: Array, options: Options) -> bool:
    """Whether exp of the scaled scores stays in range as they are.

    Raises: SettingsError when a score, scaled or not, left the range of its type. No score is
    larger than all squares together; of few scores these take a third of the time to add up.
    """
    largest_factor = max(1.0, abs(options.scale))
    few = scores.size <= MAX_SUMMED_SCORES and options.bias is None
    if few and math.sqrt(np.vdot(scores, scores)) * largest_factor <= SAFE_EXPONENT:
        return True
    largest = max(
        float(np.maximum.reduce(scores, axis=None)), -float(np.minimum.reduce(scores, axis=None))
    )
    if not largest * largest_factor <= MAX_OF_TYPE[scores.dtype]:
        raise too_large(scores.dtype)
    return options.bias is None and largest * abs(options.scale) <= SAFE_EXPONENT


def _softmax(
    scores_XS: Array, out: Array, bounded: bool, sink_X1: Array | None, seen_XS: Array | None
) -> None:
    """The softmax of the last axis written into `out`; a sink is one more score of each row, whose
    share is not kept.

    `bounded` promises that every score is -inf or lies within ±SAFE_EXPONENT, so that no maximum
    needs to be subtracted (half of the time). The floors only meet empty rows: any other row sums
    to more. seen: the scores that are not -inf. In float64, exp of these alone takes half of the
    time of exp of all under a causal mask; in float32 it takes as long.
    """
    limits = LIMITS_OF_TYPE[scores_XS.dtype]
    if not bounded or sink_X1 is not None:
        maximum = np.maximum(scores_XS.max(axis=-1, keepdims=True, initial=-np.inf), limits.min)
        if sink_X1 is not None:
            maximum = np.maximum(maximum, sink_X1)
            sink_X1 = np.exp(sink_X1 - maximum)
        scores_XS = np.subtract(scores_XS, maximum, out=out)
    if seen_XS is None:
        np.exp(scores_XS, out=out)
    else:
        np.exp(scores_XS, out=out, where=seen_XS)
        np.copyto(out, 0.0, where=~seen_XS)
    # A product with ones adds up a row in a quarter of the time of sum(axis=-1) at 128 keys.
    n_keys = out.shape[-1]
    ones = (
        ONES[out.dtype][:n_keys] if n_keys <= MAX_PREPARED_ONES else np.ones((n_keys, 1), out.dtype)
    )
    total = np.matmul(out, ones)
    if sink_X1 is not None:
        total += sink_X1
    np.divide(out, np.maximum(total, limits.tiny, out=total), out=out)


def _blocks(shape: tuple[int, int, int, int]) -> Iterator[tuple[slice, ...]]:
    """Cut the scores along batch, heads and queries into blocks that stay in the cache from
    scaling to softmax.
    """
    n_batch, n_heads, n_queries, n_keys = shape
    rows = max(1, BLOCK_SCORES // n_keys)
    if rows >= n_batch * n_heads * n_queries:
        yield ()  # all of it
        return
    heads, batch = max(1, rows // n_queries), max(1, rows // (n_queries * n_heads))
    for b, h, t in product(
        range(0, n_batch, batch), range(0, n_heads, heads), range(0, n_queries, rows)
    ):
        yield slice(b, b + batch), slice(h, h + heads), slice(t, t + rows)


def pooled_array(shape: tuple[int, ...], dtype: DTypeLike) -> Array:
    """An array whose numbers are still to be written, like `numpy.empty`.

    Its memory is used again when the array and all its views are gone, never before. Raises:
    SettingsError where there is none left.

    >>> pooled_array((2, 3), np.float32).shape
    (2, 3)
    """
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if not MIN_POOLED_BYTES <= size <= MAX_POOLED_BYTES:
        return _empty(shape, dtype)
    memory = _pop_spare(size)
    if memory is None:
        _keep_small_arrays()
        memory = np.empty(size, np.uint8).data
    # Every view keeps this array alive: looking for the owner of its numbers, NumPy stops before a
    # memoryview.
    array = np.frombuffer(memory, dtype)
    weakref.finalize(array, _spare.append, memory).atexit = False
    return array.reshape(shape)


def _empty(shape: tuple[int, ...], dtype: DTypeLike) -> Array:
    try:
        return np.empty(shape, dtype)
    except MemoryError as error:
        sizes = " × ".join(map(str, shape))
        raise SettingsError(
            f"this machine has no memory for {sizes} numbers: choose fewer tokens or heads"
        ) from error


@cache
def _keep_small_arrays() -> None:
    """Once: take 31 MiB and give them back, unread.

    glibc keeps for itself blocks up to the largest it was ever given back, 32 MiB at most. Large
    arrays no longer go back; without this the smaller ones between them would, 1.25 times the run
    time for 8 sequences of 128 tokens.
    Source: mallopt(3), M_MMAP_THRESHOLD.
    """
    np.empty(31 * MIB, np.uint8)


def _pop_spare(size: int) -> memoryview | None:
    """Kept memory of exactly this size, which from now on is the caller's alone; None where
    there is none.
    """
    for _ in range(len(_spare)):
        try:
            memory = _spare.popleft()
        except IndexError:  # another thread was faster
            return None
        if memory.nbytes == size:
            return memory
        _spare.append(memory)
    return None
