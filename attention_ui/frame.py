"""The frame of every page: menu, controls, focus, heading, notes, and the error box.

The scripts of all visitors share one interpreter, so they run one at a time.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from threading import Lock
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_core import AttentionError, Trace
from attention_lab.choices import resolve
from attention_lab.compare import change_notes
from attention_lab.control_list import VIEW_DEFAULTS
from attention_lab.focus import Focus
from attention_lab.home import ASSETS
from attention_lab.notation.notation import Notation, symbol
from attention_lab.page_list import (
    OLD_URLS,
    PAGES,
    STEP_NEEDS,
    OwnControls,
    Page,
    page_of,
    story_steps,
)
from attention_lab.scenario import Scenario, sequence_of
from attention_lab.sentences import in_batch, tokens_of, weights_in_force
from attention_viz.layer_caption import columns_note, notation_notes
from attention_viz.markdown import escape_markdown
from attention_viz.story.notes import by_hand_notes, left_out_notes, sentence_notes
from attention_viz.story.story_view import StoryView

from . import controls, own_numbers
from .browser_files import first_scripts, read_script
from .classroom.joining import know_again
from .first_look import open_example, opening_script, track_scenario
from .focus import choose_focus
from .lesson import lesson_parts, lesson_style, offer_question, read_shown_lesson, stage_place
from .page_context import page_context
from .presets import choose_example
from .reference.questions import show_foot
from .sequence import batch_page_notes, modern_notes, page_scenario
from .show import explained_errors
from .step import keep_picture, show_strip, stage_choices
from .streamlit_private import as_part_of, sent_together
from .teach.lessons import show_draft_box
from .teach.links import visited_url
from .trained import uploaded_heads
from .uneven_heads import offer_divisors
from .url_state import (
    end_controls,
    leave_old_url,
    open_page,
    open_requested_page,
    read_url,
    session,
    show_refusals,
)
from .view import draw_view, page_css, view_switches

# Their symbols are the same in every notation.
SECTIONS_WITH_OWN_SYMBOLS, PAGES_WITH_OWN_SYMBOLS = ("diagonal", "labs"), ("questions",)
# After so long a wait a script runs beside the one that holds the lock.
MAX_LOCK_WAIT_SECONDS = 0.1  # seconds
MAX_MESSAGE_WAIT_SECONDS = 0.2  # a run that takes longer shows what it has drawn


def run_app() -> None:
    """Draw the app, then show which requests of the URL were refused."""
    with script_lock(), sent_together(MAX_MESSAGE_WAIT_SECONDS):
        read_url()
        page = _draw()
        open_page(page.url_path)
        show_refusals()
        # Only now: the browser may get nothing of a run that starts anew half-way.
        session().has_scripts, session().sent_look = True, _look(page)


def _draw() -> Page:
    """Draw the frame and the page that the URL names; gives the page."""
    now, (streamlit_page, page) = session(), _open_page()
    own = uploaded_heads.controls_of(page)
    open_example(page.url_path, own)
    chosen, below_sizes = _choices(own, page)
    scenario = weights_in_force(chosen)
    seen, sequence = page_scenario(scenario, page)
    notation = draw_view()
    end_controls()
    now.page, now.is_headed = page, False
    _make_places(page, notation, seen)
    trace = None
    if own is None:
        with now.message_place:
            trace = _trace(seen, sequence, page.needs_layer)
    _note_picture(page, trace)
    track_scenario(page.url_path, scenario, trace)
    with below_sizes:
        shown = seen if trace is None else in_batch(seen, sequence)
        place = choose_focus(trace, page, shown)
    with st.sidebar:
        with explained_errors():
            if own is None:
                own_numbers.draw_own_numbers(chosen, trace, place)
        show_draft_box(page)
        # Last, because the next run leaves it out, which must not move the others.
        _set_up_browser(page)
    now.page_context = _view(seen, place, notation, sequence, chosen)
    if own is not None or trace is not None or not page.needs_layer:
        _run_page(streamlit_page, page, partial(_notes, scenario, own, trace, page))
    elif now.pictured:
        with as_part_of(streamlit_page):
            keep_picture(page)
    _heading(page, notation, seen)
    offer_question(page, trace)
    return page


def _view(
    seen: Scenario, place: Focus, notation: Notation, sequence: int, chosen: Scenario
) -> StoryView:
    """What the page shows. seen: the choices as it runs them; chosen: as the visitor made them."""
    return StoryView(
        seen,
        place,
        notation,
        sequence=sequence,
        chosen=chosen,
        before=session().before,
        **lesson_parts(),
        own_heads=st.session_state.get(uploaded_heads.UPLOAD_KEY),
        home=visited_url(),
        **stage_choices(),
        **view_switches(),
    )


def _run_page(streamlit_page: Any, page: Page, notes: Callable[[], tuple[str, ...]]) -> None:
    """Draw the page, what stands below it, and the notes, also after an error."""
    now, view = session(), page_context()
    with explained_errors(now.message_place):
        try:
            streamlit_page.run()
            show_foot(page)
        finally:
            _heading(page, view.notation, view.scenario)
            if page.has_sidebar:
                _show_notes(view, page, notes())


def _make_places(page: Page, notation: Notation, scenario: Scenario) -> None:
    """Make one container for the stage or the heading and for the notes below, so that everything
    after it keeps its place; in it one for the message of a page that cannot be computed.
    """
    now = session()
    now.stage_place = stage_place(page)
    if page not in story_steps():
        _heading(page, notation, scenario)
    with now.stage_place:
        now.message_place = st.container(key="message")


def _note_picture(page: Page, trace: Trace | None) -> None:
    """Note whether the browser gets the picture of a step, or still has the last one of it."""
    if page in story_steps() and trace is not None:
        session().pictured = page
    elif session().pictured != page:
        session().pictured = None


def _open_page() -> tuple[Any, Page]:
    """Streamlit's page and ours: the one that a callback asked for, or the URL's."""
    st.logo(str(ASSETS / "logo.svg"), icon_image=str(ASSETS / "icon.svg"), size="large")
    now = session()
    # Made once for each visitor, because st.Page looks for the file on the disk.
    now.pages = now.pages or app_pages()
    streamlit_page = st.navigation(now.pages, position="hidden")
    open_requested_page((*(control.name for control in controls.CONTROLS), *VIEW_DEFAULTS, "which"))
    page = page_of(streamlit_page.url_path)
    leave_old_url(streamlit_page.url_path)
    read_shown_lesson(streamlit_page.url_path)
    if not now.has_scripts:
        know_again()
    return streamlit_page, page


def _choices(own: OwnControls | None, page: Page) -> tuple[Scenario, DeltaGenerator]:
    """Draw the examples and the controls below them; gives the choices, and the container below
    the sizes.
    """
    examples = st.sidebar.container(key="examples")
    used = None if page.runs_modern else controls.PLAIN_CONTROLS
    if own:
        used = own.used
        examples.caption(own.says)
    scenario, below_sizes = controls.draw_controls(used, STEP_NEEDS.get(page.url_path, ""))
    scenario = own_numbers.with_own_numbers(scenario)
    if own is None or own.used:
        with examples:
            choose_example(scenario, explained=own is None)
    return scenario, below_sizes


def _show_notes(now: StoryView, page: Page, notes: tuple[str, ...]) -> None:
    """Show notes on the choices and on the notation below the stage or the heading."""
    with session().stage_place:
        own = page.section in SECTIONS_WITH_OWN_SYMBOLS or page.url_path in PAGES_WITH_OWN_SYMBOLS
        shown = [*map(escape_markdown, notes), *notation_notes(now.notation, own)]
        if page.looks_into and page.on_boards:
            shown.append(columns_note(now.trace, now.notation, page.section == "story"))
        for note in filter(None, shown):
            st.caption(note)


def _notes(
    scenario: Scenario, own: OwnControls | None, trace: Trace | None, page: Page
) -> tuple[str, ...]:
    """Notes on the sentence and the weights, as far as the page uses them. A section with its own
    tokens explains them itself, and a stage has its own notes on the weights and on what is left
    out.
    """
    if own and "text" not in own.used:
        return ()
    notes = [*sentence_notes(scenario), *batch_page_notes(scenario, page)]
    notes += modern_notes(scenario, page)
    if trace is None:
        return tuple(notes)
    tokens = tokens_of(page_context().shown)
    if page not in story_steps():
        by_hand = [note.text for note in by_hand_notes(page_context())]
        return (*notes, *change_notes(session().before, scenario), *by_hand, *tokens.notes)
    on_stage = left_out_notes(scenario, tokens)
    return tuple(note for note in (*notes, *tokens.notes) if note not in on_stage)


def _trace(scenario: Scenario, sequence: int, explained: bool) -> Trace | None:
    """The layer run on the user's choices, or None if these make no layer.

    explained: whether the page shows why, and what to do. A page that needs the layer only later
    shows it then.
    """
    errors: AbstractContextManager[None] = suppress(AttentionError)
    if explained:
        errors = explained_errors()
    with errors:
        if not resolve(scenario).is_uneven:
            return sequence_of(scenario, sequence)
        if explained:
            offer_divisors(scenario)
    return None


def _look(page: Page) -> tuple[str, str]:
    """What is sent to the browser only when it changes: the page that gives the tab its title, and
    the style sheet of the page.
    """
    return page.url_path, page_css(page, session().pictured is not None) + lesson_style()


def _set_up_browser(page: Page) -> None:
    """Send the title of the tab, style sheets, and in a first run the scripts; what the last
    complete run sent is not sent again.
    """
    now, title, style = session(), *_look(page)
    sent, now.sent_look = now.sent_look, ("", "")  # unknown until this run has ended
    if sent[0] != title:
        icon = str(ASSETS / "icon.svg")
        st.set_page_config(f"{page.title} · Attention Lab", icon, layout="wide")
    sheets, scripts = {}, ""
    if sent[1] != style:
        sheets["attention-lab-look"] = style
    if not now.has_scripts:
        files = (ASSETS / "page" / f"{name}.css" for name in ("book", "app", "lesson"))
        sheets["attention-lab-style"] = "".join(file.read_text("utf-8") for file in files)
        scripts = opening_script() + first_scripts()
    if sheets:
        scripts = read_script("style_sheets", STYLE_SHEETS=sheets) + scripts
        st.html(f"<script>{scripts}</script>", unsafe_allow_javascript=True)


def _heading(page: Page, notation: Notation, scenario: Scenario) -> None:
    """The title and the question of a page whose stage has not shown them, below the row of pages
    of its chapter.
    """
    if session().is_headed:
        return
    session().is_headed = True
    if page in story_steps():
        session().pictured = None  # its stage has shown no heading
    with session().stage_place:
        show_strip(page, notation, scenario)
        with st.container(key="heading", horizontal=True, vertical_alignment="bottom"):
            st.title(page.title, anchor=False, width="content")
            st.markdown(f"*{page.question.replace('W_O', symbol('w_o', notation).plain)}*")


class ScriptLock:
    """A lock that one script holds at a time.

    Scripts that run side by side all end late; one after the other, all but the last end earlier.
    """

    def __init__(self) -> None:
        self._taken = Lock()
        self._since = 0.0

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Run alone, or beside a script that has run for longer than `MAX_LOCK_WAIT_SECONDS`."""
        mine = self._wait()
        try:
            yield
        finally:
            if mine:
                self._taken.release()

    def _wait(self) -> bool:
        while not self._taken.acquire(timeout=MAX_LOCK_WAIT_SECONDS):
            if time.monotonic() - self._since > MAX_LOCK_WAIT_SECONDS:
                return False
        self._since = time.monotonic()
        return True


script_lock = ScriptLock()


def app_pages() -> list[st.Page]:
    """All pages; the bare URL and old URLs have some of their own. Streamlit draws no menu of them:
    the bar of chapters and the row of pages are ours.
    """
    pages = [st.Page(page.path, title=page.title, url_path=page.url_path) for page in PAGES]
    first = PAGES[0]
    home = st.Page(first.path, title=first.title, url_path="home", default=True)
    # Last, because st.switch_page takes the first page of a file.
    old = [st.Page(page_of(url).path, title=page_of(url).title, url_path=url) for url in OLD_URLS]
    return [*pages, home, *old]
