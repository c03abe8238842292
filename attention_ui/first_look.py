"""What a visitor sees before choosing anything: the first example, and for a new sentence a cell
that is worth a look.
"""

from __future__ import annotations

import json
from contextlib import suppress

import streamlit as st

from attention_core import AttentionError, Trace
from attention_lab.by_hand import Cell
from attention_lab.choices import LANGUAGE_MODEL, MAX_TEXT_LENGTH
from attention_lab.page_list import OwnControls, page_of
from attention_lab.presets import (
    KEEP_EXAMPLE,
    SENTENCE_KEY,
    SUITED_EXAMPLES,
    Preset,
    cell_worth_a_look,
    example_for,
    opening_cell,
    own_sentence,
    preset_of,
    widget_values,
)
from attention_lab.scenario import Scenario
from attention_lab.state_file import FOCUS
from attention_lab.url_choices import LAYER_PARAMETERS, names_no_layer, opens_at_a_cell
from attention_lab.whose_heads import HEAD_PAGES, LANGUAGE
from attention_viz.trained.head_pages import MODEL

from .controls import one_line
from .focus import default_layer
from .presets import is_held
from .url_state import held_place, requested, session, url_texts

# The choices that decide how many tokens there are, and which.
DECIDE_TOKENS = ("text", "n_tokens", "piece", "batch")
OPENING_JS = """(() => {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(NAMED)) {
    if (!url.searchParams.has(name)) url.searchParams.set(name, value);
  }
  history.replaceState(history.state, "", url);
})();
"""


def open_example(page: str, own: OwnControls | None) -> None:
    """Load the example of a page if a visit begins without any choice for a layer but the sentence,
    or if the visitor comes from another page and has chosen nothing yet.

    page: the URL path. own: the own controls of the page. A page that uses no shared control does
    not begin the visit of a layer; one that uses the sentence begins it with the default sentence,
    or with the example that suits it.
    """
    now, takes = session(), own is None or page in SUITED_EXAMPLES
    if page in HEAD_PAGES:
        takes = st.session_state.get(MODEL.key) == LANGUAGE
    if now.has_scripts:
        now.opening = {}  # the script has written it
    if now.begun:
        if takes and now.unchosen and now.url_path != page and page not in KEEP_EXAMPLE:
            _go_on_with(example_for(page))
        return
    is_named = _is_named(page)
    now.begun = is_named or not own or bool(own.used)
    if takes and not is_named:
        held = _opening_example(page).session_values
        st.session_state.update(held)
        usual = widget_values(Scenario()) | dict.fromkeys((*FOCUS, SENTENCE_KEY), 0)
        if not now.has_scripts:
            now.opening |= url_texts({name: v for name, v in held.items() if v != usual[name]})


def _opening_example(page: str) -> Preset:
    """The example of a page, or the sentence of the URL in the language model."""
    if texts := session().asked.get("text"):
        return own_sentence(one_line(texts[-1])[:MAX_TEXT_LENGTH])
    return example_for(page)


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
    if carried and is_held(now.last) and now.last != example.scenario:
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
    if before == scenario or _is_asked():
        return
    held = Cell(*(held_place(name) for name in FOCUS))
    if before is None:
        if opens_at_a_cell(scenario) and held == Cell():
            with suppress(AttentionError):
                st.session_state.update(opening_cell(scenario)._asdict())
        return
    is_gone = held.query >= trace.sizes["T"] or held.key >= trace.sizes["S"]
    is_new = any(getattr(before, name) != getattr(scenario, name) for name in DECIDE_TOKENS)
    if is_gone or (is_new and held in (Cell(), _first_cell(before, held.head))):
        # In the language model the head was chosen for the visitor.
        head = 0 if before.weights == LANGUAGE_MODEL else held.head
        st.session_state.update((_first_cell(scenario, head) or Cell())._asdict())


def _is_asked() -> bool:
    """Whether the URL asks for a place, or a step back takes one back."""
    return any(requested(name) is not None or name in session().taken_back for name in FOCUS)


def _first_cell(scenario: Scenario, head: int) -> Cell | None:
    """The cell that is shown first: that of an example, else one that is worth a look in a head."""
    with suppress(AttentionError):
        if (preset := preset_of(scenario)) and preset.focus:
            return preset.focus
        return cell_worth_a_look(scenario, head)
    return None
