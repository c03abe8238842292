"""How every cell of a step is computed, as data: which cells of which arrays are read, and what is
done with them.

One rule per field serves the arithmetic in words, the table, the picture and the tests; nobody else
needs to know that head h of the queries begins at column h * d_k.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .record import Record

RUNNING = -1  # the axis number of the index that a sum runs over


@dataclass(frozen=True)
class Position:
    """One index of a cell that is read, worked out from the index of the result: (plus +
    sum(index * times)) // over % modulo.

    parts: pairs (axis of the result, RUNNING or a position worked out before, times). modulo 0: no
    remainder is taken.

    >>> Position(((1, 4), (3, 1))).of((0, 2, 7, 3))
    11
    """

    parts: tuple[tuple[int | Position, int], ...] = ()
    over: int = 1
    modulo: int = 0
    plus: int = 0

    def of(self, index: Sequence[int], running: int = 0) -> int:
        """The number this position stands for."""
        total = self.plus
        for axis, times in self.parts:
            if isinstance(axis, Position):
                total += axis.of(index, running) * times
            else:
                total += (running if axis == RUNNING else index[axis]) * times
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
    product, softcap, mask (a hidden cell is minus infinity), softmax, norm (a number divided by the
    root of the mean of the row's squares and epsilon, times the gain in adds), max, difference,
    exp; around the layer also the functions relu, tanh, gelu and silu of one number. length: how
    many values the running index takes. adds: read once, added at the end; of a softmax one more
    score. own: for softmax and norm, which value of the running index is this cell's. centred: of a
    norm whose row loses its mean first, and whose second number in adds is added (LayerNorm).
    """

    operation: str
    reads: tuple[Read, ...]
    length: int = 1
    adds: tuple[Read, ...] = ()
    own: Position = Position()
    softcap: float | None = None
    epsilon: float = 0.0
    centred: bool = False


RuleOf = Callable[[Record], Rule]


def axis(number: int, over: int = 1, modulo: int = 0) -> Position:
    """The position along one axis of the result, divided and reduced."""
    return Position(((number, 1),), over, modulo)


def read(array: str, *at: int | Position) -> Read:
    """A read whose positions are axes of the result, or worked out.

    >>> read("scale"), read("w_q", RUNNING, 2).at[1].parts
    (Read(array='scale', at=()), ((2, 1),))
    """
    return Read(array, tuple(p if isinstance(p, Position) else axis(p) for p in at))


def given(field: str) -> RuleOf:
    """Nothing is computed: the field is what the layer is given."""
    rule = Rule("given", (read(field, 0, 1, 2),))
    return lambda layer: rule


def projected(source: str, weights: str, bias: str) -> RuleOf:
    """A token's features times a column of a matrix, plus the bias."""

    def rule(layer: Record) -> Rule:
        p = layer.projections
        reads = (read(source, 0, 1, RUNNING), read(weights, RUNNING, 2))
        adds = () if getattr(p, bias) is None else (read(bias, 2),)
        return Rule("sum", reads, getattr(p, weights).shape[0], adds)

    return rule


def split(source: str, width: str) -> RuleOf:
    """A head's block of columns."""

    def rule(layer: Record) -> Rule:
        column = Position(((1, layer.sizes[width]), (3, 1)))
        return Rule("copy", (read(source, 0, 2, column),))

    return rule


