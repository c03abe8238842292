"""How one cell of a `Trace` was computed: the numbers that went in, the operation, the number that came out.

The same record feeds the sentence, the table and the picture of a cell's arithmetic. `recompute` repeats the
operation on the terms alone, which is how the tests know that nothing was left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .checks import Array
from .embeddings import Embedding
from .errors import SettingsError
from .heads import head_of
from .trace import STEPS, Trace

Index = tuple[int, ...]


@dataclass(frozen=True)
class Factor:
    """One number and where it stands: the name of a trace field, a weight or a setting, and its index there."""

    name: str
    index: Index
    value: float


@dataclass(frozen=True)
class Term:
    """What one place contributes: the factors read there, and the value they make."""

    factors: tuple[Factor, ...]
    value: float


@dataclass(frozen=True)
class Derivation:
    """The arithmetic of one cell.

    operation: "given" (nothing to compute), "copy", "sum" (of the terms), "product" (of one term's factors),
    "softcap", "mask" (one term, allowed or not) or "softmax" (the terms are the row's exponentials).
    position: for softmax, which of the terms is this cell's; maximum: what was subtracted from the row.
    """

    field: str
    index: Index
    operation: str
    terms: tuple[Term, ...]
    result: float
    position: int = 0
    maximum: float = 0.0
    allowed: bool = True
    softcap: float | None = None

    def recompute(self) -> float:
        """The result again, from the terms alone."""
        total = math.fsum(term.value for term in self.terms)
        if self.operation == "softmax":
            return self.terms[self.position].value / total if total else 0.0
        if self.operation == "softcap" and self.softcap:
            return self.softcap * math.tanh(total / self.softcap)
        return total if self.allowed else -math.inf


def derive(trace: Trace, field: str, index: Sequence[int]) -> Derivation:
    """How trace.<field>[index] was computed. Raises: SettingsError for an unknown field or an index outside it.

    >>> from attention_core import Projections, attend
    >>> d = derive(attend([[1.0], [2.0]], Projections.weightless(1)), "scores", (0, 0, 1, 0))
    >>> [(factor.name, factor.value) for factor in d.terms[0].factors], d.result
    ([('query_heads', 2.0), ('key_heads', 1.0)], 2.0)
    """
    if field not in STEPS:
        raise SettingsError(f"there is no field {field!r}: choose one of {', '.join(STEPS)}")
    where = tuple(int(i) for i in index)
    shape = getattr(trace, field).shape
    if len(where) != len(shape) or not all(0 <= i < n for i, n in zip(where, shape, strict=True)):
        raise SettingsError(f"{field} has shape {shape}, so it holds no cell {list(where)}")
    return _RECIPES.get(field, _given)(trace, field, where)


def derive_input(embedding: Embedding, token: int, feature: int) -> Derivation:
    """How one number of the layer's input was made: the word's number plus the position's.

    >>> from attention_core.embeddings import embed
    >>> [term.value for term in derive_input(embed(["a", "b"], 4, kind="integers"), 0, 1).terms]
    [-1.0, 1.0]
    """
    parts = {"words": embedding.words, "positions": embedding.positions}
    factors = [Factor(name, (token, feature), float(array[token, feature])) for name, array in parts.items()]
    terms = tuple(Term((factor,), factor.value) for factor in factors)
    return Derivation("inputs", (0, token, feature), "sum", terms, float(embedding.inputs[token, feature]))


def _given(trace: Trace, field: str, index: Index) -> Derivation:
    return Derivation(field, index, "given", (_alone(trace, field, index),), _value(trace, field, index))


def _projected(source: str, weights: str, bias: str) -> Callable[[Trace, str, Index], Derivation]:
    def recipe(trace: Trace, field: str, index: Index) -> Derivation:
        b, token, column = index
        rows = [((b, token, d), (d, column)) for d in range(getattr(trace, source).shape[2])]
        terms = [_product(trace, (source, left), (weights, right)) for left, right in rows]
        if getattr(trace.projections, bias) is not None:
            terms.append(_alone(trace, bias, (column,)))
        return Derivation(field, index, "sum", tuple(terms), _value(trace, field, index))

    return recipe


def _split(source: str, width: str) -> Callable[[Trace, str, Index], Derivation]:
    def recipe(trace: Trace, field: str, index: Index) -> Derivation:
        b, head, token, feature = index
        origin = (b, token, head * trace.sizes[width] + feature)
        return Derivation(field, index, "copy", (_alone(trace, source, origin),), _value(trace, field, index))

    return recipe


def _scores(trace: Trace, field: str, index: Index) -> Derivation:
    b, head, query, key = index
    group = head_of(trace, "key_heads", head)
    terms = [
        _product(trace, ("query_heads", (b, head, query, k)), ("key_heads", (b, group, key, k)))
        for k in range(trace.sizes["K"])
    ]
    return Derivation(field, index, "sum", tuple(terms), _value(trace, field, index))


def _scaled(trace: Trace, field: str, index: Index) -> Derivation:
    term = _product(trace, ("scores", index), ("scale", ()))
    operation = "product" if trace.softcap is None else "softcap"
    return Derivation(field, index, operation, (term,), _value(trace, field, index), softcap=trace.softcap)


def _masked(trace: Trace, field: str, index: Index) -> Derivation:
    terms = [_alone(trace, "scaled_scores", index)]
    if trace.bias is not None:
        added = float(np.broadcast_to(trace.bias, trace.scores.shape)[index])
        terms.append(Term((Factor("bias", index, added),), added))
    allowed = trace.mask is None or bool(np.broadcast_to(trace.mask, trace.scores.shape)[index])
    return Derivation(field, index, "mask", tuple(terms), _value(trace, field, index), allowed=allowed)


def _softmax(trace: Trace, field: str, index: Index) -> Derivation:
    row = trace.masked_scores[index[:3]]
    maximum = float(row.max())
    empty = math.isinf(maximum)
    terms = tuple(
        Term((Factor("masked_scores", (*index[:3], key), float(score)),), 0.0 if empty else math.exp(score - maximum))
        for key, score in enumerate(row)
    )
    return Derivation(field, index, "softmax", terms, _value(trace, field, index), position=index[3], maximum=maximum)


def _mixed(trace: Trace, field: str, index: Index) -> Derivation:
    b, head, query, feature = index
    group = head_of(trace, "value_heads", head)
    terms = [
        _product(trace, ("probabilities", (b, head, query, key)), ("value_heads", (b, group, key, feature)))
        for key in range(trace.sizes["S"])
    ]
    return Derivation(field, index, "sum", tuple(terms), _value(trace, field, index))


def _merged(trace: Trace, field: str, index: Index) -> Derivation:
    b, token, column = index
    head, feature = divmod(column, trace.sizes["V"])
    term = _alone(trace, "head_outputs", (b, head, token, feature))
    return Derivation(field, index, "copy", (term,), _value(trace, field, index))


def _output(trace: Trace, field: str, index: Index) -> Derivation:
    column = index[2]
    if trace.projections.w_o is None:
        terms = [_alone(trace, "merged", index)]
        if trace.projections.b_o is not None:
            terms.append(_alone(trace, "b_o", (column,)))
    else:
        terms = list(_projected("merged", "w_o", "b_o")(trace, field, index).terms)
    if trace.residual:
        terms.append(_alone(trace, "inputs", index))
    return Derivation(field, index, "sum", tuple(terms), _value(trace, field, index))


_RECIPES: dict[str, Callable[[Trace, str, Index], Derivation]] = {
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


def _array(trace: Trace, name: str) -> Array:
    """A field of the trace, a weight of its projections, or a setting as an array without axes."""
    return np.asarray(getattr(trace, name) if hasattr(trace, name) else getattr(trace.projections, name))


def _value(trace: Trace, name: str, index: Index) -> float:
    return float(_array(trace, name)[index])


def _alone(trace: Trace, name: str, index: Index) -> Term:
    factor = Factor(name, index, _value(trace, name, index))
    return Term((factor,), factor.value)


def _product(trace: Trace, left: tuple[str, Index], right: tuple[str, Index]) -> Term:
    factors = tuple(Factor(name, index, _value(trace, name, index)) for name, index in (left, right))
    return Term(factors, factors[0].value * factors[1].value)
