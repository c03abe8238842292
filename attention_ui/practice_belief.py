"""The second question of *Practice*: what is often believed, with answers to choose from."""

from __future__ import annotations

import streamlit as st

from attention_core import Trace
from attention_lab.guesses import MISCONCEPTIONS, Guess, guess_in_turn, judge

from .facts import fact
from .markdown import plain, plain_quotations


def ask_belief(trace: Trace, number: int, field: str) -> None:
    """Ask the question of the same number about the same step, and judge the answer at once."""
    guess = guess_in_turn(trace, number, field)
    if fact("belief", guess) is None or guess is None:
        return
    st.header("What is often believed", anchor=False)
    st.markdown(f"**{plain_quotations(guess.prompt)}**")
    chosen = st.radio(
        "Your choice",
        range(len(guess.options)),
        index=None,
        format_func=lambda place: guess.options[place].label,
        horizontal=True,
        key=f"belief {guess.item.id} {guess.index}",
        label_visibility="collapsed",
    )
    if chosen is not None:
        _judge(guess, int(chosen))


def _judge(guess: Guess, place: int) -> None:
    """Say whether the chosen answer is right, who gives it, and why the right one is."""
    verdict = judge(guess, guess.options[place].value)
    if fact("belief_verdict", verdict.grade) == "right":
        st.success(f"Right. {plain(guess.why)}", icon=":material/check_circle:")
        return
    says = " ".join(f"“{plain(MISCONCEPTIONS[one].text)}”" for one in verdict.misconceptions[:1])
    believed = f" It is the answer of who believes: {says}" if says else ""
    st.warning(f"Not this one: {plain(guess.answer)}.{believed} {plain(guess.why)}")
