"""Questions to work out by hand: their texts, and the board of their operands."""

import math
from dataclasses import replace

from attention_core import Trace
from attention_core.derivation import Derivation
from attention_lab.notation.notation import Notation
from attention_lab.practice import (
    MAX_QUESTION_NUMBER,
    FadedExample,
    PracticeQuestion,
    TermLine,
    parse_answer,
    practice_question,
)
from attention_lab.quiz import Question
from attention_lab.words.numbers import format_decimals, format_number

from .arithmetic import format_derivation
from .names import symbol_of
from .payload import JSON, Stage
from .story.cutting import HEAD_FIELDS, merge_board, split_board
from .story.per_head import mask_board, mixing_board, scale_board, scores_board, softmax_board
from .story.products import output_board, projection_board

# The boards of the steps inside a head.
HEAD_BOARDS = {
    "scores": scores_board,
    "scaled_scores": scale_board,
    "masked_scores": mask_board,
    "probabilities": softmax_board,
    "head_outputs": mixing_board,
}
SPLIT_FROM = {heads: field for field, heads in HEAD_FIELDS.items()}
VECTORS = {"queries": "query", "keys": "key", "values": "value"}
# For each field the question, and the names of the lists of numbers that its arithmetic reads.
QUESTIONS = {
    **dict.fromkeys(
        VECTORS,
        (
            "What is number {place} of the {vector} of {asks}? It is feature {part} of head"
            " {head}.",
            "the vector of {asks}",
            "{column} {place} of {weights}",
            "the bias",
        ),
    ),
    "scores": (
        "Head {head}: what is the score of the query of {asks} with the key of {read}?",
        "the query of {asks}",
        "the key of {read}",
    ),
    "scaled_scores": (
        "Head {head}, {d_k} wide: what is the scaled score of {asks} with {read}?",
        "the score",
        "the scale",
    ),
    "probabilities": (
        "Head {head}: what share does {asks} give to {read}?",
        "the scores of {asks} with all keys after scale and mask, in order{hidden}",
    ),
    "head_outputs": (
        "Head {head}: what is feature {place} of the head output of {asks}?",
        "the shares that {asks} gives to all tokens, in order",
        "feature {place} of the values of these tokens",
    ),
    "merged": (
        "Each head is {width} wide. Which {column} of the merged heads holds feature {part} of head"
        " {head}? Count from 0.",
    ),
    "output": (
        "What is number {place} of the output of {asks}?",
        "the merged heads of {asks}",
        "{column} {place} of {weights}",
    ),
}
METHODS = {
    "scaled_scores": "Multiply the two numbers.",
    "probabilities": (
        "Subtract the largest score from all scores and take e to the power of each. Divide the"
        " power for the asked key by the sum of all powers."
    ),
    "merged": "Head 0 comes first, with all its features, then head 1, and so on.",
}
DOT_PRODUCT_METHOD = (
    "Multiply the two lists number by number. Add all products, and any number given besides."
)


MAX_SHEET_QUESTIONS = 10
MAX_TRIED_NUMBERS = 40  # a small layer has few cells to ask for, so that numbers repeat them
HINTS = {"sign": "Not yet: check the signs.", "near": "Nearly: keep more digits in the steps."}


def verdict_on(text: str, question: Question) -> tuple[bool, str] | None:
    """Whether a typed answer is right, and what is said of it; None without an answer."""
    if not text.strip():
        return None
    answer = parse_answer(text)
    if math.isnan(answer):
        return False, f"“{text}” is not a number. Write one such as −0.43, 12 % or 2/3."
    grade = question.judge(answer).grade
    if grade == "right":
        return True, f"Right: {question.answer}.{_rounding(question, answer)}"
    return False, HINTS.get(grade, f"Not yet. {question.hint}")


def _rounding(question: Question, answer: float) -> str:
    """Why a right answer differs from the number that is shown; "" where it does not."""
    gap = abs(answer - question.value)
    half = 0.5 * 10.0 ** -len(question.answer.partition(".")[2])
    if gap <= half * (1 + 1e-9):
        return ""
    most = format_number(question.tolerance, 2)
    return f" The numbers above are rounded, which moves the result by at most {most}."


def asked_in(example: FadedExample) -> Question:
    """The question of a faded example in words: for its missing term, or for the result."""
    if example.missing is None:
        return example.asked
    shown = format_number(example.asked.value, example.decimals)
    return replace(example.asked, hint="Work out the line with the question mark.", shown=shown)


def help_lines(question: PracticeQuestion, example: FadedExample) -> list[str]:
    """The part of the arithmetic that is shown, a line for each term and one for the result."""
    is_softmax = question.exact.operation == "softmax"
    lines = [
        f"{_term_in_words(line, example.decimals, is_softmax)} = "
        f"{_digits(line.value, example.decimals)}"
        for line in example.lines
    ]
    if lines:
        last = {True: "the asked one ÷ the sum", False: "the sum"}[is_softmax]
        lines.append(f"{last} = {_digits(example.result, example.decimals)}")
    return lines


