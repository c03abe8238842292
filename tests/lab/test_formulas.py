"""The formulas: ours by hand, the others true as mathematics, all of them LaTeX that a browser can
typeset.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core import HeadNorm, Projections, Rotary, Trace, attend
from attention_core.projections import BIASES, MATRICES
from attention_lab.notation.formulas import formula, output_without_w_o
from attention_lab.notation.notation import COLUMN_NOTATION, OURS, Notation, symbol
from attention_lab.notation.texts import DOSHI, GML, MQL5, NOTATIONS, NOTE, SLIDES

B, T, S, D, M, K, V, H, G = 2, 3, 5, 7, 11, 13, 17, 6, 3
WRITTEN = tuple(NOTATIONS.values())
BIAS = np.random.default_rng(8).normal(size=(H, T, S))
MASK = np.random.default_rng(7).random((B, H, T, S)) < 0.6
# name -> the weights, the options; "cross" asks for a memory.
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "plain": ({}, {}),
    "causal": ({}, {"causal": True}),
    "mask": ({}, {"mask": MASK[..., :T]}),
    "scale": ({}, {"scale": 0.25}),
    "residual": ({}, {"residual": True}),
    "joined": ({"w_o": None}, {}),
    "joined with a bias": ({"w_o": None, "b_o": np.ones(H * V)}, {}),
    "output bias": ({"b_o": np.ones(D)}, {"residual": True}),
    "biases": ({"bias": True}, {}),
    "softcap": ({}, {"softcap": 2.0}),
    "score bias": ({}, {"bias": BIAS[..., :T]}),
    "cross": ({}, {"cross": True, "mask": MASK}),
    "shared heads": ({"n_kv_heads": G}, {}),
    "rotary": ({"d_k": 4}, {"rotary": Rotary()}),
    "rotary later": ({"d_k": 4}, {"rotary": Rotary(5e5, "halves", start=-3)}),
    "head norm": ({"n_kv_heads": G}, {"head_norm": HeadNorm()}),
    "head norm, rotary": ({"d_k": 4}, {"head_norm": HeadNorm(), "rotary": Rotary(start=7)}),
    "sink": ({}, {"sink": 0.0}),
    "everything": (
        {"n_kv_heads": G, "bias": True},
        {"cross": True, "bias": BIAS, "mask": MASK, "causal": True, "softcap": 2.0}
        | {"residual": True},
    ),
}


def run(case: str) -> Trace:
    """The trace of a case."""
    made, called = (dict(part) for part in CASES[case])
    cross = called.pop("cross", False)
    changed = {name: made.pop(name) for name in ("w_o", "b_o") if name in made}
    weights = Projections.random(D, H, **{"d_k": K, "d_v": V, "d_memory": M if cross else D} | made)
    rng = np.random.default_rng(9)
    x, memory = rng.normal(size=(B, T, D)), rng.normal(size=(B, S, M))
    return attend(x, replace(weights, **changed), memory=memory if cross else None, **called)


PLAIN = {
    "inputs": "X",
    "memory": "M = X",
    "queries": r"Q = X\,W_Q",
    "keys": r"K = X\,W_K",
    "values": r"V = X\,W_V",
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


SHARED = r"S_h = Q_h K_g^{\top},\quad g = \lfloor h / 2 \rfloor"
# What the options of a case change in our formulas: all that it changes.
CHANGED: dict[str, dict[str, str]] = {
    **{case: {} for case in ("plain", "causal", "mask", "scale")},
    "residual": {"output": r"Y = O\,W_O + X"},
    "joined": {"output": "Y = O"},
    "joined with a bias": {"output": "Y = O + b_O"},
    "output bias": {"output": r"Y = O\,W_O + b_O + X"},
    "biases": {
        "queries": r"Q = X\,W_Q + b_Q",
        "keys": r"K = X\,W_K + b_K",
        "values": r"V = X\,W_V + b_V",
        "output": r"Y = O\,W_O + b_O",
    },
    "softcap": {"scaled_scores": r"\tilde S_h = c \tanh\left(\frac{s \, S_h}{c}\right)"},
    "score bias": {
        "masked_scores": r"\hat S_{h,ij} = \tilde S_{h,ij} + B_{h,ij}\ \text{if allowed, else}\ "
        r"{-\infty}"
    },
    "cross": {"memory": "M", "keys": r"K = M\,W_K", "values": r"V = M\,W_V"},
    "shared heads": {
        "key_heads": r"K_g = K_{:,\,g d_k:(g+1) d_k}",
        "value_heads": r"V_g = V_{:,\,g d_v:(g+1) d_v}",
        "scores": SHARED,
        "head_outputs": r"O_h = A_h V_g,\quad g = \lfloor h / 2 \rfloor",
    },
    "sink": {
        "probabilities": r"A_{h,ij} = \frac{e^{\hat S_{h,ij}}}{\sum_{k} e^{\hat S_{h,ik}} + "
        r"e^{z_h}}"
    },
}
NAMED: dict[tuple[str, Notation], dict[str, str]] = {
    ("head norm, rotary", OURS): {
        "turned_queries": r"\tilde Q_{h,i} = \hat Q_{h,i} R((i + 7) \cdot 10000^{-2p/d_k})",
        "turned_keys": r"\tilde K_{h,j} = \hat K_{h,j} R((j + 7) \cdot 10000^{-2p/d_k})",
        "scores": r"S_h = \tilde Q_h \tilde K_h^{\top}",
    },
    ("head norm", OURS): {
        "normed_keys": r"\hat K_{g,j} = \frac{K_{g,j}}{\mathrm{rms}(K_{g,j})} \odot g_K"
    },
    ("rotary", COLUMN_NOTATION): {
        "turned_keys": r"\tilde K_{h,j} = R(j \cdot 10000^{-2p/d_k})^{\top} K_{h,j}"
    },
    ("residual", COLUMN_NOTATION): {
        "queries": r"Q = W_Q^{\top}\,X",
        "query_heads": r"Q_h = Q_{h d_k:(h+1) d_k,\,:}",
        "probabilities": r"A_{h,ji} = \frac{e^{\hat S_{h,ji}}}{\sum_{k} e^{\hat S_{h,ki}}}",
        "merged": r"O = \begin{bmatrix} O_0 \\ O_1 \\ \vdots \end{bmatrix}",
        "output": r"Y = W_O^{\top}\,O + X",
    },
    ("shared heads", SLIDES): {"scores": SHARED.replace("floor", "ceil")},
    ("plain", SLIDES): {"merged": r"O = [\,O_1 \mid O_2 \mid \cdots\,]"},
    ("plain", NOTE): {"scaled_scores": r"\alpha^{(i)} = \lambda \, S^{(i)}"},
    ("plain", MQL5): {
        "query_heads": r"Q_h = \mathrm{QC}_{:,\,h \cdot \mathrm{nK}:(h+1) \cdot \mathrm{nK}}"
    },
    ("plain", DOSHI): {
        "query_heads": r"Q_h = Q_{:,\,h \cdot \text{Query size}:(h+1) \cdot \text{Query size}}"
    },
    ("plain", GML): {
        "probabilities": r"[\mathcal{P}_i]_{mn} = \frac{e^{[\hat C_i]_{mn}}}"
        r"{\sum_{k} e^{[\hat C_i]_{kn}}}",
        "query_heads": r"Q_i = Q_{(i-1) d_k+1:i d_k,\,:}",
    },
}
HAND = {(case, OURS): PLAIN | changed for case, changed in CHANGED.items()} | NAMED


@pytest.mark.parametrize(("case", "notation"), HAND)
def test_formulas_by_hand(case: str, notation: Notation) -> None:
    expected = HAND[case, notation]
    assert {name: formula(run(case), name, notation) for name in expected} == expected


def test_the_output_without_w_o_by_hand() -> None:
    for case, notation, written in (
        ("plain", OURS, r"O\,W_O \;=\; \sum_{h} A_h\,X\,\big({W_V}^{(h)}\,{W_O}^{(h)}\big)"),
        ("everything", OURS, r"\,\Big(M\,\big({W_V}^{(g)}\,{W_O}^{(h)}\big) + "),
        ("everything", OURS, r" {b_V}^{(g)}\,{W_O}^{(h)}\Big),\quad g = \lfloor h / 2 \rfloor"),
        ("plain", COLUMN_NOTATION, r"\big({W_V}^{(h)}\,{W_O}^{(h)}\big)^{\top} X A_h"),
        ("biases", COLUMN_NOTATION, r" + \big({W_O}^{(h)}\big)^{\top} {b_V}^{(h)}\Big) A_h"),
    ):
        assert written in output_without_w_o(run(case), notation)


def test_the_manual_shares_the_width_evenly() -> None:
    even = attend(np.eye(6)[:2], Projections.random(6, 2))
    assert (
        formula(even, "value_heads", GML)
        == r"V_i = V_{(i-1) (N \div \mathtt{n\_heads})+1:i (N \div \mathtt{n\_heads}),\,:}"
    )


def operands(trace: Trace, notation: Notation) -> dict[str, np.ndarray]:
    """What every symbol of a product stands for: head 0 of a field as the convention shows it,
    a weight, a bias.
    """
    found = {}
    for name, step in trace.steps.items():
        matrix = getattr(trace, name)[1]
        found[name] = matrix[0] if step.per_head else matrix
    for name in BIASES:
        if (bias := getattr(trace.projections, name)) is not None:
            found[name] = bias[np.newaxis]
    if notation.convention == "column":
        found = {name: matrix.T for name, matrix in found.items()}
    weights = {name: getattr(trace.projections, name) for name in MATRICES}
    found |= {name: matrix for name, matrix in weights.items() if matrix is not None}
    written = {symbol(name, notation): matrix for name, matrix in found.items()}
    turned = {one.transposed.latex: matrix.T for one, matrix in written.items()}
    return {one.latex: matrix for one, matrix in written.items()} | turned


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
        np.testing.assert_allclose(total, known[left], rtol=0, atol=1e-12, err_msg=name)


def read(term: str, known: dict[str, np.ndarray]) -> Iterator[np.ndarray]:
    """The matrices of a product, in the order in which they are written."""
    while term := term.strip():
        longest = max((latex for latex in known if term.startswith(latex)), key=len)
        yield known[longest]
        term = term[len(longest) :]


# Macros that KaTeX knows; a new one belongs here once it has been seen to work.
WORDS = (
    "top tilde hat text mathtt mathrm mathcal infty alpha nu lambda frac sum tanh div cdot mid"
    " odot theta cdots vdots quad begin end left right lfloor rfloor lceil rceil"
)
MACROS = {rf"\{macro}" for macro in (",", " ", "_", "\\", *WORDS.split(" "))}


@pytest.mark.parametrize("notation", WRITTEN, ids=lambda notation: notation.key)
def test_every_formula_and_every_symbol_is_valid(notation: Notation) -> None:
    traces = [run(case) for case in CASES]
    for trace, name in [(made, name) for made in traces for name in made.steps]:
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
    one = r"(?:\\[a-zA-Z]+|\w)"
    assert not re.search(rf"([\^_]){one}\1|\^{one}_{one}\^|_{one}\^{one}_", flat), latex
