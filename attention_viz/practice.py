"""Questions to work out by hand, in words: what is asked, the numbers that are given, the
answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attention_core import Trace
from attention_lab.notation.notation import Notation, symbol
from attention_lab.practice import PracticeQuestion

from .labels import format_decimals, number
from .tables import format_derivation

# What a projected vector is called, its weights, and the axes of its tokens and of a head's width.
PROJECTION_WORDS = {
    "queries": ("query", "w_q", "T", "K"),
    "keys": ("key", "w_k", "S", "K"),
    "values": ("value", "w_v", "S", "V"),
}


METHODS = {
    "scaled_scores": "Multiply the two.",
    "probabilities": (
        "Subtract the largest score from all, take e to the power of each, and divide the one that"
        " is asked for by the sum of all."
    ),
    "merged": "Head 0 comes first, with all its features, then head 1, and so on.",
}
DOT_PRODUCT_METHOD = "Multiply the two lists number by number, and add everything up."


@dataclass(frozen=True)
class QuestionText:
    """A question as plain text. given: what each list of numbers is, and the numbers; how: what
    to do with them.
    """

    question: str
    given: tuple[tuple[str, str], ...]
    how: str
    answer: str


def format_result(question: PracticeQuestion) -> str:
    """The answer as it is shown: whole for a place, else precise enough to be judged right,
    also where it is large.
    """
    if question.exact.field == "merged":
        return f"{question.answer:.0f}"
    write = format_decimals if abs(question.answer) >= 1 else number
    return write(question.answer, question.places)


def question_text(question: PracticeQuestion, trace: Trace, notation: Notation) -> QuestionText:
    """A question on a trace in the words and symbols of a notation."""
    words = _Words(question, trace, notation)
    field = question.exact.field
    if field in PROJECTION_WORDS:
        return words.projected(*PROJECTION_WORDS[field])
    asks = {
        "scores": words.scores,
        "scaled_scores": words.scaled_scores,
        "probabilities": words.probabilities,
        "head_outputs": words.head_outputs,
        "merged": words.merged,
        "output": words.output,
    }
    return asks[field]()


class _Words:
    """How to ask for a cell; each method is for the field of its name."""

    def __init__(self, question: PracticeQuestion, trace: Trace, notation: Notation) -> None:
        self.asked, self.trace, self.notation = question, trace, notation
        self.index = question.exact.index

    def projected(self, word: str, weights: str, tokens: str, features: str) -> QuestionText:
        """A number of a query, key or value."""
        _, row, column = self.index
        token, width = self.token(tokens, row), self.trace.sizes[features]
        given = (f"the vector of {token}", self.side(column, weights), "the bias")
        head = f"feature {column % width} of head {column // width}"
        return self.told(f"What is number {column} of the {word} of {token}? It is {head}.", given)

    def scores(self) -> QuestionText:
        """A dot product."""
        _, head, query, key = self.index
        asks, read = self.token("T", query), self.token("S", key)
        return self.told(
            f"Head {head}: what is the score of the query of {asks} with the key of {read}?",
            (f"the query of {asks}", f"the key of {read}"),
        )

    def scaled_scores(self) -> QuestionText:
        """A score times the scale."""
        _, head, query, key = self.index
        asks, read, d_k = self.token("T", query), self.token("S", key), self.trace.sizes["K"]
        return self.told(
            f"Head {head}, {d_k} wide: what is the scaled score of {asks} with {read}?",
            ("the score", "the scale"),
        )

    def probabilities(self) -> QuestionText:
        """A share of a row of scores."""
        _, head, query, key = self.index
        asks, read = self.token("T", query), self.token("S", key)
        hidden = "; −∞ is hidden" * bool(self.trace.hidden[0, head, query].any())
        return self.told(
            f"Head {head}: what share of what {asks} reads comes from {read}?",
            (f"the scaled scores of {asks} with every key, in order{hidden}",),
        )

    def head_outputs(self) -> QuestionText:
        """A weighted sum of values."""
        _, head, query, feature = self.index
        asks = self.token("T", query)
        return self.told(
            f"Head {head}: what is feature {feature} of what {asks} receives?",
            (
                f"how much {asks} reads from each token, in order",
                f"feature {feature} of the values of these tokens",
            ),
        )

    def merged(self) -> QuestionText:
        """A place."""
        column, width = self.index[-1], self.trace.sizes["V"]
        # The number of a head that is copied there.
        _, head, _, feature = self.asked.exact.terms[0].factors[0].index
        question = (
            f"Each head is {width} wide. At which place of the merged vector does feature"
            f" {feature} of head {head} stand? Places are counted from 0."
        )
        return QuestionText(
            question, (), METHODS["merged"], f"{column}, from {head} × {width} + {feature}"
        )

    def output(self) -> QuestionText:
        """The merged heads times a column of W_O, and what is added."""
        _, query, column = self.index
        asks = self.token("T", query)
        given = (f"the merged heads of {asks}", self.side(column, "w_o"), *self.added())
        return self.told(f"What is number {column} of the output of {asks}?", given)

    def added(self) -> tuple[str, ...]:
        """What is added to the output: bias and residual, if the layer has them."""
        found = []
        if self.trace.projections.b_o is not None:
            found.append("the bias")
        if self.trace.residual:
            found.append("the layer’s input, added")
        return tuple(found)

    def side(self, column: int, weights: str) -> str:
        """Which numbers of a weight matrix."""
        return f"column {column} of {symbol(weights, self.notation).plain}"

    def token(self, axis: str, place: int) -> str:
        """A token and its place."""
        return f"“{self.trace.labels(axis)[place]}” ({place})"

    def told(self, question: str, names: Sequence[str]) -> QuestionText:
        """The question with the numbers it needs, as many lists as the arithmetic reads."""
        arithmetic = format_derivation(self.asked.exact, self.asked.places)
        answer = f"{format_result(self.asked)}, from {arithmetic}"
        how = METHODS.get(self.asked.exact.field, DOT_PRODUCT_METHOD)
        return QuestionText(question, tuple(zip(names, self.lists(), strict=False)), how, answer)

    def lists(self) -> list[str]:
        """The numbers that the arithmetic reads: one list for each factor of its terms, then
        what is added.
        """
        terms = self.asked.shown.terms
        several = [term for term in terms if len(term.factors) == len(terms[0].factors)]
        lists = [[term.factors[i].value for term in several] for i in range(len(terms[0].factors))]
        lists += [
            [term.factors[0].value] for term in terms if len(term.factors) < len(terms[0].factors)
        ]
        return [
            ", ".join(format_decimals(value, self.asked.places) for value in values)
            for values in lists
        ]
