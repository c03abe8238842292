"""The backward pass of a layer: the gradients of all its arrays and weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, as_numbers
from attention_core.errors import SettingsError, ShapeError
from attention_core.numbers import all_finite, check_range
from attention_core.trace import STEPS, Trace

from ..notation.notation import OURS, symbol
from .gradients import BACKWARD, Gradients


# NumPy does not warn about numbers that grow too large: `check_range` refuses them with a sentence.
@np.errstate(over="ignore", invalid="ignore")
def layer_gradients(trace: Trace, output_gradient: ArrayLike) -> Gradients:
    """The gradient of a loss with respect to every array, weight and bias of a layer by its name,
    from the gradient with respect to the output.

    Shapes: output_gradient (B, T, O) like trace.output. Raises: ShapeError, SettingsError.
    Source: Rumelhart, Hinton and Williams 1986, the chain rule step by step.

    >>> from attention_core import Projections, attend
    >>> trace = attend([[1.0], [2.0]], Projections([[1.0]], [[1.0]], [[1.0]], [[3.0]], n_heads=1))
    >>> layer_gradients(trace, [[[1.0], [0.0]]])["merged"].tolist()
    [[[3.0], [0.0]]]
    """
    gradients = {"output": _checked(trace, output_gradient)}
    for name in reversed(trace.steps):
        for source, gradient in BACKWARD[name](trace, gradients[name]).items():
            before = gradients.get(source)
            gradients[source] = gradient if before is None else before + gradient
    for name, gradient in gradients.items():
        if name not in STEPS or name in ("inputs", "memory"):
            check_range(gradient)
    return gradients


def _checked(trace: Trace, output_gradient: ArrayLike) -> Array:
    """The gradient with respect to the output, in the layer's own type."""
    output = as_numbers("output_gradient", output_gradient)
    if output.shape != trace.output.shape:
        raise ShapeError(
            f"output_gradient has shape {output.shape} but must be like the output:"
            f" {trace.output.shape}"
        )
    if not all_finite(trace.output):
        raise SettingsError(
            "the layer's output holds NaN, which has no gradient: attend with empty_rows='zero'"
        )
    output = output.astype(trace.output.dtype, copy=False)
    check_range(output)
    return output


@dataclass(frozen=True)
class GradientFormula:
    """How one gradient is computed.

    name: of the array or weight. step: the field of the `Trace` whose formula is undone, so that
    both can be shown side by side. symbol, formula: LaTeX. sentence: one plain sentence.
    """

    name: str
    step: str
    symbol: str
    formula: str
    sentence: str


def _described(name: str, step: str, right: str, sentence: str) -> GradientFormula:
    sign = rf"\nabla_{{{symbol(name, OURS).latex}}}"
    return GradientFormula(name, step, sign, f"{sign} = {right}", sentence)


SIDE_BY_SIDE = "Joining undoes cutting: the heads' gradients stand side by side."
ALL_TOKENS = "A bias is added to every token, so its gradient is the sum over all of them."


def _of_norm(letter: str, role: str) -> dict[str, tuple[str, str]]:
    """How the gradients go back through QK-norm."""
    hat = rf"\hat {letter}_h"
    return {
        f"{role}_heads": (
            rf"\frac{{g_{letter} \circ \nabla_{{{hat}}} - u\,\mathrm{{mean}}(u \circ g_{letter}"
            rf" \circ \nabla_{{{hat}}})}}{{\mathrm{{rms}}(<0>)}},\quad"
            r" u = \frac{<0>}{\mathrm{rms}(<0>)}",
            "A vector of fixed length can only turn: what points along it is taken out.",
        ),
        f"{role}_gain": (
            rf"\sum \nabla_{{{hat}}} \circ \frac{{<0>}}{{\mathrm{{rms}}(<0>)}}",
            "A gain multiplies one feature of every vector, so its gradient is a sum over all.",
        ),
    }


def _of_turn(letter: str, role: str, token: str) -> dict[str, tuple[str, str]]:
    """How a gradient goes back through rotary positions."""
    return {
        f"{role}_heads": (
            rf"\nabla_{{\tilde {letter}_{{h,{token}}}}} R_{token}^{{\top}}",
            "What was turned by the angle of its position is turned back by the same angle.",
        )
    }


