"""How every cell of a step is computed, as data: which cells of which arrays are read, and what is
done with them.

One rule per field serves the arithmetic in words, the table, the picture and the tests; nobody else
needs to know that head h of the queries begins at column h * d_k.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .checks import check_choice
from .trace import STEPS, Trace

RUNNING = -1  # the axis number of the index that a sum runs over


@dataclass(frozen=True)
class Position:
    """One index of a cell that is read, worked out from the index of the result: sum(index * times)
    // over % modulo.

    parts: pairs (axis of the result or RUNNING, times). modulo 0: no remainder is taken.

    >>> Position(((1, 4), (3, 1))).of((0, 2, 7, 3))
    11
    """

    parts: tuple[tuple[int, int], ...] = ()
    over: int = 1
    modulo: int = 0

    def of(self, index: Sequence[int], running: int = 0) -> int:
        """The number this position stands for."""
        total = sum(
            (running if axis == RUNNING else index[axis]) * times for axis, times in self.parts
        )
        return total // self.over % self.modulo if self.modulo else total // self.over


@dataclass(frozen=True)
class Read:
    """A cell that is read: the name of a trace field, a weight or a setting, and one position
    per axis of it.
    """

    array: str
    at: tuple[Position, ...] = ()


@dataclass(frozen=True)
class Rule:
    """The arithmetic of every cell of one array.

    operation: given, copy, sum (over the running index, of the product of the reads, and of adds),
    product, softcap, mask (a hidden cell is minus infinity), softmax, max, difference, exp. length:
    how many values the running index takes. adds: read once, added at the end. own: for softmax,
    which value of the running index is this cell's.
    """

    operation: str
    reads: tuple[Read, ...]
    length: int = 1
    adds: tuple[Read, ...] = ()
    own: Position = Position()
    softcap: float | None = None


def axis(number: int, over: int = 1, modulo: int = 0) -> Position:
    """The position along one axis of the result, divided and reduced."""
    return Position(((number, 1),), over, modulo)


def read(array: str, *at: int | Position) -> Read:
    """A read whose positions are axes of the result, or worked out.

    >>> read("scale"), read("w_q", RUNNING, 2).at[1].parts
    (Read(array='scale', at=()), ((2, 1),))
    """
    return Read(array, tuple(p if isinstance(p, Position) else axis(p) for p in at))


def rule_of(trace: Trace, field: str) -> Rule:
    """The rule of a trace field, the same for all its cells. Raises: SettingsError for a name that
    is none.

    >>> from attention_core import Projections, attend
    >>> rule_of(attend([[1.0], [2.0]], Projections.weightless(1)), "scores").operation
    'sum'
    """
    check_choice("field", field, STEPS)
    return _RULES.get(field, _given)(trace, field)


def _given(trace: Trace, field: str) -> Rule:
    return Rule("given", (read(field, *range(len(STEPS[field].letters))),))


def _projected(source: str, weights: str, bias: str) -> Callable[[Trace, str], Rule]:
    def rule(trace: Trace, field: str) -> Rule:
        length = getattr(trace, source).shape[2]
        biased = getattr(trace.projections, bias) is not None
        reads = (read(source, 0, 1, RUNNING), read(weights, RUNNING, 2))
        return Rule("sum", reads, length, adds=(read(bias, 2),) if biased else ())

    return rule


def _split(source: str, width: str) -> Callable[[Trace, str], Rule]:
    def rule(trace: Trace, field: str) -> Rule:
        column = Position(((1, trace.sizes[width]), (3, 1)))
        return Rule("copy", (read(source, 0, 2, column),))

    return rule


def shared_head(trace: Trace, number: int = 1) -> Position:
    """The key/value head that is read by the head along an axis of the result."""
    return axis(number, over=trace.sizes["H"] // trace.sizes["G"])


def _scores(trace: Trace, field: str) -> Rule:
    reads = (
        read("query_heads", 0, 1, 2, RUNNING),
        read("key_heads", 0, shared_head(trace), 3, RUNNING),
    )
    return Rule("sum", reads, trace.sizes["K"])


def _scaled(trace: Trace, field: str) -> Rule:
    operation = "product" if trace.softcap is None else "softcap"
    return Rule(operation, (read("scores", 0, 1, 2, 3), read("scale")), softcap=trace.softcap)


def _masked(trace: Trace, field: str) -> Rule:
    adds = () if trace.bias is None else (read("bias", 0, 1, 2, 3),)
    return Rule("mask", (read("scaled_scores", 0, 1, 2, 3),), adds=adds)


def _softmax(trace: Trace, field: str) -> Rule:
    return Rule(
        "softmax", (read("masked_scores", 0, 1, 2, RUNNING),), trace.sizes["S"], own=axis(3)
    )


def _mixed(trace: Trace, field: str) -> Rule:
    reads = (
        read("probabilities", 0, 1, 2, RUNNING),
        read("value_heads", 0, shared_head(trace), RUNNING, 3),
    )
    return Rule("sum", reads, trace.sizes["S"])


def _merged(trace: Trace, field: str) -> Rule:
    d_v = trace.sizes["V"]
    return Rule("copy", (read("head_outputs", 0, axis(2, over=d_v), 1, axis(2, modulo=d_v)),))


def _output(trace: Trace, field: str) -> Rule:
    adds = (read("inputs", 0, 1, 2),) if trace.residual else ()
    if trace.projections.w_o is not None:
        mixed = _projected("merged", "w_o", "b_o")(trace, field)
        return Rule("sum", mixed.reads, mixed.length, adds=mixed.adds + adds)
    bias = () if trace.projections.b_o is None else (read("b_o", 2),)
    return Rule("sum", (read("merged", 0, 1, 2),), adds=bias + adds)


_RULES: dict[str, Callable[[Trace, str], Rule]] = {
    "queries": _projected("inputs", "w_q", "b_q"),
    "keys": _projected("memory", "w_k", "b_k"),
    "values": _projected("memory", "w_v", "b_v"),
    "query_heads": _split("queries", "K"),
    "key_heads": _split("keys", "K"),
    "value_heads": _split("values", "V"),
    "scores": _scores,
    "scaled_scores": _scaled,
    "masked_scores": _masked,
    "probabilities": _softmax,
    "head_outputs": _mixed,
    "merged": _merged,
    "output": _output,
}

# The layer's input is made before the layer: a word's vector plus its position's.
INPUT_RULE = Rule("sum", (read("words", 1, 2),), adds=(read("positions", 1, 2),))
