"""The stage of a step: a board whose scene also holds the row of pages, words and formula."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from xml.etree.ElementTree import Element, fromstring

from latex2mathml.converter import convert

from .payload import JSON, board_json

# The parts of a board that take part in the computation. A stage shows these; the others stand
# below it.
STAGE_PARTS = frozenset({"operand", "result", "row", "total", "ribbon"})
# Parts of single steps that stand below the stage too: with them cells would be too small for
# numbers.
PARTS_BELOW_STAGE: Mapping[str, Set[str]] = {"probabilities": {"row"}}


@dataclass(frozen=True)
class Choice:
    """A choice on the stage: one of several options. named: whether its label is shown."""

    name: str
    label: str
    options: Sequence[str]
    value: str
    named: bool = False


@dataclass(frozen=True)
class Note:
    """A sentence of the stage about its numbers, and one button beside it, if any.

    act: the name of the choice that the button sets to `value`; "pin" for one that looks at the
    cell in `value`.
    """

    text: str
    label: str = ""
    act: str = ""
    value: str | int | JSON = ""


@dataclass(frozen=True)
class Reasons:
    """Three sentences of a step.

    now: the numbers that are seen. why: the reason. tries: what to try, the best first; a board
    shows the first one that is in its reach.
    """

    now: str
    why: str
    tries: tuple[Note, ...]


@dataclass(frozen=True, eq=False)
class StepParts:
    """What one step adds to what all steps have.

    field: of the trace; "" for the whole layer or more, with a sentence of its own in `says`. more:
    LaTeX that is added to the formula. also: a sentence that is added to that of the step. notes:
    on the numbers.
    """

    field: str
    board: JSON
    says: str = ""
    more: str = ""
    also: str = ""
    choices: Sequence[Choice] = ()
    notes: Sequence[Note] = ()


def stage_board(board: JSON, words: JSON) -> JSON:
    """A board as the stage of a step: the parts of the computation alone, with the words that stand
    around them.
    """
    result = next((p["array"] for p in board["panels"] if p["role"] == "result"), "")
    parts = STAGE_PARTS - PARTS_BELOW_STAGE.get(result, set())
    panels = [p for p in board["panels"] if _is_on_stage(p, parts) or "flow" in board]
    main = [p["array"] for p in panels if p["size"] != "small"]
    stage = words | {"signs": _signs(main, result, board["rules"])}
    return board | {"panels": panels, "stage": stage}


def strip_board(row: JSON, summary: bool = False, lecture: bool = False, lesson: str = "") -> JSON:
    """A board with the row of pages and no matrices. summary: whether it lists the guesses.
    lecture: whether it is shown alone. lesson: which moment of a lesson this is, if any.
    """
    stage = {"summary": summary, "lecture": lecture, "lesson": lesson}
    about = "The pages of this chapter."
    return board_json(about, {}, {}, (), None, arithmetic=False, stage=row | stage)


def _signs(arrays: Sequence[str], result: str, rules: JSON) -> list[str]:
    """The signs between the matrices of a step that stand in a row: those of a sum where its rule
    is one, else an arrow; and Σ before the sum of a row of the result.
    """
    rule = rules.get(result, {})
    factors = {read["array"] for read in rule.get("reads", ())}
    is_equation = rule.get("operation") == "sum" and len(arrays) > 2
    end = arrays.index(result) if result in arrays else 0
    signs = ["·" if array in factors else "+" for array in arrays[1:end]]
    signs += ["=" if is_equation else "→"] if end > 0 else []
    behind = (rules.get(array, {}) for array in arrays[end + 1 :])
    return signs + ["Σ" for total in behind if end and total.get("operation") == "sum"]


def _is_on_stage(panel: JSON, parts: Set[str]) -> bool:
    return panel["role"] in parts or panel["size"] == "small"


@lru_cache(maxsize=256)
def mathml(latex: str) -> list[Any] | None:
    r"""A formula as MathML, which browsers draw themselves, in nested lists: tag, attributes, then
    texts and parts.

    >>> mathml("x")
    ['math', {'display': 'inline'}, ['mrow', {}, ['mi', {}, 'x']]]
    """
    if not latex:
        return None
    return _nested(fromstring(convert(latex)))


def _nested(element: Element) -> list[Any]:
    tag = element.tag.rpartition("}")[2]
    texts = [text for text in (element.text,) if text and text.strip()]
    return [tag, dict(element.attrib), *texts, *map(_nested, element)]
