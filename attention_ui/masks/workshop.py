"""The experiments of the mask workshop: what they work on, painting, hiding, empty rows, [pad]."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import streamlit as st

from attention_core.checks import Array
from attention_lab.masks.hiding import HIDING_VALUES
from attention_lab.masks.mask_experiments import (
    EmptyRow,
    compare_all_orders,
    hide_all_keys,
    hiding_effects,
    replace_padding,
)
from attention_lab.masks.mask_workshop import MaskedBatch, hide_row
from attention_lab.rounding import tolerance
from attention_lab.user_data.painted_masks import mask_to_text, painted_mask
from attention_viz.labels import format_number, format_percent
from attention_viz.markdown import escape_markdown
from attention_viz.masks import mask_workshop as boards
from attention_viz.masks.mask_workshop import query_shares_figure

from ..blocks import show_table
from ..board import show_board
from ..page_context import PageContext
from ..show import show_figure


@dataclass(frozen=True)
class ExperimentSetup:
    """The batch, the head, the chosen sequence, query and key, and the finite bias."""

    now: PageContext
    masked: MaskedBatch
    head: int
    cell: tuple[int, int, int]
    bias: float

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens of the chosen sequence."""
        return self.masked.sentences[self.cell[0]].tokens

    @property
    def query_name(self) -> str:
        """The chosen query as Markdown."""
        return f":blue[“{escape_markdown(self.tokens[self.cell[1]])}”]"

    @property
    def allowed(self) -> Array:
        """What the masks allow in the chosen sequence. Shapes: (T, T)."""
        allowed: Array = self.masked.allowed[self.cell[0]]
        return allowed


def choose_clicked_cell(array: str, index: list[int]) -> None:
    """In a callback: choose the query and the key of a clicked cell, and its sequence if the name
    of the matrix ends with one.
    """
    sequence = array.rpartition(" ")[2]
    if sequence.isdigit():
        st.session_state["mw_sequence"] = sequence
    st.session_state.update({"query": index[0], "key": index[1]})


PAINTED_KEY = "painted"


def show_painting(setup: ExperimentSetup) -> None:
    """A mask to paint, the same for all sequences and heads."""
    now, n_tokens = setup.now, len(setup.allowed)
    painted_TT = painted_mask(st.session_state[PAINTED_KEY], n_tokens)
    st.markdown(
        "**Click a cell of the first matrix**, or press Enter on it, to hide that key from that"
        " query; again to show it. Added to the score of a hidden key:"
        f" {format_number(-math.inf)}; to all others: 0. All sequences and heads share the mask,"
        f" one cell for each query and key: {n_tokens} × {n_tokens}."
    )
    scene = boards.painting_board(painted_TT, setup.masked, setup.head, setup.cell, now.notation)
    show_board(scene, "paint", on_pin=partial(_toggle_cell, n_tokens))
    with st.container(horizontal=True):
        for label, mask_TT, icon in (
            ("Hide nothing", painted_mask("", n_tokens), "ink_eraser"),
            ("Start from all masks together", setup.allowed, "content_copy"),
            ("Hide all keys from the query", hide_row(painted_TT, setup.cell[1]), "visibility_off"),
        ):
            st.button(label, on_click=_keep, args=(mask_TT,), icon=f":material/{icon}:")
        st.button(
            "Use this mask in every step",
            on_click=st.session_state.update,
            args=({"mask": PAINTED_KEY},),
            icon=":material/done_all:",
            help="The layer then has this mask, in the story and on all pages.",
        )
    n_hidden = int((~painted_TT).sum())
    st.caption(f"Painted cells: {n_hidden} of {painted_TT.size}. The URL holds the mask.")
    if now.scenario.mask == PAINTED_KEY:
        st.caption("Every step of the layer uses this mask.")


def _toggle_cell(n_tokens: int, array: str, index: list[int]) -> None:
    """In a callback: hide or show a clicked cell of the painted mask, and choose it."""
    if array == PAINTED_KEY and max(index) < n_tokens:
        painted_TT = painted_mask(st.session_state[PAINTED_KEY], n_tokens)
        painted_TT[tuple(index)] ^= True
        _keep(painted_TT)
    choose_clicked_cell("", index)


