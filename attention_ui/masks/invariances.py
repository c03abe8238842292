"""The topics of the page on what the layer does not notice, and one of them: changes of scores and
weights.
"""

from __future__ import annotations

import streamlit as st

from attention_core import Trace
from attention_lab.heads.reruns import run_gaps
from attention_lab.masks.invariances import LAYER_CHANGES
from attention_lab.rounding import tolerance
from attention_viz.labels import format_number
from attention_viz.masks import invariances as boards

from ..board import show_board
from ..facts import fact
from ..page_context import PageContext
from ..url_state import PERSISTENCE, choose_named, whole_number_input
from ..view import main_container
from .score_variants import show_additive_scores, show_one_softmax
from .shuffles import format_difference, show_shuffle
from .temperature import show_scale_reason, show_temperature

EXPECTED_OUTPUT = {
    True: "stays the same",
    False: "may change",
}  # a change need not show with one token


def show_constants(now: PageContext) -> None:
    """Changes of scores and weights: some change the output, some do not."""
    changes = {change.key: change for change in LAYER_CHANGES}
    names = {key: change.name for key, change in changes.items()}
    window = main_container()
    left, right = window.columns([3, 2])
    key = choose_named("Change", names, LAYER_CHANGES[0].key, place=left, key="inv_change")
    seed = whole_number_input(
        right, "Numbers drawn from seed", 0, 999, 0, key="inv_seed", **PERSISTENCE
    )
    change = changes[key]
    after = change.apply(now.trace, int(seed))
    found = run_gaps(now.trace, after)
    stays = fact("stays_in_theory", change.keeps_output)
    fact("probabilities_moved", found.probabilities)
    fact("output_moved", found.output)
    rounded = stays and found.probabilities <= tolerance(now.trace, "probabilities")
    left, right = window.columns([3, 2], vertical_alignment="center")
    left.markdown(
        f"{change.description}\n\nBy theory the output **{EXPECTED_OUTPUT[stays]}**. Largest"
        " measured difference of a probability:"
        f" {format_difference(found.probabilities, only_rounding=rounded)}; of the output:"
        f" {format_difference(found.output, only_rounding=stays)}."
    )
    right.latex(change.formula)
    with window:
        show_board(
            boards.change_board(
                now.trace, after, change.key, now.focus.cell("query", "key"), now.notation
            ),
            "change",
            fits=True,
        )
    with st.expander(
        "All changes at once", key="inv all", on_change="rerun", icon=":material/table:"
    ) as table:
        if table.open:
            st.markdown(_all_changes(now.trace, int(seed)))


def _all_changes(trace: Trace, seed: int) -> str:
    lines = [
        "| change | the output, by theory | probabilities, measured | output, measured |",
        "|---|---|---|---|",
    ]
    for change in LAYER_CHANGES:
        found = run_gaps(trace, change.apply(trace, seed))
        expected = EXPECTED_OUTPUT[change.keeps_output]
        measured = f"{format_number(found.probabilities)} | {format_number(found.output)}"
        lines.append(f"| {change.name} | {expected} | {measured} |")
    return "\n".join(lines)


INVARIANCE_TOPICS = {
    "shuffle": show_shuffle,
    "constants": show_constants,
    "temperature": show_temperature,
    "scale": show_scale_reason,
    "additive scores": show_additive_scores,
    "one softmax": show_one_softmax,
}
