"""The page *Practice* of the site: a question on the layer, to be worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence

from attention_core import STEPS, Trace
from attention_lab.practice import (
    ASKED_TITLES,
    HELP_LEVELS,
    MAX_QUESTION_NUMBER,
    askable_fields,
    fade_example,
    practice_question,
)

from .blocks import (
    Block,
    BlockPage,
    Board,
    Button,
    Choice,
    Code,
    Heading,
    Note,
    Number,
    Select,
    Switch,
    Text,
    Tone,
    Values,
    Words,
    by_name,
    row,
)
from .markdown import escape_quotations
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
from .sheets import worksheet
from .story.story_view import StoryView

ANSWERS = ("pr_answer", "pr_show")
NUMBER = Number(
    "pr_number", LABELS["pr_number"], 1, low=1, high=MAX_QUESTION_NUMBER, resets=ANSWERS
)
HELP = Select("pr_help", LABELS["pr_help"], HELP_LEVELS[0], by_name(HELP_LEVELS), resets=ANSWERS)
ANSWER = Words("pr_answer", LABELS["pr_answer"], "", MOST_CHARACTERS)
SHOW = Switch("pr_show", LABELS["pr_show"], False)


def _step(trace: Trace) -> Select:
    """The step that is asked for; of a large layer not every step can be worked out by hand."""
    can = askable_fields(trace)
    titles = by_name(["any", *(title for title, field in ASKED_TITLES.items() if field in can)])
    return Select("pr_step", LABELS["pr_step"], "any", titles, resets=ANSWERS)


def _choices(view: StoryView) -> Sequence[Choice]:
    return _step(view.trace), NUMBER, HELP, ANSWER, SHOW


def _blocks(view: StoryView, values: Values) -> Sequence[Block]:
    """A question with what helps, the answer, and the matrices. Raises: AttentionError."""
    trace, number = view.trace, values["pr_number"]
    question = practice_question(trace, number, ASKED_TITLES.get(values["pr_step"], ""))
    text = question_text(question, trace, view.notation)
    example = fade_example(question, values["pr_help"])
    verdict = verdict_on(values["pr_answer"], question, text.method)
    if example.missing is not None:
        verdict = verdict_on_term(values["pr_answer"], example)
    given = [f"{name[0].upper()}{name[1:]}: {numbers}" for name, numbers in text.numbers]
    lines = "\n".join([*given, *help_lines(question, example)])
    blocks: list[Block] = [
        row(values, _step(trace), HELP),
        Heading(STEPS[question.exact.field].title.capitalize()),
        Text(escape_quotations(text.question)),
        *([Code(lines)] if lines else []),
        row(values, ANSWER, SHOW),
    ]
    if verdict:
        tone: Tone = "right" if verdict.is_right else "wrong"
        blocks.append(Note(escape_quotations(verdict.text), tone))
    if values["pr_show"]:
        blocks.append(Text(f"Answer: {escape_quotations(text.answer)}"))
    board = operand_board(view.stage, question.exact, not view.whole)
    return [
        *blocks,
        Button("Next question", {"pr_number": number % MAX_QUESTION_NUMBER + 1}),
        Text(ABOUT_ANSWERS, small=True),
        Heading("The matrices of these numbers"),
        Board(board, "practice", fits=True),
    ]


def practice_sheet(view: StoryView, values: Values) -> str:
    """Questions and answers to print, as HTML. Raises: AttentionError."""
    field = ASKED_TITLES.get(values.get("pr_step", ""), "")
    questions = distinct_questions(view.trace, view.notation, values.get("pr_number", 1), field)
    return worksheet(questions, view.sentence)


PRACTICE = BlockPage("practice", _choices, _blocks)
