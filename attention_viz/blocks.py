"""What a page that is described once is made of: blocks.

The app draws blocks with Streamlit (`attention_ui/blocks.py`), the site with
`assets/site/blocks.js`. Words are Markdown, of which both read the same part: paragraphs, lists,
**bold**, *italic*, `code`, $formulas$, [links](page?choice=value), and colours such as :blue[this];
escapes protect what a user typed (`attention_viz/markdown.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from attention_core.errors import AttentionError

from .page_choices import Choice
from .payload import JSON
from .theme import Figure

Values = Mapping[str, Any]  # the values of a page's own choices by their keys
Tone = Literal["info", "right", "wrong"]


@dataclass(frozen=True)
class Text:
    """Paragraphs. small: whether it is a caption."""

    text: str
    small: bool = False


def caption(text: str) -> Text:
    """Words in small letters."""
    return Text(text, small=True)


@dataclass(frozen=True)
class Heading:
    """A heading below that of the page."""

    text: str


@dataclass(frozen=True)
class Formula:
    """A formula in a line of its own, as LaTeX."""

    latex: str


@dataclass(frozen=True)
class Note:
    """A sentence in a box: what is right, what is wrong, or what to know."""

    text: str
    tone: Tone = "info"


@dataclass(frozen=True)
class Refused:
    """Why there is nothing to show for the present choices, in a box."""

    why: AttentionError


@dataclass(frozen=True)
class Code:
    """Lines of code or of numbers, which keep their spaces."""

    text: str


@dataclass(frozen=True)
class Field:
    """A choice with its present value. Its form may differ from the one that the page declares, for
    instance in its options; its key may not.
    """

    choice: Choice
    value: Any


@dataclass(frozen=True)
class Button:
    """Sets choices: those of the page by their keys, and controls, the cell in focus and switches
    by the names that they have in a URL.

    name: of a button whose label changes, so that it keeps the focus of the keyboard. is_off:
    whether it cannot be pressed.
    """

    label: str
    sets: Mapping[str, Any]
    help: str = ""
    name: str = ""
    is_off: bool = False


@dataclass(frozen=True)
class Link:
    """Leads to another page. page: its URL path. sets: as with a button, of that page."""

    label: str
    page: str
    sets: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class File:
    """A file that a visitor takes along. name: its own on the page. make: its content, made when it
    is asked for.
    """

    label: str
    name: str
    make: Callable[[], str | bytes]


@dataclass(frozen=True)
class ShareLink:
    """A link to hand out: to a page with the layer of now and some choices of that page. page: its
    URL path. sets: the choices by their names in the URL; others have their defaults. Without a
    page it leads to the lesson that is named as `lesson`.
    """

    page: str
    sets: Mapping[str, Any]


@dataclass(frozen=True)
class Progress:
    """How far something is, as a bar. done: from 0 to 1."""

    done: float
    text: str


@dataclass(frozen=True)
class Later:
    """Sets choices after some seconds, as if a button had been pressed."""

    seconds: float
    sets: Mapping[str, Any]


@dataclass(frozen=True)
class Row:
    """Choices, buttons, links and files beside one another."""

    items: tuple[Field | Button | Link | File, ...]


@dataclass(frozen=True, eq=False)
class Board:
    """A matrix board. name: its own on the page. fits: whether it takes the height that is left in
    the window, which it then shares with what stands before it.

    clicks: for an array, what a click on each of its cells sets, row by row, as a button does; the
    focus moves to the cell, too. sets: for an array, what a click sets in the place of moving the
    focus: texts, in which {0}, {1}, … are the places of the cell along the axes of the array.
    opens: the page that such a click opens. press: what a click on a cell of any array sets, as a
    button does, in the place of moving the focus, or the link that it follows; it gets the array
    and the index.
    """

    scene: JSON
    name: str
    fits: bool = False
    press: Callable[[str, Sequence[int]], Mapping[str, Any] | Link] | None = None
    clicks: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    sets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    opens: str = ""

    def pressed(self, array: str, index: Sequence[int]) -> Mapping[str, Any] | Link:
        """What a click on a cell sets or opens; nothing if the board has no such cell."""
        shape = self.scene["arrays"].get(array, {}).get("shape", ())
        if self.press is None or len(index) != len(shape):
            return {}
        inside = all(type(at) is int and 0 <= at < n for at, n in zip(index, shape, strict=True))
        return self.press(array, index) if inside else {}


@dataclass(frozen=True, eq=False)
class Chart:
    """A Plotly figure as a plain dictionary whose colours are roles such as `@query`.

    name: its own on the page. clicks: what a click on a point sets, as a button does, by the
    customdata of the point. opens: the page that the click opens. wide: whether it keeps its width
    on a phone and is scrolled.
    """

    figure: Figure
    name: str
    clicks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    wide: bool = False
    opens: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of words below a head. Columns but the first hold numbers, unless words says so."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: bool = False


@dataclass(frozen=True, eq=False)
class Numbers:
    """A table of numbers of any length, which scrolls. says: what it holds, for who cannot see it.
    rows: of each its names and numbers; None where there is none.
    """

    says: str
    head: Sequence[str]
    rows: Sequence[Sequence[str | float | None]]


@dataclass(frozen=True)
class Beside:
    """Parts of a page beside one another; on a phone one below the other. widths: how wide each
    is, relative to the others.
    """

    parts: tuple[Sequence[Block], ...]
    widths: tuple[int, ...]

    @property
    def align(self) -> Literal["center", "top"]:
        """How the parts stand: words alone in the middle of a chart, all else at one height.
        Choices are looked for at the top, and a board has its height only once it is drawn.
        """
        kinds = {type(block) for part in self.parts for block in part}
        return "center" if Chart in kinds and kinds <= {Chart, Text} else "top"


@dataclass(frozen=True)
class Folded:
    """What a visitor opens. opened: whether it is open at first. blocks: what is inside, or a
    function that makes it, which the app calls when a visitor opens it.
    """

    label: str
    blocks: Sequence[Block] | Callable[[], Sequence[Block]]
    opened: bool = False

    @property
    def inside(self) -> Sequence[Block]:
        """The blocks inside. Raises: AttentionError."""
        return self.blocks() if callable(self.blocks) else self.blocks


@dataclass(frozen=True)
class InTheApp:
    """What the app alone has: it draws it by its name, with the page's own Streamlit code. says:
    whether the site says so, with the lines that start the app.
    """

    name: str
    says: bool = True


Block = (
    Text
    | Heading
    | Note
    | Refused
    | Code
    | Formula
    | Row
    | Button
    | Link
    | File
    | ShareLink
    | Later
    | Progress
    | Board
    | Chart
    | Table
    | Numbers
    | Beside
    | Folded
    | InTheApp
)


def every_block(blocks: Sequence[Block]) -> Iterator[Block | Field]:
    """Blocks and what is inside them, from top to bottom."""
    for block in blocks:
        yield block
        match block:
            case Row(items):
                yield from items
            case Beside(parts):
                yield from every_block([one for part in parts for one in part])
            case Folded():
                yield from every_block(block.inside)


def fits_window(block: Block) -> bool:
    """Whether a block is, or has inside, a board that takes the height left in the window."""
    match block:
        case Board(fits=fits):
            return fits
        case Beside(parts=parts):
            return any(map(fits_window, (one for part in parts for one in part)))
    return False


def filled(sets: Mapping[str, str], parts: Sequence[object]) -> dict[str, str]:
    """What a click sets, with the parts of what was clicked in their places.

    >>> filled({"th_layer": "3", "th_cell": "{0}-{1}"}, [7, 2])
    {'th_layer': '3', 'th_cell': '7-2'}
    """
    return {name: text.format(*parts) for name, text in sets.items()}


def row(values: Values, *choices: Choice) -> Row:
    """Choices with their present values, beside one another."""
    return Row(tuple(Field(one, values[one.key]) for one in choices))