def _term_in_words(line: TermLine, decimals: int, is_softmax: bool) -> str:
    factors = " × ".join(_digits(factor, decimals) for factor in line.factors)
    return f"exp({factors} − max)" if is_softmax else factors


def _digits(value: float | None, decimals: int) -> str:
    return "?" if value is None else format_number(value, decimals)


def distinct_questions(
    trace: Trace, notation: Notation, first: int, field: str
) -> list[tuple[int, Question]]:
    """Up to ten different questions with their numbers, for a sheet; after the last number comes
    number 1.
    """
    texts: dict[str, tuple[int, Question]] = {}
    for place in range(first - 1, first - 1 + MAX_TRIED_NUMBERS):
        number = place % MAX_QUESTION_NUMBER + 1
        asked = in_words(practice_question(trace, number, field), trace, notation)
        texts.setdefault(asked.text, (number, asked))
        if len(texts) == MAX_SHEET_QUESTIONS:
            break
    return list(texts.values())


def in_words(question: PracticeQuestion, trace: Trace, notation: Notation) -> PracticeQuestion:
    """A question on a trace with the words and symbols of a notation."""
    field, (_, *heads, row, column) = question.exact.field, question.exact.index
    rows, columns = trace.axes(field)[-2:]
    width, has_weights = trace.sizes[columns.split("·")[-1]], field in (*VECTORS, "output")
    names = {
        "head": heads[0] if heads else column // width,
        "place": column,
        "part": column % width,
        "width": width,
        "d_k": trace.sizes["K"],
        "vector": VECTORS.get(field, ""),
        "weights": symbol_of(f"w_{field[0]}", notation) if has_weights else "",
        "asks": _token(trace, rows, row),
        "read": _token(trace, columns, column) if columns == "S" else "",
        "hidden": "; −∞ is hidden" * bool(heads and trace.hidden[0, heads[0], row].any()),
    }
    asked, *lists = (notation.layout.fill(text, **names) for text in QUESTIONS[field])
    if field == "probabilities" and trace.sink is not None:
        lists.append("the sink, one more score, which belongs to no token")
    if field == "output":
        lists += ["the bias"] if trace.projections.b_o is not None else []
        lists += ["the input, added by the residual connection"] if trace.residual else []
    shown, working = _result(question), format_derivation(question.exact, question.decimals)
    if field == "merged":
        working = "{head} × {width} + {part}".format(**names)
    return replace(
        question,
        text=asked,
        given=tuple(zip(lists, _lists(question), strict=False)),
        hint=METHODS.get(field, DOT_PRODUCT_METHOD),
        why=f"{shown}, from {working}",
        shown=shown,
    )


def _result(question: PracticeQuestion) -> str:
    """The answer: a column as a whole number, any other number with enough decimals to be right."""
    if question.exact.field == "merged":
        return f"{question.value:.0f}"
    write = format_decimals if abs(question.value) >= 1 else format_number
    return write(question.value, question.decimals)


def _token(trace: Trace, axis: str, place: int) -> str:
    """A token and its position."""
    return f"“{trace.labels(axis)[place]}” ({place})"


def _lists(question: PracticeQuestion) -> list[str]:
    """The numbers that the arithmetic reads: a list for each factor of its terms, then what is
    added.
    """
    terms = [term for term in question.rounded.terms if term.factors[0].name != "sink"]
    sinks = [term for term in question.rounded.terms if term.factors[0].name == "sink"]
    n_factors = len(terms[0].factors)
    products = [term for term in terms if len(term.factors) == n_factors]
    lists = [[term.factors[i].value for term in products] for i in range(n_factors)]
    alone = [*(term for term in terms if len(term.factors) < n_factors), *sinks]
    lists += [[term.factors[0].value] for term in alone]
    return [
        ", ".join(format_decimals(value, question.decimals) for value in values) for values in lists
    ]


def operand_board(stage: Stage, cell: Derivation, focused: bool) -> JSON:
    """The board of the step that computes a cell, without its result; the cell's operands are lit.
    focused: only the columns of one head if there are many.
    """
    field, (_, *index) = cell.field, cell.index
    if field in HEAD_BOARDS:
        head, query, last = index
        board = HEAD_BOARDS[field](stage, (head, query, last))
    elif field in SPLIT_FROM:
        head, row, feature = index
        board = split_board(stage, SPLIT_FROM[field], (head, row, feature), focused)
    elif field == "output":
        board = output_board(stage, index[0], index[1], focused)
    else:
        row, column = index
        width = stage.trace.sizes["V" if field in ("values", "merged") else "K"]
        cell_of_head = (column // width, row, column % width)
        if field == "merged":
            board = merge_board(stage, cell_of_head, focused)
        else:
            board = projection_board(stage, field, cell_of_head, focused)
    panels = [panel for panel in board["panels"] if panel["role"] == "operand"]
    lit = {"array": field, "index": list(cell.index)}
    return board | {"panels": panels, "cell": lit, "player": False, "arithmetic": False}
