"""Every formula and symbol is LaTeX that a browser can typeset."""

from __future__ import annotations

import re
from itertools import product

import pytest

from attention_core import STEPS
from attention_lab.notation.formulas import formula
from attention_lab.notation.notation import OURS, Notation, symbol
from tests.lab.formula_cases import KNOWN, MORE, WRITTEN, run

# Macros that KaTeX knows; a new one belongs here once it has been seen to work.
WORDS = (
    "top tilde hat text mathtt mathrm mathcal infty alpha nu lambda frac sum tanh div cdot mid"
    " cdots vdots quad begin end left right lfloor rfloor lceil rceil"
)
MACROS = {rf"\{macro}" for macro in (",", " ", "_", "\\", *WORDS.split(" "))}


@pytest.mark.parametrize("notation", WRITTEN, ids=lambda notation: notation.key)
def test_every_formula_and_every_symbol_is_valid(notation: Notation) -> None:
    for trace, name in product(map(run, KNOWN | MORE), STEPS):
        latex = formula(trace, name, notation)
        assert notation.base(name) in latex.split(" = ")[0]
        check_latex(latex)
    for name in OURS.symbols:
        check_latex(symbol(name, notation).latex)
        check_latex(symbol(name, notation).transposed.latex)


def check_latex(latex: str) -> None:
    """Braces closed in order, brackets in pairs, no macro unknown, no two upper or two lower
    indices in a row.
    """
    depth = 0
    for sign in re.sub(r"\\.", "", latex):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        assert depth >= 0, latex
    assert depth == 0, latex
    assert all(latex.count(left) == latex.count(right) for left, right in ("()", "[]")), latex
    assert set(re.findall(r"\\(?:[a-zA-Z]+|.)", latex)) <= MACROS, latex
    flat = latex
    while (inner := re.sub(r"\{[^{}]*\}", "x", flat)) != flat:
        flat = inner
    assert not re.search(r"([\^_])(\\[a-zA-Z]+|\w)\1", flat), latex
    assert not re.search(
        r"\^(\\[a-zA-Z]+|\w)_(\\[a-zA-Z]+|\w)\^|_(\\[a-zA-Z]+|\w)\^(\\[a-zA-Z]+|\w)_", flat
    ), latex
