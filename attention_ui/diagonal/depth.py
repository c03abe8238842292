"""The last layers of a collapse: deviations shrink to their third power."""

from __future__ import annotations

import streamlit as st

from attention_lab.diagonal.depth import cubic_error
from attention_lab.diagonal.token_matrices import gaussian_tokens

SIZES = (0.1, 0.03, 0.01, 0.003)


def cubic_rule(seed: int) -> None:
    """The rule for tokens that are nearly equal, and how far it is off for drawn ones."""
    with st.expander(
        "Near the end each layer cubes the distance",
        key="depth cubic",
        icon=":material/function:",
        on_change="rerun",
    ) as cubic:
        if cubic.open:
            _explain(seed)


def _explain(seed: int) -> None:
    st.latex(r"e_i' = \operatorname{Cov}(e)\,e_i / \tau \qquad\text{so}\qquad |e'| \sim |e|^3")
    st.markdown(
        "Once the tokens differ from their mean only by small $e_i$, all rows of $A$ are nearly"
        " uniform; without a skip connection what is left of $e_i$ comes from the differences"
        " between scores, products of two deviations: a third power. The number of zeros after"
        " the point **triples with each layer** (switch to *logarithmic*). $\\tau$ is what"
        " scores are divided by. How far the rule is off for deviations of size ε:"
    )
    errors = [cubic_error(1 + size * gaussian_tokens(16, 8, seed)) for size in SIZES]
    st.dataframe(
        {"size ε": SIZES, "relative error of the rule": [f"{error:.4f}" for error in errors]},
        hide_index=True,
        width="content",
        alt="How far the rule is off",
    )
