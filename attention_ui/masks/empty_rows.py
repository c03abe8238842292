"""Experiments with rows that mean nothing: one with every key hidden, and those of [pad] tokens."""

from __future__ import annotations

import streamlit as st

from attention_lab.masks.mask_experiments import EmptyRow, empty_row, other_padding
from attention_viz.labels import counted, number
from attention_viz.masks import mask_workshop as boards

from ..board import show_board
from ..facts import fact
from .mask_workshop import Bench, follow


def row_with_nothing_left(bench: Bench) -> None:
    """What a row gives in which every key is hidden, here and in PyTorch."""
    n, query, _ = bench.cell
    turned = bench.now.turned
    found = empty_row(bench.made, n, bench.head, query)
    st.markdown(
        f"Every key is hidden from {bench.asks}, on top of the masks above. There is no largest"
        " score and the exponentials sum to 0; the shares would be 0 / 0."
    )
    show_board(
        boards.emptied(bench.made, found.zero, bench.head, bench.cell, bench.now.notation),
        "empty",
        on_pin=follow,
    )
    row = found.zero.probabilities[n, bench.head, query]
    n_shares, total = fact("shares", len(row)), fact("sum_of_shares", float(row.sum()))
    zeros = f"{counted(n_shares, 'share')}, sum {number(total, 1)}"
    st.markdown(
        f"| | the {turned('row')} of shares | numbers of the layer’s output that are NaN"
        f" |\n|---|---|---|\n| here, and torch’s scaled_dot_product_attention since 2.5 | {zeros} |"
        f" {found.nan_here} |\n| torch.softmax, and nn.MultiheadAttention with need_weights=True"
        " (2.13) |"
        f" {found.nan_shares} × “not a number” | {found.nan_outputs} of"
        f" {found.zero.output[n].size} |"
    )
    n_empty = fact("empty_rows", int(bench.made.trace.empty_rows[:, bench.head].sum()))
    st.markdown(
        f"{_spoilt(bench, found)} Zeros stay where they are. With the masks chosen above,"
        f" **{turned(counted(n_empty, 'row'))}** of this batch {'has' if n_empty == 1 else 'have'}"
        " nothing left."
    )


def _spoilt(bench: Bench, found: EmptyRow) -> str:
    """How far NaN reaches: the tokens of this layer, and from there all of the next."""
    turned, n_spoilt = bench.now.turned, fact("spoilt_tokens", found.nan_tokens)
    numbers = counted(fact("spoilt_numbers", found.nan_outputs), "number")
    if fact("only_token", len(bench.allowed) == 1):
        return (
            f"The one {turned('row')} of NaN spoils the only token, {numbers}, and with it all that"
            " follows."
        )
    if n_spoilt == 1:
        return (
            f"One {turned('row')} of NaN spoils one token here, {numbers}. In the next layer that"
            " token is a key for all others, and every score with it is NaN, so all"
            f" {turned('rows')} are."
        )
    return (
        f"{n_spoilt} {turned('rows')} of NaN spoil {n_spoilt} tokens here, {numbers}. In the next"
        " layer these tokens are keys for all others, and every score with them is NaN, so all"
        f" {turned('rows')} are."
    )


def padded_queries(bench: Bench) -> None:
    """A padding mask hides keys; padded queries still produce rows."""
    n, turned = bench.cell[0], bench.now.turned
    n_real, n_tokens = bench.made.batch.lengths[n], len(bench.allowed)
    if n_real == n_tokens:
        st.info(
            f"Sequence {n} holds no [pad]: choose another sequence, or a longer sequence length in"
            " the sidebar."
        )
        return
    found = other_padding(bench.made, n)
    st.markdown(
        f"After {turned('row')} {n_real - 1} all belong to [pad] tokens. They are computed like all"
        " others, and mean nothing: whoever uses the output must leave them out. Here other"
        " numbers stand in place of the [pad] vectors:"
    )
    show_board(
        boards.padding(bench.made, found.changed, bench.cell, bench.now.notation),
        "padding",
        on_pin=_row,
    )
    # A causal mask hides them, too: they come last.
    masked = fact("pads_hidden_from_real_tokens", not bench.allowed[:n_real, n_real:].any())
    moved = fact("real_rows_moved", found.real)
    st.markdown(
        f"- {turned('Rows')} of real tokens move by at most"
        f" **{number(moved, 6) if moved else 0}**: "
        + ("the mask keeps [pad] out of them." if masked else "no padding mask is chosen above.")
        + f"\n- {turned('Rows')} of [pad] tokens move by up to **{number(found.padded)}**: they ask"
        " with the vector of [pad], and no padding mask stops a query from asking."
    )


def _row(array: str, index: list[int]) -> None:
    st.session_state["query"] = index[0]
