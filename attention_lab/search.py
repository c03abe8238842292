"""The search in a list: rows ranked by how much of what is typed they hold, and its spelling.

The rank is BM25F (Robertson and Zaragoza 2009), written here because the site runs the same
search: the Python of its browser comes without SQLite, so FTS5 would be a download of its own, and
RapidFuzz has no build for it. Of the first 50 of `tests/data/asked.csv` this answers 50 first,
FTS5 with the same synonyms 47, RapidFuzz (token_set_ratio) 43.
"""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise, takewhile
from math import log
from typing import TypeVar
from unicodedata import normalize

from .home import read_table

Row = TypeVar("Row")
Texts = tuple[str, ...]
Words = tuple[str, ...]
Synonyms = Mapping[Words, Sequence[Words]]
MAX_LETTERS = 100  # of what is typed
PARTIAL = "Nothing holds every word. This holds most of them:"
NOTHING = "Nothing found. Try other or fewer words."
STOP_WORDS = frozenset(
    """
    a about actually all always am an and any are as at be because been being best but by can could
    did do does doing each else ever every explained for from get gets give given go good had
    happen happening happens has have her here how i if in instead into is it its just know let
    like look looking looks make makes me mean means meant much my need needed needs no not of
    on only or our out over really right say says see should show shows simple so some such tell
    than that the their them then there these they thing this those to too understand up us use
    used using want was way we well were what when where which while who why will with work works
    would you your
    """.split()  # noqa: SIM905
)
# What nearly every question about the subject may hold: beside other words they count less.
FILLERS = frozenset(
    """
    attention choose delete drop model number pick remove transformer word
    """.split()  # noqa: SIM905
)
FILLER = 0.4
SYMBOL_LETTERS = 2  # a word of at most two letters is a symbol and must match as a whole
MIN_BEGINNING = 4  # letters of a beginning that finds a longer word
MIN_RESPELLED = 4  # shorter words are similar to too many others
LONG_WORD = 8  # letters from which two of them may be wrong, not one
# Patterns of equivalent spellings, each with its common form; applied in this order.
ALIKE = (
    (r"\bhow many\b", "number of"),
    (r"^(please )?explain\b|\bhow (much|long (do|does|will|did))\b", ""),
    (r"\bhow (big|large)\b", "size"),
    (r" takes?\W*$", ""),
    (r"[_^]|[’']s?\b", ""),
    (r"\bsqrt\b|\bsqrt(?=d)", "√"),
    (r"-\s?(inf|infinity|∞)\b|−∞", " ∞ "),
    (r"[^\w√∞]+", " "),
    (r"√ ?", " √ "),
    (r"\bqkv\b", "q k v"),
    (r"\b(d|w) (k|v|q|o|model)\b", r"\1\2"),
    (r"(\w{3})our", r"\1or"),
    (r"centre", "center"),
    (r"i[sz](e|ing|ation)", r"is\1"),
)
ENDINGS = r"(\w{3})(?:i?es|y|ix|ices|s|ings?|e?d|ations?|ions?|e)$"
DOUBLED = r"(\w\w)([bdgmnprt])\2(?=(?:ings?|ed)$)"  # of a form such as "referred", "dropping"
TITLE = 2.0  # how much a word counts more in the first text, which is the title
# What counts beside a word itself: a synonym, a longer word, its neighbour at its side.
SYNONYM, BEGINNING, BESIDE = 0.75, 0.6, 0.4
WHOLE = 0.35  # how much more a row counts whose title is asked for whole
SATURATION, LENGTH = 1.2, 0.35  # k₁ and b of BM25
ENOUGH = 0.4  # rows with less than this part of the best score are not shown


@dataclass(frozen=True)
class _Index:
    """What a ranking needs of some rows.

    stems: all, sorted. held: by stem, the rows that hold it, each with what it adds to their score.
    titles: the stems of each title, without stop words. vocabulary: all words.
    """

    stems: list[str]
    held: dict[str, dict[int, float]]
    titles: tuple[frozenset[str], ...]
    vocabulary: frozenset[str]


@lru_cache(maxsize=8)
def _index_of(rows: tuple[Texts, ...]) -> _Index:
    titles = [_stems(texts[0]) for texts in rows]
    others = [_stems(" ".join(texts[1:])) for texts in rows]
    counted: dict[str, dict[int, float]] = {}
    for stems, counts in ((titles, TITLE), (others, 1.0)):
        usual = max(1.0, sum(map(len, stems)) / max(1, len(rows)))
        for number, row in enumerate(stems):
            long = 1 - LENGTH + LENGTH * len(row) / usual
            for stem, times in Counter(row).items():
                weights = counted.setdefault(stem, {})
                weights[number] = weights.get(number, 0) + counts * times / long
    held = {stem: _adds(weights, len(rows)) for stem, weights in counted.items()}
    spelt = {word for texts in rows for text in texts for word in _folded(text).split()}
    spelt |= {word for key in _synonyms() for word in key}
    short = tuple(
        frozenset(_stem(word) for word in _folded(texts[0]).split() if word not in STOP_WORDS)
        for texts in rows
    )
    return _Index(sorted(held), held, short, frozenset(spelt))


