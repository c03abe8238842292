"""A question to a class: plain texts of bounded length, and how it is kept."""

import json
import math
import re
from collections.abc import Sequence

from attention_core.checks import is_finite_number
from attention_core.errors import FileError, SettingsError

from ..practice import parse_answer
from ..quiz import Option, Picture, Question, options_of
from .letters import digest

MAX_TEXT_CHARACTERS = 600  # characters of a text
MAX_GIVEN_CHARACTERS = 4_000  # of the given lists of numbers
MAX_GIVEN_LISTS, MIN_OPTIONS, MAX_OPTIONS = 8, 2, 8
MAX_OPTION_PICTURE_SIDE = 24  # cells of a picture; larger ones would be sent to every phone
MAX_ANSWER_CHARACTERS = 40  # that a student may send


def class_question(asked: Question) -> Question:
    """A question as a class gets it: where there are options, one of them is chosen.

    Raises: SettingsError where it is open or too large.
    """
    if asked.options:
        options = tuple(
            Option(str(n), one.label, one.right, one.misconceptions, _rounded(one.picture))
            for n, one in enumerate(asked.options)
        )
        why = f"{asked.answer}. {asked.why}"
        asked = Question(asked.text, why, options, given=asked.given)
    else:
        right, may_differ = asked.number, asked.tolerance
        asked = Question(asked.text, asked.why, (), right, may_differ, asked.given)
    return check_class_question(asked)


def own_question(text: str, right: str, others: Sequence[str]) -> Question:
    """A question that a teacher types: with others, wrong answers, one is chosen; without, a number
    is asked for, right within half a unit of its last decimal.

    Raises: SettingsError for an empty question, or a lone answer that is no number.

    >>> own_question("How many heads?", "8", ()).judge(8).right
    True
    >>> own_question("Where is the noun?", "last", ("first", " ")).answer
    'last'
    """
    wrong = [one.strip() for one in others if one.strip()]
    right = right.strip()
    if not wrong:
        return _own_number(text, right)
    if not right or right in wrong or len(set(wrong)) < len(wrong):
        raise SettingsError("Two answers are the same, or one is empty; give different ones")
    labels = sorted([right, *wrong], key=lambda one: digest(f"{text}{one}"))
    return check_class_question(Question(text, right, options_of(labels, labels.index(right))))


def _own_number(text: str, right: str) -> Question:
    number = parse_answer(right)
    if not math.isfinite(number):
        raise SettingsError(
            f"“{right[:40]}” is no number; give a wrong answer beside it, or a number such as −0.43"
        )
    decimals = re.search(r"[.,](\d+)$", right)
    usual = 0.0 if number == round(number) else 0.005
    tolerance = 0.5 * 10.0 ** -len(decimals[1]) if decimals else usual
    return check_class_question(
        Question(text, right, number=number, tolerance=tolerance, shown=right)
    )


def question_id(asked: Question) -> str:
    """What tells a question from all others, also of the same text about another layer."""
    return digest(question_to_json(asked)).hex()[:16]


def check_class_question(asked: Question) -> Question:
    """The question. Raises: SettingsError where it is open or too large."""
    if asked.kind == "open":
        raise SettingsError("The question is open; give options or a number to vote on")
    labels = [one.label for one in asked.options]
    texts = (asked.text, asked.why, *labels, *(name for name, _ in asked.given))
    _check_size("texts", max(map(len, texts)), 0, MAX_TEXT_CHARACTERS, "shorten the longest")
    if not asked.text.strip():
        raise SettingsError("text is empty; write a question")
    _check_size("given", len(asked.given), 0, MAX_GIVEN_LISTS, "give fewer lists")
    n_given = sum(len(numbers) for _, numbers in asked.given)
    _check_size("given", n_given, 0, MAX_GIVEN_CHARACTERS, "shorten it")
    if not (is_finite_number(asked.value) and is_finite_number(asked.tolerance)):
        raise SettingsError(
            f"answer and tolerance must be finite, but are {asked.value} and {asked.tolerance};"
            " choose another cell"
        )
    _check_options(asked)
    return asked


def _check_options(asked: Question) -> None:
    n = len(asked.options)
    if asked.kind == "number":
        _check_size("options", n, 0, 0, "ask for a choice instead")
        return
    _check_size("options", n, MIN_OPTIONS, MAX_OPTIONS, "give other options")
    _check_size("right options", sum(one.right for one in asked.options), 1, 1, "mark one")
    pictures = [one.picture for one in asked.options if one.picture]
    if pictures:
        _check_size("pictures", len(pictures), n, n, "give each option its own")
        most = max(len(side) for picture in pictures for side in (picture, *picture))
        remedy = "choose a shorter sentence"
        _check_size("cells along a picture", most, 1, MAX_OPTION_PICTURE_SIDE, remedy)


def check_answer(asked: Question, answer: float) -> float:
    """The answer of a student. Raises: SettingsError if it is not an option or not finite."""
    if asked.kind == "choice" and answer not in range(len(asked.options)):
        raise SettingsError(
            f"answer must be one of the {len(asked.options)} options, but is {answer}; tap one"
        )
    if not math.isfinite(answer):
        raise SettingsError("answer must be a number such as −0.43, 12 % or 2/3; write one")
    return float(answer)


def _rounded(picture: Picture) -> Picture:
    return tuple(tuple(round(float(cell), 2) for cell in row) for row in picture)


def pictures_of(asked: Question) -> list[Picture]:
    """The pictures of the options, if they have any."""
    return [one.picture for one in asked.options if one.picture]


def question_to_json(asked: Question) -> str:
    """A question as it is kept."""
    kept = {
        "kind": asked.kind,
        "text": asked.text,
        "answer": asked.value,
        "arithmetic": asked.why,
        "given": asked.given,
        "options": [one.label for one in asked.options],
        "tolerance": asked.tolerance,
        "pictures": pictures_of(asked),
        "misconceptions": [one.misconceptions for one in asked.options],
    }
    return json.dumps(kept, ensure_ascii=True)


def question_from_json(text: str) -> Question:
    """A question as it was kept, perhaps by an older app. Raises: FileError if it is damaged
    there.
    """
    try:
        kept = json.loads(text)
        n = len(kept["options"])
        beliefs = kept.get("misconceptions") or [()] * n
        pictures = [_rounded(one) for one in kept["pictures"]] or [()] * n
        rows = enumerate(zip(kept["options"], beliefs, pictures, strict=True))
        options = tuple(
            Option(str(place), str(label), place == kept["answer"], tuple(map(str, names)), picture)
            for place, (label, names, picture) in rows
        )
        given = tuple((str(name), str(numbers)) for name, numbers in kept["given"])
        # A browser writes 1.0 as 1; what is asked again must be the same question.
        number = None if kept["kind"] == "choice" else float(kept["answer"])
        text, why, tolerance = kept["text"], kept["arithmetic"], float(kept["tolerance"])
        return check_class_question(Question(text, why, options, number, tolerance, given))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise FileError(
            "A question of this room is damaged where it is kept; ask another one, or open a new"
            " room"
        ) from error


def _check_size(name: str, size: int, fewest: int, most: int, remedy: str) -> None:
    if not fewest <= size <= most:
        raise SettingsError(f"{name}: {size}, but {fewest} to {most} are allowed; {remedy}")
