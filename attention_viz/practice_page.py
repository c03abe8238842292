"""The page *Practice*: questions on the layer to work out by hand, one by one, or as a set in which
each student has numbers of their own.
"""

from collections.abc import Sequence
from typing import Any

from attention_core import STEPS, Trace
from attention_core.derivation import Derivation, derive
from attention_lab.export.csv_text import csv_text
from attention_lab.focus import moved_places
from attention_lab.guesses import MISCONCEPTIONS, Guess, guess_in_turn
from attention_lab.page_list import step_of
from attention_lab.practice import (
    ASKED_TITLES,
    HELP_LEVELS,
    MAX_QUESTION_NUMBER,
    MAX_QUESTIONS,
    MAX_STUDENT,
    MAX_TERMS,
    Homework,
    askable_fields,
    fade_example,
    parse_answer,
    practice_question,
)
from attention_lab.presets import preset_named, widget_values
from attention_lab.quiz import Question

from . import blocks as b
from .block_page import BlockPage
from .layer_caption import columns_note
from .markdown import escape_markdown, escape_quotations
from .page_choices import Choice, Number, Places, Select, Switch, Words, by_name
from .practice import (
    asked_in,
    distinct_questions,
    help_lines,
    in_words,
    operand_board,
    verdict_on,
)
from .sheets import blank_boards, worksheet
from .story.story_view import StoryView

ONE_BY_ONE, SET = "one by one", "a set to hand in"
MOST_CHARACTERS = 40  # of an answer
SMALL_EXAMPLE = "Two heads on paper"  # an example that a hand can work out
SHEET = "attention-by-hand.html"
ANSWERS = ("pr_answer", "pr_show", "pr_choice")
MODE = Select("pr_mode", "Questions", ONE_BY_ONE, by_name([ONE_BY_ONE, SET]), "buttons")
NUMBER = Number("pr_number", "Question", 1, 1, MAX_QUESTION_NUMBER, resets=ANSWERS)
HELP = Select(
    "pr_help",
    "Help",
    HELP_LEVELS[0],
    by_name(HELP_LEVELS),
    help="*worked* shows all of the arithmetic, *own layer* none, the others all but one number.",
    resets=ANSWERS,
)
SUCH_AS = "Such as −0.43, 12 % or 2/3."
ANSWER = Words("pr_answer", "Your answer", "", MOST_CHARACTERS, help=SUCH_AS)
SHOW = Switch("pr_show", "Show the answer", False)
CHOSEN = Places("pr_choice", "Your choice", (), size=9, most=1)
STUDENT = Number("hw_student", "Your number", 0, 0, MAX_STUDENT)
FIRST = Number("hw_first", "First question", 1, 1, MAX_QUESTION_NUMBER)
COUNT = Number("hw_count", "How many", 6, 1, MAX_QUESTIONS)
STUDENTS = Number("hw_students", "Students", 30, 1, 60)
MOST_TRIES = 99


def _of_one(n: int) -> tuple[Words, Switch, Number]:
    """The choices of a question of a set: the answer, whether the right one is shown, and how often
    the answer has changed.
    """
    name, tries = f"Answer to question {n}", f"hw_tries_{n}"
    return (
        Words(f"hw_answer_{n}", name, "", MOST_CHARACTERS, help=SUCH_AS, counted_by=tries),
        Switch(f"hw_show_{n}", f"Show the answer to question {n}", False),
        Number(tries, f"Tries of question {n}", 0, 0, MOST_TRIES),
    )


SET_ANSWERS = tuple(map(_of_one, range(1, MAX_QUESTIONS + 1)))
SUMMARY_COLUMNS = ("student", "question", "step", "answer", "verdict", "tries", "looked")


def _step(trace: Trace) -> Select:
    """The step that is asked for; of a large layer not every step can be worked out by hand."""
    can = askable_fields(trace)
    titles = [title for title, field in ASKED_TITLES.items() if field in can]
    help = ""
    if left_out := ", ".join(title for title in ASKED_TITLES if title not in titles):
        help = (
            f"Not offered: {left_out}. Each of their numbers needs more than {MAX_TERMS} terms, or"
            f" none. Smaller sizes help; the example *{SMALL_EXAMPLE}* has them."
        )
    return Select("pr_step", "Step", "any", by_name(["any", *titles]), help=help, resets=ANSWERS)


def _choices(view: StoryView) -> Sequence[Choice]:
    one_by_one = (_step(view.trace), NUMBER, HELP, ANSWER, SHOW, CHOSEN)
    of_set = (one for pair in SET_ANSWERS for one in pair)
    return (MODE, *one_by_one, STUDENT, FIRST, COUNT, *of_set)


