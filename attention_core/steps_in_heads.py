"""The steps inside the heads: compare, scale, mask, softmax, mix."""

from dataclasses import dataclass
from typing import Annotated

from . import gradients, magnitudes, rules
from .checks import Array
from .steps import Gradient, Step


@dataclass(frozen=True, eq=False)
class HeadTrace:
    """What happened inside the heads.

    Shapes: the three score arrays and the probabilities (B, H, T, S), head_outputs (B, H, T, V).
    """

    scores: Annotated[
        Array,
        Step(
            axes="B H T S",
            kind="logit",
            symbol="S_h",
            needs="query_heads key_heads",
            formula="<scores> = <query_heads @ key_heads.T><sharing>",
            sentence="Each cell compares one query with one key: the dot product of their vectors.",
            numpy="scores = query_heads @ {key_heads}.swapaxes(-1, -2)",
            torch="scores = query_heads @ {key_heads}.transpose(-2, -1)",
            rule=rules.scores,
            magnitude=magnitudes.scores,
            backward=gradients.scores,
            gradients={
                "query_heads": Gradient(
                    r"\nabla_{S_h} K_h",
                    "A query moves towards the keys whose scores should grow.",
                ),
                "key_heads": Gradient(
                    r"\nabla_{S_h}^{\top} Q_h",
                    "A key moves towards the queries that should find it.",
                ),
            },
        ),
    ]
    scaled_scores: Annotated[
        Array,
        Step(
            axes="B H T S",
            kind="logit",
            symbol=r"\tilde S_h",
            needs="scores",
            formula="<scaled_scores> = <scaled scores>",
            sentence="Every score is multiplied by the scale, usually one over the root of the head"
            " width, so that wide heads do not put nearly all weight on one key.",
            numpy="scaled_scores = scores * scale{softcap}",
            torch="scaled_scores = scores * scale{softcap}",
            rule=rules.scaled,
            magnitude=magnitudes.scaled,
            backward=gradients.scaled,
            gradients={
                "scores": Gradient(
                    r"s\,\nabla_{\tilde S_h}",
                    "The scale multiplies gradients as it multiplied scores; a soft cap c adds the"
                    " factor 1 - (S̃/c)².",
                )
            },
        ),
    ]
    masked_scores: Annotated[
        Array,
        Step(
            axes="B H T S",
            kind="logit",
            symbol=r"\hat S_h",
            needs="scaled_scores",
            formula="<masked_scores[i,j]> = <scaled_scores[i,j]><bias>"
            r"\ \text{if allowed, else}\ {-\infty}",
            sentence="The score of a key that the query may not see becomes minus infinity; the"
            " others stay as they are.",
            numpy="masked_scores = {if_allowed}scaled_scores{bias}{else_hidden}",
            torch="masked_scores = {if_allowed}scaled_scores{bias}{else_hidden}",
            rule=rules.masked,
            magnitude=magnitudes.masked,
            backward=gradients.masked,
            gradients={
                "scaled_scores": Gradient(
                    r"\nabla_{\hat S_h}",
                    "A mask adds a constant, so nothing changes; where a key is hidden the gradient"
                    " is already 0.",
                )
            },
        ),
    ]
    probabilities: Annotated[
        Array,
        Step(
            axes="B H T S",
            kind="probability",
            symbol="A_h",
            needs="masked_scores",
            formula="<probabilities[i,j]> = "
            r"\frac{e^{<masked_scores[i,j]>}}{\sum_{<k>} e^{<masked_scores[i,k]>}}",
            sentence="Each row becomes shares that sum to 1: how much its query reads from every"
            " key.",
            numpy="row_max = masked_scores.max(axis=-1, keepdims=True){no_maximum}\n"
            "exponentials = np.exp(masked_scores - row_max)\n"
            "row_sum = exponentials.sum(axis=-1, keepdims=True)\n"
            "probabilities = exponentials / {row_sum}",
            torch="probabilities = torch.softmax(masked_scores, dim=-1){no_keys}",
            rule=rules.softmax,
            magnitude=magnitudes.softmax,
            backward=gradients.softmax,
            gradients={
                "masked_scores": Gradient(
                    r"A_h \circ \bigl(\nabla_{A_h} - \mathrm{rowsum}(A_h \circ"
                    r" \nabla_{A_h})\bigr)",
                    "Shares compete: a score gains only by as much as its key is wanted above the"
                    " row's average.",
                )
            },
        ),
    ]
    head_outputs: Annotated[
        Array,
        Step(
            axes="B H T V",
            kind="feature",
            symbol="O_h",
            needs="probabilities value_heads",
            formula="<head_outputs> = <probabilities @ value_heads><sharing>",
            sentence="Each token receives the average of the value vectors, weighted by its row of"
            " probabilities.",
            numpy="head_outputs = probabilities @ {value_heads}",
            torch="head_outputs = probabilities @ {value_heads}",
            rule=rules.mixed,
            magnitude=magnitudes.mixed,
            backward=gradients.mixed,
            gradients={
                "value_heads": Gradient(
                    r"A_h^{\top}\,\nabla_{O_h}",
                    "A value collects from every query that read it, as much as the query read.",
                ),
                "probabilities": Gradient(
                    r"\nabla_{O_h} V_h^{\top}",
                    "A query should read more of a key whose value points where its output should"
                    " go.",
                ),
            },
        ),
    ]
