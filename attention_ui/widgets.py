"""Draws a widget (`attention_viz/widgets.py`) with Streamlit."""

from collections.abc import Callable
from operator import call
from typing import Any

import streamlit as st

from attention_viz.widgets import Widget

LETTER, BESIDE_LETTERS = 7.5, 70  # px: a letter of a menu, and what stands beside them
NARROWEST, WIDEST = 130, 420  # px, of a menu or a field
TEXT_AREA_HEIGHT = 68  # px, two lines


def draw_widget(one: Widget, draw: Callable[..., Any] = call, *, key: str, **about: Any) -> Any:
    """Draw a widget; gives what it holds. draw: calls a function of Streamlit, as `draw_bound` does
    that binds it to the URL.
    """
    keys, label, value = tuple(one.options), one.label, one.value
    about |= {"key": key, "help": one.help or None}
    if keys:
        about["format_func"] = one.options.__getitem__
    match one.kind:
        case "menu":
            return draw(st.selectbox, label, keys, keys.index(value), required=True, **about)
        case "buttons":
            return draw(st.segmented_control, label, keys, default=value, required=True, **about)
        case "several":
            default = list(value)
            return draw(st.pills, label, keys, selection_mode="multi", default=default, **about)
        case "scale" if keys:
            return draw(st.select_slider, label, keys, value, **about)
        case "scale":
            return draw(st.slider, label, one.low, one.high, value, one.step, **about)
        case "number":
            if isinstance(value, float):
                about["format"] = "%.3f"
            return draw(st.number_input, label, one.low, one.high, value, one.step, **about)
        case "lines":
            return draw(st.text_area, label, value, height=TEXT_AREA_HEIGHT, **about)
        case "text":
            return draw(st.text_input, label, value, **about)
    return draw(st.toggle, label, value, **about)


def width_of(one: Widget) -> int:
    """How wide a menu or a field is on a page, in px: its longest text decides."""
    wide = LETTER * max(map(len, (one.label, *one.options.values()))) + BESIDE_LETTERS
    return WIDEST if one.is_wide else round(min(max(wide, NARROWEST), WIDEST))