def shared_head(layer: Record, number: int = 1) -> Position:
    """The key/value head that is read by the head along an axis of the result."""
    p = layer.projections
    return axis(number, over=p.n_heads // p.groups)


def normed(field: str, gain: str) -> RuleOf:
    """One number of a query or key, divided by the root mean square of all, times its gain."""

    def rule(layer: Record) -> Rule:
        (source,), norm = layer.needs(field), layer.head_norm
        reads, epsilon = (read(source, 0, 1, 2, RUNNING),), norm.epsilon if norm else 0.0
        return Rule("norm", reads, layer.sizes["K"], (read(gain, 3),), axis(3), epsilon=epsilon)

    return rule


def turned(field: str, table: str) -> RuleOf:
    """The two numbers of a pair, each times what it counts at this position."""

    def rule(layer: Record) -> Rule:
        (source,) = layer.needs(field)
        # The pair of feature i, and from it the feature of its first or second member.
        half = layer.sizes["K"] // 2
        if layer.rotary and layer.rotary.pairs == "halves":
            member = Position(((axis(3, modulo=half), 1), (RUNNING, half)))
        else:
            member = Position(((axis(3, over=2), 2), (RUNNING, 1)))
        reads = (read(source, 0, 1, 2, member), read(table, 2, RUNNING, 3))
        return Rule("sum", reads, length=2)

    return rule


def scores(layer: Record) -> Rule:
    """One query times one key."""
    queries, keys = layer.needs("scores")
    key = read(keys, 0, shared_head(layer), 3, RUNNING)
    return Rule("sum", (read(queries, 0, 1, 2, RUNNING), key), layer.projections.d_k)


def scaled(layer: Record) -> Rule:
    """One score times the scale, under the soft cap."""
    operation = "product" if layer.softcap is None else "softcap"
    return Rule(operation, (read("scores", 0, 1, 2, 3), read("scale")), softcap=layer.softcap)


def masked(layer: Record) -> Rule:
    """One scaled score plus its bias, or minus infinity."""
    adds = () if layer.bias is None else (read("bias", 0, 1, 2, 3),)
    return Rule("mask", (read("scaled_scores", 0, 1, 2, 3),), adds=adds)


def softmax(layer: Record, field: str = "masked_scores") -> Rule:
    """One share of a row, in which a sink is one more score."""
    adds = () if layer.sink is None else (read("sink", 1),)
    return Rule("softmax", (read(field, 0, 1, 2, RUNNING),), layer.sizes["S"], adds, axis(3))


def mixed(layer: Record) -> Rule:
    """A row of shares times one feature of all values."""
    value = read("value_heads", 0, shared_head(layer), RUNNING, 3)
    return Rule("sum", (read("probabilities", 0, 1, 2, RUNNING), value), layer.sizes["S"])


def merged(layer: Record) -> Rule:
    """A column belongs to one head."""
    d_v = layer.projections.d_v
    return Rule("copy", (read("head_outputs", 0, axis(2, over=d_v), 1, axis(2, modulo=d_v)),))


def output(layer: Record) -> Rule:
    """The merged heads times a column of W_O, plus bias and inputs."""
    p = layer.projections
    bias = () if p.b_o is None else (read("b_o", 2),)
    adds = (*bias, read("inputs", 0, 1, 2)) if layer.residual else bias
    if p.w_o is None:
        return Rule("sum", (read("merged", 0, 1, 2),), adds=adds)
    reads = (read("merged", 0, 1, RUNNING), read("w_o", RUNNING, 2))
    return Rule("sum", reads, p.w_o.shape[0], adds)


RULES: dict[str, RuleOf] = {
    "inputs": given("inputs"),
    "memory": given("memory"),
    "queries": projected("inputs", "w_q", "b_q"),
    "keys": projected("memory", "w_k", "b_k"),
    "values": projected("memory", "w_v", "b_v"),
    "query_heads": split("queries", "K"),
    "key_heads": split("keys", "K"),
    "value_heads": split("values", "V"),
    "normed_queries": normed("normed_queries", "query_gain"),
    "normed_keys": normed("normed_keys", "key_gain"),
    "turned_queries": turned("turned_queries", "query_rotation"),
    "turned_keys": turned("turned_keys", "key_rotation"),
    "scores": scores,
    "scaled_scores": scaled,
    "masked_scores": masked,
    "probabilities": softmax,
    "head_outputs": mixed,
    "merged": merged,
    "output": output,
}
