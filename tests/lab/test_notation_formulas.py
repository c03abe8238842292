"""The formulas: ours by hand, the others true as mathematics, all of them valid
LaTeX.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from attention_core import STEPS, Projections, Trace, attend
from attention_lab.notation.formulas import formula, output_without_w_o
from attention_lab.notation.notation import COLUMN_NOTATION, OURS, Notation, symbol
from attention_lab.notation.texts import DOSHI, GML, MQL5, NOTE, SLIDES
from tests.lab.formula_cases import KNOWN, OUTPUTS, WRITTEN, run

PLAIN = {
    "inputs": "X",
    "memory": "M = X",
    "queries": r"Q = X\,W_Q",
    "keys": r"K = M\,W_K",
    "values": r"V = M\,W_V",
    "query_heads": r"Q_h = Q_{:,\,h d_k:(h+1) d_k}",
    "key_heads": r"K_h = K_{:,\,h d_k:(h+1) d_k}",
    "value_heads": r"V_h = V_{:,\,h d_v:(h+1) d_v}",
    "scores": r"S_h = Q_h K_h^{\top}",
    "scaled_scores": r"\tilde S_h = s \, S_h",
    "masked_scores": r"\hat S_{h,ij} = \tilde S_{h,ij}\ \text{if allowed, else}\ {-\infty}",
    "probabilities": r"A_{h,ij} = \frac{e^{\hat S_{h,ij}}}{\sum_{k} e^{\hat S_{h,ik}}}",
    "head_outputs": "O_h = A_h V_h",
    "merged": r"O = [\,O_0 \mid O_1 \mid \cdots\,]",
    "output": r"Y = O\,W_O",
}


@pytest.mark.parametrize("case", KNOWN)
def test_ours_by_hand(case: str) -> None:
    expected = PLAIN | {"output": OUTPUTS.get(case, PLAIN["output"])}
    assert {name: formula(run(case), name, OURS) for name in STEPS} == expected


def test_ours_tells_the_options() -> None:
    biased, capped, scored, cross, shared = (
        run(case) for case in ("biases", "softcap", "score bias", "cross", "shared heads")
    )
    assert formula(biased, "queries", OURS) == r"Q = X\,W_Q + b_Q"
    assert formula(biased, "values", OURS) == r"V = M\,W_V + b_V"
    assert (
        formula(capped, "scaled_scores", OURS)
        == r"\tilde S_h = c \tanh\left(\frac{s \, S_h}{c}\right)"
    )
    assert (
        formula(scored, "masked_scores", OURS)
        == r"\hat S_{h,ij} = \tilde S_{h,ij} + B_{h,ij}\ \text{if allowed, else}\ {-\infty}"
    )
    assert formula(cross, "memory", OURS) == "M"
    assert formula(shared, "key_heads", OURS) == r"K_g = K_{:,\,g d_k:(g+1) d_k}"
    assert (
        formula(shared, "scores", OURS) == r"S_h = Q_h K_g^{\top},\quad g = \lfloor h / 2 \rfloor"
    )
    assert (
        formula(shared, "scores", SLIDES) == r"S_h = Q_h K_g^{\top},\quad g = \lceil h / 2 \rceil"
    )
    others = {
        "biases": "queries keys values output",
        "softcap": "scaled_scores",
        "score bias": "masked_scores",
        "cross": "memory",
        "shared heads": "key_heads value_heads scores head_outputs",
    }
    for case, changed in others.items():
        for name in set(STEPS) - set(changed.split()):
            assert formula(run(case), name, OURS) == PLAIN[name], (case, name)


def test_the_column_convention_by_hand() -> None:
    expected = {
        "queries": r"Q = W_Q^{\top}\,X",
        "query_heads": r"Q_h = Q_{h d_k:(h+1) d_k,\,:}",
        "scores": r"S_h = K_h^{\top} Q_h",
        "probabilities": r"A_{h,ji} = \frac{e^{\hat S_{h,ji}}}{\sum_{k} e^{\hat S_{h,ki}}}",
        "head_outputs": "O_h = V_h A_h",
        "merged": r"O = \begin{bmatrix} O_0 \\ O_1 \\ \vdots \end{bmatrix}",
        "output": r"Y = W_O^{\top}\,O + X",
    }
    assert {name: formula(run("residual"), name, COLUMN_NOTATION) for name in expected} == expected


def test_the_output_without_w_o_by_hand() -> None:
    assert (
        output_without_w_o(run("plain"), OURS)
        == r"O\,W_O \;=\; \sum_{h} A_h\,X\,\big({W_V}^{(h)}\,{W_O}^{(h)}\big)"
    )
    assert output_without_w_o(run("everything"), OURS) == (
        r"O\,W_O \;=\; \sum_{h} A_h\,\Big(M\,\big({W_V}^{(g)}\,{W_O}^{(h)}\big) +"
        r" {b_V}^{(g)}\,{W_O}^{(h)}\Big)"
        r",\quad g = \lfloor h / 2 \rfloor"
    )
    assert (
        output_without_w_o(run("plain"), COLUMN_NOTATION)
        == r"W_O^{\top}\,O \;=\; \sum_{h} \big({W_V}^{(h)}\,{W_O}^{(h)}\big)^{\top} X A_h"
    )
    assert r"+ \big({W_O}^{(h)}\big)^{\top} {b_V}^{(h)}\Big) A_h" in output_without_w_o(
        run("biases"), COLUMN_NOTATION
    )


def test_the_manual_by_hand() -> None:
    expected = {
        "keys": r"K = (P^K)^{\top}\,X",
        "scores": r"C_i = K_i^{\top} Q_i",
        "probabilities": (
            r"[\mathcal{P}_i]_{mn} = \frac{e^{[\hat C_i]_{mn}}}{\sum_{k} e^{[\hat C_i]_{kn}}}"
        ),
        "head_outputs": r"O_i = V_i \mathcal{P}_i",
        "query_heads": r"Q_i = Q_{(i-1) d_k+1:i d_k,\,:}",
    }
    assert {name: formula(run("plain"), name, GML) for name in expected} == expected
    even = attend(np.eye(6)[:2], Projections.random(6, 2))
    assert (
        formula(even, "value_heads", GML)
        == r"V_i = V_{(i-1) (N \div \mathtt{n\_heads})+1:i (N \div \mathtt{n\_heads}),\,:}"
    )


def test_other_texts_by_hand() -> None:
    trace = run("plain")
    assert formula(trace, "queries", MQL5) == r"\mathrm{QC} = I\,W_{QC}"
    assert (
        formula(trace, "query_heads", MQL5)
        == r"Q_h = \mathrm{QC}_{:,\,h \cdot \mathrm{nK}:(h+1) \cdot \mathrm{nK}}"
    )
    assert formula(trace, "output", MQL5) == r"Y = O\,W_0"
    assert formula(trace, "values", NOTE) == r"V = X\,W^{\nu}"
    assert formula(trace, "scaled_scores", NOTE) == r"\alpha^{(i)} = \lambda \, S^{(i)}"
    assert formula(trace, "scores", NOTE) == r"S^{(i)} = Q^{(i)} (K^{(i)})^{\top}"
    assert formula(trace, "output", NOTE) == r"Y = H\,W_0"
    assert formula(trace, "head_outputs", SLIDES) == r"O_h = \alpha_h V_h"
    assert formula(trace, "merged", SLIDES) == r"O = [\,O_1 \mid O_2 \mid \cdots\,]"
    assert (
        formula(trace, "query_heads", DOSHI)
        == r"Q_h = Q_{:,\,h \cdot \text{Query size}:(h+1) \cdot \text{Query size}}"
    )


def operands(trace: Trace, notation: Notation) -> dict[str, np.ndarray]:
    """What every symbol of a product stands for: head 0 of a field as the convention shows it,
    a weight, a bias.
    """
    found = {}
    for name, step in STEPS.items():
        matrix = getattr(trace, name)[1]
        matrix = matrix[0] if step.per_head else matrix
        found[symbol(name, notation)] = matrix.T if notation.convention == "column" else matrix
    for name in ("w_q", "w_k", "w_v", "w_o"):
        weights = getattr(trace.projections, name)
        if weights is not None:
            found[symbol(name, notation)] = weights
        bias = getattr(trace.projections, name.replace("w", "b"))
        if bias is not None:
            column = notation.convention == "column"
            found[symbol(name.replace("w", "b"), notation)] = (
                bias[:, np.newaxis] if column else bias[np.newaxis]
            )
    return {s.latex: a for s, a in found.items()} | {
        s.transposed.latex: a.T for s, a in found.items()
    }


@pytest.mark.parametrize("case", ["plain", "biases", "residual", "cross", "joined"])
@pytest.mark.parametrize("notation", WRITTEN, ids=lambda notation: notation.key)
def test_the_products_are_true(notation: Notation, case: str) -> None:
    trace = run(case)
    known = operands(trace, notation)
    for name in ("queries", "keys", "values", "scores", "head_outputs", "output"):
        left, right = formula(trace, name, notation).split(" = ")
        total: Any = 0
        for term in right.split(" + "):
            factors = list(read(term.replace(r"\,", " "), known))
            total = total + (np.linalg.multi_dot(factors) if len(factors) > 1 else factors[0])
        np.testing.assert_allclose(
            total, known[left], rtol=0, atol=1e-12, err_msg=f"{notation.key} {name}"
        )


def read(term: str, known: dict[str, np.ndarray]) -> Iterator[np.ndarray]:
    """The matrices of a product, in the order in which they are written."""
    while term := term.strip():
        longest = max((latex for latex in known if term.startswith(latex)), key=len)
        yield known[longest]
        term = term[len(longest) :]