# How the gradient of something that a step reads is computed, each described once: LaTeX in our
# letters, in which the gradient of the loss with respect to A is written ∇_A, and <0> and <1> stand
# for what the step reads; and one sentence for a student.
GRADIENT_TEXTS: dict[str, dict[str, tuple[str, str]]] = {
    "inputs": {},
    "memory": {},
    "queries": {
        "inputs": (
            r"\nabla_{Q}\,W_Q^{\top}\;[{} + \nabla_{M}]\;[{} + \nabla_{Y}]",
            "An input collects the gradients that come back through its query, in"
            " self-attention also through its key and value, and through the residual.",
        ),
        "w_q": (
            r"X^{\top}\,\nabla_{Q}",
            "The inputs times the gradients of their queries, summed over all tokens.",
        ),
        "b_q": (r"\mathbf 1^{\top}\,\nabla_{Q}", ALL_TOKENS),
    },
    "keys": {
        "memory": (
            r"\nabla_{K}\,W_K^{\top} + \nabla_{V}\,W_V^{\top}",
            "A token of the memory is used twice, as key and as value, so two gradients are added.",
        ),
        "w_k": (
            r"M^{\top}\,\nabla_{K}",
            "The memory times the gradients of its keys, summed over all tokens.",
        ),
        "b_k": (
            r"\mathbf 1^{\top}\,\nabla_{K}",
            "A bias on the keys shifts a whole row of scores, which the softmax cannot see:"
            " 0, unless a soft cap bends the scores, or a norm, a turn or a sink follows.",
        ),
    },
    "values": {
        "w_v": (
            r"M^{\top}\,\nabla_{V}",
            "The memory times the gradients of its values, summed over all tokens.",
        ),
        "b_v": (r"\mathbf 1^{\top}\,\nabla_{V}", ALL_TOKENS),
    },
    "query_heads": {"queries": (r"[\,\nabla_{Q_0} \mid \nabla_{Q_1} \mid \cdots\,]", SIDE_BY_SIDE)},
    "key_heads": {"keys": (r"[\,\nabla_{K_0} \mid \nabla_{K_1} \mid \cdots\,]", SIDE_BY_SIDE)},
    "value_heads": {"values": (r"[\,\nabla_{V_0} \mid \nabla_{V_1} \mid \cdots\,]", SIDE_BY_SIDE)},
    "normed_queries": _of_norm("Q", "query"),
    "normed_keys": _of_norm("K", "key"),
    "turned_queries": _of_turn("Q", "query", "i"),
    "turned_keys": _of_turn("K", "key", "j"),
    "scores": {
        "query_heads": (
            r"\nabla_{S_h} <1>",
            "A query moves towards the keys whose scores should grow.",
        ),
        "key_heads": (
            r"\nabla_{S_h}^{\top} <0>",
            "A key moves towards the queries that should find it.",
        ),
    },
    "scaled_scores": {
        "scores": (
            r"s\,\nabla_{\tilde S_h}",
            "The scale multiplies gradients as it multiplied scores; a soft cap c adds the"
            " factor 1 - (S̃/c)².",
        )
    },
    "masked_scores": {
        "scaled_scores": (
            r"\nabla_{\hat S_h}",
            "A mask adds a constant, so nothing changes; where a key is hidden the gradient"
            " is already 0.",
        )
    },
    "probabilities": {
        "sink": (
            r"-\sum_{b,i} a_{\mathrm{sink}} \, \mathrm{rowsum}(A_h \circ \nabla_{A_h})",
            "A larger sink takes from every share of the row, as much as the row is worth.",
        ),
        "masked_scores": (
            r"A_h \circ \bigl(\nabla_{A_h} - \mathrm{rowsum}(A_h \circ"
            r" \nabla_{A_h})\bigr)",
            "Shares compete: a score gains only by as much as its key is wanted above the"
            " row's average.",
        ),
    },
    "head_outputs": {
        "value_heads": (
            r"A_h^{\top}\,\nabla_{O_h}",
            "A value collects from every query that read it, as much as the query read.",
        ),
        "probabilities": (
            r"\nabla_{O_h} V_h^{\top}",
            "A query should read more of a key whose value points where its output should go.",
        ),
    },
    "merged": {
        "head_outputs": (
            r"(\nabla_{O})_{:,\,h d_v:(h+1) d_v}",
            "Each head takes its own columns: cutting undoes joining.",
        )
    },
    "output": {
        "merged": (r"\nabla_{Y}\,W_O^{\top}", "The output's gradient goes back through W_O."),
        "w_o": (
            r"O^{\top}\,\nabla_{Y}",
            "What the heads found times the output's gradient, summed over all tokens.",
        ),
        "b_o": (r"\mathbf 1^{\top}\,\nabla_{Y}", ALL_TOKENS),
    },
}


def _given(trace: Trace, name: str) -> Array | None:
    """A weight, bias, gain or sink; None where the layer has none."""
    owner = trace if hasattr(trace, name) else trace.projections
    given: Array | None = getattr(owner, name)
    return given


def gradient_formulas(trace: Trace) -> dict[str, GradientFormula]:
    """Every gradient of a layer in the order of the backward pass, those of the weights last."""
    loss = "The loss says for every number of the output in which direction it should move."
    found = [_described("output", "output", r"\partial L / \partial Y", loss)]
    for step in reversed(trace.steps):
        read = dict(zip(STEPS[step].needs.split(), trace.needs(step), strict=True))
        for name, (formula, sentence) in GRADIENT_TEXTS[step].items():
            if name not in STEPS and _given(trace, name) is None:
                continue
            for number, source in enumerate(read.values()):
                formula = formula.replace(f"<{number}>", symbol(source, OURS).latex)
            found.append(_described(read.get(name, name), step, formula, sentence))
    return {one.name: one for one in sorted(found, key=lambda one: one.name not in STEPS)}
