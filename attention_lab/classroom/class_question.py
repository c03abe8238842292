"""A question to a class: plain texts of bounded length, with the answer."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass

from attention_core.checks import is_finite_number
from attention_core.errors import FileError, SettingsError

QUESTION_KINDS = ("number", "choice")
MAX_TEXT_CHARACTERS = 600  # characters of a text
MAX_GIVEN_CHARACTERS = 4_000  # of the given lists of numbers
MAX_GIVEN_LISTS, MIN_OPTIONS, MAX_OPTIONS = 8, 2, 8
MAX_OPTION_PICTURE_SIDE = 24  # cells of a picture; larger ones would be sent to every phone
MAX_ANSWER_CHARACTERS = 40  # that a student may send

Picture = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class ClassQuestion:
    """A question to a class.

    kind: "number", or "choice" of options. given: lists of numbers, each with its name.
    answer: the number, or the index of the right option. tolerance: how far a number may be off.
    arithmetic: how to compute the answer, shown with it. pictures: one for each option, of
    numbers from 0 to 1, or none.
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
        if self.kind not in QUESTION_KINDS:
            raise SettingsError(
                f"kind must be one of {QUESTION_KINDS}, but is {self.kind!r}; choose one"
            )
        texts = (self.text, self.arithmetic, *self.options, *(name for name, _ in self.given))
        _check_size("texts", max(map(len, texts)), 0, MAX_TEXT_CHARACTERS, "shorten the longest")
        if not self.text.strip():
            raise SettingsError("text is empty; write a question")
        _check_size("given", len(self.given), 0, MAX_GIVEN_LISTS, "give fewer lists")
        n_given = sum(len(numbers) for _, numbers in self.given)
        _check_size("given", n_given, 0, MAX_GIVEN_CHARACTERS, "shorten it")
        if not (is_finite_number(self.answer) and is_finite_number(self.tolerance)):
            raise SettingsError(
                f"answer and tolerance must be finite, but are {self.answer} and {self.tolerance};"
                " choose another cell"
            )
        self._check_options()

    def _check_options(self) -> None:
        if self.kind == "number":
            _check_size("options", len(self.options), 0, 0, "ask for a choice instead")
            return
        n = len(self.options)
        _check_size("options", n, MIN_OPTIONS, MAX_OPTIONS, "give other options")
        if self.pictures:
            _check_size("pictures", len(self.pictures), n, n, "give each option its own")
            most = max(len(side) for picture in self.pictures for side in (picture, *picture))
            remedy = "choose a shorter sentence"
            _check_size("cells along a picture", most, 1, MAX_OPTION_PICTURE_SIDE, remedy)
        if self.answer not in range(len(self.options)):
            raise SettingsError(
                f"answer must be the index of an option, 0 to {len(self.options) - 1}, but is"
                f" {self.answer}; choose the right one"
            )

    def accepts(self, answer: float) -> bool:
        """Whether an answer is right."""
        return is_finite_number(answer) and abs(answer - self.answer) <= self.tolerance

    def check_answer(self, answer: float) -> float:
        """The answer. Raises: SettingsError if it is not an option or not finite."""
        if self.kind == "choice" and answer not in range(len(self.options)):
            raise SettingsError(
                f"answer must be one of the {len(self.options)} options, but is {answer}; tap one"
            )
        if not math.isfinite(answer):
            raise SettingsError("answer must be a number such as −0.43, 12 % or 2/3; write one")
        return float(answer)


def question_to_json(posed: ClassQuestion) -> str:
    """A question as it is kept."""
    return json.dumps(asdict(posed), ensure_ascii=True)


def question_from_json(text: str) -> ClassQuestion:
    """A question as it was kept. Raises: FileError if it is damaged there."""
    try:
        kept = json.loads(text)
        kept["given"] = tuple((str(name), str(numbers)) for name, numbers in kept["given"])
        kept["options"] = tuple(map(str, kept["options"]))
        kept["pictures"] = tuple(tuple(map(tuple, picture)) for picture in kept["pictures"])
        return ClassQuestion(**kept)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise FileError(
            "A question of this room is damaged where it is kept; ask another one, or open a new"
            " room"
        ) from error


def _check_size(name: str, size: int, fewest: int, most: int, remedy: str) -> None:
    if not fewest <= size <= most:
        raise SettingsError(f"{name}: {size}, but {fewest} to {most} are allowed; {remedy}")
