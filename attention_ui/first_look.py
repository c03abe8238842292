"""What a visitor sees before choosing anything: the first example, and for a new sentence a cell
that is worth a look.
"""

import json
from dataclasses import asdict

import streamlit as st

from attention_core import Trace
from attention_lab.acts import looked_at, opened
from attention_lab.focus import Focus
from attention_lab.page_list import OwnControls, page_of
from attention_lab.presets import KEEP_EXAMPLE, Preset, example_for, widget_values
from attention_lab.scenario import Scenario
from attention_lab.state_file import FOCUS
from attention_lab.url_choices import LAYER_PARAMETERS, names_no_layer, opens_at_a_cell
from attention_lab.whose_heads import LANGUAGE
from attention_viz.trained.head_pages import MODEL

from .focus import default_layer
from .presets import is_held
from .url_state import held_place, requested, session, url_texts

OPENING_JS = """(() => {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(NAMED)) {
    if (!url.searchParams.has(name)) url.searchParams.set(name, value);
  }
  history.replaceState(history.state, "", url);
})();
"""


def open_example(page: str, own: OwnControls | None) -> None:
    """Load that with which a page opens if a visit begins without any choice for a layer but the
    sentence, or if the visitor comes from another page and has chosen nothing yet.

    page: the URL path. own: the own controls of the page. A page that uses no shared control does
    not begin the visit of a layer.
    """
    now = session()
    if now.has_scripts:
        now.opening = {}  # the script has written it
    model = str(st.session_state.get(MODEL.key, LANGUAGE))
    if now.begun:
        if now.unchosen and now.url_path != page and page not in KEEP_EXAMPLE:
            _go_on_with(example_for(page, model))
        return
    is_named = _is_named(page)
    now.begun = is_named or not own or bool(own.used)
    first = opened(page, now.asked, model)
    if is_named:
        if opens_at_a_cell(first.scenario) and now.asked.keys().isdisjoint(FOCUS):
            st.session_state.update(asdict(first.focus))
    elif (first.scenario, first.focus) != (Scenario(first.scenario.text), Focus(0, 0, 0, 0)):
        held = widget_values(first.scenario) | asdict(first.focus)
        st.session_state.update(held)
        usual = widget_values(Scenario()) | dict.fromkeys(FOCUS, 0)
        if not now.has_scripts:
            now.opening |= url_texts({name: v for name, v in held.items() if v != usual[name]})


def _go_on_with(example: Preset) -> None:
    """Load the example of another page, if a link of the book has led there: it carries the choices
    and places of the page before.
    """
    now = session()
    held = url_texts(widget_values(now.last))
    carried = all(
        requested(name) is None if name in FOCUS else held.get(name) == texts[-1]
        for name, texts in now.asked.items()
        if name in LAYER_PARAMETERS
    )
    if example.name and carried and is_held(now.last) and now.last != example.scenario:
        st.session_state.update(example.session_values)
        now.last = example.scenario
        now.asked = {
            name: texts for name, texts in now.asked.items() if name not in LAYER_PARAMETERS
        }


def opening_script() -> str:
    """The script that writes the first example into the URL. Before the browser has the script of
    the history, every value that Streamlit writes there would become an entry of the history.
    """
    if not session().opening:
        return ""
    return OPENING_JS.replace("NAMED", json.dumps(session().opening).replace("<", "\\u003c"))


def _is_named(page: str) -> bool:
    """Whether the URL of a page names a layer or a place in it, or one was moved."""
    is_moved = not is_held(default_layer()) or any(st.session_state.get(name) for name in FOCUS)
    return is_moved or not names_no_layer(session().asked, page_of(page).section)


def track_scenario(page: str, scenario: Scenario, trace: Trace | None) -> None:
    """Note the scenario of the layer. If its tokens are new and the visitor has not chosen a cell,
    or if they lack the cell, move the focus to a cell that is worth a look.

    page: the page on which notes describe the change. trace: None if no layer was run; then nothing
    is noted.
    """
    now = session()
    if trace is None:
        return
    before, now.last = now.last, scenario
    if now.url_path != page or before != scenario:
        is_usual = scenario == example_for(page).scenario
        now.unchosen = is_usual and (before is None or (now.unchosen and now.url_path != page))
    if before != scenario:
        now.before = before
    elif now.url_path != page:
        now.before = None
    if before is not None and not _is_asked():
        held = Focus(*(held_place(name) for name in FOCUS))
        if (focus := looked_at(before, scenario, held)) != held:
            st.session_state.update(asdict(focus))
            now.looks_anew = True


def _is_asked() -> bool:
    """Whether the URL asks for a place, or a step back takes one back."""
    return any(requested(name) is not None or name in session().taken_back for name in FOCUS)
