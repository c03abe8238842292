"""The controls of the head that the pages of the diagonal share, its examples, and its pinned pair.

Each widget is bound to the URL with fixed bounds. The session keeps the values of controls that a
page does not show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import streamlit as st

from attention_core import Trace
from attention_core.checks import Array
from attention_lab.diagonal.measures import pair_violations, worst_pair
from attention_lab.diagonal.settings import (
    DIAGONAL_PRESETS,
    DIAGONAL_WEIGHTS,
    POSITIONS,
    TOKEN_SOURCES,
    DiagonalSettings,
)
from attention_lab.diagonal.token_matrices import MAX_FEATURES, MAX_TOKENS, format_tokens
from attention_lab.words.text import tokenize_at_most
from attention_viz.markdown import escape_markdown

from ..reference.glossary import meaning
from ..url_state import (
    PERSISTENCE,
    cell_places,
    choose_one,
    draw_bound,
    draw_expander,
    must_draw,
    seed_input,
    session,
    set_places,
)

DIAGONAL_DEFAULTS = asdict(DiagonalSettings())
KEY_WIDTHS = ("as C", *(str(width) for width in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)))
TOKEN_FIELDS = (
    "tokens",
    "numbers",
    "n_tokens",
    "d_model",
    "spread",
    "positions",
    "layer_norm",
    "seed",
)
GROUP = "group of the head"
LAYER_FIELDS = ("weights", "angle", "d_k", "scaled", "temperature", "causal")


def choose_settings(text: str) -> DiagonalSettings:
    """Draw all controls of the head, in a group that is closed until one is moved."""
    names = (*TOKEN_FIELDS, *LAYER_FIELDS)
    defaults = {f"lab_{name}": _widget_value(name, DIAGONAL_DEFAULTS[name]) for name in names}
    session().open.setdefault(GROUP, must_draw(defaults))
    with draw_expander("Other tokens, other weights", GROUP):
        token_controls(text)
        return layer_controls(text)


def token_controls(text: str) -> DiagonalSettings:
    """Draw the controls of the tokens; give the settings without weights that they make."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = choose_one("Tokens X", TOKEN_SOURCES, TOKEN_SOURCES[0], **_about("tokens"))
        if kind == "numbers":
            draw_bound(
                st.text_input,
                "Tokens, such as 3,3; 10,0",
                DIAGONAL_DEFAULTS["numbers"],
                max_chars=2000,
                width=260,
                **_about("numbers"),
            )
        elif "lab_numbers" not in st.query_params:
            # Streamlit writes a value that a callback sets into the URL only if it knew the widget.
            st.session_state.setdefault("lab_numbers", DIAGONAL_DEFAULTS["numbers"])
        if kind == "drawn":
            draw_bound(st.slider, "How many, N", 1, MAX_TOKENS, 16, width=150, **_about("n_tokens"))
        if kind != "numbers":
            draw_bound(st.slider, "Features C", 1, MAX_FEATURES, 16, width=150, **_about("d_model"))
        draw_bound(
            st.slider,
            "Spread of the lengths",
            0.0,
            2.0,
            0.0,
            0.1,
            width=150,
            help="Above 0, random factors make the vectors of the tokens longer or shorter.",
            **_about("spread"),
        )
        draw_bound(st.selectbox, "Positions", POSITIONS, width=140, **_about("positions"))
        if kind == "drawn" or _held("spread"):
            seed_input(**_about("seed"))
        draw_bound(st.toggle, "LayerNorm", help=meaning("LayerNorm"), **_about("layer_norm"))
    return _settings(TOKEN_FIELDS, text)


