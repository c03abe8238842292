"""Experiments with what is added to a hidden score: what still leaks, before or after the scale."""

from __future__ import annotations

import streamlit as st

from attention_core.checks import Array
from attention_lab.masks.hiding import HIDING_VALUES
from attention_lab.masks.mask_experiments import hiding_effects, orders
from attention_viz.labels import number, percent
from attention_viz.masks.hiding_figures import row_bars

from ..facts import fact
from ..show import show_figure
from .mask_workshop import Bench


def how_to_hide(bench: Bench) -> None:
    """What −∞, −10⁹ and a small bias make of a row."""
    n, query, _ = bench.cell
    turned = bench.now.turned
    if bench.allowed.all():
        st.info("No key of this sequence is hidden from any query: choose a mask above.")
        return
    ways = hiding_effects(bench.made, n, bench.head, query, bench.bias)
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
    leaks = fact("read_from_hidden_keys", {way.name: float(way.leaked[query]) for way in ways})
    most = fact("most_read_from_hidden_keys", {way.name: float(way.largest_leak) for way in ways})
    fact("shares_with_nothing_left", {way.name: way.empty_row for way in ways})
    for way in ways:
        read = f"{percent(leaks[way.name])} | {percent(most[way.name])}"
        lines.append(f"| {way.name} | {read} | {' | '.join(map(_span, way.empty_row))} |")
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
    gaps = fact("moved_by_the_order", {key: one.gap for key, one in found.items()})
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
        "\n".join([*lines, *(f"| {key} | {number(gap, 6)} |" for key, gap in gaps.items())])
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
    scaled = fact("scaled_bias", bench.bias * scale)
    in_part = bench.allowed.any(axis=-1) & ~bench.allowed.all(axis=-1)
    order_matters = fact("order_matters", bool(in_part.any()) and scaled != bench.bias)
    if scaled == bench.bias:
        return (
            f"times {scale:.3g}, {name} stays what it is, but with another scale or bias {matters}"
        )
    becomes = f"{name} becomes {number(scaled, 2)}."
    if order_matters:
        return f"{becomes} So {matters}"
    return (
        becomes
        + turned(
            " Here only whole rows are hidden, and one number added to all scores of a row changes"
            " no share but by rounding. "
        )
        + f"Where only some keys of a row are hidden, {matters}"
    )
