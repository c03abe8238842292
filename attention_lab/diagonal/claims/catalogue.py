"""All claims about attention, text by text: their words are rows of `assets/data/claims.csv`, their
checks functions of the modules beside this one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from string import Formatter
from typing import Any

from ...home import read_table
from ...notation.texts import NOTATIONS
from . import doshi, geometric_machine_learning, language, lecture_note, papers, popular, slides
from .record import Measured, format_gap, format_shape

ALWAYS, CONDITION, FALSE = "always", "condition", "false"

# What most learners meet comes first, the five texts whose notations the app knows come last.
TEXTS = {
    "popular": "Often said",
    "vaswani": "Vaswani et al. 2017, Attention Is All You Need",
    "alammar": "Alammar 2018, The Illustrated Transformer",
    "dong": "Dong et al. 2021, Attention is not all you need",
} | {key: text.title for key, text in NOTATIONS.items() if not text.has_our_letters}


_FORMATS: dict[str, Callable[[Any], str]] = {"gap": format_gap, "shape": format_shape}


class _Sentence(Formatter):
    """Writes numbers into a sentence, in which "gap" and "shape" are formats, too."""

    def format_field(self, value: Any, format_spec: str) -> str:
        """A number as the sentence has it."""
        if format_spec in _FORMATS:
            return _FORMATS[format_spec](value)
        return format(value, format_spec)


@dataclass(frozen=True)
class Evidence:
    """The result of a check. claimed: whether the claim holds as worded. corrected: whether the
    correct statement holds. sentence: the numbers that show it.
    """

    claimed: bool
    corrected: bool
    sentence: str


@dataclass(frozen=True)
class Claim:
    """A claim of one of the `TEXTS`. statement: in a few words of the text, or, where `is_ours`, a
    sentence that stands in no text: it puts into words what the text does with its letters, names
    and formulas, or what a reader may conclude from it. status: its verdict: always, condition or
    false. correction: the correct statement, or what to add.

    measure: a computation with fixed seeds, whose name is that of the claim. Unless a claim is
    always true, it shows a case in which it fails; the correct statement holds there. evidence: the
    sentence that says so, with the places of its numbers in braces.
    """

    text: str
    name: str
    statement: str
    status: str
    correction: str
    evidence: str
    is_ours: bool
    measure: Callable[[], Measured]

    def check(self) -> Evidence:
        """The result of the computation, in a sentence."""
        result = self.measure()
        sentence = _Sentence().format(self.evidence, *result.numbers)
        return Evidence(result.claimed, result.corrected, sentence)

    @property
    def id(self) -> str:
        """The claim's name among all claims."""
        return f"{self.text}-{self.name}"

    @property
    def searched(self) -> tuple[str, ...]:
        """The texts that a search reads."""
        return self.id, self.statement, self.correction


_MODULES = (popular, language, papers, geometric_machine_learning, doshi, slides, lecture_note)
CHECKS = {
    name.replace("_", "-"): check
    for module in _MODULES
    for name, check in vars(module).items()
    if getattr(check, "__annotations__", {}) == {"return": Measured}
}
CLAIMS = tuple(
    Claim(measure=CHECKS[row["name"]], is_ours=row.pop("ours") == "yes", **row)
    for row in read_table("claims")
)


def find_claim(identifier: str) -> Claim:
    """The claim with an id such as "slides-pair-bound".

    >>> find_claim("slides-pair-bound").check().sentence
    'X = (3, 2, 1): α_32 = 0.2447, but α_33 = 0.0900 and α_22 = 0.1173.'
    """
    return next(one for one in CLAIMS if one.id == identifier)
