"""The Monte Carlo of the growth page: points that are measured once and kept, and a run that
can be stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_core.cache import Cache
from attention_lab.diagonal.growth import Estimate, Experiment, estimates
from attention_lab.diagonal.growth_table import Growth
from attention_viz.diagonal.growth import argmax_figure, mass_figure

from ..show import show_figure

Points = dict[tuple[int, int], Estimate]


# Equal experiments give equal numbers, so all visitors share them.
_estimates: Cache[tuple[Experiment, float], Estimate] = Cache()


def draw(
    place: DeltaGenerator,
    growth: Growth,
    counts: Sequence[int],
    lines: Sequence[str],
    points: Points,
    step: int,
) -> None:
    """Show both pictures in a place, in the stead of those that stood there; step tells the
    draws of a run apart.
    """
    with place.container():
        left, right = st.columns(2)
        with left:
            show_figure(mass_figure(growth, counts, points, lines), f"growth mass {step}")
        with right:
            show_figure(argmax_figure(growth, counts, points), f"growth argmax {step}")


def known(growth: Growth, counts: Sequence[int], error: float) -> Points:
    """The points of a picture that have been measured, by number of tokens and width."""
    return {
        (n_tokens, width): estimate
        for n_tokens in counts
        for width in growth.widths
        if (estimate := _estimates.get((growth.experiment(n_tokens, width), error)))
    }


def measure(
    growth: Growth, counts: Sequence[int], error: float, show: Callable[[Points, int], None]
) -> None:
    """Measure all points of a picture, with progress; show is called after each number of tokens.

    Any click ends the run, because Streamlit stops a script where it next writes to the page; what
    is measured stays.
    """
    total = len(counts) * len(growth.widths)
    progress = st.progress(0.0, "Drawing tokens …")
    st.button("Stop", icon=":material/stop:", help="What is measured so far stays.")
    for n_tokens in counts:
        for width in growth.widths:
            key = (growth.experiment(n_tokens, width), error)
            done = len(known(growth, counts, error))
            if _estimates.get(key):
                continue
            for estimate in estimates(key[0], error=error):
                progress.progress(
                    done / total,
                    f"N = {n_tokens}, width {width}: {estimate.draws:,} draws, standard error"
                    f" {estimate.error:.4f}",
                )
                latest = estimate
            _estimates.add(key, latest)
        show(known(growth, counts, error), n_tokens)
