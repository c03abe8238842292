"""What can run at once."""

from __future__ import annotations

import streamlit as st

from attention_core import STEPS
from attention_lab.heads.schedule import schedule

from ..page_context import PageContext


def show_schedule(now: PageContext) -> None:
    """The steps by the moment in which they can run, and the longest chain."""
    plan, n_tokens = schedule(now.trace), now.trace.sizes["T"]
    st.markdown(
        "Every step runs as early as the steps allow whose numbers it reads. The boxes of one step,"
        " one for each head, can run at the same time. Heads never wait for each other; the merge"
        " waits for all of them."
    )
    lines = [
        "| moment | step | boxes at once | multiplications of each | exponentials of each |",
        "|--:|---|--:|--:|--:|",
        *(
            f"| {box.moment} | **{now.symbol(box.field)}** {STEPS[box.field].title} |"
            f" {box.parts} | {box.multiplications:,} | {box.exponentials:,} |"
            for box in plan.boxes
            if box.head == 0
        ),
    ]
    st.markdown("\n".join(lines))
    st.caption(
        f"Moments: {plan.depth}; more heads do not add any. Multiplications of all boxes:"
        f" {plan.multiplications:,}; of the longest chain of boxes that wait for each other:"
        f" {plan.longest_chain:,}. If each box runs on one worker, more workers cannot be"
        " faster than this chain. A split, or a mask that hides nothing, takes no moment."
    )
    st.markdown(
        "**Tokens:** in training all tokens are known and go through these moments together. In"
        " generation a token is known only after the one before it went through all moments. With n"
        f" = {n_tokens} tokens, moments in training: {plan.depth}; in generation: {n_tokens} ×"
        f" {plan.depth} = {n_tokens * plan.depth}."
    )
