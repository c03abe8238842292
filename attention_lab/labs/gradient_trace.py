"""The record of the backward pass: the gradients of a layer's arrays, then of its weights."""

from dataclasses import dataclass, replace
from typing import Annotated, get_type_hints

from attention_core.checks import Array

from .array_gradients import ArrayGradients, GradientStep


@dataclass(frozen=True, eq=False)
class GradientTrace(ArrayGradients):
    """The gradients of one backward pass, in the order in which they are found, then those of the
    weights.

    A weight or bias that the layer does not have is None.
    """

    w_o: Annotated[
        Array | None,
        GradientStep(
            step="output",
            symbol=r"\nabla_{W_O}",
            formula=r"\nabla_{W_O} = O^{\top}\,\nabla_{Y}",
            sentence=(
                "What the heads found, times what was wanted of the output, summed over all tokens."
            ),
        ),
    ]
    w_q: Annotated[
        Array | None,
        GradientStep(
            step="queries",
            symbol=r"\nabla_{W_Q}",
            formula=r"\nabla_{W_Q} = X^{\top}\,\nabla_{Q}",
            sentence=(
                "What the tokens are, times what was wanted of their queries, summed over all"
                " tokens."
            ),
        ),
    ]
    w_k: Annotated[
        Array | None,
        GradientStep(
            step="keys",
            symbol=r"\nabla_{W_K}",
            formula=r"\nabla_{W_K} = M^{\top}\,\nabla_{K}",
            sentence=(
                "What the tokens are, times what was wanted of their keys, summed over all tokens."
            ),
        ),
    ]
    w_v: Annotated[
        Array | None,
        GradientStep(
            step="values",
            symbol=r"\nabla_{W_V}",
            formula=r"\nabla_{W_V} = M^{\top}\,\nabla_{V}",
            sentence=(
                "What the tokens are, times what was wanted of their values, summed over all"
                " tokens."
            ),
        ),
    ]
    b_o: Annotated[
        Array | None,
        GradientStep(
            step="output",
            symbol=r"\nabla_{b_O}",
            formula=r"\nabla_{b_O} = \mathbf 1^{\top}\,\nabla_{Y}",
            sentence="A bias is added to every token, so its gradient is the sum over all of them.",
        ),
    ]
    b_q: Annotated[
        Array | None,
        GradientStep(
            step="queries",
            symbol=r"\nabla_{b_Q}",
            formula=r"\nabla_{b_Q} = \mathbf 1^{\top}\,\nabla_{Q}",
            sentence="A bias is added to every token, so its gradient is the sum over all of them.",
        ),
    ]
    b_k: Annotated[
        Array | None,
        GradientStep(
            step="keys",
            symbol=r"\nabla_{b_K}",
            formula=r"\nabla_{b_K} = \mathbf 1^{\top}\,\nabla_{K}",
            sentence=(
                "A bias on the keys shifts a whole row of scores, which the softmax cannot see: 0,"
                " unless a soft cap bends the scores."
            ),
        ),
    ]
    b_v: Annotated[
        Array | None,
        GradientStep(
            step="values",
            symbol=r"\nabla_{b_V}",
            formula=r"\nabla_{b_V} = \mathbf 1^{\top}\,\nabla_{V}",
            sentence="A bias is added to every token, so its gradient is the sum over all of them.",
        ),
    ]


GRADIENTS: dict[str, GradientStep] = {
    name: replace(hint.__metadata__[0], name=name)
    for name, hint in get_type_hints(GradientTrace, include_extras=True).items()
}
