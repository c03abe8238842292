"""The choices of a page that is described once: each has a name in the URL, reads its text there,
and refuses what it cannot be.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from attention_core.errors import SettingsError
from attention_lab.url_choices import Parameter, read_values
from attention_lab.url_values import parse_number, parse_option, parse_switch, url_text

SEPARATOR = "."  # between several options in a URL


@dataclass(frozen=True)
class Choice:
    """A choice of a page. key: its name in the URL. help: what a visitor reads who points at it.

    resets: the keys of choices that go back to their defaults when this one changes. variant: tells
    a choice whose form depends on others, such as its options, from its other forms. implied: by
    the keys of other choices, what a URL means by this one that holds such a key and not this one,
    as URLs of earlier versions do; those of now then always hold it. shared: whether other pages
    have it, too, and it stays as it is from one to the other. counted_by: the key of a number that
    goes up by one when this one changes to something else than nothing.
    """

    key: str
    label: str
    default: Any
    help: str = field(default="", kw_only=True)
    resets: tuple[str, ...] = field(default=(), kw_only=True)
    variant: str = field(default="", kw_only=True)
    implied: Mapping[str, Any] = field(default_factory=dict, kw_only=True)
    shared: bool = field(default=False, kw_only=True)
    counted_by: str = field(default="", kw_only=True)

    def read(self, text: str) -> Any:
        """The value that a text in a URL means. Raises: AttentionError."""
        raise NotImplementedError

    def text(self, value: Any) -> str:
        """A value as the URL holds it."""
        return url_text(value)

    def asked(self, parameters: Mapping[str, Sequence[str]]) -> tuple[Any, list[str]]:
        """What the parameters of a URL mean by it, and a sentence for each text that is refused."""
        reader = Parameter(self.label, None, self.read)
        values, refused = read_values({self.key: reader}, parameters)
        value = values[self.key]
        return self.unsaid(parameters) if value is None else value, refused

    def unsaid(self, keys: Collection[str]) -> Any:
        """What it is in a URL that has these keys and not its own."""
        return next((one for key, one in self.implied.items() if key in keys), self.default)


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
    """A text in one line, of at most so many letters. reads: what it means, if it is more than a
    text; raises AttentionError for a text that means nothing. short: whether a word is expected.
    """

    most: int
    reads: Callable[[str], Any] = str
    short: bool = False

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
        """See `Choice`; no text means the first value."""
        if not text:
            return tuple(self.default)
        parts = text.split(self.separator)
        if len(parts) > self.most:
            raise SettingsError(f"It has {len(parts):,} numbers, of at most {self.most:,}")
        return tuple(map(self.place, parts))

    def place(self, text: str) -> int:
        """One of the places. Raises: SettingsError."""
        place: int = parse_number(text, 0, self.size - 1, True)
        return place

    def text(self, value: Any) -> str:
        """See `Choice`."""
        return self.separator.join(map(str, value))


def taken_back(choices: Sequence[Choice], changed: Collection[str]) -> set[str]:
    """The keys of the choices that go back to their defaults when some change."""
    return {key for one in choices if one.key in changed for key in one.resets} - {*changed}


def counted(
    choices: Sequence[Choice], before: Mapping[str, Any], now: Mapping[str, Any]
) -> dict[str, int]:
    """The numbers that go up because the choices that they count have changed. before, now: all
    choices by their keys, as values or as texts.

    >>> choices = Words("said", "Answer", "", 9, counted_by="n"), Number("n", "Tries", 0, 0, 9)
    >>> counted(choices, {"said": "4", "n": "1"}, {"said": "5", "n": "1"})
    {'n': 2}
    """
    most = {one.key: int(one.high) for one in choices if isinstance(one, Number)}
    return {
        one.counted_by: min(int(before[one.counted_by]) + 1, most[one.counted_by])
        for one in choices
        if one.counted_by and now[one.key].strip() and now[one.key] != before[one.key]
    }


def by_name(options: Collection[str]) -> dict[str, str]:
    """Options that are called as their keys are.

    >>> by_name(["mean", "maximum"])
    {'mean': 'mean', 'maximum': 'maximum'}
    """
    return {option: option for option in options}
