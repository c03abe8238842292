"""The experiments of the mask workshop: each takes the bench and shows one thing that a mask
does or does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import streamlit as st

from attention_core.checks import Array
from attention_lab.masks.hiding import HIDING_VALUES
from attention_lab.masks.mask_experiments import nothing_left, orders, other_padding, ways_to_hide
from attention_lab.masks.painted import mask_to_text, toggle
from attention_lab.masks.workshop import MaskedBatch, painted_mask, without_row
from attention_viz.labels import counted, number, percent
from attention_viz.masks import workshop as boards
from attention_viz.masks.hiding_figures import row_bars

from ..board import show_board
from ..here import Here
from ..markdown import plain
from ..show import show_figure

PAINTED = "painted"


@dataclass(frozen=True)
class Bench:
    """What lies on the bench: the batch, the head, the chosen sequence, query and key, and the
    finite bias.
    """

    now: Here
    made: MaskedBatch
    head: int
    cell: tuple[int, int, int]
    bias: float

    @property
    def asks(self) -> str:
        """The chosen query as Markdown."""
        return f":blue[“{plain(self.made.batch.tokens[self.cell[0]][self.cell[1]])}”]"

    @property
    def allowed(self) -> Array:
        """What the masks allow in the chosen sequence. Shapes: (T, T)."""
        allowed: Array = self.made.allowed[self.cell[0]]
        return allowed


def follow(array: str, index: list[int]) -> None:
    """In a callback: make a clicked cell of a board the chosen one; the board says which
    sequence it belongs to.
    """
    sequence = array.rpartition(" ")[2]
    st.session_state.update(
        {"query": index[0], "key": index[1]}
        | ({"mw_sequence": sequence} if sequence.isdigit() else {})
    )


def paint(bench: Bench) -> None:
    """A mask to paint; it is one for all sequences and heads."""
    now, n_tokens = bench.now, len(bench.allowed)
    painted_TT = painted_mask(st.session_state[PAINTED], n_tokens)
    st.markdown(
        "**Click a cell of the first matrix**, or press Enter on it, to hide that key from that"
        " query, and again to show it: −∞ is added to a hidden score, 0 to all others. A painted"
        f" mask has {now.turned('one row per query and one column per key')}, {n_tokens} ×"
        f" {n_tokens}; all sequences and heads share it."
    )
    scene = boards.painting(painted_TT, bench.made, bench.head, bench.cell, now.notation)
    show_board(scene, "paint", on_pin=partial(_touched, n_tokens))
    row_TT, blank_TT = without_row(painted_TT, bench.cell[1]), painted_mask("", n_tokens)
    with st.container(horizontal=True):
        st.button("Hide nothing", on_click=_keep, args=(blank_TT,), icon=":material/ink_eraser:")
        st.button(
            "Start from all masks together",
            on_click=_keep,
            args=(bench.allowed,),
            icon=":material/content_copy:",
        )
        whole = now.turned("Hide the whole row of the query")
        st.button(whole, on_click=_keep, args=(row_TT,), icon=":material/visibility_off:")
    painted = f"{int((~painted_TT).sum())} of {counted(painted_TT.size, 'cell')}"
    st.caption(f"Painted: {painted}. The painting is in the address.")


def _touched(n_tokens: int, array: str, index: list[int]) -> None:
    if array == PAINTED and max(index) < n_tokens:
        _keep(toggle(painted_mask(st.session_state[PAINTED], n_tokens), *index))
    follow("", index)


def _keep(painted_TT: Array) -> None:
    """Remember a painting as text, and put it among the masks."""
    st.session_state[PAINTED] = "" if painted_TT.all() else mask_to_text(painted_TT)
    chosen = list(st.session_state["mw_masks"] or [])
    st.session_state["mw_masks"] = [*chosen, *([] if PAINTED in chosen else [PAINTED])]


def how_to_hide(bench: Bench) -> None:
    """What −∞, −10⁹ and a small bias make of a row."""
    n, query, _ = bench.cell
    turned = bench.now.turned
    if bench.allowed.all():
        st.info("No key of this sequence is hidden from any query: choose a mask above.")
        return
    ways = ways_to_hide(bench.made, n, bench.head, query, bench.bias)
    st.markdown(
        f"The {turned('row')} of {bench.asks} when a hidden key’s score is not removed, but a"
        " number is added to it:"
    )
    rows = {f"{way.name} added": way.shares[query] for way in ways}
    says = turned("Shares of one row for three numbers that hide keys.")
    show_figure(row_bars(bench.made.batch.tokens[n], rows, ~bench.allowed[query], says), "hiding")
    st.caption("Keys in brackets are hidden from this query.")
    heads = (
        "added to a hidden score",
        "read from hidden keys: this row",
        "at most, any row that sees a key",
        "a row with nothing left, float64",
        "the same, float32",
    )
    lines = [turned(f"| {' | '.join(heads)} |"), "|---" * len(heads) + "|"]
    for way in ways:
        read = f"{percent(float(way.leaked[query]))} | {percent(way.most)}"
        lines.append(f"| {way.name} | {read} | {' | '.join(map(_span, way.alone))} |")
    st.markdown("\n".join(lines))
    for told in HIDING_VALUES:
        st.markdown(f"- **{told.name}**: {turned(told.says)}")


def _span(shares: Array) -> str:
    """The smallest and the largest share of a row."""
    low, high = percent(float(shares.min())), percent(float(shares.max()))
    return f"all {low}" if low == high else f"{low} to {high}"


def mask_or_scale_first(bench: Bench) -> None:
    """Whether the scale comes before the mask or after it."""
    n, query, _ = bench.cell
    scale = bench.made.trace.scale
    if scale <= 0 or bench.allowed.all():
        st.info(
            "This needs a scale above 0 and a mask that hides something: choose them in the sidebar"
            " and above."
        )
        return
    found = orders(bench.made, n, bench.head, bench.bias)
    name, order = list(found.items())[-1]
    st.markdown(
        rf"$\operatorname{{softmax}}(s \cdot {scale:.3g} + m)$ or "
        rf"$\operatorname{{softmax}}((s + m) \cdot {scale:.3g})$? Added to a hidden score: {name}."
    )
    rows = {
        "scale, then mask": order.scale_first[query],
        "mask, then scale": order.mask_first[query],
    }
    says = bench.now.turned("Shares of one row with the mask after and before the scale.")
    show_figure(row_bars(bench.made.batch.tokens[n], rows, ~bench.allowed[query], says), "order")
    lines = [
        (
            "| added to a hidden score | largest difference of a share, all"
            f" {bench.now.turned('rows')} |"
        ),
        "|---|---|",
    ]
    st.markdown(
        "\n".join([*lines, *(f"| {key} | {number(one.gap, 6)} |" for key, one in found.items())])
    )
    st.markdown(
        "Minus infinity times any positive scale is minus infinity, so for a true mask the order"
        " does not matter. A finite bias that comes first is scaled, too:"
        f" {_scaled_bias(bench, name)}"
    )


def _scaled_bias(bench: Bench, name: str) -> str:
    """What becomes of the finite bias, and whether that shows: added to a whole row it changes
    no share.
    """
    scale, turned = bench.made.trace.scale, bench.now.turned
    matters = "it matters on which side of the scale a model adds its biases."
    if bench.bias * scale == bench.bias:
        return (
            f"times {scale:.3g}, {name} stays what it is, but with another scale or bias {matters}"
        )
    becomes = f"{name} becomes {number(bench.bias * scale, 2)}."
    in_part = bench.allowed.any(axis=-1) & ~bench.allowed.all(axis=-1)
    if in_part.any():
        return f"{becomes} So {matters}"
    return (
        becomes
        + turned(
            " Here only whole rows are hidden, and one number added to all scores of a row changes"
            " no share but by rounding. "
        )
        + f"Where only some keys of a row are hidden, {matters}"
    )


def row_with_nothing_left(bench: Bench) -> None:
    """What a row gives in which every key is hidden, here and in PyTorch."""
    n, query, _ = bench.cell
    turned = bench.now.turned
    found = nothing_left(bench.made, n, bench.head, query)
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
    zeros = f"{counted(len(row), 'share')}, sum {number(float(row.sum()), 1)}"
    st.markdown(
        f"| | the {turned('row')} of shares | numbers of the layer’s output that are NaN"
        f" |\n|---|---|---|\n| here, and torch’s scaled_dot_product_attention | {zeros} |"
        f" {found.nan_here} |\n| torch.softmax, and nn.MultiheadAttention with need_weights=True |"
        f" {found.nan_shares} × “not a number” | {found.nan_outputs} of"
        f" {found.zero.output[n].size} |"
    )
    n_empty = int(bench.made.trace.empty_rows[:, bench.head].sum())
    numbers, n_spoilt = counted(found.nan_outputs, "number"), found.nan_tokens
    spoilt = (
        f"The one {turned('row')} of NaN spoils the only token, {numbers}, and with it all that"
        " follows. "
        if len(row) == 1
        else (
            f"One {turned('row')} of NaN spoils one token here, {numbers}. In the next layer that"
            " token is a key for all others, and every score with it is NaN, so all"
            f" {turned('rows')} are. "
            if n_spoilt == 1
            else (
                f"{n_spoilt} {turned('rows')} of NaN spoil {n_spoilt} tokens here, {numbers}. In"
                " the next layer these tokens are keys for all others, and every score with them"
                f" is NaN, so all {turned('rows')} are. "
            )
        )
    )
    st.markdown(
        f"{spoilt}Zeros stay where they are. With the masks chosen above,"
        f" **{turned(counted(n_empty, 'row'))}** of this batch {'has' if n_empty == 1 else 'have'}"
        " nothing left."
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
    masked = not bench.allowed[
        :n_real, n_real:
    ].any()  # a causal mask hides them, too: they come last
    st.markdown(
        f"- {turned('Rows')} of real tokens move by at most"
        f" **{number(found.real, 6) if found.real else 0}**: "
        + ("the mask keeps [pad] out of them." if masked else "no padding mask is chosen above.")
        + f"\n- {turned('Rows')} of [pad] tokens move by up to **{number(found.padded)}**: they ask"
        " with the vector of [pad], and no padding mask stops a query from asking."
    )


def _row(array: str, index: list[int]) -> None:
    st.session_state["query"] = index[0]


EXPERIMENTS = {
    "paint a mask": paint,
    "how to hide": how_to_hide,
    "mask or scale first": mask_or_scale_first,
    "nothing left": row_with_nothing_left,
    "padded queries": padded_queries,
}
