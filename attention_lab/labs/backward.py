"""The backward pass of a layer: the gradients of all its arrays and weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, as_numbers
from attention_core.errors import SettingsError, ShapeError
from attention_core.numbers import all_finite, check_range
from attention_core.trace import STEPS, Trace

from ..home import read_table
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


# How the gradient of something that a step reads is computed, each described once: LaTeX in our
# letters, in which the gradient of the loss with respect to A is written ∇_A, and <0> and <1> stand
# for what the step reads; and one sentence for a student.
GRADIENT_TEXTS: dict[str, dict[str, tuple[str, str]]] = {}
for _row in read_table("gradients"):
    _of_step = GRADIENT_TEXTS.setdefault(_row["step"], {})
    if _row["of"]:  # a step that reads nothing has none
        _of_step[_row["of"]] = (_row["formula"], _row["sentence"])


def _given(trace: Trace, name: str) -> Array | None:
    """A weight, bias, gain or sink; None where the layer has none."""
    owner = trace if hasattr(trace, name) else trace.projections
    given: Array | None = getattr(owner, name)
    return given


def gradient_formulas(trace: Trace) -> dict[str, GradientFormula]:
    """Every gradient of a layer in the order of the backward pass, those of the weights last."""
    loss = "The loss says for every number of the output in which direction it should move."
    formulas = [_described("output", "output", r"\partial L / \partial Y", loss)]
    for step in reversed(trace.steps):
        read = dict(zip(STEPS[step].needs.split(), trace.needs(step), strict=True))
        for name, (formula, sentence) in GRADIENT_TEXTS[step].items():
            if name not in STEPS and _given(trace, name) is None:
                continue
            for number, source in enumerate(read.values()):
                formula = formula.replace(f"<{number}>", symbol(source, OURS).latex)
            formulas.append(_described(read.get(name, name), step, formula, sentence))
    return {one.name: one for one in sorted(formulas, key=lambda one: one.name not in STEPS)}
