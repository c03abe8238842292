"""What stands around every page: menu, controls, focus, the way through the layer, and the error box."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import streamlit as st

from attention_core import Trace
from attention_core.scenario import Scenario, tokens_of, trace_of
from attention_viz.theme import PALETTES

from . import controls, remedies
from .focus import Focus, focus
from .markdown import plain
from .presets import choose
from .registry import PAGES, SECTIONS, Page, page_of, story
from .show import explained_errors, theme_mode

ASSETS = Path(__file__).parent.parent / "assets"


@dataclass(frozen=True)
class Here:
    """What a page tells about: the user's choices, the layer run on them, and the cell in focus."""

    scenario: Scenario
    trace: Trace
    focus: Focus


def here() -> Here:
    """What the page now being drawn tells about."""
    return cast(Here, st.session_state["here"])


def run() -> None:
    """Draw the app: the frame, then the page that the address names."""
    st.set_page_config("Attention Lab", str(ASSETS / "icon.svg"), layout="wide")
    st.logo(str(ASSETS / "logo.svg"), icon_image=str(ASSETS / "icon.svg"), size="large")
    st.html(ASSETS / "style.css")
    chosen = st.navigation(_menu(), position="top")
    page = page_of(chosen.url_path)
    _dismiss_false_alarm()
    examples = st.sidebar.container()
    scenario, below_sizes = controls.scenario()
    with examples:
        choose(scenario)
    _view()
    _heading(page)
    with explained_errors():
        if remedies.uneven(scenario):
            remedies.offer(scenario)
            return
        trace = trace_of(scenario)
        for note in (*controls.notes(scenario), *tokens_of(scenario).notes):
            st.caption(plain(note))
        with below_sizes.container(border=True):
            st.session_state["here"] = Here(scenario, trace, focus(trace))
        chosen.run()
    _way_on(page)


def _dismiss_false_alarm() -> None:
    """Close the dialog "Page not found" where the page was found.

    The first visitor of a fresh server who comes by the address of a page gets it, because Streamlit 1.67 takes the
    folder pages/ for its older kind of app until st.navigation has run once in the process.
    """
    known = json.dumps([page.url_path for page in PAGES])
    script = (ASSETS / "dismiss.js").read_text(encoding="utf-8").replace("KNOWN_PAGES", known)
    st.html(f"<script>{script}</script>", unsafe_allow_javascript=True)


def _menu() -> dict[str, list[st.Page]]:
    """All pages by section; the first one also answers to the bare address, which Streamlit gives to no named page."""
    menu = {
        title: [
            st.Page(page.path, title=page.title, icon=page.icon, url_path=page.url_path)
            for page in PAGES
            if page.section == section
        ]
        for section, title in SECTIONS.items()
    }
    home = st.Page(PAGES[0].path, title=PAGES[0].title, url_path="home", default=True, visibility="hidden")
    menu[next(iter(menu))].append(home)
    return menu


def _view() -> None:
    """The switches that change how things look and nothing else."""
    with st.sidebar.expander("View"):
        st.toggle("Each head its own colours", key="own_scale", bind="query-params", help="Else all share one scale.")
        st.toggle("Presentation", key="present", bind="query-params", help="Larger type for the back of the room.")
    size = 21 if st.session_state["present"] else 16
    st.html(f"<style>:root {{ font-size: {size}px; --page: {PALETTES[theme_mode()]['background']}; }}</style>")


def _heading(page: Page) -> None:
    """The way through the layer, which stays in sight, then the title and the question the page answers."""
    steps = story()
    if page in steps:
        place = steps.index(page)
        with st.container(horizontal=True, gap="xxsmall", key="way"):
            _step(steps, place - 1, "Previous", ":material/arrow_back:")
            for step in steps:
                st.page_link(step.path, label=f"**{step.title}**" if step is page else step.title)
            _step(steps, place + 1, "Next", ":material/arrow_forward:")
            st.caption(f"Step {place + 1} of {len(steps)}", width="content")
    st.title(page.title, anchor=False)
    st.markdown(f"*{page.question}*")


def _step(steps: tuple[Page, ...], place: int, label: str, icon: str) -> None:
    """A link to the step at a place of the story, if there is one."""
    if 0 <= place < len(steps):
        st.page_link(steps[place].path, label=label, icon=icon, help=steps[place].title)


def _way_on(page: Page) -> None:
    """Below the page: the step before and the step after by name."""
    steps = story()
    if page in steps:
        place = steps.index(page)
        with st.container(horizontal=True, horizontal_alignment="distribute"):
            for neighbour, icon in ((place - 1, ":material/arrow_back:"), (place + 1, ":material/arrow_forward:")):
                if 0 <= neighbour < len(steps):
                    st.page_link(steps[neighbour].path, label=steps[neighbour].title, icon=icon)
