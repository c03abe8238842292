"""Parts of the page on depth: when tokens are equal, and how fast they get there at the end."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from attention_lab.diagonal.depth import TrajectorySample, cubic_error
from attention_lab.diagonal.token_matrices import gaussian_tokens

from ..facts import fact

DEVIATIONS = (0.1, 0.03, 0.01, 0.003)  # sizes of deviations for which the rule is tried
EQUAL_DISTANCE = 0.01  # below it tokens count as equal


def layers_until_equal(samples: Mapping[str, TrajectorySample], n_layers: int) -> str:
    """After how many layers the tokens of each stack count as equal, as a list of numbers.

    n_layers: of each stack.
    """
    ends = {name: one.median.layers_until(EQUAL_DISTANCE) for name, one in samples.items()}
    fact("layers_until_equal", ends)
    return ", ".join(
        f"**{f'more than {n_layers}' if end is None else end}** ({name})"
        for name, end in ends.items()
    )


def show_cubic_rule(seed: int) -> None:
    """Draw the rule for tokens that are nearly equal, and its error for random ones."""
    with st.expander(
        "Near the end, each layer cubes the distance",
        key="depth cubic",
        icon=":material/function:",
        on_change="rerun",
    ) as cubic:
        if cubic.open:
            _explain(seed)


def _explain(seed: int) -> None:
    st.latex(r"e_i' = \operatorname{Cov}(e)\,e_i / \tau \qquad\text{so}\qquad |e'| \sim |e|^3")
    st.markdown(
        "Let the tokens differ from their mean by small vectors $e_i$. Then all rows of $A$ are"
        " nearly uniform. Without a skip connection, what is left of $e_i$ comes from differences"
        " of scores, which are products of two deviations: together a third power. The number of"
        " zeros after the decimal point **triples with each layer** (switch to *Logarithmic*)."
        " $\\tau$ divides the scores. Error of the rule for deviations of size ε:"
    )
    errors = [cubic_error(1 + size * gaussian_tokens(16, 8, seed)) for size in DEVIATIONS]
    st.dataframe(
        {"size ε": DEVIATIONS, "relative error of the rule": [f"{error:.4f}" for error in errors]},
        hide_index=True,
        width="content",
        alt="The relative error of the rule for deviations of several sizes",
    )
