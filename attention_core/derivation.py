"""How one cell of a `Trace` was computed: the numbers that went in, the operation, the number that
came out.

The same record feeds the sentence, the table and the picture of a cell's arithmetic. `recompute`
repeats the operation on the terms alone, which is how the tests know that nothing was left out.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from .checks import Array, as_list, whole_number
from .errors import SettingsError
from .rules import Read, Rule
from .trace import Trace

Index = tuple[int, ...]
Numbers = Callable[[str, Index], float]  # the number that an array of a name holds at a place
MAX_TERMS = 6  # of a sum in a sentence


@dataclass(frozen=True)
class Factor:
    """One number and where it stands: the name of a trace field, a weight or a setting, and its
    index there.
    """

    name: str
    index: Index
    value: float


@dataclass(frozen=True)
class Term:
    """What one place contributes: the factors read there, and the value they make."""

    factors: tuple[Factor, ...]
    value: float


@dataclass(frozen=True, repr=False)
class Derivation:
    """The arithmetic of one cell.

    operation: that of the `Rule`; of a softmax the terms are the row's exponentials, of a norm the
    numbers of the vector and the gain. allowed: for mask, whether the query may see the key.
    position: for softmax and norm, which of the terms is this cell's; maximum: what was subtracted
    from the row.
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
    epsilon: float = 0.0

    def __repr__(self) -> str:
        place, result = _place(self.field, self.index), _number(self.result)
        if self.operation == "given":
            return f"{place} = {result}, as it is given"
        if not self.allowed:
            return f"{place} = {result}, hidden by the mask"
        return f"{place} = {_arithmetic(self)} = {result}"

    def _repr_html_(self) -> str:
        place = _place(self.field, self.index)
        return f"<p><b>{place}</b>{escape(repr(self).removeprefix(place))}</p>"

    def recompute(self) -> float:
        """The result again, from the terms alone."""
        first = self.terms[0].value
        if self.operation == "max":
            return max(term.value for term in self.terms)
        if self.operation == "exp":
            return math.exp(first)
        if self.operation == "difference":
            return first if math.isinf(first) else first - self.terms[0].factors[1].value
        if self.operation == "norm":
            *vector, gain = (term.value for term in self.terms)
            mean = math.fsum(value * value for value in vector) / len(vector)
            return vector[self.position] / math.sqrt(mean + self.epsilon) * gain
        total = math.fsum(term.value for term in self.terms)
        if self.operation == "softmax":
            return self.terms[self.position].value / total if total else 0.0
        if self.operation == "softcap" and self.softcap:
            return self.softcap * math.tanh(total / self.softcap)
        return total if self.allowed else -math.inf


def derive(trace: Trace, field: str, index: Sequence[int]) -> Derivation:
    """How trace.<field>[index] was computed; an index below 0 counts from the end.

    Raises: SettingsError for an unknown field or an index outside it.

    >>> from attention_core import Projections, attend
    >>> d = derive(attend([[1.0], [2.0]], Projections.weightless(1)), "scores", (0, 0, 1, 0))
    >>> [(factor.name, factor.value) for factor in d.terms[0].factors], d.result
    ([('query_heads', 2.0), ('key_heads', 1.0)], 2.0)
    >>> print(d)
    scores[0, 0, 1, 0] = 2 × 1 = 2
    """
    rule = trace.rule(field)
    where = tuple(whole_number("index", i) for i in as_list("index", index))
    shape = getattr(trace, field).shape
    if len(where) != len(shape) or not all(-n <= i < n for i, n in zip(where, shape, strict=True)):
        raise SettingsError(
            f"{field} has shape {shape}, so it holds no cell {list(where)}; choose one of its own"
        )
    where = tuple(i % n for i, n in zip(where, shape, strict=True))
    hidden = trace.mask is not None and rule.operation == "mask"
    allowed = not hidden or bool(np.broadcast_to(trace.mask, shape)[where])  # type: ignore[arg-type]
    arrays = {
        name: array_of(trace, name)
        for name in (field, *(r.array for r in (*rule.reads, *rule.adds)))
    }
    result = float(arrays[field][where])
    return expand(rule, field, where, lambda name, at: float(arrays[name][at]), result, allowed)


