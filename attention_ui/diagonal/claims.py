"""The list of claims: its filters, and each claim with its verdict, the correct statement and the
numbers of its check.
"""

from __future__ import annotations

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
    claim,
)
from attention_viz.labels import with_minus_signs

from ..facts import fact
from ..markdown import plain
from ..search import finds, search_field
from ..url_state import bound

BADGES = {
    ALWAYS: ":green-badge[:material/verified: always]",
    CONDITION: ":orange-badge[:material/rule: under a condition]",
    FALSE: ":red-badge[:material/close: false]",
}

HOLDS = {True: "holds", False: "fails"}


def chosen() -> tuple[Claim, ...]:
    """Draw the filters; give the claims that pass them."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words = search_field(
            "claims_words", "softmax", (text for one in CLAIMS for text in _searched(one))
        )
        statuses = bound(
            st.pills, "Verdict", tuple(BADGES), selection_mode="multi", key="claims_status"
        )
        texts = bound(st.pills, "Said by", tuple(TEXTS), selection_mode="multi", key="claims_text")
    return tuple(
        one
        for one in CLAIMS
        if one.status in (statuses or BADGES)
        and one.text in (texts or TEXTS)
        and finds(words, *_searched(one))
    )


def _searched(one: Claim) -> tuple[str, ...]:
    """The texts that a search reads."""
    return one.id, one.said, one.truth


def follow(clicked: object) -> None:
    """List the claims of a clicked bar; for callbacks."""
    text, _, status = str(clicked).partition(" ")
    if text in TEXTS and status in BADGES:
        st.session_state.update(
            {"claims_text": [text], "claims_status": [status], "claims_words": ""}
        )


def show(one: Claim) -> None:
    """Draw a claim, its verdict, the correct statement, and what its check found."""
    found = evidence(one.id)
    as_worded = HOLDS[fact(f"claim_{one.id}", found.claimed)]
    with st.container(border=True):
        st.markdown(
            f"**“{plain(one.said)}”** {BADGES[one.status]}\n\n{plain(one.truth)}\n\n:gray[**Checked"
            f" here:** {plain(with_minus_signs(found.says))} As worded it **{as_worded}** in this"
            " check.]"
        )


@lru_cache(maxsize=256)
def evidence(identifier: str) -> Evidence:
    """What the check of a claim finds. It is always the same, so it is computed once."""
    return claim(identifier).check()
