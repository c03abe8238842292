"""Two experiments: a query from which every key is hidden, and the queries of [pad] tokens."""

from __future__ import annotations

import streamlit as st

from attention_lab.masks.mask_experiments import EmptyRow, hide_all_keys, replace_padding
from attention_lab.rounding import tolerance
from attention_viz.labels import format_number
from attention_viz.masks import mask_workshop as boards

from ..board import show_board
from ..facts import fact
from .mask_workshop import ExperimentSetup, choose_clicked_cell
from .shuffles import format_difference


def show_empty_row(setup: ExperimentSetup) -> None:
    """The shares of a query from which every key is hidden, here and in PyTorch."""
    n, query, _ = setup.cell
    found = hide_all_keys(setup.masked, n, setup.head, query)
    st.markdown(
        f"Here every key is hidden from {setup.query_name}, in addition to the masks above. There"
        " is no largest score, and the exponentials sum to 0: the shares would be 0 / 0."
    )
    show_board(
        boards.empty_row_board(
            setup.masked, found.zero, setup.head, setup.cell, setup.now.notation
        ),
        "empty",
        on_pin=choose_clicked_cell,
    )
    shares = found.zero.probabilities[n, setup.head, query]
    n_shares, total = fact("shares", len(shares)), fact("sum_of_shares", float(shares.sum()))
    n_outputs = found.zero.output[n].size
    lines = [
        f"| | shares of this query: {n_shares} | NaN in the output, numbers: {n_outputs} |",
        "|---|---|---|",
        "| here, and torch’s scaled_dot_product_attention since 2.5 | all 0, sum"
        f" {format_number(total, 1)} | {found.nan_here} |",
        "| torch.softmax, and nn.MultiheadAttention with need_weights=True (2.13) | NaN (“not a"
        f" number”): {found.nan_shares} | {found.nan_outputs} |",
    ]
    st.markdown("\n".join(lines))
    fact("empty_rows", n_empty := int(setup.masked.trace.empty_rows[:, setup.head].sum()))
    st.markdown(
        f"{_describe_nan(setup, found)} Zeros do not spread. Queries without a key, with the masks"
        f" chosen above: **{n_empty}** in this batch."
    )


def _describe_nan(setup: ExperimentSetup, found: EmptyRow) -> str:
    """How far NaN spreads: in this layer, and in the next one."""
    n_tokens = fact("spoilt_tokens", found.nan_tokens)
    n_numbers = fact("spoilt_numbers", found.nan_outputs)
    spoilt = f"Tokens with NaN in their output: {n_tokens} ({n_numbers} numbers)."
    if fact("only_token", len(setup.allowed) == 1):
        return f"{spoilt} It is the only token, so everything that follows is NaN."
    return (
        f"{spoilt} In the next layer they are keys for all tokens, so all scores with them are NaN,"
        " and then all outputs."
    )


def show_padded_queries(setup: ExperimentSetup) -> None:
    """A padding mask hides keys. The queries of [pad] still give outputs."""
    n = setup.cell[0]
    n_real, n_tokens = setup.masked.batch.lengths[n], len(setup.allowed)
    if n_real == n_tokens:
        st.info(
            f"Sequence {n} holds no [pad]: choose another sequence, or a longer sequence length in"
            " the sidebar."
        )
        return
    found = replace_padding(setup.masked, n)
    st.markdown(
        f"The tokens after position {n_real - 1} are [pad]. Their outputs are computed like all"
        " others but mean nothing: a program that uses the output must leave them out. On the"
        " board, the [pad] vectors were replaced by other numbers:"
    )
    show_board(
        boards.padding_board(setup.masked, found.changed, setup.cell, setup.now.notation),
        "padding",
        on_pin=_choose_query,
    )
    moved = fact("real_rows_moved", found.real)
    is_rounding = moved <= tolerance(setup.masked.trace, "output")
    difference = format_difference(moved, only_rounding=is_rounding)
    why = "No mask above hides [pad] from them."
    # A causal mask hides [pad] as well, because it comes last.
    if fact("pads_hidden_from_real_tokens", not setup.allowed[:n_real, n_real:].any()):
        why = "The masks above hide [pad] from them."
    st.markdown(
        f"- Outputs of real tokens move by at most {difference}. {why}\n- Outputs of [pad] tokens"
        f" move by up to **{format_number(found.padded)}**: their queries are computed from [pad],"
        " and a padding mask hides keys, not queries."
    )


def _choose_query(array: str, index: list[int]) -> None:
    """In a callback: choose the query of a clicked cell."""
    st.session_state["query"] = index[0]