def array_of(trace: Trace, name: str) -> Array:
    """A field of the trace, a weight of its projections, or a setting as an array; a bias as
    wide as the scores.
    """
    if name == "bias":
        return np.broadcast_to(np.asarray(trace.bias), trace.scores.shape)
    return np.asarray(
        getattr(trace, name) if hasattr(trace, name) else getattr(trace.projections, name)
    )


def expand(
    rule: Rule, field: str, index: Index, number: Numbers, result: float, allowed: bool = True
) -> Derivation:
    """The rule at one cell: every term with the numbers it reads, beside the result that the
    field holds there.
    """
    terms = [_term(rule, rule.reads, index, k, number) for k in range(rule.length)]
    terms += [_term(rule, (added,), index, 0, number) for added in rule.adds]
    own, maximum = rule.own.of(index), 0.0
    if rule.operation == "softmax":
        maximum = max(term.value for term in terms)
        nothing = math.nan if math.isnan(result) else 0.0  # what an empty row holds
        terms = [
            Term(t.factors, nothing if math.isinf(maximum) else math.exp(t.value - maximum))
            for t in terms
        ]
    constants = (rule.softcap, rule.epsilon)
    return Derivation(
        field, index, rule.operation, tuple(terms), result, own, maximum, allowed, *constants
    )


def _term(rule: Rule, reads: Sequence[Read], index: Index, running: int, number: Numbers) -> Term:
    places = [(r.array, tuple(p.of(index, running) for p in r.at)) for r in reads]
    factors = tuple(Factor(name, at, number(name, at)) for name, at in places)
    return Term(
        factors,
        factors[0].value if rule.operation == "difference" else math.prod(f.value for f in factors),
    )


def _place(name: str, index: Iterable[int]) -> str:
    return f"{name}[{', '.join(map(str, index))}]"


def _arithmetic(derivation: Derivation) -> str:
    terms, first = derivation.terms, derivation.terms[0]
    match derivation.operation:
        case "copy":
            return _place(first.factors[0].name, first.factors[0].index)
        case "max":
            written = [_number(term.value) for term in terms[:MAX_TERMS]]
            return f"max({', '.join(written)}{', …' * (len(terms) > MAX_TERMS)})"
        case "softmax":
            own = _number(terms[derivation.position].value)
            return f"{own} / ({_sum([_number(term.value) for term in terms])})"
        case "softcap":
            cap = _number(derivation.softcap or 0.0)
            return f"{cap} × tanh({_product(first)} / {cap})"
        case "difference":
            return f"{_number(first.value)} − {_number(first.factors[1].value)}"
        case "exp":
            return f"exp({_number(first.value)})"
        case "norm":
            *vector, gain = terms
            squares = _sum([f"{_number(term.value)}²" for term in vector])
            mean = f"({squares}) / {len(vector)} + {_number(derivation.epsilon)}"
            return (
                f"{_number(vector[derivation.position].value)} / √({mean}) × {_number(gain.value)}"
            )
    return _sum([_product(term) for term in terms])


def _product(term: Term) -> str:
    return " × ".join(_number(factor.value) for factor in term.factors)


def _sum(written: list[str]) -> str:
    """Summands; of many the first and the last ones."""
    if len(written) > MAX_TERMS:
        left_out = len(written) - MAX_TERMS + 1
        written = [*written[: MAX_TERMS - 2], f"… ({left_out} more) …", written[-1]]
    return " + ".join(written)


def _number(value: float) -> str:
    """A number with three digits and its own minus sign."""
    return f"{value:.3g}".replace("-", "−").replace("inf", "∞")
