"""The pages of the static site beside the story, as blocks: words, fields, boards and verdicts.

The app draws the same words, boards and judgements with Streamlit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from attention_core import STEPS
from attention_lab.heads.keys_read import maximum_of_heads, mean_of_heads
from attention_lab.practice import (
    ASKED_TITLES,
    HELP_LEVELS,
    MAX_QUESTION_NUMBER,
    askable_fields,
    fade_example,
    practice_question,
)
from attention_lab.url_choices import Parameter
from attention_lab.url_values import parse_number, parse_option, parse_switch, url_text

from .heads.all_heads import (
    ABOUT,
    ABOUT_POINTING,
    MATRIX_FIELDS,
    SHOWN_LABEL,
    TOGETHER,
    TOGETHER_LABEL,
    combined_heads_board,
    heads_grid,
    key_board,
    query_board,
    what_an_average_hides,
    who_reads,
)
from .payload import JSON
from .practice import (
    ABOUT_ANSWERS,
    LABELS,
    MOST_CHARACTERS,
    distinct_questions,
    help_lines,
    operand_board,
    question_text,
    verdict_on,
    verdict_on_term,
)
from .scene import coloured_scene
from .sheets import worksheet
from .story.stages import short_quote
from .story.story_view import StoryView

Values = Mapping[str, Any]
# The parameters of each page in a URL, which are those of the app.
PARAMETERS: Mapping[str, Mapping[str, Parameter]] = {
    "all-heads": {
        "heads_stage": Parameter(
            SHOWN_LABEL, "probabilities", partial(parse_option, options=MATRIX_FIELDS)
        ),
        "heads_view": Parameter(
            TOGETHER_LABEL, TOGETHER[0], partial(parse_option, options=TOGETHER)
        ),
    },
    "practice": {
        "pr_step": Parameter(
            LABELS["pr_step"], "any", partial(parse_option, options=("any", *ASKED_TITLES))
        ),
        "pr_number": Parameter(
            LABELS["pr_number"],
            1,
            partial(parse_number, low=1, high=MAX_QUESTION_NUMBER, whole=True),
        ),
        "pr_help": Parameter(
            LABELS["pr_help"], HELP_LEVELS[0], partial(parse_option, options=HELP_LEVELS)
        ),
        "pr_answer": Parameter(LABELS["pr_answer"], "", str),
        "pr_show": Parameter(LABELS["pr_show"], False, parse_switch),
    },
}
ANSWERS = ("pr_answer", "pr_show")


def chosen(values: Values, name: str, value: Any) -> dict[str, Any]:
    """The values of a page after a choice; another question has no answer yet."""
    kept = dict(values)
    if name not in ANSWERS:
        kept.update({one: PARAMETERS["practice"][one].default for one in ANSWERS if one in values})
    return kept | {name: value}


def url_parameters(path: str, values: Values) -> dict[str, str]:
    """The parameters of a page that are not at their defaults, as a URL has them."""
    defaults = {name: one.default for name, one in PARAMETERS.get(path, {}).items()}
    return {name: url_text(value) for name, value in values.items() if value != defaults.get(name)}


def all_heads(view: StoryView, values: Values) -> list[JSON]:
    """What each head attends to, side by side and together. Raises: AttentionError."""
    trace, cell = view.trace, view.focus.cell("query", "key")
    heads = range(trace.sizes["H"])
    field = MATRIX_FIELDS[values["heads_stage"]]
    blocks = [
        {"text": ABOUT},
        _fields(_choice("heads_stage", MATRIX_FIELDS, values)),
        _board(heads_grid(view.stage, field, heads, cell=cell)),
        {"text": ABOUT_POINTING},
        _fields(_choice("heads_view", TOGETHER, values)),
    ]
    if values["heads_view"] == TOGETHER[0]:
        array = getattr(trace, field)[0]
        merged = {"mean": mean_of_heads(array, heads), "maximum": maximum_of_heads(array, heads)}
        hidden = what_an_average_hides(trace, heads)
        board = combined_heads_board(trace, field, merged, cell, view.notation)
        about = {"heading": "An average hides what heads are for", "text": hidden}
        return [*blocks, _board(board), *([about] if hidden else [])]
    query = short_quote(trace.labels("T"), view.focus.query)
    key = short_quote(trace.labels("S"), view.focus.key)
    of_query, of_key = who_reads(trace, cell, query, key)
    return [
        *blocks,
        {"heading": f"What does {query} read?", "text": of_query},
        _board(query_board(trace, *cell, view.notation)),
        {"heading": f"Who reads {key}?", "text": of_key},
        _board(key_board(trace, *cell, view.notation)),
    ]


def practice(view: StoryView, values: Values) -> list[JSON]:
    """A question on the layer, to be worked out by hand. Raises: AttentionError."""
    trace = view.trace
    number, titles = values["pr_number"], _titles(view)
    question = practice_question(trace, number, titles.get(values["pr_step"], ""))
    text, example = (
        question_text(question, trace, view.notation),
        fade_example(question, values["pr_help"]),
    )
    verdict = verdict_on(values["pr_answer"], question, text.method)
    if example.missing is not None:
        verdict = verdict_on_term(values["pr_answer"], example)
    given = [f"{name[0].upper()}{name[1:]}: {numbers}" for name, numbers in text.numbers]
    blocks = [
        _fields(
            _choice("pr_step", ("any", *titles), values),
            _choice("pr_help", HELP_LEVELS, values),
        ),
        {
            "heading": STEPS[question.exact.field].title.capitalize(),
            "text": text.question,
            "lines": [*given, *help_lines(question, example)],
        },
        _fields(
            _field("pr_answer", values, kind="text", most=MOST_CHARACTERS),
            _field("pr_show", values, kind="switch"),
        ),
    ]
    if verdict:
        blocks.append({"text": verdict.text, "tone": "right" if verdict.is_right else "wrong"})
    if values["pr_show"]:
        blocks.append({"text": f"Answer: {text.answer}"})
    following = str(number % MAX_QUESTION_NUMBER + 1)
    return [
        *blocks,
        {"button": "Next question", "name": "pr_number", "value": following},
        {"text": ABOUT_ANSWERS},
        {"heading": "The matrices of these numbers"},
        _board(operand_board(view.stage, question.exact, not view.whole) | {"fits": True}),
    ]


def practice_sheet(view: StoryView, values: Values) -> str:
    """Questions and answers to print, as HTML. Raises: AttentionError."""
    asked = {name: one.default for name, one in PARAMETERS["practice"].items()} | dict(values)
    field = _titles(view).get(asked["pr_step"], "")
    questions = distinct_questions(view.trace, view.notation, asked["pr_number"], field)
    return worksheet(questions, view.sentence)


PAGES: Mapping[str, Callable[[StoryView, Values], list[JSON]]] = {
    "all-heads": all_heads,
    "practice": practice,
}


def _titles(view: StoryView) -> dict[str, str]:
    """The fields that can be asked for, by their titles."""
    can = askable_fields(view.trace)
    return {title: field for title, field in ASKED_TITLES.items() if field in can}


def _board(scene: JSON) -> JSON:
    return {"board": coloured_scene(scene, "both", 1.0)}


def _fields(*fields: JSON) -> JSON:
    return {"fields": list(fields)}


def _field(name: str, values: Values, **about: Any) -> JSON:
    (label,) = {page[name].label for page in PARAMETERS.values() if name in page}
    return {"name": name, "label": label, "help": "", "on": True, "value": values[name], **about}


def _choice(name: str, options: Iterable[str], values: Values) -> JSON:
    return _field(name, values, kind="choice", options=list(options))
