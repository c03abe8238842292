"""The report of a class: of each question how many were right before and after, and which
misconceptions were met; from votes and from codes of the test, without names.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from attention_core.errors import SettingsError

from ..before_and_after import NO_ANSWER, FormResult, form_questions
from ..export.csv_text import csv_text
from ..guesses import MISCONCEPTIONS
from ..quiz import Question, Verdict
from .rooms import Rooms
from .tally import asked_rounds

MAX_CODES_CHARACTERS = 20_000  # of all codes of a class
COLUMNS = (
    *("question", "right answer", "answers before", "right before", "answers after"),
    *("right after", "misconceptions before", "misconceptions after"),
)


@dataclass(frozen=True)
class Round:
    """One vote on a question. fell: how many answers each misconception gave, by its id."""

    n_answers: int
    n_right: int
    fell: Mapping[str, int]


@dataclass(frozen=True)
class ReportLine:
    """A question with its first vote, and its last one if there were several."""

    text: str
    answer: str
    before: Round
    after: Round | None = None


def report_of_votes(rooms: Rooms, room: str, secret: str) -> list[ReportLine]:
    """A line for each question that somebody answered, in the order in which they were first asked.

    Raises: RoomError, RightsError, FileError if a question or a vote is damaged.
    """
    rounds: dict[Question, list[Round]] = {}
    for question, answers in asked_rounds(rooms, room, secret):
        if answers:
            rounds.setdefault(question, []).append(_round(map(question.judge, answers)))
    return [
        ReportLine(question.text, question.answer, held[0], held[-1] if held[1:] else None)
        for question, held in rounds.items()
    ]


def report_of_codes(before: str, after: str) -> list[ReportLine]:
    """A line for each question of the test, from the codes before and after, one on each line. The
    texts are those of the first form; without codes there is no line.

    Raises: SettingsError for a text that is no code, or codes of both forms at the same time.
    """
    first, last = _results("before", before), _results("after", after)
    if not first:
        return []
    forms = [results[0].form for results in (first, last) if results]
    return [
        ReportLine(
            asked.text,
            asked.answer,
            _code_round(first, place),
            _code_round(last, place) if last else None,
        )
        for place, asked in enumerate(form_questions(forms[0]))
    ]


def _results(when: str, codes: str) -> list[FormResult]:
    if len(codes) > MAX_CODES_CHARACTERS:
        raise SettingsError(
            f"The codes {when} have {len(codes):,} characters, but {MAX_CODES_CHARACTERS:,} are"
            " allowed; make two reports"
        )
    results = [FormResult.from_code(line) for line in codes.split()]
    if len({result.form for result in results}) > 1:
        raise SettingsError(
            f"The codes {when} are of both forms; give those of form A in one list and those of"
            " form B in the other"
        )
    return results


def _code_round(results: list[FormResult], place: int) -> Round:
    """The round of one question of a form; who left it open gave no answer."""
    asked = form_questions(results[0].form)[place]
    given = [result.answers[place] for result in results]
    chosen = (asked.options[one - 1].value for one in given if one != NO_ANSWER)
    return _round(map(asked.judge, chosen))


def _round(verdicts: Iterable[Verdict]) -> Round:
    judged = list(verdicts)
    fell = Counter(name for one in judged for name in one.misconceptions)
    return Round(len(judged), sum(one.right for one in judged), fell)


def beliefs(held: Round | None) -> list[tuple[str, int]]:
    """The misconceptions of a round in words, the most frequent first, with how many had them.

    >>> beliefs(Round(3, 1, {"slice": 2}))
    [('Each head sees only its own slice of the input features.', 2)]
    """
    fell = Counter(held.fell if held else {})
    return [
        (MISCONCEPTIONS[name].text, n) for name, n in fell.most_common() if name in MISCONCEPTIONS
    ]


def report_csv(lines: Iterable[ReportLine]) -> str:
    """The report as CSV. No cell is a formula."""
    return csv_text([COLUMNS, *map(report_cells, lines)])


def report_cells(line: ReportLine) -> tuple[str | int, ...]:
    """The cells of a line in the order of `COLUMNS`, empty where no vote was taken."""
    told = [
        "; ".join(f"{n}: {text}" for text, n in beliefs(one)) for one in (line.before, line.after)
    ]
    after = (line.after.n_answers, line.after.n_right) if line.after else ("", "")
    return (line.text, line.answer, line.before.n_answers, line.before.n_right, *after, *told)
