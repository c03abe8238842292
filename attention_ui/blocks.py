"""Draws a page that returns blocks (`attention_viz/blocks.py`) with Streamlit.

The session and the URL hold each choice of the page as text; widgets are set from it, and write it
back in their callbacks.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any
from zlib import crc32

import streamlit as st

from attention_core import AttentionError
from attention_lab.choices import DECLARED
from attention_lab.control_list import VIEW_DEFAULTS
from attention_lab.page_list import page_of
from attention_lab.url_values import url_text
from attention_viz import blocks as b
from attention_viz.block_page import BlockPage
from attention_viz.markdown import escape_markdown
from attention_viz.page_choices import SEPARATOR, Choice, Several, counted, taken_back
from attention_viz.story.stages import STEPS_OF_STORY
from attention_viz.story.story_view import StoryView
from attention_viz.tables import numbers_frame
from attention_viz.widgets import choice_widget

from .acts import choose
from .board import show_board
from .focus import move_focus
from .page_context import page_context
from .show import explained_errors, offer_file, show_figure
from .step import show_stage
from .teach.links import link_to, page_choices, show_link
from .url_state import (
    draw_expander,
    request_page,
    requested,
    restore,
    session,
    set_if_changed,
    write_to_url,
)
from .widgets import draw_widget, width_of

# Parts of a page that the app alone has, by their names: each draws with the view and the values.
Parts = Mapping[str, Callable[[StoryView, b.Values], None]]


def show_page(page: BlockPage, parts: Parts | None = None) -> b.Values:
    """Show a page with the present layer and choices; gives the values of its own. parts: what the
    app alone has, by its name. Raises: AttentionError.
    """
    now = page_context()
    if page.url_path in STEPS_OF_STORY:
        now = show_stage(session().page)
    choices, values = page.read(now, restored)
    shown = page.blocks(now, values)
    fitting = list(map(b.fits_window, shown))
    n_first = fitting.index(True) + 1 if any(fitting) else 0
    own = {name: partial(draw, now, values) for name, draw in (parts or {}).items()}
    drawing = _Drawing(page.url_path, choices, own)
    if n_first:
        # As high as the window below the title, so that a picture that arrives late moves nothing.
        with st.container(key="one window"):
            drawing.draw(shown[:n_first])
    drawing.draw(shown[n_first:])
    return values


def restored(choice: Choice) -> Any:
    """The value of a choice: from the URL if it asks for a new one, else from the session. What
    the session holds may be impossible with another layer; then the default is shown.
    """
    now, key, default = session(), choice.key, choice.text(choice.default)
    before, is_named = st.session_state.get(key), key in now.asked
    if now.lesson and now.lesson.is_new and not is_named:
        _take_back([key])
    if not is_named and (asked := [name for name in choice.implied if requested(name)]):
        st.session_state[key] = choice.text(choice.unsaid(asked))
    if isinstance(choice, Several) and key in st.query_params:
        # older URLs name each option alone
        st.query_params[key] = SEPARATOR.join(st.query_params.get_all(key))
    restore(key, choice.label, default, lambda text: choice.text(choice.read(text)))
    if before not in (None, st.session_state[key]):
        _take_back(set(choice.resets) - now.asked.keys())
    if choice.implied and not is_named and not now.has_scripts:
        now.opening[key] = st.session_state[key]
    write_to_url(key, None if choice.implied else default)
    with suppress(AttentionError):
        return choice.read(st.session_state[key])
    return choice.default


def _take_back(keys: Iterable[str]) -> None:
    """Let choices go back to their defaults, which the page knows when it runs."""
    for key in keys:
        st.session_state.pop(key, None)


@dataclass(frozen=True)
class _Drawing:
    """Draws the blocks of a page that has some choices, and the parts that the app alone has."""

    url_path: str
    choices: Sequence[Choice]
    parts: Mapping[str, Callable[[], None]]
    tables: Counter[str] = field(default_factory=Counter)  # how often each was drawn

    def draw(self, blocks: Sequence[b.Block]) -> None:
        """Draw blocks from top to bottom. Paragraphs that follow one another are one element, so
        that a browser gets one message.
        """
        for is_text, some in groupby(blocks, lambda one: isinstance(one, b.Text) and not one.small):
            if is_text:
                words = "\n\n".join(one.text for one in some if isinstance(one, b.Text))
                st.markdown(unbroken(words))
                continue
            for block in some:
                self._block(block)

    def _block(self, block: b.Block) -> None:
        match block:
            case b.Text() | b.Heading() | b.Note() | b.Formula() | b.Refused() | b.Code():
                _words(block)
            case b.Row((alone,)):
                self._item(alone)
            case b.Row():
                self._row(block)
            case b.Button() | b.Link() | b.File():
                self._item(block)
            case b.ShareLink(page, sets):
                self._share(page, sets)
            case b.Progress(done, text):
                st.progress(done, text)
            case b.Later(seconds, sets):
                self._later(seconds, sets)
            case b.Board():
                acts = block.clicks or block.sets or block.press
                pinned = partial(self._pinned, block) if acts else None
                show_board(block.scene, block.name, on_pin=pinned, fits=block.fits)
            case b.Chart(figure, name, clicks, wide):
                clicked = partial(self._point, block) if clicks else None
                with st.container(key=f"wide {name}") if wide else nullcontext():
                    show_figure(figure, name, clicked)
            case b.Table():
                self._table(block)
            case b.Numbers(says):
                st.dataframe(numbers_frame(block), hide_index=True, alt=says)
            case b.Beside(parts, widths):
                places = st.columns(widths, gap="medium", vertical_alignment=block.align)
                for place, part in zip(places, parts, strict=True):
                    with place:
                        self.draw(part)
            case b.Folded(label, _, opened):
                box = draw_expander(label, f"{self.url_path} {label}", opened)
                with box:
                    self.draw(block.inside if box.open else ())
            case b.InTheApp(name):
                if name in self.parts:
                    self.parts[name]()

    def _row(self, row: b.Row) -> None:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            for item in row.items:
                self._item(item)

    def _share(self, page: str, sets: Mapping[str, Any]) -> None:
        own = {choice.key for choice in self.choices}
        kept = {name: text for name, text in page_choices().items() if name not in own}
        texts = {name: url_text(value) for name, value in sets.items()}
        show_link(link_to(page, kept | texts if page else texts), page_of(page).title)

    def _table(self, table: b.Table) -> None:
        text = table_markdown(table)
        self.tables[text] += 1
        kind = "words" if table.words else "wide"
        with st.container(key=f"{kind} table {crc32(text.encode())} {self.tables[text]}"):
            st.markdown(unbroken(text))

    def _item(self, item: b.Field | b.Button | b.Link | b.File) -> None:
        match item:
            case b.Field(choice, value):
                self._field(choice, value)
            case b.Button(label, sets, about, name, is_off):
                key = f"{self.url_path} {name or label}"
                acts: dict[str, Any] = {"on_click": self._set, "args": (sets,), "disabled": is_off}
                st.button(label, key=key, help=about or None, **acts)
            case b.Link(label, path, sets):
                key = f"{self.url_path} to {label}"
                st.button(label, key=key, on_click=_open, args=(path, sets))
            case b.File(label, name, make):
                offer_file(label, make, name, key=f"{self.url_path} {name}")

    def _field(self, choice: Choice, value: Any) -> None:
        """Draw the widget of a choice with its present value."""
        key, shown = f"choose {choice.key} {choice.variant}".rstrip(), choice_widget(choice, value)
        set_if_changed(key, [*shown.value] if isinstance(shown.value, tuple) else shown.value)
        settings: dict[str, Any] = {"on_change": self._chosen, "args": (choice, key)}
        if shown.kind in ("menu", "number", "text"):
            settings["width"] = width_of(shown)
        if shown.kind == "text":
            settings["max_chars"] = shown.most
        draw_widget(shown, key=key, **settings)

    def _chosen(self, choice: Choice, widget: str) -> None:
        """In a callback: hold what was chosen. An empty field keeps the value before; so does a
        typed text that means nothing, and the page says why.
        """
        given = st.session_state[widget]
        if given is not None:
            try:
                choice.read(choice.text(given))
            except AttentionError as error:
                st.toast(escape_markdown(str(error)), icon=":material/error:")
            self._set({choice.key: choice.text(given)})

    def _hold(self, choice: Choice, text: str) -> None:
        """In a callback: hold a choice as text; one that is impossible stays as it was."""
        with suppress(AttentionError):
            st.session_state[choice.key] = choice.text(choice.read(text))

    def _set(self, sets: Mapping[str, Any]) -> None:
        """In a callback: set choices of the page, and controls and places by their names."""
        own = {one.key: one for one in self.choices}
        before = {name: st.session_state.get(name, "") for name in own}
        for name in own.keys() & sets.keys():
            value = sets[name]
            self._hold(own[name], value if isinstance(value, str) else own[name].text(value))
        more = counted(self.choices, before, {name: st.session_state.get(name, "") for name in own})
        st.session_state.update({name: str(count) for name, count in more.items()})
        _take_back(taken_back(self.choices, sets.keys()))
        if others := {name: value for name, value in sets.items() if name not in own}:
            choose(others)

    def _clicked(self, sets: Mapping[str, Any], opens: str) -> None:
        """In a callback: set what a click sets, and open the page that it opens."""
        if opens:
            _open(opens, sets)
        else:
            self._set(sets)

    def _point(self, chart: b.Chart, customdata: object) -> None:
        """In a callback: do what a click on a point does. What no chart sends is ignored."""
        if sets := chart.clicks.get(str(customdata)):
            self._clicked(sets, chart.opens)

    def _pinned(self, board: b.Board, array: str, index: list[int]) -> None:
        """In a callback: set what a click on the pinned cell sets, and move the focus if the click
        does nothing else.
        """
        axes, entry = board.scene["axes"], board.scene["arrays"][array]
        if board.press:
            match board.pressed(array, index):
                case b.Link(_, page, sets):
                    _open(page, sets)
                case sets:
                    self._set(sets)
            return
        if array in board.sets:
            self._clicked(b.filled(board.sets[array], index), board.opens)
            return
        if array in board.clicks:
            place = 0
            for size, at in zip(entry["shape"], index, strict=True):
                place = place * size + at
            self._set(dict(enumerate(board.clicks[array])).get(place, {}))
        move_focus([(letter, axes[letter]["block"]) for letter in entry["axes"]], index)

    def _later(self, seconds: float, sets: Mapping[str, Any]) -> None:
        """Set choices once the seconds are over. The script of the page itself draws the timer
        first, so its first run does not count.
        """
        started = f"{self.url_path} is drawn"
        st.session_state[started] = True

        @st.fragment(run_every=seconds)
        def wait() -> None:
            if st.session_state.pop(started, False):
                return
            self._set(sets)
            st.rerun()

        wait()


def _words(block: b.Text | b.Heading | b.Note | b.Formula | b.Refused | b.Code) -> None:
    match block:
        case b.Text(text):
            st.caption(unbroken(text))
        case b.Heading(text):
            st.header(text, anchor=False)
        case b.Note(text, "right"):
            st.success(unbroken(text), icon=":material/check_circle:")
        case b.Note(text, "wrong"):
            st.warning(unbroken(text))
        case b.Note(text):
            st.info(unbroken(text))
        case b.Formula(latex):
            st.latex(latex)
        case b.Refused(why):
            with explained_errors():
                raise why
        case b.Code(text):
            st.code(text, language="python", wrap_lines=True)


def unbroken(text: str) -> str:
    """A text in which no line ends between a number and its sign.

    >>> unbroken("87.5 % of % 3") == "87.5\u00a0% of % 3"
    True
    """
    return re.sub(r"(?<=\d) (?=%)", "\u00a0", text)


def table_markdown(table: b.Table) -> str:
    """A table as Markdown."""
    sides = ["---" if table.words else "--:"] * (len(table.head) - 1)
    lines = [table.head, ["---", *sides], *table.rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _open(path: str, sets: Mapping[str, Any]) -> None:
    """In a callback: open another page with some choices set. Its URL gets those of its own; the
    head stands there as well, because Streamlit refuses a URL without any.
    """
    bound = DECLARED.keys() | VIEW_DEFAULTS.keys()
    st.session_state.update({name: value for name, value in sets.items() if name in bound})
    places = {name: url_text(value) for name, value in sets.items() if name not in bound}
    request_page(page_of(path).path, **({"head": st.session_state["head"]} | places))
