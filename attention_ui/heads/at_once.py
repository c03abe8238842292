"""What of a layer can run at once, as a picture; and the heads in threads, measured when asked."""

from __future__ import annotations

import os
from collections.abc import Sequence

import streamlit as st

from attention_lab.heads.at_once import schedule
from attention_lab.heads.counts import LayerSize
from attention_lab.heads.parallel_heads import (
    FUSED,
    LOOP,
    REPEATS,
    Race,
    cores,
    largest_gap,
    n_threads,
    races,
    verdict,
)
from attention_viz.heads.at_once_figure import at_once_figure, rows_of
from attention_viz.heads.count_figures import race_times
from attention_viz.labels import counted, number

from ..facts import fact
from ..page_context import PageContext
from ..show import place_for, show_figure

STATE = "heads in threads"
BLAS = "OPENBLAS_NUM_THREADS"


def what_can_run_at_once(now: PageContext) -> None:
    """The boxes of the layer by moment and head, and how long its longest chain is."""
    plan = fact("schedule", schedule(now.trace))
    n_heads, n_tokens = now.trace.sizes["H"], now.trace.sizes["T"]
    st.markdown(
        "What stands in one column can run at the same time; a line says what a box waits for."
        + (" Heads never wait for each other; the merge waits for all of them." * (n_heads > 1))
    )
    with place_for("at once", 2 * plan.depth):
        show_figure(at_once_figure(plan, now.notation), "ways at once")
    fact("heads_left_out", n_heads - len(rows_of(n_heads)))
    st.caption(
        f"Depth: {counted(plan.depth, 'moment')}{', and more heads add none' * (n_heads > 1)}. ×:"
        " multiplications; exp: exponentials of the softmax; of one sequence. All boxes together:"
        f" {counted(plan.multiplications, 'multiplication')}; the longest chain:"
        f" {plan.longest_chain:,}, and no number of workers with one box each goes below it. A"
        " split, and a mask that hides nothing, take no moment."
    )
    st.markdown(
        f"**Tokens:** in training all {counted(n_tokens, 'token')} are known and go through these"
        f" {counted(plan.depth, 'moment')} together, while in generation a token is known only when"
        f" the one before it has gone through, so {counted(n_tokens, 'token')} take"
        f" {n_tokens} × {plan.depth} = {counted(n_tokens * plan.depth, 'moment')}."
    )


def heads_in_threads(size: LayerSize) -> None:
    """The button that measures, the times, and what follows from them."""
    st.markdown(
        "Boxes that *can* run at once need not be faster so: a thread must be told its task. Here"
        " are the products $Q_h K_h^\\top$: one after the other, each head in a thread,"
        f" and as one product with the head as an axis. {_inside_a_product()}"
    )
    if st.button("Measure heads in threads", icon=":material/timer:", key="measure threads"):
        with st.spinner("Measuring, at most a few seconds."):
            st.session_state[STATE] = (size.n_heads, size.d_k, races(size))
    n_heads, d_k, found = st.session_state.get(STATE, (0, 0, ()))
    if (n_heads, d_k) != (size.n_heads, size.d_k):
        st.caption(
            "What you measured belongs to other heads; measure again."
            if fact("raced_for_other_heads", bool(found))
            else "Nothing has been measured yet."
        )
        return
    fact("races", found)
    show_figure(race_times(found), "ways threads")
    st.markdown(_conclusion(found))
    gap = fact("gap_of_ways", largest_gap(found))
    agree = f"differ by {number(gap)} of the largest score" if gap else "are equal"
    st.caption(
        f"Measured just now on this machine, {counted(cores(), 'core')} for this app,"
        f" {counted(n_threads(size), 'thread')}; {counted(size.n_heads, 'head')}, d_k = {size.d_k},"
        f" random queries and keys. Median of {REPEATS} runs. The threads were started before. What"
        " others do on the machine counts, too: measure again to see how much. The results of all"
        f" three ways {agree}."
    )


def _inside_a_product() -> str:
    """How many threads NumPy's library may use inside one product."""
    given = fact("blas_threads", os.environ.get(BLAS))
    if given == "1":
        return (
            f"Inside a product NumPy’s library uses one thread, for the app sets {BLAS} to 1: all"
            " that runs side by side here are the heads."
        )
    return (
        f"Inside a product NumPy’s library may use threads of its own ({BLAS} is"
        f" {given or 'not set'}): then one product may use all cores without any thread of ours."
    )


def _conclusion(found: Sequence[Race]) -> str:
    """What the measured times say, in words: where threads are slower, and from where they pay."""
    told = fact("verdict", verdict(found))
    if found[0].size.n_heads == 1:
        return (
            "**One head leaves nothing to run beside it:** a thread only costs the time to start."
        )
    if told.pays_from is not None:
        pays = f"**Threads pay from n = {told.pays_from} on**"
    else:
        pays = f"**Threads do not clearly pay up to n = {found[-1].size.n_tokens}**"
    slower = (
        f"they are clearly slower at n = {_listed(told.slower)}, for handing out a task costs time,"
        " too"
        if told.slower
        else "they are clearly slower nowhere"
    )
    first, last = (
        one.times[LOOP].median / one.times[FUSED].median for one in (found[0], found[-1])
    )
    return (
        f"{pays}; {slower}. At best, at n = {told.best_at}, they are {told.best:.2f} times as fast"
        f" as one after the other; {counted(n_threads(found[0].size), 'thread')} can be"
        f" {n_threads(found[0].size)} times as fast at most. One product for all is {first:.2f}"
        f" times as fast at n = {found[0].size.n_tokens} and {last:.2f} times at n ="
        f" {found[-1].size.n_tokens}: it saves calls, no multiplications. “Clearly”: the upper"
        " quartile of one way lies below the lower quartile of the other."
    )


def _listed(counts: Sequence[int]) -> str:
    return ", ".join(map(str, counts))
