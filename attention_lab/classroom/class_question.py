"""A question as a class gets it: plain texts, of bounded length, with its answer."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass

from attention_core.checks import is_finite_number
from attention_core.errors import SettingsError

KINDS = ("number", "choice")
MAX_TEXT = 600  # characters of a text
MAX_NUMBERS = 4_000  # of the numbers that are given
MAX_GIVEN, MIN_OPTIONS, MAX_OPTIONS = 8, 2, 8
MAX_SIDE = 24  # cells of a picture; larger ones would be sent to every phone
LAST_QUESTION = 40  # characters that a student may send

Picture = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Posed:
    """A question to a class.

    kind: "number", or "choice" of options. given: what each list of numbers is, and the numbers.
    answer: the number, or the place of the right option. tolerance: how far a number may be off.
    arithmetic: how the answer comes about, shown with it. pictures: one for each option, of numbers
    from 0 to 1, or none.
    """

    kind: str
    text: str
    answer: float
    arithmetic: str
    given: tuple[tuple[str, str], ...] = ()
    options: tuple[str, ...] = ()
    tolerance: float = 0.0
    pictures: tuple[Picture, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise SettingsError(f"kind must be one of {KINDS}, but is {self.kind!r}; choose one")
        texts = (self.text, self.arithmetic, *self.options, *(name for name, _ in self.given))
        _bound("texts", max(map(len, texts)), 0, MAX_TEXT, "shorten the longest")
        if not self.text.strip():
            raise SettingsError("text must say what is asked, but is empty; write a question")
        _bound("given", len(self.given), 0, MAX_GIVEN, "give fewer lists")
        _bound(
            "given", sum(len(numbers) for _, numbers in self.given), 0, MAX_NUMBERS, "shorten it"
        )
        if not (is_finite_number(self.answer) and is_finite_number(self.tolerance)):
            raise SettingsError(
                f"answer and tolerance must be finite, but are {self.answer} and {self.tolerance};"
                " choose another cell"
            )
        self._check_options()

    def _check_options(self) -> None:
        if self.kind == "number":
            _bound("options", len(self.options), 0, 0, "ask for a choice instead")
            return
        _bound("options", len(self.options), MIN_OPTIONS, MAX_OPTIONS, "give other options")
        if self.pictures:
            n_options = len(self.options)
            _bound("pictures", len(self.pictures), n_options, n_options, "give each option its own")
            sides = [len(side) for picture in self.pictures for side in (picture, *picture)]
            _bound("cells along a picture", max(sides), 1, MAX_SIDE, "choose a shorter sentence")
        if self.answer not in range(len(self.options)):
            raise SettingsError(
                f"answer must be the place of an option, 0 to {len(self.options) - 1}, but is"
                f" {self.answer}; name the right one"
            )

    def accepts(self, answer: float) -> bool:
        """Whether an answer is right."""
        return is_finite_number(answer) and abs(answer - self.answer) <= self.tolerance

    def check(self, answer: float) -> float:
        """An answer that can be voted for. Raises: SettingsError for one that cannot."""
        if self.kind == "choice" and answer not in range(len(self.options)):
            raise SettingsError(
                f"answer must be one of the {len(self.options)} options, but is {answer}; tap one"
            )
        if not math.isfinite(answer):
            raise SettingsError("answer must be a number such as −0.43, 12 % or 2/3; write one")
        return float(answer)


def to_json(posed: Posed) -> str:
    """A question as it is kept."""
    return json.dumps(asdict(posed), ensure_ascii=True)


def from_json(text: str) -> Posed:
    """A question as it was kept, from a file that nobody but this program writes."""
    kept = json.loads(text)
    kept["given"] = tuple((str(name), str(numbers)) for name, numbers in kept["given"])
    kept["options"] = tuple(map(str, kept["options"]))
    kept["pictures"] = tuple(tuple(map(tuple, picture)) for picture in kept["pictures"])
    return Posed(**kept)


def _bound(name: str, size: int, fewest: int, most: int, remedy: str) -> None:
    if not fewest <= size <= most:
        raise SettingsError(f"{name}: {size} where {fewest} to {most} are possible; {remedy}")
