"""Questions to work out by hand: their texts, and the board of their operands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from attention_core import Trace
from attention_core.derivation import Derivation
from attention_lab.notation.notation import Notation, symbol
from attention_lab.practice import (
    MAX_QUESTION_NUMBER,
    FadedExample,
    PracticeQuestion,
    TermLine,
    parse_answer,
    practice_question,
)

from .arithmetic import format_derivation
from .labels import format_decimals, format_number
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
# For each projection: the word for its vectors, its weights, the axes of its tokens and of a head.
PROJECTION_WORDS = {
    "queries": ("query", "w_q", "T", "K"),
    "keys": ("key", "w_k", "S", "K"),
    "values": ("value", "w_v", "S", "V"),
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


@dataclass(frozen=True)
class QuestionText:
    """A question as plain text. numbers: each list of numbers with its name; method: how to work
    out the answer.
    """

    question: str
    numbers: tuple[tuple[str, str], ...]
    method: str
    answer: str


def format_result(question: PracticeQuestion) -> str:
    """The answer: a column as a whole number, any other number with enough decimals to be right."""
    if question.exact.field == "merged":
        return f"{question.answer:.0f}"
    write = format_decimals if abs(question.answer) >= 1 else format_number
    return write(question.answer, question.decimals)


def question_text(question: PracticeQuestion, trace: Trace, notation: Notation) -> QuestionText:
    """A question on a trace in the words and symbols of a notation."""
    words = _Words(question, trace, notation)
    field = question.exact.field
    if field in PROJECTION_WORDS:
        return words.projected(*PROJECTION_WORDS[field])
    text: QuestionText = getattr(words, field)()
    return text


MAX_SHEET_QUESTIONS = 10
MAX_TRIED_NUMBERS = 40  # a small layer has few cells to ask for, so that numbers repeat them
HINTS = {"sign": "Not yet: check the signs.", "near": "Nearly: keep more digits in the steps."}


@dataclass(frozen=True)
class Verdict:
    """What is said of an answer."""

    is_right: bool
    text: str


def verdict_on(text: str, question: PracticeQuestion, method: str) -> Verdict | None:
    """Whether an answer is right, and if not, what may help; None without an answer."""
    if not text.strip():
        return None
    answer = parse_answer(text)
    if math.isnan(answer):
        return Verdict(False, f"“{text}” is not a number. Write one such as −0.43, 12 % or 2/3.")
    grade = question.judge(answer)
    if grade == "right":
        return Verdict(True, f"Right: {format_result(question)}.")
    return Verdict(False, HINTS.get(grade, f"Not yet. {method}"))


def verdict_on_term(text: str, example: FadedExample) -> Verdict | None:
    """Whether the missing term is right; None without an answer."""
    if not text.strip():
        return None
    if example.accepts(parse_answer(text)):
        return Verdict(True, f"Right: {format_number(example.term, example.decimals)}.")
    return Verdict(False, "Not yet: work out the line with the question mark.")


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
) -> list[tuple[int, QuestionText]]:
    """Up to ten different questions with their numbers, for a sheet; after the last number comes
    number 1.
    """
    texts: dict[str, tuple[int, QuestionText]] = {}
    for place in range(first - 1, first - 1 + MAX_TRIED_NUMBERS):
        number = place % MAX_QUESTION_NUMBER + 1
        text = question_text(practice_question(trace, number, field), trace, notation)
        texts.setdefault(text.question, (number, text))
        if len(texts) == MAX_SHEET_QUESTIONS:
            break
    return list(texts.values())


class _Words:
    """The text of a question; each method is for the field of its name."""

    def __init__(self, question: PracticeQuestion, trace: Trace, notation: Notation) -> None:
        self.question, self.trace, self.notation = question, trace, notation
        self.index = question.exact.index

    def projected(self, word: str, weights: str, tokens: str, features: str) -> QuestionText:
        """A number of a query, key or value."""
        _, row, column = self.index
        token, width = self.token(tokens, row), self.trace.sizes[features]
        given = (f"the vector of {token}", self.side(column, weights), "the bias")
        head = f"feature {column % width} of head {column // width}"
        return self.with_numbers(
            f"What is number {column} of the {word} of {token}? It is {head}.", given
        )

    def scores(self) -> QuestionText:
        """A dot product."""
        _, head, query, key = self.index
        asks, read = self.token("T", query), self.token("S", key)
        return self.with_numbers(
            f"Head {head}: what is the score of the query of {asks} with the key of {read}?",
            (f"the query of {asks}", f"the key of {read}"),
        )

    def scaled_scores(self) -> QuestionText:
        """A score times the scale."""
        _, head, query, key = self.index
        asks, read, d_k = self.token("T", query), self.token("S", key), self.trace.sizes["K"]
        return self.with_numbers(
            f"Head {head}, {d_k} wide: what is the scaled score of {asks} with {read}?",
            ("the score", "the scale"),
        )

    def probabilities(self) -> QuestionText:
        """A share of a row of scores."""
        _, head, query, key = self.index
        asks, read = self.token("T", query), self.token("S", key)
        hidden = "; −∞ is hidden" * bool(self.trace.hidden[0, head, query].any())
        return self.with_numbers(
            f"Head {head}: what share does {asks} give to {read}?",
            (f"the scaled scores of {asks} with all keys, in order{hidden}",),
        )

    def head_outputs(self) -> QuestionText:
        """A weighted sum of values."""
        _, head, query, feature = self.index
        asks = self.token("T", query)
        return self.with_numbers(
            f"Head {head}: what is feature {feature} of the head output of {asks}?",
            (
                f"the shares that {asks} gives to all tokens, in order",
                f"feature {feature} of the values of these tokens",
            ),
        )

    def merged(self) -> QuestionText:
        """The column of a number."""
        column, width = self.index[-1], self.trace.sizes["V"]
        # The number of a head that is copied there.
        _, head, _, feature = self.question.exact.terms[0].factors[0].index
        question = (
            f"Each head is {width} wide. Which column of the merged heads holds feature {feature}"
            f" of head {head}? Columns are counted from 0."
        )
        return QuestionText(
            question, (), METHODS["merged"], f"{column}, from {head} × {width} + {feature}"
        )

    def output(self) -> QuestionText:
        """The merged heads times a column of W_O, and what is added."""
        _, query, column = self.index
        asks = self.token("T", query)
        given = (f"the merged heads of {asks}", self.side(column, "w_o"), *self.added())
        return self.with_numbers(f"What is number {column} of the output of {asks}?", given)

    def added(self) -> tuple[str, ...]:
        """What is added to the output: bias and residual, if the layer has them."""
        names = []
        if self.trace.projections.b_o is not None:
            names.append("the bias")
        if self.trace.residual:
            names.append("the input, added by the residual connection")
        return tuple(names)

    def side(self, column: int, weights: str) -> str:
        """A column of a weight matrix."""
        return f"column {column} of {symbol(weights, self.notation).plain}"

    def token(self, axis: str, place: int) -> str:
        """A token and its position."""
        return f"“{self.trace.labels(axis)[place]}” ({place})"

    def with_numbers(self, question: str, names: Sequence[str]) -> QuestionText:
        """The question with the lists of numbers that its arithmetic reads, and their names."""
        arithmetic = format_derivation(self.question.exact, self.question.decimals)
        answer = f"{format_result(self.question)}, from {arithmetic}"
        method = METHODS.get(self.question.exact.field, DOT_PRODUCT_METHOD)
        return QuestionText(question, tuple(zip(names, self.lists(), strict=False)), method, answer)

    def lists(self) -> list[str]:
        """The numbers that the arithmetic reads: a list for each factor of its terms, then what is
        added.
        """
        terms = self.question.rounded.terms
        n_factors = len(terms[0].factors)
        products = [term for term in terms if len(term.factors) == n_factors]
        lists = [[term.factors[i].value for term in products] for i in range(n_factors)]
        lists += [[term.factors[0].value] for term in terms if len(term.factors) < n_factors]
        return [
            ", ".join(format_decimals(value, self.question.decimals) for value in values)
            for values in lists
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
    elif field == "merged":
        query, column = index
        width = stage.trace.sizes["V"]
        board = merge_board(stage, (column // width, query, column % width), focused)
    elif field == "output":
        board = output_board(stage, index[0], index[1], focused)
    else:
        row, column = index
        width = stage.trace.sizes["V" if field == "values" else "K"]
        board = projection_board(stage, field, (column // width, row, column % width), focused)
    panels = [panel for panel in board["panels"] if panel["role"] == "operand"]
    lit = {"array": field, "index": list(cell.index)}
    return board | {"panels": panels, "cell": lit, "player": False, "arithmetic": False}
