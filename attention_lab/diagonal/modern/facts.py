"""What *The diagonal of modern attention* says: one record of facts, from which its sentences take
their values.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from attention_core.checks import Array

from ...words.numbers import Count, Number
from .delta_rule import DeltaRule, delta_weights, unit_vectors
from .statements import STATEMENTS
from .variants import (
    VARIANTS,
    Looks,
    RowCounts,
    Variant,
    count_rows,
    drawn_vectors,
    weightless_vectors,
)

Runs = Sequence[tuple[Variant, Looks]]


@dataclass(frozen=True)
class LooksFacts:
    """Rows that peak on the diagonal, those of them that tie, and the mean own weight: of a variant
    on tokens without weights, and with two drawn matrices.
    """

    title: str
    rows: Count
    ties: Count
    own: Number
    drawn_rows: Count
    drawn_own: Number


@dataclass(frozen=True)
class StatementFacts:
    """The check of a statement: what each of its numbers is, and how large."""

    holds: bool
    numbers: tuple[tuple[str, Number], ...]


@dataclass(frozen=True)
class ModernFacts:
    """*The diagonal of modern attention*. n: tokens. rows: that peak on the diagonal. others: the
    variants beside plain attention. low, high: of the own weights of the delta rule, for tokens
    that are not 0.
    """

    n: Count
    rows: RowCounts
    others: Count
    looks: tuple[LooksFacts, ...]
    statements: tuple[StatementFacts, ...]
    low: Number | None
    high: Number | None


def run_variants(x_TD: Array, strengths: Mapping[str, float]) -> tuple[Runs, Runs]:
    """Every variant on the tokens without weights, and with two drawn matrices."""
    plain, drawn = (
        [(one, one.run(vectors, strengths[one.key])) for one in VARIANTS]
        for vectors in (weightless_vectors(x_TD), drawn_vectors(x_TD))
    )
    return plain, drawn


def modern_facts(
    x_TD: Array, strengths: Mapping[str, float], rule: DeltaRule, n_features: int
) -> ModernFacts:
    """What *The diagonal of modern attention* says of some tokens. n_features: of a token that the
    delta rule reads.
    """
    plain, drawn = run_variants(x_TD, strengths)
    vectors = weightless_vectors(x_TD)
    checks = [one.check(vectors, strengths[one.variant]) for one in STATEMENTS]
    keys = unit_vectors(x_TD[:, :n_features])
    own_T = delta_weights(keys, keys, rule).diagonal()[keys.any(axis=-1)]
    return ModernFacts(
        Count(len(x_TD)),
        count_rows(plain),
        Count(len(VARIANTS) - 1),
        tuple(_looks(*one, other) for one, (_, other) in zip(plain, drawn, strict=True)),
        tuple(StatementFacts(one.holds, _checked(one.numbers.items())) for one in checks),
        Number(own_T.min(), 4) if len(own_T) else None,
        Number(own_T.max(), 4) if len(own_T) else None,
    )


def _looks(variant: Variant, looks: Looks, drawn: Looks) -> LooksFacts:
    return LooksFacts(
        variant.title,
        Count(looks.rows_on_diagonal),
        Count(looks.ties),
        Number(looks.own_weight, among=1.0),
        Count(drawn.rows_on_diagonal),
        Number(drawn.own_weight, among=1.0),
    )


def _checked(numbers: Iterable[tuple[str, float]]) -> tuple[tuple[str, Number], ...]:
    return tuple((name, Number(one, 0 if one.is_integer() else 4)) for name, one in numbers)
