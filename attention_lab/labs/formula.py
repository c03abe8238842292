"""A formula as it is shown: its name, its LaTeX, a sentence, which are a row of
`assets/data/formulas.csv`; and the function that computes it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..home import read_table


@dataclass(frozen=True)
class Formula:
    """One formula. sentence: one plain sentence."""

    title: str
    latex: str
    sentence: str


@dataclass(frozen=True)
class ComputedFormula(Formula):
    """A formula that is chosen by its name. compute: its function."""

    compute: Callable[..., Any]


_ROWS = read_table("formulas")


def formulas_of(what: str) -> tuple[Formula, ...]:
    """The formulas of a method, in the order of its steps."""
    rows = (row for row in _ROWS if row["of"] == what)
    return tuple(Formula(row["title"], row["latex"], row["sentence"]) for row in rows)


def computed_formulas(
    what: str, functions: Mapping[str, Callable[..., Any]]
) -> dict[str, ComputedFormula]:
    """The formulas of which one is chosen, by their names, with their functions."""
    return {
        row["key"]: ComputedFormula(
            row["title"], row["latex"], row["sentence"], functions[row["key"]]
        )
        for row in _ROWS
        if row["of"] == what
    }
