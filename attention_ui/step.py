"""The stage of a story page, which fits one window, and the choices that it makes. At the
end: the mask step where there is no mask, and the way to the page where masks are painted.
"""

from dataclasses import asdict, replace
from typing import Any

import streamlit as st

from attention_lab.acts import at_step
from attention_lab.block import BLOCK_CONTROLS, BlockChoices
from attention_lab.mask_kinds import NO_MASK
from attention_lab.notation.notation import Notation
from attention_lab.page_list import Page, page_of
from attention_lab.presets import SENTENCE_KEY
from attention_lab.scenario import Scenario
from attention_lab.state_file import FOCUS
from attention_lab.url_choices import PARAMETERS
from attention_lab.url_values import url_text
from attention_viz.story.batch import SEQUENCE_LINK
from attention_viz.story.stages import shown_view, stage_of, strip_of
from attention_viz.story.story_view import StoryView

from .acts import NO_MASK_KEY, act, held_choices
from .board import keep_board, show_board
from .lesson import lesson_parts
from .url_state import request_page, restore, session, set_if_changed, write_to_url
from .view import view_switches

# The names of boards in URLs with pinned cells, where they are not the URL path of the page.
BOARD_NAMES = {"projections": "projection", "overview": "layer"}
THREE = ("which",)
# The choices of a stage by the URL path of its page.
STAGE_CHOICES: dict[str, tuple[str, ...]] = {
    "block": tuple(BLOCK_CONTROLS),
    **dict.fromkeys(("projections", "split", "qk-norm", "rotary"), THREE),
}


def show_stage(page: Page) -> StoryView:
    """Show the step of a page at its top; gives the view with the choices of its stage."""
    now: StoryView = session().page_context
    if page.url_path == "mask":
        now = choose_unmasked(now)
    for name in STAGE_CHOICES.get(page.url_path, ()):
        one = PARAMETERS[name]
        restore(name, one.label, one.default, one.read)
        write_to_url(name, one.default)
    now = replace(now, **stage_choices())
    with session().stage_place:
        show_board(stage_of(now, page.url_path), _board_name(page), _follow)
    session().is_headed = True
    if page.url_path != "next-token":  # whose layer and cell may be others
        session().page_context = shown_view(now, page.url_path)
    return now


def stage_choices() -> dict[str, Any]:
    """The choices that stages make, as the session holds them and a view has them."""
    state = st.session_state
    block = {name: state.get(name, one) for name, one in asdict(BlockChoices()).items()}
    which = PARAMETERS["which"].default
    return {"block": BlockChoices(**block), "which": state.get("which", which)}


def _follow(link: str) -> None:
    """In a callback: a link of a sequence shows it, one of a field opens its step at the cell in
    focus. Queries, keys and values share pages, so this chooses one of them.
    """
    if link.startswith(SEQUENCE_LINK):
        act(SENTENCE_KEY, link.removeprefix(SEQUENCE_LINK))
        return
    after, path = at_step(held_choices(), link)
    set_if_changed("which", after.which)
    focus = {name: st.session_state.get(name, 0) for name in FOCUS}
    places = {name: place for name, place in focus.items() if place} or {"head": 0}
    request_page(page_of(path).path, **places)


def keep_picture(page: Page) -> None:
    """Keep the last picture of a step that cannot be computed, greyed, below the message why."""
    with session().message_place:
        st.caption("In grey below: the last picture of this step, from before this choice.")
    with session().stage_place:
        keep_board(_board_name(page))
    session().is_headed = True


def _board_name(page: Page) -> str:
    return BOARD_NAMES.get(page.url_path, page.url_path)


def show_strip(page: Page, text: Notation, scenario: Scenario) -> None:
    """Show the row of pages of the chapter above a page that has no stage."""
    view = StoryView(scenario, notation=text, **lesson_parts(), **view_switches())
    show_board(strip_of(view, page.url_path), "strip")


def choose_unmasked(now: StoryView) -> StoryView:
    """The view with the choice whether the mask step is shown as it is where the layer has no mask:
    because the URL or the user chose no mask.
    """
    user, bare = session(), now.scenario.mask == NO_MASK.name and len(now.sentences) == 1
    asked = PARAMETERS[NO_MASK_KEY]
    restore(NO_MASK_KEY, asked.label, "", lambda text: url_text(asked.read(text)))
    moved = user.before is not None and user.before.mask != NO_MASK.name
    if not bare:
        st.session_state[NO_MASK_KEY] = ""
    elif moved or "mask" in user.asked:
        st.session_state[NO_MASK_KEY] = "true"
    write_to_url(NO_MASK_KEY, "")
    return replace(now, unmasked=bool(st.session_state[NO_MASK_KEY]))
