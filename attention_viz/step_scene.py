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
STAGE_PARTS = frozenset({"operand", "result", "row", "total", "ribbon"})
# What of it would make the cells too small to bear numbers.
BELOW_STAGE: Mapping[str, Set[str]] = {"probabilities": {"row"}}
# The signs between the matrices of a step that stand in a row.
PRODUCT_SIGNS = ("·", "=")
STEP_SIGNS: Mapping[str, tuple[str, ...]] = {
    "inputs": ("+", "="),
    "queries": PRODUCT_SIGNS,
    "keys": PRODUCT_SIGNS,
    "values": PRODUCT_SIGNS,
    "scores": PRODUCT_SIGNS,
    "head_outputs": PRODUCT_SIGNS,
    "scaled_scores": ("→",),
    "masked_scores": ("→",),
    "probabilities": ("→", "Σ"),
    "query_heads": ("→",),
    "key_heads": ("→",),
    "value_heads": ("→",),
    "merged": ("→",),
}
# The output has other parts from layer to layer: what stands before each.
OUTPUT_SIGNS = {"w_o": "·", "inputs": "+", "output": "="}


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


def stage_board(board: JSON, words: StepWords) -> JSON:
    """A board as the stage of a step: only what takes part in the computation, and the words."""
    result = next((p["array"] for p in board["panels"] if p["role"] == "result"), "")
    parts = STAGE_PARTS - BELOW_STAGE.get(result, set())
    panels = [p for p in board["panels"] if _is_on_stage(p, parts) or "flow" in board]
    main = [p["array"] for p in panels if p["size"] != "small"]
    signs = (
        STEP_SIGNS.get(result, ()) if result != "output" else [OUTPUT_SIGNS[p] for p in main[1:]]
    )
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
        "signs": list(signs[: len(main) - 1]) if len(main) > 2 else ["→"] * (len(main) - 1),
    }
    return board | {"panels": panels, "stage": stage}


def strip_board(
    steps: Sequence[tuple[str, str]], place: int, transposed: bool = False, summary: bool = False
) -> JSON:
    """A board without matrices, that shows the strip of steps; summary: and what was guessed."""
    links = [{"title": title, "path": path} for title, path in steps]
    empty: JSON = {"arrays": {}, "rules": {}, "axes": {}, "panels": [], "cell": None}
    about = {"description": "Steps of the story.", "player": False, "arithmetic": False}
    stage = {"steps": links, "place": place, "summary": summary}
    return empty | about | {"transposed": transposed, "stage": stage}


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
