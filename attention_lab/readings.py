"""What the words of a sentence ask for and read: the facts of the sentence with arcs."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.trace import Trace

from .by_hand import GENDER_AND_NUMBER
from .column_names import ColumnNames
from .heads.keys_read import keys_read_most, strongest_keys
from .heads.similarity import jensen_shannon

LEAST_SHARE = 0.01  # smaller shares have no arc
MOST_SHARES = 24  # of one query
# In the layer made by hand that matches gender and number: its features, and the head of numbers.
NUMBERS, GENDERS, NUMBER_HEAD = ("sg", "pl"), ("masc", "fem", "neut"), 1
SUBJECTS = frozenset(("i", "you", "he", "she", "it", "we", "they"))  # pronouns before their verb


def opposite_head(trace: Trace, head: int) -> int | None:
    """The head whose rows differ most from those of another head: the largest mean Jensen-Shannon
    divergence; None in a layer with one head.

    >>> from attention_lab.scenario import Scenario, trace_of
    >>> opposite_head(trace_of(Scenario("we saw it", weights="by hand", d_model=8, n_heads=2)), 0)
    1
    """
    shares_HTS = trace.probabilities[0]
    others = [other for other in range(len(shares_HTS)) if other != head]
    apart = [float(jensen_shannon(shares_HTS[head], shares_HTS[one]).mean()) for one in others]
    return others[int(np.argmax(apart))] if others else None


def shares_read(trace: Trace, head: int, query: int) -> list[tuple[int, float]]:
    """The keys that a query reads with a share that is worth an arc, the largest first."""
    strongest = strongest_keys(trace, head, query, MOST_SHARES)
    return [(key, share) for key, share in strongest if share >= LEAST_SHARE]


def asked_names(trace: Trace, names: ColumnNames, head: int, query: int) -> tuple[str, ...]:
    """The names of the columns in which a query asks for something: those with a positive number.

    >>> from attention_lab.column_names import HANDMADE_NAMES
    >>> from attention_lab.scenario import Scenario, trace_of
    >>> trace = trace_of(Scenario("the cat and it", weights="by hand", d_model=8, n_heads=2))
    >>> len(asked_names(trace, HANDMADE_NAMES, 0, 3)), asked_names(trace, HANDMADE_NAMES, 0, 0)
    (2, ())
    """
    return _named(names.queries[head], trace.query_heads[0, head, query])


def answered_names(
    trace: Trace, names: ColumnNames, head: int, query: int, key: int
) -> tuple[str, ...]:
    """The names of the columns with which a key answers a query: those where both have a positive
    number.
    """
    group = head * trace.sizes["G"] // trace.sizes["H"]
    answer_K = np.minimum(trace.query_heads[0, head, query], trace.key_heads[0, group, key])
    return _named(names.keys[group], answer_K)


def _named(names: Sequence[str], numbers_K: Array) -> tuple[str, ...]:
    """The names of the columns with a positive number."""
    return tuple(name for name, number in zip(names, numbers_K, strict=True) if number > 0)


def key_read_most(trace: Trace, head: int, query: int) -> int | None:
    """The key with the largest share of a query; None if several share the first place."""
    most = keys_read_most(trace, head, query)
    return most[0] if len(most) == 1 else None


@dataclass(frozen=True)
class VerbNumber:
    """A verb whose form has a number, and the noun or the pronoun before it.

    verb, before: their positions. numbers: of both, "sg" or "pl". read: the key that the verb reads
    most in the head of numbers, None if several share the first place; gender: of that word, ""
    without one.
    """

    verb: int
    before: int
    numbers: tuple[str, str]
    read: int | None
    gender: str

    @property
    def agrees(self) -> bool:
        """Whether both have the same number."""
        return self.numbers[0] == self.numbers[1]


def verb_numbers(trace: Trace) -> tuple[VerbNumber, ...]:
    """The verbs of a sentence in the layer that matches gender and number, in order; those that
    have a number, as the word before them has.

    >>> from attention_lab.scenario import Scenario, trace_of
    >>> trace = trace_of(Scenario("they sees the king", weights="by hand", d_model=12, n_heads=3))
    >>> verb_numbers(trace)
    (VerbNumber(verb=1, before=0, numbers=('sg', 'pl'), read=3, gender='masc'),)
    """
    tokens = trace.labels("T")
    features = [GENDER_AND_NUMBER.features_of(token) for token in tokens]
    nouns = [i for i, one in enumerate(features) if "noun" in one or tokens[i].lower() in SUBJECTS]
    verbs = []
    for verb, own in enumerate(features):
        before = max((place for place in nouns if place < verb), default=None)
        if "verb" not in own or before is None:
            continue
        numbers = _one_of(own, NUMBERS), _one_of(features[before], NUMBERS)
        if all(numbers):
            read = key_read_most(trace, NUMBER_HEAD, verb)
            gender = "" if read is None else _one_of(features[read], GENDERS)
            verbs.append(VerbNumber(verb, before, numbers, read, gender))
    return tuple(verbs)


def _one_of(features: Collection[str], names: Sequence[str]) -> str:
    """The one of some features that a word has; "" if it has none or several."""
    owned = [name for name in names if name in features]
    return owned[0] if len(owned) == 1 else ""
