"""What can run at once in a layer, as a picture, and heads in threads, measured on demand."""

from __future__ import annotations

import os
from collections.abc import Sequence

import streamlit as st

from attention_lab.heads.counts import LayerSize
from attention_lab.heads.parallel_heads import (
    N_RUNS,
    ONE_BY_ONE,
    ONE_PRODUCT,
    ThreadRuns,
    compare_threads,
    largest_gap,
    n_cores,
    n_threads,
    time_threads,
)
from attention_lab.heads.schedule import schedule
from attention_viz.heads.count_figures import thread_times
from attention_viz.heads.schedule import drawn_heads, schedule_figure
from attention_viz.labels import format_number

from ..facts import fact
from ..page_context import PageContext
from ..show import picture_container, show_figure

THREAD_RUNS_KEY = "heads in threads"  # the name in the session
BLAS_THREADS_VARIABLE = "OPENBLAS_NUM_THREADS"


def show_schedule(now: PageContext) -> None:
    """The boxes of the layer by moment and head, and its longest chain."""
    plan = fact("schedule", schedule(now.trace))
    n_heads, n_tokens = now.trace.sizes["H"], now.trace.sizes["T"]
    st.markdown(
        "Each box is one step of one head. Boxes of the same moment can run at the same time; a"
        " line leads to a box from each box that it waits for. Heads never wait for each other; the"
        " merge waits for all of them."
    )
    with picture_container("at once", 2 * plan.depth):
        show_figure(schedule_figure(plan, now.notation), "ways at once")
    fact("heads_left_out", n_heads - len(drawn_heads(n_heads)))
    st.caption(
        f"Moments: {plan.depth}; more heads do not add any. ×: multiplications, exp: exponentials"
        " of the softmax, both for one sequence. Multiplications of all boxes:"
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


def measure_threads(size: LayerSize) -> None:
    """The button that measures, the times, and a conclusion."""
    st.markdown(
        "Boxes that *can* run at once are not always faster in threads, because handing out tasks"
        " takes time. The button measures the products $Q_h K_h^\\top$: one after the other, each"
        " head in a thread, and as one product with the head as an axis."
        f" {_describe_blas_threads()}"
    )
    if st.button("Measure heads in threads", icon=":material/timer:", key="measure threads"):
        with st.spinner("Measuring, at most a few seconds."):
            st.session_state[THREAD_RUNS_KEY] = (size.n_heads, size.d_k, time_threads(size))
    n_heads, d_k, found = st.session_state.get(THREAD_RUNS_KEY, (0, 0, ()))
    if (n_heads, d_k) != (size.n_heads, size.d_k):
        if fact("threads_timed_for_other_heads", bool(found)):
            st.caption("The last measurement was for other heads; measure again.")
        else:
            st.caption("Nothing has been measured yet.")
        return
    fact("thread_runs", found)
    show_figure(thread_times(found), "ways threads")
    st.markdown(_conclusion(found))
    gap = fact("gap_of_ways", largest_gap(found))
    st.caption(
        f"Measured just now on this machine. Cores for this app: {n_cores()}, threads:"
        f" {n_threads(size)}, heads: {size.n_heads}, d_k = {size.d_k}; random queries and keys."
        f" Median of {N_RUNS} runs; the threads were started before. Other work of the machine"
        " changes the times: measure again to see how much. Largest difference of the results of"
        f" the three ways, divided by the largest score: {format_number(gap)}."
    )


def _describe_blas_threads() -> str:
    """The number of threads that the library of NumPy may use inside one product."""
    given = fact("blas_threads", os.environ.get(BLAS_THREADS_VARIABLE))
    if given == "1":
        return (
            "Inside a product the library of NumPy uses one thread, because the app sets"
            f" {BLAS_THREADS_VARIABLE} to 1. So only heads run in parallel here."
        )
    return (
        f"Inside a product the library of NumPy may use its own threads ({BLAS_THREADS_VARIABLE} is"
        f" {given or 'not set'}). Then one product may use all cores without our threads."
    )


def _conclusion(found: Sequence[ThreadRuns]) -> str:
    """What the measured times show: where threads are slower, and from where they are faster."""
    result = fact("thread_comparison", compare_threads(found))
    if found[0].size.n_heads == 1:
        return "**With one head there is nothing to run in parallel:** a thread only takes time."
    speed = (
        f"**At n = {found[-1].size.n_tokens}, the largest size measured, threads are not clearly"
        " faster.**"
    )
    if result.faster_from is not None:
        speed = f"**Threads are clearly faster from n = {result.faster_from} on.**"
    first, last = (
        one.times[ONE_BY_ONE].median / one.times[ONE_PRODUCT].median
        for one in (found[0], found[-1])
    )
    slower = ", ".join(map(str, result.slower)) or "none"
    threads = n_threads(found[0].size)
    return (
        f"{speed} Sizes n at which they are clearly slower, because handing out tasks takes time:"
        f" {slower}. Best speed-up by threads: {result.best:.2f} times, at n = {result.best_at};"
        f" the number of threads, {threads}, is the largest possible one. Speed-up by one product"
        f" for all heads: {first:.2f} times at n = {found[0].size.n_tokens}, {last:.2f} times at n"
        f" = {found[-1].size.n_tokens}; it saves calls, not multiplications. “Clearly”: the upper"
        " quartile of one way is below the lower quartile of the other."
    )
