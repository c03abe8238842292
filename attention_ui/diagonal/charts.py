"""Parts of the pages with charts: the points of the geometry page, which the URL holds and which
sliders, a table or an example set; the Monte Carlo of the growth page, whose points are measured
once and kept, in a run that can be stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_core import AttentionError, SettingsError
from attention_core.checks import Array
from attention_lab.cache import Cache
from attention_lab.diagonal.growth import TOKEN_COUNTS, Estimate, Experiment, Growth, estimates
from attention_lab.diagonal.settings import DIAGONAL_PRESETS
from attention_lab.diagonal.token_matrices import format_tokens, parse_tokens
from attention_viz.diagonal.geometry import points_from_table, points_table
from attention_viz.diagonal.growth import argmax_figure, mass_figure
from attention_viz.markdown import escape_markdown

from ..show import show_figure
from ..url_state import draw_bound, restore, restore_place, write_to_url

DEFAULT_POINTS = "2,1; 1,3; 3.5,2.5; -2,2; -1,-2; 1.5,-1.5"
MAX_COORDINATE, MAX_POINTS = 25.0, 12
TOKEN_KEY, TOKEN_LABEL = "plane_token", "Chosen token"
PLANE_PRESETS = ("nearly_all", "equal_norms", "duplicates", "inside")  # those with two features
DRAWN_DESCRIPTIONS = {
    "points": (
        "Tokens as arrows in the plane: vectors with C = 2 features and no weights, so that query,"
        " key and value of a token are the same arrow."
    ),
    "tied": (
        "The words of the sentence in a head with d_k = 2 and tied weights: the queries and the"
        " keys have the same weights."
    ),
    "free": (
        "The words of the sentence in a head with d_k = 2 and free weights: those of the queries"
        " and those of the keys are unrelated."
    ),
}
# What is said of the keys that beat the chosen token in its own row; False: its query is 0.
BEATING_CONDITIONS: dict[str | bool, str] = {
    "points": (
        "A key beats it, which means that its score is higher, exactly if it lies in the shaded"
        " half-plane: $x_j \\cdot x_i > |x_i|^2$. Then its projection onto the token's arrow is"
        " longer than that arrow."
    ),
    "tied": (
        "A key beats it, which means that its score is higher, exactly if it lies in the shaded"
        " half-plane: $k_j \\cdot q_i > k_i \\cdot q_i$. With tied weights key and query are the"
        " same arrow, so only longer arrows can beat it."
    ),
    "free": (
        "A key beats it, which means that its score is higher, exactly if it lies in the shaded"
        " half-plane: $k_j \\cdot q_i > k_i \\cdot q_i$. With free weights the token's own key can"
        " lie anywhere, and nothing favours the token itself."
    ),
    False: (
        "Its query is 0, so its scores for all keys are 0. There is no half-plane, no key beats it,"
        " and it reads all tokens equally."
    ),
}
PICTURE_CAPTIONS = {
    "points": (
        "Dashed: the convex hull of the values, which holds all their weighted averages. Every"
        " output (diamond) is such an average and lies inside."
    ),
    "tied": "Arrows from the origin are keys; blue is the query of the chosen token.",
    "free": (
        "Arrows from the origin are keys; blue is the query of the chosen token, orange its own"
        " key. Point at an arrow to read its word."
    ),
}
Points = dict[tuple[int, int], Estimate]


# Equal experiments give equal numbers, so all visitors share them.
_estimates: Cache[tuple[Experiment, float], Estimate] = Cache()
# LaTeX, by whether the scores are scaled.
DIVISOR = {True: r"\sqrt C", False: "1"}
RULE_EXPONENT = {True: r"1/2-\sqrt C", False: "-C/2"}
HALF_MASS_WIDTH = {True: r"\left(\ln(N-1)+\tfrac12\right)^2", False: r"2 \ln(N-1)"}


def shown_points() -> Array:
    """The points that are shown. Shapes: (T, 2)."""
    restore("plane", "Points", DEFAULT_POINTS, _read)
    write_to_url("plane", DEFAULT_POINTS)
    return parse_tokens(st.session_state["plane"])


def show_plane_examples() -> None:
    """Draw a button for each example in the plane, and one for the points shown at first."""
    with st.container(horizontal=True, gap="small"):
        about: dict[str, Any] = {
            "type": "tertiary",
            "icon": ":material/science:",
            "on_click": _set,
        }
        st.button("Six points", key="plane first", args=(DEFAULT_POINTS,), **about)
        for preset in DIAGONAL_PRESETS:
            if preset.name in PLANE_PRESETS:
                numbers = preset.settings.numbers
                st.button(
                    preset.title,
                    key=f"plane {preset.name}",
                    help=preset.hint,
                    args=(numbers,),
                    **about,
                )


def show_sliders(x_T2: Array, token: int) -> None:
    """Draw two sliders that move a token; a slider reports when it is released."""
    reach = min(MAX_COORDINATE, ceil(abs(x_T2).max()) + 2.0)
    for axis, (name, place) in enumerate(zip("xy", st.columns(2), strict=True)):
        key = f"plane_{name}"
        st.session_state[key] = round(float(x_T2[token, axis]), 1)
        place.slider(
            f"Its {name}",
            -reach,
            reach,
            step=0.1,
            key=key,
            on_change=_move,
            args=(token, axis, key),
        )


def show_table(x_T2: Array) -> None:
    """Draw all points as a table to type into; rows can be added and removed."""
    key = f"plane table {st.session_state['plane']}"
    typed = st.data_editor(
        points_table(x_T2), key=key, num_rows="dynamic", alt="The tokens as points of the plane."
    )
    text = format_tokens(points_from_table(typed))
    if text == format_tokens(x_T2):
        return
    try:
        _set(_read(text))
    except AttentionError as error:
        st.warning(escape_markdown(str(error)))
    else:
        st.rerun()


def choose_plane_token(n_tokens: int) -> int:
    """Draw the choice of a token; the URL holds its index."""
    restore_place(TOKEN_KEY, TOKEN_LABEL, 0, n_tokens)
    st.select_slider(
        TOKEN_LABEL,
        range(n_tokens),
        st.session_state[TOKEN_KEY],
        key=TOKEN_KEY,
        persist_state="session",
        help="The shaded half-plane belongs to the query of this token.",
    )
    write_to_url(TOKEN_KEY, 0)
    return int(st.session_state[TOKEN_KEY])


def choose_clicked_token(array: str, index: Sequence[int]) -> None:
    """Choose the token whose row was clicked; for callbacks of boards."""
    st.session_state[TOKEN_KEY] = index[0]


def _set(text: str) -> None:
    st.session_state["plane"] = text


def _move(token: int, axis: int, key: str) -> None:
    x_T2 = parse_tokens(st.session_state["plane"])
    if token < len(x_T2):
        x_T2[token, axis] = st.session_state[key]
        _set(format_tokens(x_T2))


def _read(given: str) -> str:
    """Points as text, as the session keeps them. Raises: SettingsError, ShapeError."""
    x_T2 = parse_tokens(given)
    if x_T2.shape[1] != 2 or len(x_T2) > MAX_POINTS or abs(x_T2).max() > MAX_COORDINATE:
        raise SettingsError(
            f"points have shape {x_T2.shape}, with numbers up to {abs(x_T2).max():g}: write at most"
            f" {MAX_POINTS} points such as 2,1; 1,3 with numbers from −{MAX_COORDINATE:g} to"
            f" {MAX_COORDINATE:g}"
        )
    return format_tokens(x_T2)


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
