"""A test before and after a lesson: two forms of ten questions, a code of the answers, the gain."""

from collections.abc import Sequence
from functools import partial

from attention_core import AttentionError
from attention_core.checks import Array
from attention_lab.before_and_after import (
    FORM_ITEMS,
    FORMS,
    NO_ANSWER,
    FormResult,
    form_description,
    form_layer,
    form_questions,
    normalised_gain,
    question_operands,
)
from attention_lab.guesses import MISCONCEPTIONS, Guess

from .. import blocks as b
from ..markdown import escape_markdown, escape_quotations
from ..page_choices import Select, Words, by_name
from ..sheets import form_sheet, matrix_text

MAX_CODE_CHARACTERS = 40
ANSWERS = tuple(f"form_{place}" for place in range(1, len(FORM_ITEMS) + 1))
FORM = Select("form", "Form", "A", by_name(FORMS), "buttons", resets=ANSWERS)
CODES = tuple(
    Words(f"code_{when}", f"Code {when}", "", MAX_CODE_CHARACTERS, short=True)
    for when in ("before", "after")
)


MOST_OPTIONS = 4  # of a question


def _answer(place: int, guess: Guess | None = None, form: str = "") -> Select:
    """The choice of an answer, with the options of a question where one is given."""
    named = {str(NO_ANSWER): "—"} | {str(one): str(one) for one in range(1, MOST_OPTIONS + 1)}
    if guess:
        labels = (one.label for one in guess.options)
        named = dict(zip(named, ("—", *labels), strict=False))
    label = f"Answer to question {place}"
    return Select(ANSWERS[place - 1], label, str(NO_ANSWER), named, "buttons", variant=form)


FORM_CHOICES = (FORM, *(_answer(place) for place in range(1, len(ANSWERS) + 1)), *CODES)


def form_blocks(values: b.Values) -> list[b.Block]:
    """The questions of a form, the code of the answers, the gain of two codes, and both forms to
    print.
    """
    form = values[FORM.key]
    result = FormResult(form, _answers(form, values))
    sheets = (
        b.File(
            f"Form {one} on paper, with key",
            f"attention-form-{one}.html",
            partial(form_sheet, one),
        )
        for one in FORMS
    )
    return [
        b.Text(
            "Ten questions: four on arithmetic, three on shapes and axes, three on common"
            " misconceptions. Take one form before the lesson and the other one after it. Nothing"
            " is sent anywhere."
        ),
        b.row(values, FORM),
        b.Text(escape_quotations(form_description(form))),
        *_questions(form, values),
        b.Heading("Result"),
        b.Text("Keep this code, or hand it in. It holds your answers and nothing else."),
        b.Code(result.code),
        _state_of(result),
        b.Heading("Gain"),
        b.Text(
            "The normalised gain is the share of the missing answers that were learnt: right after"
            " minus right before, divided by ten minus right before."
        ),
        b.row(values, *CODES),
        *_gain(values),
        b.Heading("On paper"),
        b.Row(tuple(sheets)),
    ]


def _answers(form: str, values: b.Values) -> tuple[int, ...]:
    """The answers; one that a question does not offer, as a URL may hold it, counts as none."""
    asked = zip((int(values[key]) for key in ANSWERS), form_questions(form), strict=True)
    return tuple(one if one <= len(guess.options) else NO_ANSWER for one, guess in asked)


def _questions(form: str, values: b.Values) -> list[b.Block]:
    """Each question with the matrices that it needs, and its answers to choose from."""
    questions: list[b.Block] = []
    given = _answers(form, values)
    for place, (guess, answer) in enumerate(zip(form_questions(form), given, strict=True), 1):
        operands = question_operands(form_layer(form), guess)
        questions.append(b.Text(f"**{place}. {escape_quotations(guess.text)}**"))
        questions.append(b.Beside(tuple(map(_matrix, operands)), (1,) * len(operands)))
        questions.append(b.Row((b.Field(_answer(place, guess, form), str(answer)),)))
    return questions


def _matrix(operand: tuple[str, Array]) -> Sequence[b.Block]:
    name, array = operand
    rows = [[str(place), *line] for place, line in enumerate(matrix_text(array))]
    head = ["", *map(str, range(array.shape[-1]))]
    return b.caption(escape_markdown(name)), b.Table(head, rows)


def _state_of(result: FormResult) -> b.Text:
    """How many are right, but not which, once all answers are given."""
    if n_blank := result.answers.count(NO_ANSWER):
        return b.caption(f"Questions without an answer: {n_blank}.")
    return b.Text(f"**Right: {sum(result.right)} of {len(result.right)}.**")


def _gain(values: b.Values) -> list[b.Block]:
    """The right answers before and after, and the normalised gain; nothing without two codes."""
    texts = [values[one.key] for one in CODES]
    if not all(text.strip() for text in texts):
        return []
    try:
        before, after = map(FormResult.from_code, texts)
        reached = normalised_gain(before, after)
    except AttentionError as error:
        return [b.Note(escape_markdown(str(error)), "wrong")]
    gain = "none, since all answers before were right" if reached is None else f"{reached:.2f}"
    said = (
        f"Right before: {sum(before.right)} of 10. Right after: {sum(after.right)} of 10."
        f" **Gain: {gain}.**"
    )
    if remaining := after.misconceptions:
        named = "\n".join(f"- {MISCONCEPTIONS[name].text}" for name in remaining)
        said += f"\n\nMisconceptions in the answers after:\n\n{named}"
    return [b.Text(said)]
