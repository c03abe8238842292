"""The Monte Carlo of the growth page, whose points are measured once and kept, in a run that can be
stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_lab.cache import Cache
from attention_lab.diagonal.growth import TOKEN_COUNTS, Estimate, Experiment, Growth, estimates
from attention_viz.diagonal.growth import argmax_figure, mass_figure

from ..show import show_figure
from ..url_state import draw_bound

Points = dict[tuple[int, int], Estimate]


# Equal experiments give equal numbers, so all visitors share them.
_estimates: Cache[tuple[Experiment, float], Estimate] = Cache()
# LaTeX, by whether the scores are scaled.
DIVISOR = {True: r"\sqrt C", False: "1"}
RULE_EXPONENT = {True: r"1/2-\sqrt C", False: "-C/2"}
HALF_MASS_WIDTH = {True: r"\left(\ln(N-1)+\tfrac12\right)^2", False: r"2 \ln(N-1)"}


def choose_counts() -> Sequence[int]:
    """Draw the choice of the numbers of tokens; all of them where none is chosen."""
    chosen = draw_bound(
        st.pills,
        "Tokens N",
        TOKEN_COUNTS,
        default=TOKEN_COUNTS,
        selection_mode="multi",
        key="growth_n",
    )
    return chosen or TOKEN_COUNTS


def choose_lines() -> Sequence[str]:
    """Draw the choice of the curves."""
    lines: Sequence[str] = draw_bound(
        st.pills,
        "Curves",
        ("exact", "bound", "rule", "uniform"),
        default=("exact", "rule"),
        selection_mode="multi",
        key="growth_lines",
    )
    return lines


def draw_charts(
    place: DeltaGenerator,
    growth: Growth,
    counts: Sequence[int],
    lines: Sequence[str],
    points: Points,
    step: int,
) -> None:
    """Draw both charts into a place, which they replace. step: tells the draws of a run apart."""
    with place.container():
        left, right = st.columns(2)
        with left:
            show_figure(mass_figure(growth, counts, points, lines), f"growth mass {step}")
        with right:
            show_figure(argmax_figure(growth, counts, points), f"growth argmax {step}")


def known_points(growth: Growth, counts: Sequence[int], error: float) -> Points:
    """The points of a chart that have been measured, by number of tokens and width."""
    return {
        (n_tokens, width): estimate
        for n_tokens in counts
        for width in growth.widths
        if (estimate := _estimates.get((growth.experiment(n_tokens, width), error)))
    }


def measure_points(
    growth: Growth, counts: Sequence[int], error: float, show: Callable[[Points, int], None]
) -> None:
    """Measure all points of a chart, with progress; show is called after each number of tokens.

    Any click ends the run, because Streamlit then stops a script where it next writes to the page.
    The points measured so far are kept.
    """
    total = len(counts) * len(growth.widths)
    progress = st.progress(0.0, "Drawing tokens …")
    st.button("Stop", icon=":material/stop:", help="The points measured so far are kept.")
    for n_tokens in counts:
        for width in growth.widths:
            key = (growth.experiment(n_tokens, width), error)
            done = len(known_points(growth, counts, error))
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
        show(known_points(growth, counts, error), n_tokens)