def _blocks(view: StoryView, values: b.Values) -> Sequence[b.Block]:
    """A question, or a set of them. Raises: AttentionError."""
    return (_a_set if values["pr_mode"] == SET else _one)(view, values)


def _one(view: StoryView, values: b.Values) -> Sequence[b.Block]:
    """A question with what helps, the answer, and the matrices."""
    trace, number = view.trace, values["pr_number"]
    field = ASKED_TITLES.get(values["pr_step"], "")
    question = practice_question(trace, number, field)
    question = in_words(question, trace, view.notation)
    example = fade_example(question, values["pr_help"])
    lines = help_lines(question, example)
    answered: list[b.Block] = _said(verdict_on(values["pr_answer"], asked_in(example)))
    if values["pr_show"]:
        see = _link_to(trace, question.exact)
        answered += [b.Text(f"Answer: {escape_quotations(question.why)}"), see]
    columns = columns_note(trace, view.notation, in_story=True)
    following = b.Button("Next question", {"pr_number": number % MAX_QUESTION_NUMBER + 1})
    return [
        b.row(values, MODE, _step(trace), NUMBER, HELP),
        _asked(question, f"{STEPS[question.exact.field].title.capitalize()}. "),
        *([b.Code("\n".join(lines))] if lines else []),
        b.Row((b.Field(ANSWER, values["pr_answer"]), b.Field(SHOW, values["pr_show"]), following)),
        *answered,
        b.Board(operand_board(view.stage, question.exact, not view.whole), "practice", fits=True),
        *([b.Text(columns, small=True)] if columns else []),
        b.Text(
            "The numbers are those of your layer, rounded; an answer may differ by the rounding."
            " With another sentence or other sizes, the same question has other numbers.",
            small=True,
        ),
        *_common_mistake(view, number, field, values["pr_choice"]),
        b.Heading("Questions on paper"),
        b.File(f"From number {number} on", SHEET, lambda: practice_sheet(view, values)),
    ]


def _asked(question: Question, before: str = "") -> b.Text:
    """A question, and the numbers that it gives. before: its number, or its step."""
    given = (
        f"{escape_quotations(name[0].upper() + name[1:])}: `{numbers}`"
        for name, numbers in question.given
    )
    asked = f"**{before}{escape_quotations(question.text)}**"
    return b.Text(f"{asked}\n\n{' · '.join(given)}")


def _said(verdict: tuple[bool, str] | None) -> list[b.Block]:
    """What is said of an answer; nothing without one."""
    if verdict is None:
        return []
    is_right, text = verdict
    return [b.Note(escape_quotations(text), "right" if is_right else "wrong")]


def _link_to(trace: Trace, cell: Derivation) -> b.Link:
    """The way to the step of a cell, with the cell in focus."""
    field = cell.field
    axes = [(one, trace.sizes[one[2:]] if "·" in one else None) for one in trace.axes(field)]
    which = {"which": field} if field in ("queries", "keys", "values") else {}
    places = moved_places(axes, cell.index)
    return b.Link("See it on the board", step_of(field).url_path, places | which)


def _common_mistake(
    view: StoryView, number: int, field: str, chosen: tuple[int, ...]
) -> list[b.Block]:
    """A question with options on the same step, with the matrices that it needs."""
    guess = guess_in_turn(view.trace, number, field)
    if guess is None:
        return []
    whole, head = guess.item.asks == "matrix", ""
    if "H" in view.trace.axes(guess.field) and not whole:
        head = f"Head {guess.index[1]}: "
    options = enumerate(guess.options)
    blocks: list[b.Block] = [
        b.Heading("A common mistake: choose"),
        b.Text(f"**{head}{escape_quotations(guess.text)}**"),
        b.Row(tuple(b.Button(one.label, {CHOSEN.key: (place,)}) for place, one in options)),
        *(_judged(guess, place) for place in chosen if place < len(guess.options)),
    ]
    if not whole:
        cell = derive(view.trace, guess.field, guess.index)
        blocks.append(b.Board(operand_board(view.stage, cell, not view.whole), "practice mistake"))
    return blocks


def _judged(guess: Guess, place: int) -> b.Note:
    """Whether the chosen answer is right, which misconception gives it, and why."""
    option, why = guess.options[place], escape_markdown(guess.why)
    if option.right:
        return b.Note(f"Right: {escape_markdown(option.label)}. {why}", "right")
    cause = ""
    for name in option.misconceptions[:1]:
        misconception = escape_markdown(MISCONCEPTIONS[name].text)
        cause = f" That answer follows from a misconception: “{misconception}”"
    not_this = f"Not {escape_markdown(option.label)}: {escape_markdown(guess.answer)}."
    return b.Note(f"{not_this}{cause} {why}", "wrong")


