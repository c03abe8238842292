"""The switches that change how things look and nothing else, and the styles they ask for."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_lab.notation.notation import OURS, Notation
from attention_lab.notation.texts import NOTATIONS
from attention_viz.theme import PALETTES

from .show import theme_mode
from .url_state import bound, control_group

# What is dark would take much ink: it is printed light, in its own hues.
PRINT_FILTERS = {"light": "none", "dark": "invert(1) hue-rotate(180deg) brightness(1.1)"}


# of a presentation: the type, and room for it
LARGE_TYPE_CSS = "font-size: 21px; --column: 16rem; --sides: 1.5rem;"


# A stage begins right below the menu; in a lecture it is alone in the window.
MAIN_BLOCK = '[data-testid="stMainBlockContainer"]'


STAGE_CSS = (
    f"@media screen {{ {MAIN_BLOCK} {{ padding: 3.9rem 1rem 3rem !important; }}"
    " .st-key-stage { min-height: calc(100vh - 4.6rem); } }"
)


LECTURE_CSS = (
    f"@media screen {{ {MAIN_BLOCK} {{ padding: 0.2rem 1rem 3rem !important; }}"
    ' [data-testid="stHeader"], [data-testid="stSidebar"], #attention-corner'
    " { display: none !important; }"
    " .st-key-stage { min-height: calc(100vh - 1rem); } }"
)


VIEW_DEFAULTS = {
    "notation": OURS.key,
    "own_scale": False,
    "present": False,
    "hide": False,
    "guess": True,
    "whole": False,
}


SWITCHES = (
    ("Each head its own colours", "own_scale", "Else all share one scale."),
    (
        "Lecture mode",
        "present",
        "A step alone in the window, in large type; a clicker goes on and back.",
    ),
    ("Hide the result", "hide", "Covered until a cell or a row is asked for."),
    ("Guess first", "guess", "Each step asks one thing before it shows it."),
    (
        "Whole matrices",
        "whole",
        "Steps show the columns of all heads, not those of the head in focus alone.",
    ),
)


def one_window() -> DeltaGenerator:
    """Where a page puts its choices and its main picture: as high as a window below the title, so
    that a picture that comes later moves nothing.
    """
    return st.container(key="one window")


def draw_view() -> Notation:
    """The switches that change how things look and nothing else; gives whose symbols are shown."""
    with st.sidebar, control_group("View", VIEW_DEFAULTS) as shown:
        if "notation" in shown:
            bound(
                st.selectbox,
                "Notation",
                tuple(NOTATIONS),
                key="notation",
                required=True,
                help="; ".join(f"{key}: {text.title}" for key, text in NOTATIONS.items()) + ".",
            )
        for label, key, says in SWITCHES:
            if key in shown:
                bound(st.toggle, label, key=key, help=says)
    return NOTATIONS.get(str(st.session_state.get("notation")), OURS)


def page_css(is_staged: bool) -> str:
    """How the page looks with these switches and in the visitor's colours, as a style sheet."""
    mode = theme_mode()
    page, chosen = (PALETTES[mode][name] for name in ("background", "focus"))
    colours = f"--page: {page}; --focus: {chosen}; --on-paper: {PRINT_FILTERS[mode]};"
    present = bool(st.session_state.get("present"))
    large = LARGE_TYPE_CSS if present and not is_staged else "font-size: 16px;"
    alone = LECTURE_CSS if present and is_staged else STAGE_CSS if is_staged else ""
    return f":root {{ {large} {colours} }} {alone}"
