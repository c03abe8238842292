"""The parts of the page about broken layers: the checks, the fault in code, the game in which
it is hidden.
"""

from __future__ import annotations

import streamlit as st

from attention_lab.masks.bench import NO_FAULT, Examined
from attention_lab.masks.fault_checks import CHECKS
from attention_lab.masks.faults import FAULTS, Fault, hidden_fault
from attention_viz.labels import true_minus

from ..facts import fact
from ..page_context import PageContext
from ..url_state import KEPT, bound, whole_number_input

LAST_ROUND = 999
KEYS = tuple(fault.key for fault in FAULTS)
NAMES = {fault.key: fault.name for fault in FAULTS}
LEGEND = "; ".join(f"{key}: {name}" for key, name in NAMES.items())


def chosen_fault() -> str:
    """The select box of faults, as the key of one."""
    key = bound(
        st.selectbox, "The mistake", (NO_FAULT, *KEYS), index=1, key="bi_fault", help=LEGEND, **KEPT
    )
    return key or NO_FAULT


def told(now: PageContext, fault: Fault | None, layer: Examined) -> None:
    """What the mistake is, as a sentence and as the line of code that makes it."""
    if fault is None:
        st.markdown(
            "**No mistake.** Every check passes and nothing differs: this is the layer of all other"
            " pages."
        )
        return
    st.markdown(f"**{fault.name[0].upper()}{fault.name[1:]}.** {now.turned(fault.does)}")
    right, wrong = st.columns(2)
    right.caption("Right")
    right.code(f"{fault.array} = {fault.right}", language="python", wrap_lines=True)
    wrong.caption("Wrong")
    wrong.code(f"{fault.array} = {fault.wrong}", language="python", wrap_lines=True)
    if not fact("mistake_shows", layer.differs_from is not None):
        st.info(
            "With these controls the mistake changes nothing, so nothing can find it. It needs"
            f" {fact('needed', fault.needs)}."
        )
        if fault.key == "mask" and now.scenario.mask != "causal" and now.trace.sizes["T"] > 1:
            st.button(
                "Choose a causal mask", on_click=st.session_state.update, args=({"mask": "causal"},)
            )


def game(now: PageContext) -> str:
    """The hidden mistake of a round, guesses, and the answer; gives the key of the mistake."""
    left, middle, right = st.columns([2, 3, 2], vertical_alignment="bottom")
    number = whole_number_input(left, "Round", 1, LAST_ROUND, 1, key="bi_round", **KEPT)
    hidden = hidden_fault(int(number))
    guess = bound(middle.selectbox, "Your guess", ("?", *KEYS), key="bi_guess", help=LEGEND, **KEPT)
    show = bound(right.toggle, "Show the answer", key="bi_answer", **KEPT)
    st.markdown(
        f"One of the {len(FAULTS)} mistakes is in this layer. Look at the checks, at the difference"
        " in each field, and at other sentences and sizes; then guess. Where the sidebar has no"
        " mask, the layer has a causal one here."
    )
    if fact("found", guess == hidden.key):
        st.success(
            f"Found: **{hidden.name}**. {now.turned(hidden.does)}", icon=":material/check_circle:"
        )
        st.button("Next round", on_click=next_round, args=(int(number),))
    elif guess in NAMES:
        st.warning(
            f"It is not “{NAMES[fact('wrong_guess', guess)]}”. Which check would that one have"
            " failed, or passed?"
        )
    if show and guess != hidden.key:
        st.info(f"It was **{hidden.name}**. {now.turned(hidden.does)}")
        st.button("Next round", on_click=next_round, args=(int(number),))
    return hidden.key


def next_round(number: int) -> None:
    """In a callback: another mistake, and nothing guessed yet."""
    st.session_state.update(
        {"bi_round": number % LAST_ROUND + 1, "bi_guess": "?", "bi_answer": False}
    )


def answers(now: PageContext, layer: Examined) -> None:
    """What still looks fine and what gives the mistake away, side by side."""
    passed = [check for check in CHECKS if layer.verdicts[check.key].passed]
    failed = [check for check in CHECKS if check not in passed]
    fact("failed_checks", [check.key for check in failed])
    for place, title, checks, icon in zip(
        st.columns(2),
        ("What still looks fine", "What gives it away"),
        (passed, failed),
        (":green[:material/check:]", ":red[:material/close:]"),
        strict=True,
    ):
        with place.container(border=True, height="stretch"):
            st.markdown(f"**{title}**: {len(checks)} of {len(CHECKS)} checks")
            for check in checks:
                st.markdown(
                    f"{icon} "
                    + now.turned(f"**{check.name}**. {true_minus(layer.verdicts[check.key].says)}")
                )
            if not checks:
                st.markdown("Nothing.")