def _adds(weights: dict[int, float], n_rows: int) -> dict[int, float]:
    """What a word adds to the score of each row that holds it: the more, the fewer rows do; the
    more often it stands in a row, the less does once more add.
    """
    rarity = log(1 + (n_rows - len(weights) + 0.5) / (len(weights) + 0.5))
    return {
        row: rarity * weight * (SATURATION + 1) / (weight + SATURATION)
        for row, weight in weights.items()
    }


def best_matches(
    words: str,
    rows: Iterable[Row],
    texts: Callable[[Row], Texts],
    counts: Callable[[Row], float] = lambda _: 1,
) -> tuple[Row, ...]:
    """The rows that hold the words of a search, best first; all of them if nothing is searched.
    counts: how much a row counts beside the others.

    A rare word counts more than a common one, the first text of a row, its title, more than the
    others, a synonym less than the word itself. Rows far behind the best are left out.

    >>> best_matches("softmax mask", ["a mask", "a mask of the softmax", "a head"],
    ...     lambda row: (row,))[0]
    'a mask of the softmax'
    >>> best_matches("mask", [("softmax", "a mask"), ("mask",)], lambda row: row)
    (('mask',), ('softmax', 'a mask'))
    """
    listed = list(rows)
    if not words.strip():
        return tuple(listed)
    index = _index_of(tuple(map(texts, listed)))
    scores = {
        number: score * counts(listed[number]) for number, score in _scores(words, index).items()
    }
    least = ENOUGH * max(scores.values(), default=0)
    ranked = sorted(scores, key=lambda number: (-scores[number], number))
    return tuple(listed[number] for number in ranked if scores[number] >= least)


def _scores(words: str, index: _Index) -> dict[int, float]:
    """The score of each row that holds something of a search: of each part of it the best of what
    is typed and of its synonyms, and more for two words that stand side by side there, too, and for
    a title that says little else.
    """
    total: Counter[int] = Counter()
    parts = _searched(words)
    for typed, *others in parts:
        best = _rows_of(typed, index, all_of_them=False)
        for other in others:
            for row, score in _rows_of(other, index, all_of_them=True).items():
                best[row] = max(best.get(row, 0), SYNONYM * score)
        if set(typed) <= _fillers() and len(parts) > 1:
            best = {row: FILLER * score for row, score in best.items()}
        total.update(best)
    for pair in pairwise(_folded(words).split()):
        if not set(pair) & STOP_WORDS:
            beside = index.held.get(_stem("".join(pair)), {})
            total.update({row: BESIDE * score for row, score in beside.items()})
    asked = set(map(_stem, _folded(words).split()))
    return {
        row: score * (1 + WHOLE * len(index.titles[row] & asked) / max(1, len(index.titles[row])))
        for row, score in total.items()
    }


def _searched(words: str) -> list[list[Words]]:
    """The parts of a search that are not stop words, each with its synonyms, as stems."""
    parts = readings(_folded(words).split(), _synonyms())
    large = [part for part in parts if set(part[0]) - STOP_WORDS] or parts
    return [
        [
            tuple(_stem(word) for word in one if word not in STOP_WORDS or len(one) == 1)
            for one in part
        ]
        for part in large
    ]


def _rows_of(stems: Words, index: _Index, all_of_them: bool) -> dict[int, float]:
    """What some stems add together, by row; only rows with all of them, or any. Two add less than
    twice as much as one.
    """
    each = [_rows_with(stem, index) for stem in stems]
    rows = set.intersection(*map(set, each)) if all_of_them else set().union(*each)
    return {row: sum(one.get(row, 0) for one in each) / len(each) ** 0.5 for row in rows}


def _rows_with(stem: str, index: _Index) -> dict[int, float]:
    """What a stem adds, by row; a longer word that begins with it adds less."""
    weights = dict(index.held.get(stem, {}))
    if len(stem) >= MIN_BEGINNING:
        start = bisect(index.stems, stem)
        for longer in takewhile(lambda one: one.startswith(stem), islice(index.stems, start, None)):
            for row, score in index.held[longer].items():
                weights[row] = max(weights.get(row, 0), BEGINNING * score)
    return weights


