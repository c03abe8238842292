"""What stands around every page: menu, controls, focus, the way through the layer, and the
error box.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_core import AttentionError, Trace
from attention_lab.notation.notation import Notation, symbol
from attention_lab.scenario import Scenario, sequence_of, settled, tokens_of

from . import controls, own_numbers, uneven_heads
from .browser_scripts import first_scripts, script
from .facts import fact
from .first_look import begin, follow
from .focus import focus
from .lesson import lesson_style, read_shown_lesson, stage_place
from .markdown import plain
from .menu import menu
from .page_context import PageContext, page_context
from .panels import say_columns, say_notation
from .presets import choose
from .reference.questions import foot
from .registry import OwnControls, Page, page_of, story
from .script_lock import script_lock
from .sequence import notes_of_batch, of_batch
from .show import explained_errors
from .step import show_strip
from .teach.lesson_draft import draw_draft
from .trained import uploaded_heads
from .url_state import (
    leave_old_url,
    open_requested_page,
    read_url,
    refuse_unusable,
    session,
    show_refusals,
)
from .view import VIEW, draw_view, look

ASSETS = Path(__file__).parent.parent / "assets"


KEEP_SYMBOLS = ("diagonal", "labs")  # sections that look alike in every notation


def run() -> None:
    """Draw the app, then say what of the address could not be followed."""
    with script_lock():
        read_url()
        session().facts = {}
        page = _draw()
        own = uploaded_heads.controls_of(page)
        refuse_unusable(page.url_path, controls.of_other_pages(own.used) if own else ())
        fact("refused", session().refused)
        show_refusals()
        # Only now: of a run that starts anew half-way the browser may get nothing.
        session().has_scripts, session().heard = True, _heard_of(page)


def _draw() -> Page:
    """The frame, then the page that the address names, which it gives."""
    now, (chosen, page) = session(), _opened()
    own = uploaded_heads.controls_of(page)
    begin(own)
    scenario, below_sizes = _choices(own)
    seen, sequence = of_batch(scenario, page)
    notation = draw_view()
    now.page, now.is_headed = page, False
    # One place for the stage or the heading, and for what is said below it, so that all that
    # follows keeps its own.
    now.stage_place = stage_place()
    if page not in story():
        _heading(page, notation)
    trace = None if own else _trace(seen, sequence, page.needs_layer)
    follow(page.url_path, scenario, trace)
    with below_sizes:
        place = focus(trace, page.looks_into)
    with st.sidebar:
        with explained_errors():
            if own is None:
                own_numbers.draw(scenario, trace, place)
        draw_draft(page)
        # The last: what the next run leaves out must not move what stays.
        _tell_browser(page)
    if own is not None or trace is not None or not page.needs_layer:
        with explained_errors():
            now.page_context = PageContext(seen, place, notation, sequence=sequence)
            try:
                chosen.run()
                foot(page)
            finally:  # after an error, too
                _heading(page, notation)
                _say_notes(now.page_context, page, _notes(scenario, own, trace, page))
    _heading(page, notation)
    return page


def _opened() -> tuple[Any, Page]:
    """What runs the page that the URL names, or the one that was asked for; and the page."""
    st.logo(str(ASSETS / "logo.svg"), icon_image=str(ASSETS / "icon.svg"), size="large")
    now = session()
    # Once for a visitor: each page looks for its file on the disk.
    now.menu = now.menu or menu()
    chosen = st.navigation(now.menu, position="top")
    open_requested_page((*(control.name for control in controls.CONTROLS), *VIEW, "which"))
    page = page_of(chosen.url_path)
    leave_old_url(chosen.url_path, page)
    read_shown_lesson(chosen.url_path)
    return chosen, page


def _choices(own: OwnControls | None) -> tuple[Scenario, DeltaGenerator]:
    """The controls, with the examples above them; gives what was chosen, and the place below the
    sizes.
    """
    examples = st.sidebar.container(key="examples")
    scenario, below_sizes = controls.scenario(own.used if own else None)
    scenario = own_numbers.with_own_numbers(scenario)
    with examples:
        if own:
            st.caption(own.says)
        if own is None or own.used:
            choose(scenario, explained=own is None)
    return scenario, below_sizes


def _say_notes(now: PageContext, page: Page, notes: tuple[str, ...]) -> None:
    """What became of the sentence, whose symbols are shown, and what they turn round: below the
    stage or the heading.
    """
    with session().stage_place:
        for note in notes:
            st.caption(plain(note))
        say_notation(now.notation, keeps_symbols=page.section in KEEP_SYMBOLS)
        if page.looks_into and page.on_boards:
            say_columns(now)


def _notes(
    scenario: Scenario, own: OwnControls | None, trace: Trace | None, page: Page
) -> tuple[str, ...]:
    """Notes on the sentence and the weights, as far as the page uses them. A section with tokens of
    its own tells of them itself; on a stage the weights have their own note.
    """
    if own and "text" not in own.used:
        return ()
    found = [*controls.notes(scenario), *notes_of_batch(scenario, page)]
    if trace is not None and page not in story():
        found += controls.layer_notes(scenario)
    if trace is not None:
        found += tokens_of(page_context().shown).notes
    return tuple(found)


def _trace(scenario: Scenario, sequence: int, explained: bool) -> Trace | None:
    """The layer run on the user's choices, or None. explained: whether the page says why there is
    none and what to do; one that comes to need it says it later.
    """
    with explained_errors() if explained else suppress(AttentionError):
        if not uneven_heads.uneven(settled(scenario)):
            return sequence_of(scenario, sequence)
        if explained:
            uneven_heads.offer(scenario)
    return None


def _heard_of(page: Page) -> tuple[str, str]:
    """What the browser is told once: the page whose title the tab has, and how the page looks."""
    return page.url_path, look(page in story()) + lesson_style()


def _tell_browser(page: Page) -> None:
    """The title of the tab, style sheets, and in a first run the scripts, but for what the last run
    that ended has told.
    """
    now, title, style = session(), *_heard_of(page)
    heard, now.heard = now.heard, ("", "")  # till this run has ended nobody knows
    if heard[0] != title:
        icon = str(ASSETS / "icon.svg")
        st.set_page_config(f"{page.title} · Attention Lab", icon, layout="wide")
    sheets = {"attention-lab-look": style} if heard[1] != style else {}
    if not now.has_scripts:
        sheets["attention-lab-style"] = (ASSETS / "style.css").read_text("utf-8")
    if sheets:
        scripts = script("style", STYLE_SHEETS=sheets)
        scripts += "" if now.has_scripts else first_scripts()
        st.html(f"<script>{scripts}</script>", unsafe_allow_javascript=True)


def _heading(page: Page, notation: Notation) -> None:
    """The title and the question the page answers, below the strip where it follows the steps, if
    no stage has said them.
    """
    if session().is_headed:
        return
    session().is_headed = True
    with session().stage_place:
        if page.section == "story":
            show_strip(notation)
        with st.container(key="heading", horizontal=True, vertical_alignment="bottom"):
            st.title(page.title, anchor=False, width="content")
            st.markdown(f"*{page.question.replace('W_O', symbol('w_o', notation).plain)}*")
