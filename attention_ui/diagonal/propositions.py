"""A card for each statement about the diagonal: its status, a live check, its proof, and a
search for exceptions.
"""

from __future__ import annotations

import streamlit as st

from attention_core import Trace
from attention_lab.diagonal.propositions.catalogue import PROPOSITIONS, proposition
from attention_lab.diagonal.propositions.checks import Check
from attention_lab.diagonal.propositions.counterexamples import Search, search
from attention_lab.diagonal.propositions.record import CONDITION, FALSE, THEOREM, Proposition
from attention_lab.diagonal.propositions.tokens import tokens_of_trace
from attention_viz.labels import number, true_minus

from ..facts import fact
from ..url_state import KEPT, LAST_SEED, bound, whole_number_input
from . import controls as lab
from .self_attention_mass import quoted_names, spare

BADGES = {
    THEOREM: ":green-badge[:material/verified: theorem]",
    FALSE: ":red-badge[:material/close: false]",
    CONDITION: ":orange-badge[:material/rule: under a condition]",
}
# Statements of equality, and the trace of A, whose largest eigenvalue is 1: there is nothing to
# spare but rounding.
IDENTITIES = ("S1", "S7", "S9", "S13", "S14")


FOUND = "truth search"  # the last search of the session: its statement and what it found
TRIES = 300
SEARCHED = {"truths_n": 3, "truths_c": 2}  # the tokens and features that a search begins with


def checked(trace: Trace) -> dict[str, Check]:
    """The verdict on every statement for the tokens of a trace."""
    tokens = tokens_of_trace(trace)
    return {proposition.number: proposition.test(tokens) for proposition in PROPOSITIONS}


def search_controls() -> None:
    """How large the random tokens are that a search looks at, and where it begins."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        about = {**KEPT, "width": 150}
        bound(st.slider, "Tokens N", 2, 8, SEARCHED["truths_n"], key="truths_n", **about)
        bound(st.slider, "Features C", 1, 8, SEARCHED["truths_c"], key="truths_c", **about)
        whole_number_input(st, "Seed of the search", 0, LAST_SEED, 0, key="truths_seed", **about)
        st.caption(
            f"A search looks at {TRIES} token matrices; the worst violation is loaded.", width=260
        )


def card(statement: Proposition, check: Check, trace: Trace) -> None:
    """One statement: what it says, whether it is true, what the tokens shown say, why, and a
    search.
    """
    with st.container(border=True, height="stretch"):
        st.markdown(f"**{statement.number} · {statement.title}** {BADGES[statement.status]}")
        st.latex(statement.latex)
        st.markdown(statement.says)
        st.markdown(f"**On these tokens:** {live(statement, check, trace)}")
        if statement.condition:
            st.caption(statement.condition)
        wrong = statement.status == FALSE
        with st.container(horizontal=True):
            with st.popover(
                "The step that fails" if wrong else "Proof",
                icon=":material/menu_book:",
                key=f"proof {statement.number}",
                on_change="rerun",
            ) as proof:
                if proof.open:
                    _proof(statement)
            st.button(
                "Search a counterexample",
                key=f"search {statement.number}",
                icon=":material/search:",
                type="tertiary",
                on_click=_search,
                args=(statement.number,),
            )
        _say_found(statement)


def _proof(statement: Proposition) -> None:
    """The lines of the proof; of a false statement its usual argument, and where that breaks."""
    for place, line in enumerate(statement.proof):
        st.markdown(f"{place + 1}. {line}")
    if statement.fails:
        st.markdown(f":red[**This is where it breaks:**] {statement.fails}")


def _search(name: str) -> None:
    """Look for a counterexample among random tokens, and load it."""
    state = st.session_state
    n_tokens, d_model = (state.get(key) or default for key, default in SEARCHED.items())
    found = search(
        proposition(name),
        n_tokens=n_tokens,
        d_model=d_model,
        seed=state.get("truths_seed") or 0,
        tries=TRIES,
    )
    state[FOUND] = (name, found)
    if found.x is not None:
        lab.load_tokens(found.x)


def _say_found(statement: Proposition) -> None:
    """What the last search found, on the card of its statement."""
    name, found = st.session_state.get(FOUND, ("", None))
    if name != statement.number or not isinstance(found, Search):
        return
    fact("searched", statement.number)
    fact("matrices_that_met_the_condition", found.applied)
    if fact("counterexample_found", found.x is not None) and found.nearest:
        st.success(
            f"Found and loaded: the worst of {found.tried} violates it by"
            f" {number(found.nearest.excess, 4)}."
        )
        return
    met = f"{found.applied} of {found.tried} random token matrices met its condition"
    looked_at = (
        f"{found.tried} random token matrices were looked at"
        if found.applied == found.tried
        else met
    )
    excess = fact("nearest_excess", found.nearest.excess if found.nearest else 0.0)
    rounding, nearest = (
        "The nearest reached it, up to rounding.",
        f"The nearest came within {number(-excess, 4)}.",
    )
    how_near = "" if not excess else rounding if excess > 0 else nearest
    st.info(f"{looked_at}; none violates it. {true_minus(how_near)}".rstrip())


def live(proposition: Proposition, check: Check, trace: Trace) -> str:
    """What the live check of a statement found on these tokens: holds or violated, by how much,
    and where.
    """
    where = _place(check.where, trace) if check.where else ""
    verdict = ("holds" if check.holds else "violated") if check.applies else "does not apply"
    fact(f"verdict_on_{proposition.number}", (verdict, where))
    if not check.applies:
        alone = fact("one_token_alone", trace.sizes["T"] == 1)
        why = "one token alone has no other" if alone else "these tokens do not meet its condition"
        return f":gray-badge[does not apply] {why}"
    where = where and f" in {where}"
    if not check.holds:
        gap = f"by **{number(check.excess, 4)}**" if check.excess > 0 else "by a tie"
        return f":red-badge[violated] {gap}{where}"
    if check.excess > 0 or proposition.number in IDENTITIES:
        return f":green-badge[holds] {'up to rounding' if check.excess else 'exactly'}"
    return f":green-badge[holds] {spare(check.excess)} at the closest{where}"


def _place(where: tuple[int, ...], trace: Trace) -> str:
    parts = [quoted_names(trace)[i] for i in where]
    return f"row {parts[0]}" if len(parts) == 1 else f"row {parts[0]}, column {parts[1]}"
