"""Matrices that explain a step without being one: each is only a rule, worked out from the trace
where it is looked at.

The weighted values before they are added up, a softmax row in its stages, what each head adds to
the output, the same numbers after a forgotten swap, and the h by h products of one query with one
key.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from attention_core.errors import SettingsError
from attention_core.rules import RUNNING, Position, Read, Rule, axis, read, shared_head
from attention_core.trace import Trace

MASKED, MASKED_ROW = (read("masked_scores", 0, 1, 2, last) for last in (3, RUNNING))
MAXIMUM, SHIFTED = read("row_maximum", 0, 1, 2), read("shifted_scores", 0, 1, 2, 3)
SINK, SHIFTED_SINK = read("sink", 1), read("shifted_sinks", 0, 1, 2)


@dataclass(frozen=True)
class DerivedArray:
    """An array that is not stored: its axes, letter by letter as in `Step`, its kind, and its
    rule.
    """

    axes: tuple[str, ...]
    kind: str
    rule: Rule


def derived_array_of(trace: Trace, name: str) -> DerivedArray:
    """The derived array of a name. Raises: SettingsError for one that this layer does not have.

    >>> from attention_core import Projections, attend
    >>> derived_array_of(attend([[1.0], [2.0]], Projections.weightless(1)),
    ...     "weighted_values").rule.operation
    'product'
    """
    if name in OF_THE_SINK and trace.sink is None:
        raise SettingsError("this layer has no sink, so nothing goes to it; choose a sink")
    return DERIVED_ARRAYS[name](trace)


def shape_of(trace: Trace, derived: DerivedArray) -> tuple[int, ...]:
    """The shape that a derived array has for a trace."""
    sizes = trace.sizes
    return tuple(math.prod(sizes[letter] for letter in a.split("·")) for a in derived.axes)


def _derived(
    axes: str, kind: str, operation: str, reads: Sequence[Read], *more: Any
) -> DerivedArray:
    """An array by its axes, its kind and its rule. more: of the rule, from its length on."""
    return DerivedArray(tuple(axes.split()), kind, Rule(operation, tuple(reads), *more))


def _weighted_values(trace: Trace) -> DerivedArray:
    values = read("value_heads", 0, shared_head(trace), 3, 4)
    return _derived("B H T S V", "feature", "product", [read("probabilities", 0, 1, 2, 3), values])


def _head_contributions(trace: Trace) -> DerivedArray:
    if trace.projections.w_o is None:
        raise SettingsError(
            "this layer has no W_O, so its heads contribute their own columns; choose other weights"
        )
    d_v = trace.sizes["V"]
    block = Position(((1, d_v), (RUNNING, 1)))
    reads = [read("head_outputs", 0, 1, 2, RUNNING), read("w_o", block, 3)]
    return _derived("B H T O", "feature", "sum", reads, d_v)


def _row_maximum(trace: Trace) -> DerivedArray:
    return _derived("B H T", "logit", "max", [MASKED_ROW], trace.sizes["S"], _sink(trace))


def _sink(trace: Trace) -> tuple[Read, ...]:
    return () if trace.sink is None else (SINK,)


def _sink_shares(trace: Trace) -> DerivedArray:
    """The share of each row that goes to the sink: the softmax at one more score."""
    n_keys = trace.sizes["S"]
    own = Position(plus=n_keys)
    return _derived("B H T", "probability", "softmax", [MASKED_ROW], n_keys, _sink(trace), own)


def _row_sum(trace: Trace) -> DerivedArray:
    adds = () if trace.sink is None else (read("sink_exponentials", 0, 1, 2),)
    reads = [read("exponentials", 0, 1, 2, RUNNING)]
    return _derived("B H T", "feature", "sum", reads, trace.sizes["S"], adds)


def _share_sum(trace: Trace) -> DerivedArray:
    reads = [read("probabilities", 0, 1, 2, RUNNING)]
    return _derived("B H T", "probability", "sum", reads, trace.sizes["S"])


def _shares(trace: Trace, field: str) -> DerivedArray:
    """What the softmax would make of a field of scores, without the mask."""
    reads, more = [read(field, 0, 1, 2, RUNNING)], (trace.sizes["S"], _sink(trace), axis(3))
    return _derived("B H T S", "probability", "softmax", reads, *more)


def _reshaped(trace: Trace, source: str) -> DerivedArray:
    """A fused matrix with every row cut into heads: the same numbers, one axis more."""
    heads, token, width = SPLITS[source]
    column = Position(((2, trace.sizes[width]), (3, 1)))
    reads = [read(source, 0, 1, column)]
    return _derived(f"B {token} {heads} {width}", "feature", "copy", reads)


def _unswapped(trace: Trace, source: str) -> DerivedArray:
    """The classic mistake: a fused matrix reshaped straight to one matrix per head."""
    n_heads, n_tokens, size = (trace.sizes[letter] for letter in SPLITS[source])
    flat = ((1, n_tokens * size), (2, size), (3, 1))
    across = n_heads * size
    reads = [read(source, 0, Position(flat, over=across), Position(flat, modulo=across))]
    heads, token, width = SPLITS[source]
    return _derived(f"B {heads} {token} {width}", "feature", "copy", reads)


def _merged_unswapped(trace: Trace) -> DerivedArray:
    """The classic mistake on the way back: the heads reshaped straight to one matrix."""
    n_heads, n_tokens, d_v = (trace.sizes[letter] for letter in "HTV")
    flat = ((1, n_heads * d_v), (2, 1))
    token = Position(flat, over=d_v, modulo=n_tokens)
    head, feature = Position(flat, over=n_tokens * d_v), Position(flat, modulo=d_v)
    return _derived("B T H·V", "feature", "copy", [read("head_outputs", 0, head, token, feature)])


def _pair_products(trace: Trace) -> DerivedArray:
    """Every head's query vector of one token with every head's key vector of another: only the
    diagonal is wanted.
    """
    queries, keys = trace.needs("scores")
    reads = [read(queries, 0, 3, 1, RUNNING), read(keys, 0, shared_head(trace, 4), 2, RUNNING)]
    return _derived("B T S H H", "logit", "sum", reads, trace.sizes["K"])


def _pair_hadamard(trace: Trace) -> DerivedArray:
    """The same two stacks of vectors multiplied number by number; the row sums are the diagonal."""
    queries, keys = trace.needs("scores")
    reads = [read(queries, 0, 3, 1, 4), read(keys, 0, shared_head(trace, 3), 2, 4)]
    return _derived("B T S H K", "logit", "product", reads)


def _pair_total(trace: Trace) -> DerivedArray:
    """The sum of one pair's scores over the heads: the dot product of the fused vectors, one
    head in disguise.
    """
    return _derived("B T S", "logit", "sum", [read("scores", 0, RUNNING, 1, 2)], trace.sizes["H"])


OF_THE_SINK = ("shifted_sinks", "sink_exponentials", "sink_shares")
SPLITS = {"queries": ("H", "T", "K"), "keys": ("G", "S", "K"), "values": ("G", "S", "V")}

DERIVED_ARRAYS: dict[str, Callable[[Trace], DerivedArray]] = {
    "weighted_values": _weighted_values,
    "head_contributions": _head_contributions,
    "row_maximum": _row_maximum,
    "shifted_scores": lambda _: _derived("B H T S", "logit", "difference", [MASKED, MAXIMUM]),
    "exponentials": lambda _: _derived("B H T S", "probability", "exp", [SHIFTED]),
    "row_sum": _row_sum,
    "share_sum": _share_sum,
    "shifted_sinks": lambda _: _derived("B H T", "logit", "difference", [SINK, MAXIMUM]),
    # what the sink counts in the sum of each row
    "sink_exponentials": lambda _: _derived("B H T", "probability", "exp", [SHIFTED_SINK]),
    "sink_shares": _sink_shares,
    "raw_shares": partial(_shares, field="scores"),
    "scaled_shares": partial(_shares, field="scaled_scores"),
    "merged_unswapped": _merged_unswapped,
    "pair_products": _pair_products,
    "pair_hadamard": _pair_hadamard,
    "pair_total": _pair_total,
    **{f"reshaped_{source}": partial(_reshaped, source=source) for source in SPLITS},
    **{f"unswapped_{source}": partial(_unswapped, source=source) for source in SPLITS},
}
