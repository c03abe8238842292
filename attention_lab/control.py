"""What a choice of a scenario declares about itself: its words, what it can be, how it is told.

Widgets, URL, state file, captions and comparison all read this one declaration. How a kind of
widget looks is up to the hosts.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from attention_core.checks import (
    check_choice,
    check_switch,
    check_text,
    number_between,
    whole_number,
)
from attention_core.errors import SettingsError

from .files.file_checks import has_half_character
from .url_values import SWITCH_LABELS, parse_number, parse_option, parse_switch

MAX_TEXT_LENGTH = 1000  # characters
MOST_STEPS = 16  # of a scale of whole numbers; larger ones are typed
Kind = Literal["select", "switch", "text", "lines", "scale", "whole", "number"]


@dataclass(frozen=True)
class Control:
    """One choice: a field of `Scenario`.

    bounds: of a number. options: of a list. compared: those to compare with; none for all. group:
    of the sidebar; "" if no widget holds it. zero: the words for the value 0 where it means "decide
    for me"; axis: the axis that this decides. has_lines: whether a text may have several. other:
    the value to compare with, in the place of which the default or a second value is taken if the
    choice has it already, or a function of the present value; none if two such layers cannot be
    compared. needs: the choice that must be
    on, or have the value after "=", so that this one has an effect; of choices that only some kinds
    of weights or masks ask for, these know. caption: how a caption tells it where it is not at its
    default, with values by their names in braces; told: the same, also at the default. off: the
    value that leaves out an option of modern attention. reads: gives a text that stands for numbers
    as it is kept; raises AttentionError.
    """

    default: Any
    label: str
    bounds: tuple[float, float] = (0, 0)
    options: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    group: str = ""
    zero: str = ""
    axis: str = ""
    has_lines: bool = False
    other: Any = None
    needs: str = ""
    caption: str = ""
    told: str = ""
    off: Any = None
    reads: Callable[[str], str] | None = None
    name: str = ""
    help: str = ""

    def explained(self, help: str = "") -> Any:
        """The field of `Scenario` that declares itself so. help: what a visitor reads who points at
        its widget.
        """
        return field(default=self.default, metadata={"control": replace(self, help=help)})

    @property
    def kind(self) -> Kind:
        """What its widget is: a list, a switch, a text of one line or of several, a scale (of
        `steps`), a whole number or another one.
        """
        if self.options:
            return "select"
        if isinstance(self.default, bool):
            return "switch"
        if isinstance(self.default, str):
            return "lines" if self.has_lines else "text"
        if isinstance(self.default, float):
            return "number"
        return "scale" if self.zero or self.bounds[1] <= MOST_STEPS else "whole"

    @property
    def is_compared(self) -> bool:
        """Whether two layers that differ in it alone can be compared."""
        return self.other is not None or self.kind == "switch"

    @property
    def steps(self) -> tuple[str, ...]:
        """The texts of a scale."""
        low, high = map(int, self.bounds)
        return tuple(str(self.held(number)) for number in range(low, high + 1))

    def held(self, value: Any) -> Any:
        """A value as its widget and a URL hold it."""
        return str(value or self.zero) if self.zero else value

    def said(self, value: Any) -> str:
        """A value as a text that is read."""
        if self.kind == "switch":
            return SWITCH_LABELS[value]
        shown = self.held(value)
        if isinstance(shown, str):
            return shown
        return f"{shown:,g}" if isinstance(shown, float) else f"{shown:,}"

    def read(self, text: str) -> Any:
        """The value that a text in a URL means. Raises: AttentionError."""
        if self.reads:
            return self.reads(text) if text else ""
        kind = self.kind
        if kind == "select":
            return parse_option(text, self.options)
        if kind == "switch":
            return parse_switch(text)
        if kind in ("text", "lines"):
            return ("\n" if self.has_lines else " ").join(text[:MAX_TEXT_LENGTH].splitlines())
        if self.zero:  # a scale of texts, of which 0 is the first
            return 0 if text == "0" else self.steps.index(parse_option(text, self.steps))
        return parse_number(text, *self.bounds, isinstance(self.default, int))

    def check(self, value: Any) -> Any:
        """The value, if the choice can have it. Raises: SettingsError, TextError."""
        kind, (low, high) = self.kind, self.bounds
        if kind == "switch":
            check_switch(self.name, value)
            return value
        if kind == "select":
            return check_choice(self.name, value, self.options)
        if kind in ("text", "lines"):
            return self._check_text(value)
        if kind == "number":
            return number_between(self.name, value, low, high)
        return whole_number(self.name, value, int(low), int(high))

    def _check_text(self, value: Any) -> str:
        check_text(self.name, value)
        if len(value) > MAX_TEXT_LENGTH:
            raise SettingsError(
                f"{self.name} has {len(value):,} characters but may have at most"
                f" {MAX_TEXT_LENGTH:,}; shorten it"
            )
        if self.reads and value:
            self.reads(value)
        if has_half_character(value):
            raise SettingsError(
                f"{self.name} holds half a character (a lone surrogate); write it again"
            )
        return str(value)

    def other_value(self, value: Any) -> Any:
        """The value to compare with, which is not the present one."""
        if callable(self.other):
            return self.other(value)
        if self.other is None:
            return not value
        first, second = self.other if isinstance(self.other, tuple) else (self.other, self.default)
        return second if value == first else first

    def is_needed(self, chosen: Any) -> bool:
        """Whether the choice that it needs is on."""
        name, _, wanted = self.needs.partition("=")
        value = getattr(chosen, name, True)
        return bool(value == wanted if wanted else value not in (False, "off"))


def controls_of(choices: type) -> dict[str, Control]:
    """What the fields of a record declare, by their names."""
    return {one.name: replace(one.metadata["control"], name=one.name) for one in fields(choices)}
