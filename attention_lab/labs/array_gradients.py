"""The backward pass of the arrays of a layer: for each the gradient of the loss, declared
once.
"""

from dataclasses import dataclass
from typing import Annotated

from attention_core.checks import Array


@dataclass(frozen=True)
class GradientStep:
    """How the gradient with respect to one array is computed; the array and its gradient have the
    same shape and axes.

    step: the field of the `Trace` whose forward formula is undone, so that both can be shown side
    by side. symbol, formula: LaTeX; the gradient of the loss with respect to A is written ∇_A.
    sentence: one plain sentence.
    """

    step: str
    symbol: str
    formula: str
    sentence: str
    name: str = ""


@dataclass(frozen=True, eq=False)
class ArrayGradients:
    """The gradients with respect to the arrays, in the order in which they are found."""

    output: Annotated[
        Array,
        GradientStep(
            step="output",
            symbol=r"\nabla_{Y}",
            formula=r"\nabla_{Y} = \partial L / \partial Y",
            sentence="The loss says of every number of the output which way it should move.",
        ),
    ]
    merged: Annotated[
        Array,
        GradientStep(
            step="output",
            symbol=r"\nabla_{O}",
            formula=r"\nabla_{O} = \nabla_{Y}\,W_O^{\top}",
            sentence="What is wanted of the joined heads: the output's gradient, back through W_O.",
        ),
    ]
    head_outputs: Annotated[
        Array,
        GradientStep(
            step="merged",
            symbol=r"\nabla_{O_h}",
            formula=r"\nabla_{O_h} = (\nabla_{O})_{:,\,h d_v:(h+1) d_v}",
            sentence="Each head takes its own columns: joining is undone by cutting.",
        ),
    ]
    value_heads: Annotated[
        Array,
        GradientStep(
            step="head_outputs",
            symbol=r"\nabla_{V_h}",
            formula=r"\nabla_{V_h} = A_h^{\top}\,\nabla_{O_h}",
            sentence="A value is asked for by every query that read it, as much as it read.",
        ),
    ]
    probabilities: Annotated[
        Array,
        GradientStep(
            step="head_outputs",
            symbol=r"\nabla_{A_h}",
            formula=r"\nabla_{A_h} = \nabla_{O_h} V_h^{\top}",
            sentence=(
                "A query should read more of a key whose value points where its output should go."
            ),
        ),
    ]
    masked_scores: Annotated[
        Array,
        GradientStep(
            step="probabilities",
            symbol=r"\nabla_{\hat S_h}",
            formula=(
                r"\nabla_{\hat S_h} = A_h \circ \bigl(\nabla_{A_h} - \mathrm{rowsum}(A_h \circ"
                r" \nabla_{A_h})\bigr)"
            ),
            sentence=(
                "Shares compete: a score gains only by as much as its key is wanted above the row's"
                " average."
            ),
        ),
    ]
    scaled_scores: Annotated[
        Array,
        GradientStep(
            step="masked_scores",
            symbol=r"\nabla_{\tilde S_h}",
            formula=r"\nabla_{\tilde S_h} = \nabla_{\hat S_h}",
            sentence=(
                "A mask adds a constant, so nothing changes; where a key is hidden the gradient is"
                " already 0."
            ),
        ),
    ]
    scores: Annotated[
        Array,
        GradientStep(
            step="scaled_scores",
            symbol=r"\nabla_{S_h}",
            formula=r"\nabla_{S_h} = s\,\nabla_{\tilde S_h}",
            sentence=(
                "The scale multiplies gradients as it multiplied scores; a soft cap c adds the"
                " factor 1 - (S̃/c)²."
            ),
        ),
    ]
    query_heads: Annotated[
        Array,
        GradientStep(
            step="scores",
            symbol=r"\nabla_{Q_h}",
            formula=r"\nabla_{Q_h} = \nabla_{S_h} K_h",
            sentence="A query moves towards the keys whose scores should grow.",
        ),
    ]
    key_heads: Annotated[
        Array,
        GradientStep(
            step="scores",
            symbol=r"\nabla_{K_h}",
            formula=r"\nabla_{K_h} = \nabla_{S_h}^{\top} Q_h",
            sentence="A key moves towards the queries that should find it.",
        ),
    ]
    queries: Annotated[
        Array,
        GradientStep(
            step="query_heads",
            symbol=r"\nabla_{Q}",
            formula=r"\nabla_{Q} = [\,\nabla_{Q_0} \mid \nabla_{Q_1} \mid \cdots\,]",
            sentence="Cutting is undone by joining: the heads' gradients stand side by side.",
        ),
    ]
    keys: Annotated[
        Array,
        GradientStep(
            step="key_heads",
            symbol=r"\nabla_{K}",
            formula=r"\nabla_{K} = [\,\nabla_{K_0} \mid \nabla_{K_1} \mid \cdots\,]",
            sentence="Cutting is undone by joining: the heads' gradients stand side by side.",
        ),
    ]
    values: Annotated[
        Array,
        GradientStep(
            step="value_heads",
            symbol=r"\nabla_{V}",
            formula=r"\nabla_{V} = [\,\nabla_{V_0} \mid \nabla_{V_1} \mid \cdots\,]",
            sentence="Cutting is undone by joining: the heads' gradients stand side by side.",
        ),
    ]
    memory: Annotated[
        Array,
        GradientStep(
            step="keys",
            symbol=r"\nabla_{M}",
            formula=r"\nabla_{M} = \nabla_{K}\,W_K^{\top} + \nabla_{V}\,W_V^{\top}",
            sentence=(
                "A token of the memory is used twice, as key and as value, so two gradients are"
                " added."
            ),
        ),
    ]
    inputs: Annotated[
        Array,
        GradientStep(
            step="queries",
            symbol=r"\nabla_{X}",
            formula=r"\nabla_{X} = \nabla_{Q}\,W_Q^{\top}\;[{} + \nabla_{M}]\;[{} + \nabla_{Y}]",
            sentence=(
                "An input collects what comes back through query, in self-attention also key and"
                " value, and residual."
            ),
        ),
    ]