def practice_sheet(view: StoryView, values: b.Values) -> str:
    """Questions and answers to print, as HTML. Raises: AttentionError."""
    field = ASKED_TITLES.get(values.get("pr_step", ""), "")
    questions = distinct_questions(view.trace, view.notation, values.get("pr_number", 1), field)
    return worksheet(questions, view.sentence)


def _a_set(view: StoryView, values: b.Values) -> Sequence[b.Block]:
    """All questions of a set one below the other, with the numbers of the student, a summary to
    hand in, and a link to hand out.
    """
    student, first, count = (values[one.key] for one in (STUDENT, FIRST, COUNT))
    homework = Homework(view.scenario, first, count)
    seed = homework.seed(student)
    asked, lines = list[b.Block](), list[tuple[Any, ...]]()
    for place, question in enumerate(homework.questions(seed), 1):
        question = in_words(question, homework.trace(seed), view.notation)
        given = values[f"hw_answer_{place}"].strip()
        looked = bool(given) and values[f"hw_show_{place}"]  # only after an attempt
        verdict = question.judge(parse_answer(given)).grade if given else "none"
        title = STEPS[question.exact.field].title
        tries = max(values[f"hw_tries_{place}"], bool(given))  # a URL may hold the answer alone
        lines.append((student, place, title, given, verdict, int(tries), looked))
        asked.append(_asked(question, f"{place}. "))
        asked.append(b.row(values, *SET_ANSWERS[place - 1][: 2 if given else 1]))
        asked += _said(verdict_on(given, question))
        asked += [b.Text(f"Answer: {escape_quotations(question.why)}")] * looked
    return [
        b.row(values, MODE, STUDENT, FIRST, COUNT),
        b.Text(
            "Type the number that your teacher gave you. Random weights are drawn from it, so every"
            " student answers the same questions about other weights."
        ),
        *_without_seed(homework),
        *asked,
        *_handing_in(student, lines),
        b.Heading("Hand out"),
        b.Text("This link opens the set; each student types a number."),
        _set_link(values),
    ]


def _set_link(values: b.Values) -> b.ShareLink:
    """The link to a set of questions on the layer of now."""
    return b.ShareLink(
        "practice", {"pr_mode": SET} | {one.key: values[one.key] for one in (FIRST, COUNT)}
    )


def _handing_in(student: int, lines: Sequence[Sequence[Any]]) -> list[b.Block]:
    """The number of right answers and of tries, and a file to hand in."""
    n_right, n_looked = (
        sum(line[at] == one for line in lines) for at, one in ((4, "right"), (6, True))
    )
    n_tries = sum(line[5] for line in lines)
    return [
        b.Heading("Hand in"),
        b.Text(
            f"Right: **{n_right} of {len(lines)}**. Tries: **{n_tries}**. Answers looked at:"
            f" **{n_looked}**."
        ),
        b.File(
            "Summary to hand in (CSV)",
            f"homework-{student}.csv",
            lambda: csv_text([SUMMARY_COLUMNS, *lines]),
        ),
        b.Text(
            "The URL of this page also holds your answers: copy it to send it, or to go on later.",
            small=True,
        ),
    ]


def _without_seed(homework: Homework) -> list[b.Block]:
    """What to know where no seed draws the weights, and a button that sets every control to an
    example with small whole numbers that one draws.
    """
    example = preset_named(SMALL_EXAMPLE)
    if homework.differs_by_student or not example:
        return []
    text = (
        "These weights have no seed, so all students get the same numbers. Random weights have one."
    )
    sets = widget_values(example.scenario)
    return [b.Note(text), b.Button("Use three words with small numbers", sets)]


def homework_blocks(view: StoryView, values: b.Values) -> Sequence[b.Block]:
    """A part of *For teachers*: the link to a set, its key, and boards to print. Raises:
    AttentionError.
    """
    homework = Homework(view.scenario, values[FIRST.key], values[COUNT.key])
    return [
        b.Text(
            "The link opens a set of *Practice*. All students get the same questions in the same"
            " order. Give each student a number. It decides the weights, so the numbers of the"
            " questions differ. The layer is that of the controls now."
        ),
        b.row(values, FIRST, COUNT, STUDENTS),
        _set_link(values),
        *_without_seed(homework),
        b.Row(
            (
                b.File("Key (CSV)", "key.csv", lambda: homework.key(values[STUDENTS.key])),
                b.File(
                    "Boards to fill in",
                    "boards.html",
                    lambda: blank_boards(view.trace, view.sentence),
                ),
            )
        ),
    ]


PRACTICE = BlockPage("practice", _choices, _blocks)
HOMEWORK_CHOICES = (FIRST, COUNT, STUDENTS)
