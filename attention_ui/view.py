"""The switches that change only how things look, and the styles of a page."""

from typing import Any

import streamlit as st

from attention_lab.control_list import VIEW_DEFAULTS, VIEW_SWITCHES
from attention_lab.notation.notation import OURS, Notation
from attention_lab.notation.texts import NOTATIONS
from attention_lab.page_list import Page
from attention_viz.theme import PALETTES
from attention_viz.widgets import view_widgets

from .show import theme_mode
from .url_state import control_group, draw_bound
from .widgets import draw_widget

# Dark pages would take much ink: they are printed light, with the same hues.
PRINT_FILTERS = {"light": "none", "dark": "invert(1) hue-rotate(180deg) brightness(1.1)"}

# The type of lecture mode, and room for it.
LARGE_TYPE_CSS = "font-size: 21px; --lesson: 1.15rem; --column: 16rem; --sides: 1.5rem;"

# A stage begins right below the bar of chapters; in lecture mode it is alone in the window.
MAIN_BLOCK = '[data-testid="stMainBlockContainer"]'

STAGE_CSS = (
    f"@media screen {{ {MAIN_BLOCK} {{ padding: 3.9rem 1rem 3rem !important; }}"
    " .st-key-stage { min-height: calc(100vh - 4.6rem); } }"
)

LECTURE_CSS = (
    ":root { --bar: 0px; --lesson: 1.5rem; }"
    f" @media screen {{ {MAIN_BLOCK} {{ padding: 0.2rem 1rem 3rem !important; }}"
    ' [data-testid="stHeader"], [data-testid="stSidebar"], #attention-corner'
    " { display: none !important; }"
    " .st-key-stage { min-height: calc(100vh - 1rem); }"
    # One button at the end of the row of pages, whose last part it may cover.
    " #attention-book { left: auto !important; padding: 0 !important; height: 3rem !important; }"
    " body { --chapters: none; --pages: block; --list: auto 0.4rem; --at-end: 5.5rem; } }"
)

# On a page whose controls have no effect, or that a class looks at.
WITHOUT_SIDEBAR_CSS = (
    '@media screen { [data-testid="stSidebar"], [data-testid="stExpandSidebarButton"]'
    " { display: none !important; } }"
)

# In a low window the type is smaller, so that a picture of many rows ends in it.
FILLED_CSS = f" @media (max-height: 740px) {{ :root {{ font-size: 19px; }} }} {WITHOUT_SIDEBAR_CSS}"

# The pages of the story without a stage keep that frame: their words are larger, and the strip is
# as wide as on every step.
LECTURE_WORDS_CSS = (
    '@media screen { [data-testid="stMain"] { --lecture: 1.25rem; }'
    ' [data-testid="stMain"] :is(p, li, label, input, button, code) '
    "{ font-size: max(1em, var(--lecture)); } .st-key-stage { min-height: 0 !important; } }"
)


def draw_view() -> Notation:
    """Draw the switches that change only how things look; gives the notation."""
    held = {name: st.session_state.get(name, one) for name, one in VIEW_DEFAULTS.items()}
    with st.sidebar, control_group("View", VIEW_DEFAULTS, held) as shown:
        for one in view_widgets(VIEW_DEFAULTS):
            if one.name in shown:
                draw_widget(one, draw_bound, key=one.name)
    return NOTATIONS.get(str(st.session_state.get("notation")), OURS)


def view_switches() -> dict[str, Any]:
    """The switches by name, as the session holds them."""
    return {key: bool(st.session_state.get(key)) for _, key, _ in VIEW_SWITCHES}


def page_css(page: Page, is_staged: bool) -> str:
    """The style sheet of a page with these switches and the visitor's colours. is_staged: whether a
    stage is shown.
    """
    mode = theme_mode()
    paper, focus = (PALETTES[mode][name] for name in ("background", "focus"))
    colours = f"--page: {paper}; --focus: {focus}; --on-paper: {PRINT_FILTERS[mode]};"
    is_lecture = bool(st.session_state.get("present"))
    type_size, more = "font-size: 16px;", ""
    if is_lecture and page.section == "story":
        more = LECTURE_CSS if is_staged else LECTURE_CSS + LECTURE_WORDS_CSS
    elif is_staged:
        more = STAGE_CSS
    elif is_lecture:
        type_size, more = LARGE_TYPE_CSS, FILLED_CSS if page.fills_lecture else ""
    if not page.has_sidebar:
        more += WITHOUT_SIDEBAR_CSS
    return f":root {{ {type_size} {colours} }} {more}"