def _keep(painted_TT: Array) -> None:
    """In a callback: hold a painted mask as text, and choose it among the masks."""
    st.session_state[PAINTED_KEY] = "" if painted_TT.all() else mask_to_text(painted_TT)
    chosen = list(st.session_state["mw_masks"] or [])
    if PAINTED_KEY not in chosen:
        chosen.append(PAINTED_KEY)
    st.session_state["mw_masks"] = chosen


def show_empty_row(setup: ExperimentSetup) -> None:
    """The shares of a query from which every key is hidden, here and in PyTorch."""
    n, query, _ = setup.cell
    found = hide_all_keys(setup.masked, n, setup.head, query)
    st.markdown(
        f"Here every key is hidden from {setup.query_name}, in addition to the masks above. There"
        " is no largest score, and the exponentials sum to 0: the shares would be 0 / 0."
    )
    notation = setup.now.notation
    scene = boards.empty_row_board(setup.masked, found.zero, setup.head, setup.cell, notation)
    show_board(scene, "empty", on_pin=choose_clicked_cell)
    shares = found.zero.probabilities[n, setup.head, query]
    n_shares, total = len(shares), float(shares.sum())
    n_outputs = found.zero.output[n].size
    head = [f"shares of this query: {n_shares}", f"NaN in the output, numbers: {n_outputs}"]
    here = "here, and torch’s scaled_dot_product_attention since 2.5"
    torch = "torch.softmax, and nn.MultiheadAttention with need_weights=True (2.13)"
    zeros, nans = (
        f"all 0, sum {format_number(total, 1)}",
        f"NaN (“not a number”): {found.nan_shares}",
    )
    rows = [[here, zeros, str(found.nan_here)], [torch, nans, str(found.nan_outputs)]]
    show_table(["", *head], rows, words=True)
    n_empty = int(setup.masked.trace.empty_rows[:, setup.head].sum())
    st.markdown(
        f"{_describe_nan(setup, found)} Zeros do not spread. Queries without a key, with the masks"
        f" chosen above: **{n_empty}** in this batch."
    )


def _describe_nan(setup: ExperimentSetup, found: EmptyRow) -> str:
    """How far NaN spreads: in this layer, and in the next one."""
    spoilt = f"Tokens with NaN in their output: {found.nan_tokens} ({found.nan_outputs} numbers)."
    if len(setup.allowed) == 1:
        return f"{spoilt} It is the only token, so everything that follows is NaN."
    return (
        f"{spoilt} In the next layer they are keys for all tokens, so all scores with them are NaN,"
        " and then all outputs."
    )


def show_padded_queries(setup: ExperimentSetup) -> None:
    """A padding mask hides keys. The queries of [pad] still give outputs."""
    n = setup.cell[0]
    n_real, n_tokens = setup.masked.sentences[n].n_real, len(setup.allowed)
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
    scene = boards.padding_board(setup.masked, found.changed, setup.cell, setup.now.notation)
    show_board(scene, "padding", on_pin=_choose_query)
    moved = found.real
    difference = f"**{format_number(moved)}**"
    if moved <= tolerance(setup.masked.trace, "output"):
        difference = "**0** up to rounding" if moved else "**0**"
    why = "No mask above hides [pad] from them."
    # A causal mask hides [pad] as well, because it comes last.
    if not setup.allowed[:n_real, n_real:].any():
        why = "The masks above hide [pad] from them."
    st.markdown(
        f"- Outputs of real tokens move by at most {difference}. {why}\n- Outputs of [pad] tokens"
        f" move by up to **{format_number(found.padded)}**: their queries are computed from [pad],"
        " and a padding mask hides keys, not queries."
    )


def _choose_query(array: str, index: list[int]) -> None:
    """In a callback: choose the query of a clicked cell."""
    st.session_state["query"] = index[0]


