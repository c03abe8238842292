"""The arrays of one attention call in the order of computation, each declared once.

The steps before the heads and inside them stand in files of their own. A new step is a field with
its `Step`, its formula in `formulas`, and its line in `attention.run_layer`.
"""

from dataclasses import dataclass
from typing import Annotated

from . import gradients, magnitudes, rules
from .checks import Array
from .steps import Gradient, Step
from .steps_before_heads import ALL_TOKENS, BeforeHeads
from .steps_in_heads import HeadTrace


@dataclass(frozen=True, eq=False)
class Intermediates(HeadTrace, BeforeHeads):
    """The fields of `BeforeHeads`, those of `HeadTrace`, and what the heads make together."""

    merged: Annotated[
        Array,
        Step(
            axes="B T H·V",
            kind="feature",
            symbol="O",
            needs="head_outputs",
            formula="<merged> = <side by side>",
            sentence="The heads are laid side by side again, token by token: swap, then reshape.",
            numpy="merged = head_outputs.swapaxes(1, 2).reshape(B, T, H * V)",
            torch="merged = head_outputs.transpose(1, 2).flatten(2)",
            rule=rules.merged,
            magnitude=magnitudes.merged,
            backward=gradients.merged,
            gradients={
                "head_outputs": Gradient(
                    r"(\nabla_{O})_{:,\,h d_v:(h+1) d_v}",
                    "Each head takes its own columns: cutting undoes joining.",
                )
            },
        ),
    ]
    output: Annotated[
        Array,
        Step(
            axes="B T O",
            kind="feature",
            role="output",
            symbol="Y",
            needs="merged inputs",
            formula="<output> = <merged @ w_o><b_o><residual>",
            sentence="The output projection mixes what the heads found into one vector per token.",
            numpy="output = merged{w_o}{b_o}{inputs}",
            torch="output = {mixed}{inputs}",
            rule=rules.output,
            magnitude=magnitudes.output,
            backward=gradients.output,
            gradients={
                "merged": Gradient(
                    r"\nabla_{Y}\,W_O^{\top}", "The output's gradient goes back through W_O."
                ),
                "w_o": Gradient(
                    r"O^{\top}\,\nabla_{Y}",
                    "What the heads found times the output's gradient, summed over all tokens.",
                ),
                "b_o": Gradient(r"\mathbf 1^{\top}\,\nabla_{Y}", ALL_TOKENS),
            },
        ),
    ]
