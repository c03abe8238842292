"""A test before and after: two forms of ten questions with equal topics, a code for the answers,
and the gain between two codes.

The layers are small, of whole numbers, and always the same: a form is the same for everybody.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache, partial

from attention_core.checks import Array, check_choice
from attention_core.derivation import array_of
from attention_core.errors import SettingsError
from attention_core.trace import Trace

from .guesses import Guess, guess_of
from .quiz import Option
from .scenario import Scenario, trace_of

_LAYER = Scenario(
    text="you like cake",
    d_model=4,
    n_heads=2,
    embedding="integers",
    positions=False,
    init="integers",
    mask="causal",
    seed=57,
)
FORMS = {"A": _LAYER, "B": Scenario(**(vars(_LAYER) | {"text": "we drink tea", "seed": 63}))}
# Four on arithmetic, three on shapes and axes, three on misconceptions.
FORM_ITEMS = (
    *("projection-number", "scores-number", "scaled-number", "mixing-number"),
    *("split-number", "merge-shape", "masked-count"),
    *("scores-largest", "merge-number", "softmax-grows"),
)
# Of them the cell that tells most misconceptions apart is asked for.
CANDIDATE_NUMBERS = range(1, 7)
_CODE = re.compile(r"([AB])-?([0-4]{10})")
NO_ANSWER = 0
OPERAND_NAMES = {"memory": "inputs", "w_q": "W_Q", "w_k": "W_K", "w_v": "W_V", "w_o": "W_O"}


@lru_cache(maxsize=2)
def form_questions(form: str) -> tuple[Guess, ...]:
    """The ten questions of a form. Raises: SettingsError.

    >>> [guess.item.topic for guess in form_questions("A")].count("arithmetic")
    4
    """
    trace = form_layer(form)
    asked = ([guess_of(trace, name, turn) for turn in CANDIDATE_NUMBERS] for name in FORM_ITEMS)
    return tuple(max(turns, key=partial(_worth, trace)) for turns in asked)


def _worth(trace: Trace, guess: Guess) -> tuple[bool, bool, int]:
    """Which of several cells to ask for: of scores a row whose largest is not hidden by the mask,
    so that nobody need ask whether it counts; then the misconceptions that its answers tell apart.
    """
    is_clear = True
    if guess.item.id == "scores-largest":
        row = guess.index[:-1]
        scores, masked = array_of(trace, "scores")[row], array_of(trace, "masked_scores")[row]
        is_clear = bool(scores.argmax() == masked.argmax())
    tells = set(guess.item.misconceptions) <= set(guess.revealed)
    return is_clear, tells, len(guess.revealed)


def form_layer(form: str) -> Trace:
    """The layer of a form. Raises: SettingsError."""
    return trace_of(FORMS[check_choice("form", form, FORMS)])


def form_description(form: str) -> str:
    """The layer of all questions of a form, in words."""
    trace = form_layer(form)
    tokens = ", ".join(f"{place} {token}" for place, token in enumerate(trace.tokens))
    return (
        f"Tokens, one a row: {tokens}. Embedding size {trace.sizes['D']}, heads"
        f" {trace.sizes['H']}, each {trace.sizes['K']} wide. The mask is causal, the scale the"
        " usual one. Scores are those before scale and mask. Everything is counted from 0."
    )


def question_operands(trace: Trace, guess: Guess) -> tuple[tuple[str, Array], ...]:
    """The matrices from which to work out a question; of arrays with heads, its head.

    Shapes: each (rows, columns).
    """
    rule, operands = trace.rule(guess.field), []
    for given in rule.reads:
        array = array_of(trace, given.array)
        name = OPERAND_NAMES.get(given.array, given.array.replace("_", " "))
        if given.array == "scale":
            continue  # students know the usual scale
        if array.ndim == 2:
            operands.append((name, array))
        elif array.ndim == 3:
            operands.append((name, array[0]))
        elif guess.field == "merged":
            operands += [(f"{name}, head {n}", head) for n, head in enumerate(array[0])]
        else:
            head = given.at[1].of(guess.index)
            operands.append((f"{name}, head {head}", array[0, head]))
    return tuple(operands)


@dataclass(frozen=True)
class FormResult:
    """The answers to a form: for each question the number of the option from 1, 0 for none.

    Raises: SettingsError for other numbers.
    """

    form: str
    answers: tuple[int, ...]

    def __post_init__(self) -> None:
        counts = [len(guess.options) for guess in form_questions(self.form)]
        if len(self.answers) != len(counts) or any(
            not 0 <= answer <= count for answer, count in zip(self.answers, counts, strict=False)
        ):
            raise SettingsError(
                f"A code of form {self.form} has {len(counts)} digits, each 0 or the number of an"
                " option; copy it again"
            )

    @property
    def code(self) -> str:
        """The answers as a short text.

        >>> FormResult("A", (1,) * 10).code
        'A-1111111111'
        """
        return f"{self.form}-{''.join(map(str, self.answers))}"

    @classmethod
    def from_code(cls, code: str) -> FormResult:
        """The answers of a code. Raises: SettingsError for other texts."""
        match = _CODE.fullmatch(code.strip().upper()) if len(code) <= 40 else None
        if match is None:
            raise SettingsError(
                "A code is a letter, A or B, a hyphen and ten digits from 0 to 4, such as"
                " A-1203124312; copy it again"
            )
        return cls(match[1], tuple(map(int, match[2])))

    @property
    def _chosen(self) -> list[Option | None]:
        """The options of the answers; None for none."""
        pairs = zip(self.answers, form_questions(self.form), strict=True)
        return [one.options[n - 1] if n != NO_ANSWER else None for n, one in pairs]

    @property
    def right(self) -> tuple[bool, ...]:
        """Whether each answer is right."""
        return tuple(option is not None and option.right for option in self._chosen)

    @property
    def misconceptions(self) -> tuple[str, ...]:
        """The misconceptions that the answers show, the most frequent first."""
        shown = Counter(name for one in self._chosen if one for name in one.misconceptions)
        return tuple(name for name, _ in shown.most_common())


def normalised_gain(before: FormResult, after: FormResult) -> float | None:
    """The normalised gain (Hake 1998): the share of the missing answers that were learnt; None if
    none were missing. Raises: SettingsError for two results of the same form.

    >>> normalised_gain(FormResult("A", (0,) * 10), FormResult("B", (0,) * 10))
    0.0
    """
    if before.form == after.form:
        raise SettingsError(
            f"Both codes are of form {before.form}; take one form before and the other one after"
        )
    first, second = sum(before.right), sum(after.right)
    most = len(before.right)
    return None if first == most else (second - first) / (most - first)