def layer_controls(text: str) -> DiagonalSettings:
    """Draw the controls of weights and options; give the whole settings."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        weights = draw_bound(
            st.selectbox, "Weights", DIAGONAL_WEIGHTS, width=180, **_about("weights")
        )
        if weights == "angle":
            draw_bound(
                st.slider,
                "Angle from W_Q to W_K",
                0,
                180,
                0,
                5,
                format="%d°",
                width=170,
                **_about("angle"),
            )
        if weights != "weightless":
            draw_bound(st.select_slider, "d_k", KEY_WIDTHS, width=150, **_about("d_k"))
        if weights != "weightless" and _held("tokens") != "drawn" and not _held("spread"):
            seed_input(**_about("seed"))
        draw_bound(
            st.slider,
            "Temperature",
            0.1,
            5.0,
            1.0,
            0.1,
            width=150,
            help=meaning("temperature"),
            **_about("temperature"),
        )
        draw_bound(st.toggle, "Scaled by 1/√d_k", True, **_about("scaled"))
        draw_bound(st.toggle, "Causal mask", **_about("causal"))
    return _settings((*TOKEN_FIELDS, *LAYER_FIELDS), text)


def show_cut_note(text: str, is_read: bool = True) -> None:
    """Say which words of the sentence are left out. is_read: whether the page reads it. Raises:
    TextError.
    """
    if is_read:
        for note in tokenize_at_most(text, MAX_TOKENS).notes:
            st.caption(escape_markdown(note))


def show_examples() -> None:
    """Draw a button for each example; it sets all controls of the section."""
    with st.container(horizontal=True, gap="small"):
        for preset in DIAGONAL_PRESETS:
            held = {
                f"lab_{name}": _widget_value(name, value)
                for name, value in _fields(preset.settings).items()
            }
            st.button(
                preset.title,
                key=f"lab example {preset.name}",
                help=preset.hint,
                on_click=_load,
                args=(held,),
                type="tertiary",
                icon=":material/science:",
            )


def show_example_hint(settings: DiagonalSettings) -> None:
    """Draw what to look at, where the settings are those of an example."""
    mine = _fields(settings)
    for preset in DIAGONAL_PRESETS:
        if _fields(preset.settings) == mine:
            st.caption(preset.hint)


def load_tokens(x: Array) -> None:
    """Make a token matrix the typed numbers, with no change to them; for callbacks."""
    typed = _fields(DiagonalSettings(tokens="numbers", numbers=format_tokens(x)))
    _load({f"lab_{name}": _widget_value(name, typed[name]) for name in TOKEN_FIELDS})


def pinned_pair(trace: Trace, unless_broken: tuple[int, int] | None = None) -> tuple[int, int]:
    """The pinned pair of tokens; without one, the pair that breaks the pair bound most or comes
    nearest to it.

    unless_broken: the pair in its place where no pair breaks the bound.
    """
    n_tokens = trace.sizes["T"]
    held = cell_places(
        "lab_cell", "Pair", "", (n_tokens, n_tokens), "A pair is two whole numbers such as 0-1"
    )
    if unless_broken and not pair_violations(trace.probabilities[0, 0]).any():
        held = held or unless_broken
    row, column = held or worst_pair(trace.probabilities[0, 0])
    return row, column


def pin_pair(array: str, index: Sequence[int]) -> None:
    """Pin the pair of a clicked cell; for callbacks of boards."""
    set_places("lab_cell", *index[-2:])


def _about(name: str) -> dict[str, Any]:
    return {"key": f"lab_{name}", **PERSISTENCE}


def _held(name: str) -> Any:
    """What a widget holds; the default where it has none, or the URL emptied it."""
    held = st.session_state.get(f"lab_{name}")
    if held is None:
        return _widget_value(name, DIAGONAL_DEFAULTS[name])
    return held


def _settings(names: Sequence[str], text: str) -> DiagonalSettings:
    """The settings of some widgets; all other fields have their defaults."""
    values = {name: _held(name) for name in names}
    values["angle"] = float(values.get("angle", 0))
    if "d_k" in values:
        values["d_k"] = KEY_WIDTHS.index(values["d_k"]) and int(values["d_k"])
    return DiagonalSettings(text=text, **values)


def _fields(settings: DiagonalSettings) -> dict[str, Any]:
    """Settings without the sentence, which is a control of the sidebar."""
    return {name: value for name, value in asdict(settings).items() if name != "text"}


def _widget_value(name: str, value: Any) -> Any:
    if name == "d_k":
        return str(value or KEY_WIDTHS[0])
    if name == "angle":
        return int(value)
    return value


def _load(held: Mapping[str, Any]) -> None:
    st.session_state.update(held)
    st.session_state["lab_cell"] = ""
