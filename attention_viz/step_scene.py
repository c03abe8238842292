"""The stage of a step: a board whose scene holds strip, words and formula, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any
from xml.etree.ElementTree import Element, fromstring

from latex2mathml.converter import convert

from .payload import JSON

# What a stage shows of a board: what takes part in the computation. What stands beside it is shown
# below the stage.
PARTS = frozenset({"operand", "result", "row", "total", "ribbon"})
# What of it would make the cells too small to bear numbers.
BELOW: Mapping[str, Set[str]] = {"probabilities": {"row"}}


@dataclass(frozen=True)
class Choice:
    """Something a stage lets choose: one of several options by name."""

    name: str
    label: str
    options: Sequence[str]
    value: str


@dataclass(frozen=True)
class Note:
    """What a stage says of the numbers it shows, and one button beside it, if any.

    act: the name of the choice that the button makes, to `value`.
    """

    text: str
    label: str = ""
    act: str = ""
    value: str = ""


@dataclass(frozen=True)
class StepWords:
    """What a stage says of its step.

    says: plain text. formula: LaTeX. steps: title and path of every step of the story; place: which
    of them this is. notes: what is said of the numbers. heads: how many there are; head: the one in
    focus. hide: whether the result is covered; lecture: whether nothing but the stage is shown.
    guess: the question that is asked first, as `guesses.as_data` gives it.
    """

    title: str
    question: str
    says: str
    formula: str
    steps: Sequence[tuple[str, str]]
    place: int
    choices: Sequence[Choice] = ()
    notes: Sequence[Note] = ()
    heads: int = 1
    head: int = 0
    hide: bool = False
    lecture: bool = False
    guess: JSON | None = None


def staged(board: JSON, words: StepWords) -> JSON:
    """A board as the stage of a step: only what takes part in the computation, and the words."""
    result = next((p["array"] for p in board["panels"] if p["role"] == "result"), "")
    parts = PARTS - BELOW.get(result, set())
    panels = [p for p in board["panels"] if _is_on_stage(p, parts) or "flow" in board]
    main = [p["array"] for p in panels if p["size"] != "small"]
    stage: JSON = {
        "title": words.title,
        "question": words.question,
        "says": words.says,
        "formula": mathml(words.formula),
        "steps": [{"title": title, "path": path} for title, path in words.steps],
        "place": words.place,
        "choices": [
            {"name": c.name, "label": c.label, "options": list(c.options), "value": c.value}
            for c in words.choices
        ],
        "notes": [asdict(note) for note in words.notes],
        "heads": {"count": words.heads, "chosen": words.head},
        "hide": words.hide,
        "lecture": words.lecture,
        "guess": words.guess,
        "signs": _signs(main, result, board["rules"]),
    }
    return board | {"panels": panels, "stage": stage}


def strip_alone(
    steps: Sequence[tuple[str, str]], place: int, transposed: bool = False, summary: bool = False
) -> JSON:
    """A board without matrices, that shows the strip of steps; summary: and what was guessed."""
    links = [{"title": title, "path": path} for title, path in steps]
    empty: JSON = {"arrays": {}, "rules": {}, "axes": {}, "panels": [], "cell": None}
    about = {"description": "Steps of the story.", "player": False, "arithmetic": False}
    stage = {"steps": links, "place": place, "summary": summary}
    return empty | about | {"transposed": transposed, "stage": stage}


def _signs(arrays: Sequence[str], result: str, rules: JSON) -> list[str]:
    """The signs between the matrices of a step that stand in a row: those of a sum where its rule
    is one, else an arrow; and Σ before the sum of a row of the result.
    """
    rule = rules.get(result, {})
    factors = {read["array"] for read in rule.get("reads", ())}
    is_equation = rule.get("operation") == "sum" and len(arrays) > 2
    end = arrays.index(result) if result in arrays else 0
    signs = ["·" if array in factors else "+" for array in arrays[1:end]]
    signs += ["=" if is_equation else "→"] * (end > 0)
    behind = (rules.get(array, {}) for array in arrays[end + 1 :])
    return signs + ["Σ" for total in behind if end and total.get("operation") == "sum"]


def _is_on_stage(panel: JSON, parts: Set[str]) -> bool:
    return panel["role"] in parts or panel["size"] == "small"


@lru_cache(maxsize=256)
def mathml(latex: str) -> list[Any] | None:
    r"""A formula as MathML, which browsers draw by themselves, as nested lists: tag, attributes,
    then texts and parts.

    >>> mathml("x")
    ['math', {'display': 'inline'}, ['mrow', {}, ['mi', {}, 'x']]]
    """
    return _nested(fromstring(convert(latex))) if latex else None


def _nested(element: Element) -> list[Any]:
    tag = element.tag.rpartition("}")[2]
    text = [element.text] if element.text and element.text.strip() else []
    return [tag, dict(element.attrib), *text, *map(_nested, element)]
