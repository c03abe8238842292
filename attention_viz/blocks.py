"""A page that is described once: its choices, and a function of them that returns blocks.

The app draws blocks with Streamlit (`attention_ui/blocks.py`), the site with
`assets/site/blocks.js`. Words are Markdown, of which both read the same part: paragraphs, lists,
**bold**, *italic*, `code`, $formulas$, [links](page?choice=value), and colours such as :blue[this];
escapes protect what a user typed (`attention_viz/markdown.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from attention_core.errors import SettingsError
from attention_lab.url_values import parse_number, parse_option, parse_switch, url_text

from .payload import JSON
from .story.story_view import StoryView
from .theme import Figure

Values = Mapping[str, Any]  # the values of a page's own choices by their keys
Tone = Literal["info", "right", "wrong"]
SEPARATOR = "."  # between several options in a URL


@dataclass(frozen=True)
class Choice:
    """A choice of a page. key: its name in the URL. help: what a visitor reads who points at it.

    resets: the keys of choices that go back to their defaults when this one changes. variant: tells
    a choice whose form depends on others, such as its options, from its other forms.
    """

    key: str
    label: str
    default: Any
    help: str = field(default="", kw_only=True)
    resets: tuple[str, ...] = field(default=(), kw_only=True)
    variant: str = field(default="", kw_only=True)

    def read(self, text: str) -> Any:
        """The value that a text in a URL means. Raises: AttentionError."""
        raise NotImplementedError

    def text(self, value: Any) -> str:
        """A value as the URL holds it."""
        return url_text(value)


@dataclass(frozen=True)
class Select(Choice):
    """One of some options, named in words by their keys, as a menu, as buttons or on a scale.

    >>> Select("when", "When", "now", {"now": "Now", "then": "Later"}).read("then")
    'then'
    """

    options: Mapping[str, str]
    look: Literal["menu", "buttons", "scale"] = "menu"

    def read(self, text: str) -> str:
        """See `Choice`."""
        return parse_option(text, self.options)


@dataclass(frozen=True)
class Several(Choice):
    """Any number of options. The value is a tuple of their keys, in the order of the options."""

    options: Mapping[str, str]

    def read(self, text: str) -> tuple[str, ...]:
        """See `Choice`."""
        named = [parse_option(part, self.options) for part in text.split(SEPARATOR) if part]
        return tuple(option for option in self.options if option in named)

    def text(self, value: Any) -> str:
        """See `Choice`."""
        return SEPARATOR.join(value)


@dataclass(frozen=True)
class Number(Choice):
    """A number between bounds, in a field or on a scale; a whole one if the step is whole."""

    low: float
    high: float
    step: float = 1
    look: Literal["field", "scale"] = "field"

    def read(self, text: str) -> Any:
        """See `Choice`."""
        return parse_number(text, self.low, self.high, isinstance(self.step, int))


@dataclass(frozen=True)
class Words(Choice):
    """A text in one line. reads: what it means, if it is more than a text; raises AttentionError
    for a text that means nothing.
    """

    most: int
    reads: Callable[[str], Any] = str

    def read(self, text: str) -> Any:
        """See `Choice`."""
        if len(text) > self.most:
            raise SettingsError(f"It has {len(text):,} characters, of at most {self.most:,}")
        return self.reads(" ".join(text.splitlines()))


@dataclass(frozen=True)
class Switch(Choice):
    """Whether something is on."""

    def read(self, text: str) -> bool:
        """See `Choice`."""
        return parse_switch(text)


@dataclass(frozen=True)
class Places(Choice):
    """Several places of a list, such as ids, which buttons and clicks set; no field shows them.

    size: of the list. most: how many places there can be. separator: what stands between them.
    """

    size: int
    most: int
    separator: str = SEPARATOR

    def read(self, text: str) -> tuple[int, ...]:
        """See `Choice`."""
        parts = text.split(self.separator) if text else []
        if len(parts) > self.most:
            raise SettingsError(f"It has {len(parts):,} numbers, of at most {self.most:,}")
        return tuple(parse_number(part, 0, self.size - 1, True) for part in parts)

    def text(self, value: Any) -> str:
        """See `Choice`."""
        return self.separator.join(map(str, value))


@dataclass(frozen=True)
class Text:
    """Paragraphs. small: whether it is a caption."""

    text: str
    small: bool = False


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

    name: of a button whose label changes, so that it keeps the focus of the keyboard.
    """

    label: str
    sets: Mapping[str, Any]
    help: str = ""
    name: str = ""


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
    URL path. sets: the choices by their names in the URL; others have their defaults.
    """

    page: str
    sets: Mapping[str, Any]


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

    array_sets: the key of a choice that gets the name of the array whose cell is pinned. clicks:
    for an array, what a click on each of its cells sets, row by row, as a button does. place_sets:
    the key of a choice of `Places` that gets the row and the column of the pinned cell.
    """

    scene: JSON
    name: str
    fits: bool = False
    array_sets: str = ""
    clicks: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    place_sets: str = ""


@dataclass(frozen=True, eq=False)
class Chart:
    """A Plotly figure as a plain dictionary whose colours are roles such as `@query`.

    name: its own on the page. clicks: what a click on a point sets, as a button does, by the
    customdata of the point. wide: whether it keeps its width on a phone and is scrolled.
    """

    figure: Figure
    name: str
    clicks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    wide: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of words below a head. Columns but the first hold numbers, unless words says so."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: bool = False


@dataclass(frozen=True)
class Beside:
    """Parts of a page beside one another; on a phone one below the other. widths: how wide each
    is, relative to the others.
    """

    parts: tuple[Sequence[Block], ...]
    widths: tuple[int, ...]


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


Block = (
    Text
    | Heading
    | Note
    | Code
    | Formula
    | Row
    | Button
    | Link
    | File
    | ShareLink
    | Later
    | Board
    | Chart
    | Table
    | Beside
    | Folded
)


@dataclass(frozen=True)
class BlockPage:
    """A page. choices: all that its URL can hold beside the choices of the layer; what they offer
    may depend on the layer.

    blocks: what the page shows. Raises: AttentionError if there is nothing to show.
    """

    url_path: str
    choices: Callable[[StoryView], Sequence[Choice]]
    blocks: Callable[[StoryView, Values], Sequence[Block]]


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


def changed(choices: Sequence[Choice], key: str, text: str) -> dict[str, Any]:
    """The values that change when one of some choices gets another value. Raises: AttentionError
    for a text that means none.
    """
    by_key = {one.key: one for one in choices}
    choice = by_key[key]
    return {name: by_key[name].default for name in choice.resets} | {key: choice.read(text)}


def row(values: Values, *choices: Choice) -> Row:
    """Choices with their present values, beside one another."""
    return Row(tuple(Field(one, values[one.key]) for one in choices))


def by_name(options: Collection[str]) -> dict[str, str]:
    """Options that are called as their keys are.

    >>> by_name(["mean", "maximum"])
    {'mean': 'mean', 'maximum': 'maximum'}
    """
    return {option: option for option in options}
