"""The parts of the page on broken layers: the mistake in code, the game in which it is hidden, the
checks.
"""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_core import STEPS
from attention_lab.masks.mistake_checks import (
    MISTAKE_CHECKS,
    NO_MISTAKE,
    ExaminedLayer,
    MistakeCheck,
)
from attention_lab.masks.mistakes import MISTAKES, Mistake, hidden_mistake
from attention_viz.labels import with_minus_signs
from attention_viz.masks.break_it import COMPUTED_FIELDS

from ..facts import fact
from ..page_context import PageContext
from ..url_state import PERSISTENCE, choose_named, draw_bound, whole_number_input

LAST_ROUND = 999
MISTAKE_NAMES = {mistake.key: mistake.name for mistake in MISTAKES}
MISTAKE_CHOICES = {NO_MISTAKE: "No mistake"} | MISTAKE_NAMES
GUESS_CHOICES = {"?": "?"} | MISTAKE_NAMES
FIELD_NAMES = {"first": "The first one with wrong numbers"} | {
    f: STEPS[f].title for f in COMPUTED_FIELDS
}


def choose_mistake(place: DeltaGenerator) -> str:
    """The key of the chosen mistake."""
    return choose_named(
        "The mistake", MISTAKE_CHOICES, MISTAKES[0].key, place=place, key="bi_fault"
    )


def choose_field(place: DeltaGenerator) -> str:
    """The field that is shown: "first" is the first one with wrong numbers."""
    about = "A hidden mistake shows its output."
    return choose_named("Field", FIELD_NAMES, "first", place=place, key="bi_field", help=about)


def describe_mistake(now: PageContext, mistake: Mistake | None, layer: ExaminedLayer) -> None:
    """A mistake in words, where its numbers go wrong first, and what it needs to show."""
    if mistake is None:
        st.markdown(
            "**No mistake.** Every check passes and nothing differs: this is the layer of all other"
            " pages."
        )
        return
    first_wrong = fact("first_wrong_field", layer.first_wrong_field)
    fact("mistake_shows", first_wrong is not None)
    if first_wrong is not None:
        failed = sum(not result.passed for result in layer.results.values())
        st.markdown(
            f"{mistake.description} All shapes are right. The first wrong numbers:"
            f" **{STEPS[first_wrong].title}**. Checks that notice it: **{failed} of"
            f" {len(MISTAKE_CHECKS)}**."
        )
        return
    st.markdown(mistake.description)
    st.info(
        "With these controls the mistake changes no number, so no check can find it. It needs:"
        f" {fact('needed', mistake.needs)}."
    )
    if mistake.key == "mask" and now.scenario.mask != "causal" and now.trace.sizes["T"] > 1:
        st.button(
            "Choose a causal mask", on_click=st.session_state.update, args=({"mask": "causal"},)
        )


def show_code(mistake: Mistake) -> None:
    """The line of code that is wrong, beside the right one."""
    right, wrong = st.columns(2)
    right.caption("Right")
    right.code(f"{mistake.array} = {mistake.right}", language="python", wrap_lines=True)
    wrong.caption("Wrong")
    wrong.code(f"{mistake.array} = {mistake.wrong}", language="python", wrap_lines=True)


def play_round(place: DeltaGenerator) -> str:
    """The game: a hidden mistake, a guess, the answer. Returns the key of the mistake.

    place: for the guess.
    """
    guess = choose_named("Your guess", GUESS_CHOICES, "?", place=place, key="bi_guess")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        about = {"width": 160, "key": "bi_round", **PERSISTENCE}
        number = whole_number_input(st, "Round", 1, LAST_ROUND, 1, **about)
        hidden = hidden_mistake(int(number))
        show = draw_bound(st.toggle, "Show the answer", key="bi_answer", **PERSISTENCE)
    st.markdown(
        f"This layer has one of {len(MISTAKES)} mistakes. Look at the checks below, at the"
        " difference in each field, and at other sentences and sizes; then guess. If the sidebar"
        " has no mask, the layer has a causal one here."
    )
    answer = f"**{MISTAKE_NAMES[hidden.key]}**. {hidden.description}"
    found = fact("found", guess == hidden.key)
    if found:
        st.success(f"Found: {answer}", icon=":material/check_circle:")
    elif guess in MISTAKE_NAMES:
        st.warning(
            f"It is not “{MISTAKE_NAMES[fact('wrong_guess', guess)]}”. Which check would that"
            " mistake have failed or passed?"
        )
    if show and not found:
        st.info(f"It was: {answer}")
    if show or found:
        st.button("Next round", on_click=next_round, args=(int(number),))
    return hidden.key


def next_round(number: int) -> None:
    """In a callback: another mistake, and no guess."""
    st.session_state.update(
        {"bi_round": number % LAST_ROUND + 1, "bi_guess": "?", "bi_answer": False}
    )


def show_checks(layer: ExaminedLayer) -> None:
    """The checks that pass and the checks that fail, side by side."""
    passed = [check for check in MISTAKE_CHECKS if layer.results[check.key].passed]
    failed = [check for check in MISTAKE_CHECKS if check not in passed]
    fact("failed_checks", [check.key for check in failed])
    left, right = st.columns(2)
    with left.container(border=True, height="stretch"):
        st.markdown(f"**What still looks fine**: {len(passed)} of {len(MISTAKE_CHECKS)} checks")
        _show_results(layer, passed, ":green[:material/check:]")
    with right.container(border=True, height="stretch"):
        st.markdown(f"**What gives it away**: {len(failed)} of {len(MISTAKE_CHECKS)} checks")
        _show_results(layer, failed, ":red[:material/close:]")


def _show_results(layer: ExaminedLayer, checks: list[MistakeCheck], icon: str) -> None:
    for check in checks:
        sentence = with_minus_signs(layer.results[check.key].sentence)
        st.markdown(f"{icon} **{check.name}**. {sentence}")