def show_hiding_values(setup: ExperimentSetup) -> None:
    """What −∞, −10⁹ and a small bias do to the shares of one query."""
    n, query, _ = setup.cell
    if setup.allowed.all():
        st.info("No key of this sequence is hidden from any query: choose a mask above.")
        return
    effects = hiding_effects(setup.masked, n, setup.head, query, setup.bias)
    st.markdown(
        f"The shares of {setup.query_name} when a number is added to the score of each hidden key:"
    )
    bars = {f"{one.name} added": one.shares[query] for one in effects}
    _show_shares(setup, bars, "with three numbers that hide keys", "hiding")
    st.caption("Keys in brackets are hidden from this query.")
    rows = []
    for one in effects:
        read = map(format_percent, (float(one.leaked[query]), one.largest_leak))
        rows.append([one.name, *read, *map(_format_range, one.empty_row)])
    head = (
        "added to a hidden score",
        "this query reads from hidden keys",
        "the most that a query with a visible key reads from them",
        "shares if all keys are hidden, float64",
        "the same, float32",
    )
    show_table(head, rows, words=True)
    for name, (_, effect) in HIDING_VALUES.items():
        st.markdown(f"- **{name}**: {effect}")


def _show_shares(setup: ExperimentSetup, bars: Mapping[str, Array], which: str, name: str) -> None:
    """The shares of the chosen query as bars."""
    hidden, says = ~setup.allowed[setup.cell[1]], f"The shares of one query, {which}."
    show_figure(query_shares_figure(setup.tokens, bars, hidden, says), name)


def _format_range(shares: Array) -> str:
    """The smallest and the largest share of a query."""
    low, high = format_percent(float(shares.min())), format_percent(float(shares.max()))
    return f"all {low}" if low == high else f"{low} to {high}"


def show_order(setup: ExperimentSetup) -> None:
    """The mask after the scale, and before it."""
    n, query, _ = setup.cell
    scale = setup.masked.trace.scale
    if scale <= 0 or setup.allowed.all():
        st.info(
            "This needs a scale above 0 and a mask that hides something: choose them in the sidebar"
            " and above."
        )
        return
    found = compare_all_orders(setup.masked, n, setup.head, setup.bias)
    name, order = list(found.items())[-1]
    st.markdown(
        rf"Mask after the scale: $\operatorname{{softmax}}(s \cdot {scale:.3g} + m)$; before it: "
        rf"$\operatorname{{softmax}}((s + m) \cdot {scale:.3g})$. Here m, the number added to a"
        f" hidden score, is {name}."
    )
    bars = {
        "scale, then mask": order.scale_first[query],
        "mask, then scale": order.mask_first[query],
    }
    _show_shares(setup, bars, "with the mask after and before the scale", "order")
    head = ["added to a hidden score", "largest difference of a share, all queries"]
    show_table(head, [[key, format_number(one.gap, 6)] for key, one in found.items()], words=True)
    st.markdown(
        "Minus infinity times any positive scale is minus infinity, so for a true mask the order"
        " does not matter. A finite bias that is added first is scaled as well."
    )
    _explain_scaled_bias(setup, name)


def _explain_scaled_bias(setup: ExperimentSetup, name: str) -> None:
    """What the scale does to the finite bias, and whether that changes a share."""
    scale = setup.masked.trace.scale
    scaled = setup.bias * scale
    in_part = setup.allowed.any(axis=-1) & ~setup.allowed.all(axis=-1)
    differs = scaled != setup.bias
    if differs and in_part.any():
        effect = "So it matters on which side of the scale a model adds its biases."
    elif differs:
        effect = (
            "Here some queries see all keys and the others none. One number added to all scores of"
            " a query changes none of its shares, except by rounding."
        )
    else:
        effect = "With another scale or bias the order would matter."
    st.markdown(f"Here {name} times {scale:.3g} is {format_number(scaled, 2)}. {effect}")


EXPERIMENTS = {
    "paint a mask": show_painting,
    "how to hide": show_hiding_values,
    "mask or scale first": show_order,
    "nothing left": show_empty_row,
    "padded queries": show_padded_queries,
}