def finds(words: str, *texts: str) -> bool:
    """Whether the texts hold every word that is searched for, in any spelling.

    Superscripts, subscripts, British or American spelling, hyphens, underscores and endings make no
    difference. One or two letters match whole symbols only. Stop words are ignored. A synonym of
    the table counts as the word itself.

    >>> finds("dk softMAX", "The softmax of", "a width dₖ"), finds("softmax mask", "The softmax")
    (True, False)
    >>> finds("What are multihead softmaxes?", "A multi-head softmax"), finds("Wo",
    ...     "W_O"), finds("Wo", "a word")
    (True, True, False)
    """
    index = _index_of((texts,))
    return all(
        any(_rows_of(one, index, all_of_them=True) for one in part) for part in _searched(words)
    )


def respelled(words: str, rows: Iterable[Texts]) -> str:
    """The words of a search; each that no row holds is replaced by the nearest word of the rows, if
    one letter is wrong there, or two letters of a long word.

    >>> respelled("sotfmax of quries", [("The softmax of a query", "queries")])
    'softmax of queries'
    >>> respelled("softmax banana", [("The softmax of a query",)])
    'softmax banana'
    >>> respelled("verb", [("all over",)])
    'verb'
    """
    index = _index_of(tuple(rows))
    typed = _folded(words).split()
    known = {stem for key in _synonyms() for stem in key}
    spelt = [
        word
        if _stem(word) in known or word in STOP_WORDS or _rows_with(_stem(word), index)
        else _nearest(word, index.vocabulary) or word
        for word in typed
    ]
    return words if spelt == typed else " ".join(spelt)


def _nearest(word: str, vocabulary: Iterable[str]) -> str | None:
    """The word of a vocabulary with fewest wrong letters, if they are few enough."""
    if len(word) < MIN_RESPELLED:
        return None
    letters, most = Counter(word), 1 + (len(word) >= LONG_WORD)
    near = [
        (changes, other)
        for other in vocabulary
        if abs(len(other) - len(word)) <= most
        and (letters - Counter(other)).total() <= most
        and (changes := edits(word, other)) <= most
    ]
    return min(near)[1] if near else None


def edits(one: str, other: str) -> int:
    """How many letters are wrong, missing, too many, or in the place of their neighbour.

    >>> edits("sotfmax", "softmax"), edits("verb", "over"), edits("quries", "queries")
    (1, 2, 1)
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        earlier, before, row = before, row, [i]
        for j, beside in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != beside))
            if i > 1 and j > 1 and (one[i - 2], letter) == (beside, other[j - 2]):
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
    return row[-1]


@lru_cache(maxsize=1)
def _synonyms() -> Synonyms:
    """All synonyms by the stems of what is typed."""
    known: dict[Words, list[Words]] = {}
    for row in read_table("synonyms"):
        key = tuple(map(_stem, _folded(row["typed"]).split()))
        known.setdefault(key, []).append(tuple(_folded(row["means"]).split()))
    return known


@lru_cache(maxsize=1)
def _fillers() -> frozenset[str]:
    return frozenset(map(_stem, FILLERS))


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    """The beginning that all forms of a word share."""
    shorter = re.sub(ENDINGS, r"\1", re.sub(DOUBLED, r"\1\2", word))
    return word if shorter == word else _stem(shorter)


@lru_cache(maxsize=4096)
def _stems(text: str) -> Words:
    """The stems of a text, and of two words that stand side by side and may be written as one."""
    words = _folded(text).split()
    long = (_stem(one + other) for one, other in pairwise(words) if len(other) > SYMBOL_LETTERS)
    return (*map(_stem, words), *long)


@lru_cache(maxsize=4096)
def _folded(text: str) -> str:
    folded = normalize("NFKC", text).casefold()
    for pattern, plainer in ALIKE:
        folded = re.sub(pattern, plainer, folded)
    return folded


def readings(typed: Sequence[str], known: Synonyms) -> list[list[Words]]:
    """The parts of what is typed, each with its synonyms. Where parts overlap, the longest counts.

    >>> readings(("one", "or", "eight", "keys"), {("one", "or", "eight"): [("many",)]})
    [[('one', 'or', 'eight'), ('many',)], [('keys',)]]
    """
    longest = max(map(len, known), default=1)
    parts: list[list[Words]] = []
    start = 0
    while start < len(typed):
        tried = [tuple(typed[start : start + length]) for length in range(longest, 0, -1)]
        part = next((one for one in tried if tuple(map(_stem, one)) in known), tried[-1])
        parts.append([part, *known.get(tuple(map(_stem, part)), ())])
        start += len(part)
    return parts
