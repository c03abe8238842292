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
from attention_lab.notation.formulas import formula, output_without_w_o
from attention_lab.notation.notation import COLUMN_NOTATION, OURS, Notation, symbol
from attention_lab.notation.texts import DOSHI, GML, MQL5, NOTATIONS, NOTE, SLIDES

B, T, S, D, M, K, V, H, G = 2, 3, 5, 7, 11, 13, 17, 6, 3
WRITTEN = tuple(NOTATIONS.values())
BIAS = np.random.default_rng(8).normal(size=(H, T, S))
MASK = np.random.default_rng(7).random((B, H, T, S)) < 0.6
# name -> the weights, the options; "cross" asks for a memory.
KNOWN: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "plain": ({}, {}),
    "causal": ({}, {"causal": True}),
    "mask": ({}, {"mask": MASK[..., :T]}),
    "scale": ({}, {"scale": 0.25}),
    "residual": ({}, {"residual": True}),
    "joined": ({"w_o": None}, {}),
    "joined with a bias": ({"w_o": None, "b_o": np.ones(H * V)}, {}),
    "output bias": ({"b_o": np.ones(D)}, {"residual": True}),
}
MORE: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
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
        {
            "cross": True,
            "bias": BIAS,
            "mask": MASK,
            "causal": True,
            "softcap": 2.0,
            "residual": True,
        },
    ),
}
OUTPUTS = {
    "residual": r"Y = O\,W_O + X",
    "joined": "Y = O",
    "joined with a bias": "Y = O + b_O",
    "output bias": r"Y = O\,W_O + b_O + X",
}


def run(case: str) -> Trace:
    """The trace of a case."""
    made, called = (dict(part) for part in (KNOWN | MORE)[case])
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


@pytest.mark.parametrize("case", KNOWN)
def test_ours_by_hand(case: str) -> None:
    expected = PLAIN | {"output": OUTPUTS.get(case, PLAIN["output"])}
    assert {name: formula(run(case), name, OURS) for name in PLAIN} == expected


def test_ours_tells_the_options() -> None:
    biased, capped, scored, cross, shared = (
        run(case) for case in ("biases", "softcap", "score bias", "cross", "shared heads")
    )
    assert formula(biased, "queries", OURS) == r"Q = X\,W_Q + b_Q"
    assert formula(biased, "values", OURS) == r"V = X\,W_V + b_V"
    assert (
        formula(capped, "scaled_scores", OURS)
        == r"\tilde S_h = c \tanh\left(\frac{s \, S_h}{c}\right)"
    )
    assert (
        formula(scored, "masked_scores", OURS)
        == r"\hat S_{h,ij} = \tilde S_{h,ij} + B_{h,ij}\ \text{if allowed, else}\ {-\infty}"
    )
    of_memory = {name: formula(cross, name, OURS) for name in ("memory", "keys", "values")}
    assert of_memory == {"memory": "M", "keys": r"K = M\,W_K", "values": r"V = M\,W_V"}
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
        "cross": "memory keys values",
        "shared heads": "key_heads value_heads scores head_outputs",
    }
    for case, changed in others.items():
        for name in set(PLAIN) - set(changed.split()):
            assert formula(run(case), name, OURS) == PLAIN[name], (case, name)


def test_ours_tells_what_is_done_to_queries_and_keys() -> None:
    both = run("head norm, rotary")
    assert {name: formula(both, name, OURS) for name in both.needs("scores")} == {
        "turned_queries": r"\tilde Q_{h,i} = \hat Q_{h,i} R((i + 7) \cdot 10000^{-2p/d_k})",
        "turned_keys": r"\tilde K_{h,j} = \hat K_{h,j} R((j + 7) \cdot 10000^{-2p/d_k})",
    }
    assert formula(both, "scores", OURS) == r"S_h = \tilde Q_h \tilde K_h^{\top}"
    assert formula(run("rotary"), "turned_keys", COLUMN_NOTATION) == (
        r"\tilde K_{h,j} = R(j \cdot 10000^{-2p/d_k})^{\top} K_{h,j}"
    )
    assert formula(run("head norm"), "normed_keys", OURS) == (
        r"\hat K_{g,j} = \frac{K_{g,j}}{\mathrm{rms}(K_{g,j})} \odot g_K"
    )
    assert formula(run("sink"), "probabilities", OURS) == (
        r"A_{h,ij} = \frac{e^{\hat S_{h,ij}}}{\sum_{k} e^{\hat S_{h,ik}} + e^{z_h}}"
    )


def test_the_column_convention_by_hand() -> None:
    expected = {
        "queries": r"Q = W_Q^{\top}\,X",
        "query_heads": r"Q_h = Q_{h d_k:(h+1) d_k,\,:}",
        "probabilities": r"A_{h,ji} = \frac{e^{\hat S_{h,ji}}}{\sum_{k} e^{\hat S_{h,ki}}}",
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
        "probabilities": (
            r"[\mathcal{P}_i]_{mn} = \frac{e^{[\hat C_i]_{mn}}}{\sum_{k} e^{[\hat C_i]_{kn}}}"
        ),
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
    slices = {
        MQL5: r"Q_h = \mathrm{QC}_{:,\,h \cdot \mathrm{nK}:(h+1) \cdot \mathrm{nK}}",
        DOSHI: r"Q_h = Q_{:,\,h \cdot \text{Query size}:(h+1) \cdot \text{Query size}}",
    }
    assert {text: formula(trace, "query_heads", text) for text in slices} == slices
    assert formula(trace, "scaled_scores", NOTE) == r"\alpha^{(i)} = \lambda \, S^{(i)}"
    assert formula(trace, "merged", SLIDES) == r"O = [\,O_1 \mid O_2 \mid \cdots\,]"


def operands(trace: Trace, notation: Notation) -> dict[str, np.ndarray]:
    """What every symbol of a product stands for: head 0 of a field as the convention shows it,
    a weight, a bias.
    """
    found = {}
    for name, step in trace.steps.items():
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


# Macros that KaTeX knows; a new one belongs here once it has been seen to work.
WORDS = (
    "top tilde hat text mathtt mathrm mathcal infty alpha nu lambda frac sum tanh div cdot mid"
    " odot theta cdots vdots quad begin end left right lfloor rfloor lceil rceil"
)
MACROS = {rf"\{macro}" for macro in (",", " ", "_", "\\", *WORDS.split(" "))}


@pytest.mark.parametrize("notation", WRITTEN, ids=lambda notation: notation.key)
def test_every_formula_and_every_symbol_is_valid(notation: Notation) -> None:
    traces = [run(case) for case in KNOWN | MORE]
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
    assert not re.search(r"([\^_])(\\[a-zA-Z]+|\w)\1", flat), latex
    assert not re.search(
        r"\^(\\[a-zA-Z]+|\w)_(\\[a-zA-Z]+|\w)\^|_(\\[a-zA-Z]+|\w)\^(\\[a-zA-Z]+|\w)_", flat
    ), latex
