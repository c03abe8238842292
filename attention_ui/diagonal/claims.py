"""The list of claims: its filters, and each claim with its verdict and a check on the spot."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import streamlit as st

from attention_lab.diagonal.claims.catalogue import (
    ALWAYS,
    CLAIMS,
    CONDITION,
    FALSE,
    TEXTS,
    Claim,
    Evidence,
    find_claim,
)
from attention_lab.search import best_matches
from attention_viz.labels import with_minus_signs
from attention_viz.markdown import escape_markdown

from ..search import note_partial, search_field
from ..url_state import draw_bound

VERDICT_BADGES = {
    ALWAYS: ":green-badge[:material/verified: always]",
    CONDITION: ":orange-badge[:material/rule: under a condition]",
    FALSE: ":red-badge[:material/close: false]",
}

CHECK_OUTCOMES = {True: "holds", False: "fails"}


def choose_claims() -> tuple[Claim, ...]:
    """Draw the filters; give the claims that pass them."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words = search_field("claims_words", "softmax", map(_searched, CLAIMS))
        statuses = draw_bound(
            st.pills, "Verdict", tuple(VERDICT_BADGES), selection_mode="multi", key="claims_status"
        )
        texts = draw_bound(
            st.pills, "Said by", tuple(TEXTS), selection_mode="multi", key="claims_text"
        )
    chosen = [
        one
        for one in CLAIMS
        if one.status in (statuses or VERDICT_BADGES) and one.text in (texts or TEXTS)
    ]
    found = best_matches(words, chosen, _searched)
    note_partial(words, *map(_searched, found))
    return found


def _searched(one: Claim) -> tuple[str, ...]:
    """The texts that a search reads."""
    return one.id, one.statement, one.correction


def filter_by_bar(clicked: object) -> None:
    """List the claims of a clicked bar; for callbacks."""
    text, _, status = str(clicked).partition(" ")
    if text in TEXTS and status in VERDICT_BADGES:
        st.session_state.update(
            {"claims_text": [text], "claims_status": [status], "claims_words": ""}
        )


def show_text(text: str, mine: Sequence[Claim], whole: bool) -> None:
    """Draw the claims of a text below its title; of the whole list in a box, the first one open."""
    if not whole:
        st.header(TEXTS[text], anchor=False)
        for one in mine:
            show_claim(one)
        return
    with st.expander(
        f"{TEXTS[text]}: {len(mine)}",
        expanded=text == next(iter(TEXTS)),
        key=f"claims of {text}",
        on_change="rerun",
    ) as box:
        if box.open:
            for one in mine:
                show_claim(one)


def show_claim(one: Claim) -> None:
    """Draw a claim, its verdict, the correct statement, and the result of its check."""
    result = evidence(one.id)
    outcome = CHECK_OUTCOMES[result.claimed]
    with st.container(border=True):
        st.markdown(
            f"**“{escape_markdown(one.statement)}”**"
            f" {VERDICT_BADGES[one.status]}\n\n{escape_markdown(one.correction)}\n\n:gray[**Checked"
            f" here:** {escape_markdown(with_minus_signs(result.sentence))} As worded it"
            f" **{outcome}** in this check.]"
        )


@lru_cache(maxsize=256)
def evidence(identifier: str) -> Evidence:
    """The result of the check of a claim. It is always the same, so it is computed once."""
    return find_claim(identifier).check()
