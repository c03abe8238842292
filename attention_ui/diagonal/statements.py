"""The lists of claims and of propositions: each with its verdict and a check on the spot; claims
with their filters, propositions with their proofs and a search for counterexamples.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import streamlit as st

from attention_core import Trace
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
from attention_lab.diagonal.propositions.catalogue import (
    PROPOSITIONS,
    THEOREM,
    Proposition,
    find_proposition,
)
from attention_lab.diagonal.propositions.checks import PropositionCheck, tokens_of_trace
from attention_lab.diagonal.propositions.counterexamples import Search, search
from attention_viz.labels import format_number, with_minus_signs
from attention_viz.markdown import escape_markdown

from ..search import finds, search_field
from ..url_state import MAX_SEED, PERSISTENCE, draw_bound, whole_number_input
from . import controls
from .self_attention_mass import number_or_dash, quoted_names

VERDICT_BADGES = {
    ALWAYS: ":green-badge[:material/verified: always]",
    CONDITION: ":orange-badge[:material/rule: under a condition]",
    FALSE: ":red-badge[:material/close: false]",
}

CHECK_OUTCOMES = {True: "holds", False: "fails"}
STATUS_BADGES = VERDICT_BADGES | {THEOREM: ":green-badge[:material/verified: theorem]"}
PROOFS = {THEOREM: "Proof", CONDITION: "Proof", FALSE: "The step that fails"}
# Equalities, and S13, whose largest eigenvalue is 1: only rounding separates the two sides.
IDENTITIES = ("S1", "S7", "S9", "S13", "S14")
NOT_APPLICABLE = {
    False: "These tokens do not meet its condition.",
    True: "There is one token, and the proposition is about two.",
}
LAST_SEARCH = "proposition search"  # in the session: the proposition of the last one, its result
TRIES = 300  # token matrices of a search
SEARCH_SIZES = {"truths_n": 3, "truths_c": 2}  # tokens and features that a search begins with


def choose_claims() -> tuple[Claim, ...]:
    """Draw the filters; give the claims that pass them."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words = search_field(
            "claims_words", "softmax", (text for one in CLAIMS for text in _searched(one))
        )
        statuses = draw_bound(
            st.pills, "Verdict", tuple(VERDICT_BADGES), selection_mode="multi", key="claims_status"
        )
        texts = draw_bound(
            st.pills, "Said by", tuple(TEXTS), selection_mode="multi", key="claims_text"
        )
    return tuple(
        one
        for one in CLAIMS
        if one.status in (statuses or VERDICT_BADGES)
        and one.text in (texts or TEXTS)
        and finds(words, *_searched(one))
    )


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


def check_propositions(trace: Trace) -> dict[str, PropositionCheck]:
    """The result of every check for the tokens of a trace, by the number of the proposition."""
    tokens = tokens_of_trace(trace)
    return {one.number: one.verify(tokens) for one in PROPOSITIONS}


def search_controls() -> None:
    """The sizes and the seed of the random tokens that a search tries."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        about = {**PERSISTENCE, "width": 150}
        draw_bound(st.slider, "Tokens N", 2, 8, SEARCH_SIZES["truths_n"], key="truths_n", **about)
        draw_bound(st.slider, "Features C", 1, 8, SEARCH_SIZES["truths_c"], key="truths_c", **about)
        whole_number_input(st, "Seed of the search", 0, MAX_SEED, 0, key="truths_seed", **about)
        st.caption(
            f"A search tries {TRIES} random token matrices and loads the one that violates the"
            " proposition most.",
            width=330,
        )


def show_card(one: Proposition, check: PropositionCheck, trace: Trace) -> None:
    """A proposition in words and as a formula, its status, the check on the tokens shown, its
    proof and a search.
    """
    with st.container(border=True, height="stretch"):
        st.markdown(f"**{one.number} · {one.title}** {STATUS_BADGES[one.status]}")
        st.latex(one.latex)
        st.markdown(one.statement)
        st.markdown(f"**On these tokens:** {describe_check(one, check, trace)}")
        if one.condition:
            st.caption(one.condition)
        with st.container(horizontal=True):
            with st.popover(
                PROOFS[one.status],
                icon=":material/menu_book:",
                key=f"proof {one.number}",
                on_change="rerun",
            ) as proof:
                if proof.open:
                    _proof(one)
            st.button(
                "Search for a counterexample",
                key=f"search {one.number}",
                icon=":material/search:",
                type="tertiary",
                on_click=_search,
                args=(one.number,),
            )
        _show_search(one)


def describe_check(one: Proposition, check: PropositionCheck, trace: Trace) -> str:
    """The result of the check on these tokens: holds or violated, by how much, and where."""
    where = _place(check.where, trace)
    verdict = _verdict(check)
    if not check.applies:
        return f":gray-badge[{verdict}] {NOT_APPLICABLE[trace.sizes['T'] == 1]}"
    badge = {True: f":green-badge[{verdict}]", False: f":red-badge[{verdict}]"}[check.holds]
    place = f" in {where}" * bool(where)
    if not check.holds and check.excess <= 0:
        return f"{badge} A tie{place}."
    if not check.holds:
        return f"{badge} Largest violation: **{format_number(check.excess, 4)}**{place}."
    if check.excess > 0 or one.number in IDENTITIES:
        return f"{badge} The two sides agree up to rounding."
    return f"{badge} Smallest margin: {format_number(-check.excess, 4)}{place}."


def _verdict(check: PropositionCheck) -> str:
    if not check.applies:
        return "does not apply"
    return {True: "holds", False: "violated"}[check.holds]


def _place(where: tuple[int, ...], trace: Trace) -> str:
    """The row, or the row and the column, of the largest violation."""
    parts = [quoted_names(trace)[i] for i in where]
    return ", ".join(f"{side} {part}" for side, part in zip(("row", "column"), parts, strict=False))


def _proof(one: Proposition) -> None:
    """The lines of a proof; for a false proposition, its usual argument and the step that fails."""
    for place, line in enumerate(one.proof, 1):
        st.markdown(f"{place}. {line}")
    if one.failing_step:
        st.markdown(f":red[**The step that fails:**] {one.failing_step}")


def _search(name: str) -> None:
    """Search for a counterexample among random tokens, and load the worst."""
    state = st.session_state
    n_tokens, d_model = (state.get(key) or size for key, size in SEARCH_SIZES.items())
    found = search(
        find_proposition(name),
        n_tokens=n_tokens,
        d_model=d_model,
        seed=state.get("truths_seed") or 0,
        tries=TRIES,
    )
    state[LAST_SEARCH] = (name, found)
    if found.x is not None:
        controls.load_tokens(found.x)


def _show_search(one: Proposition) -> None:
    """The result of the last search, on the card of its proposition."""
    name, found = st.session_state.get(LAST_SEARCH, ("", None))
    if name != one.number or not isinstance(found, Search):
        return
    tried = f"Matrices tried: {found.tried}. They meet the condition: {found.applied}."
    if found.x is not None and found.nearest:
        worst = format_number(found.nearest.excess, 4)
        st.success(f"{tried} The worst violation, {worst}, is loaded.")
        return
    margin = None
    if found.nearest:
        margin = -found.nearest.excess
    st.info(
        f"{tried} Violations: none. Smallest margin: {number_or_dash(margin)} (below 0: rounding)."
    )
