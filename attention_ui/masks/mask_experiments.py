"""The experiments of the mask workshop, and the two about numbers added to hidden scores."""

from __future__ import annotations

import streamlit as st

from attention_core.checks import Array
from attention_lab.masks.hiding import HIDING_VALUES
from attention_lab.masks.mask_experiments import compare_all_orders, hiding_effects
from attention_viz.labels import format_number, format_percent
from attention_viz.masks.mask_workshop import query_shares_figure

from ..facts import fact
from ..show import show_figure
from .empty_rows import show_empty_row, show_padded_queries
from .mask_workshop import ExperimentSetup
from .painting import show_painting


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
    description = "The shares of one query, with three numbers that hide keys."
    show_figure(
        query_shares_figure(setup.tokens, bars, ~setup.allowed[query], description), "hiding"
    )
    st.caption("Keys in brackets are hidden from this query.")
    leaks = fact("read_from_hidden_keys", {e.name: float(e.leaked[query]) for e in effects})
    largest = fact("most_read_from_hidden_keys", {e.name: e.largest_leak for e in effects})
    fact("shares_with_nothing_left", {e.name: e.empty_row for e in effects})
    lines = [
        "| added to a hidden score | this query reads from hidden keys | the most that a query with"
        " a visible key reads from them | shares if all keys are hidden, float64 | the same,"
        " float32 |",
        "|---" * 5 + "|",
    ]
    for one in effects:
        read = f"{format_percent(leaks[one.name])} | {format_percent(largest[one.name])}"
        lines.append(f"| {one.name} | {read} | {' | '.join(map(_format_range, one.empty_row))} |")
    st.markdown("\n".join(lines))
    for value in HIDING_VALUES:
        st.markdown(f"- **{value.name}**: {value.description}")


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
    gaps = fact("moved_by_the_order", {key: one.gap for key, one in found.items()})
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
    description = "The shares of one query, with the mask after and before the scale."
    show_figure(
        query_shares_figure(setup.tokens, bars, ~setup.allowed[query], description), "order"
    )
    lines = [
        "| added to a hidden score | largest difference of a share, all queries |",
        "|---|---|",
        *(f"| {key} | {format_number(gap, 6)} |" for key, gap in gaps.items()),
    ]
    st.markdown("\n".join(lines))
    st.markdown(
        "Minus infinity times any positive scale is minus infinity, so for a true mask the order"
        " does not matter. A finite bias that is added first is scaled as well."
    )
    _explain_scaled_bias(setup, name)


def _explain_scaled_bias(setup: ExperimentSetup, name: str) -> None:
    """What the scale does to the finite bias, and whether that changes a share."""
    scale = setup.masked.trace.scale
    scaled = fact("scaled_bias", setup.bias * scale)
    in_part = setup.allowed.any(axis=-1) & ~setup.allowed.all(axis=-1)
    differs = scaled != setup.bias
    if fact("order_matters", bool(in_part.any()) and differs):
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
