"""The next word of a language model that writes pieces: the search for the most probable words, and
the sum over the ways in which each is spelled.

A word begins with a space and letters, goes on with letters, and ends before anything else. Its
probability is the product of those of its pieces and of the probability that the next piece ends
it, summed over its spellings. X piece of the vocabulary.
"""

import re
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from typing import TypeVar

import numpy as np

from attention_core.checks import Array

from ..words.pieces import END_OF_TEXT, TEXT_ENDS, readable
from .branches import Branches
from .byte_pairs import WORD_START
from .decoder import Decoder
from .generation import next_probabilities

MOST_STEPS = 600  # branches that the search computes
MOST_SPELLINGS = 2000  # further branches that the sum over spellings computes, the likeliest first
# Of all branches together, 256 MB: a large vocabulary gets fewer branches than these.
MOST_SHARES = 2**25
AT_ONCE = 16  # branches that it computes together
# Branches times numbers of the model: a large model gets fewer branches, or a page would wait.
MOST_WORK = 3 * 2**30
MORE = 5  # words that are summed beside those that are wanted
LEAST = 1e-5  # words that are less probable are not searched for
FEW_STEPS, FEW_AT_ONCE = 24, 4  # of a search for the most probable word alone
NEGLECTED = 1e-12  # spellings that are less probable are left out of a word
_LAST_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*['’-]?\Z")


Path = tuple[int, ...]
T = TypeVar("T")
# Asks for branches, one list after another, and gives a result.
Asks = Generator[Iterable[Path], None, T]


class NextWords(tuple[tuple[str, float], ...]):
    """Words and their probabilities, the most probable one first.

    rest: the probability of all others together. complete_to: every word that has a spelling more
    probable than this was found. n_steps: how many branches of the text were computed. spellings:
    the most probable one of each word, as pieces.
    """

    rest: float
    complete_to: float
    n_steps: int
    spellings: dict[str, Path]


class Pieces:
    """What the pieces of a vocabulary can be in a word. Places: letters goes on with a word, spells
    says which piece a text is that a word may hold.
    """

    def __init__(self, vocabulary: tuple[str, ...]) -> None:
        self.all = vocabulary
        self.letters = [n for n, piece in enumerate(vocabulary) if piece.isalpha()]
        starts = [n for n, piece in enumerate(vocabulary) if _starts_word(piece)]
        self.of_words = [*self.letters, *starts]
        self.spells = {vocabulary[n]: n for n in self.of_words}
        self.longest = max(map(len, self.spells), default=0)
        self._signs: dict[bool, tuple[list[str], Array, Array]] = {}

    def signs(self, after_space: bool) -> tuple[list[str], Array, Array]:
        """What begins no word, as people write it; the pieces that are written so, and for each the
        place of its name. After a space alone a piece that is no mark leaves this space.
        """
        if after_space not in self._signs:
            words = {*(self.letters if after_space else self.of_words)}
            named: dict[str, list[int]] = {}
            for number, text in enumerate(self.all):
                if number not in words:
                    named.setdefault(self._sign(text, after_space), []).append(number)
            pieces = np.array([one for some in named.values() for one in some], dtype=int)
            names_N = np.repeat(np.arange(len(named)), [*map(len, named.values())])
            self._signs[after_space] = [*named], pieces, names_N
        return self._signs[after_space]

    def _sign(self, text: str, after_space: bool) -> str:
        if text in TEXT_ENDS:
            return readable(WORD_START) if after_space else END_OF_TEXT
        return readable(WORD_START if after_space and text.startswith(WORD_START) else text)


def _starts_word(piece: str) -> bool:
    return piece == WORD_START or (piece.startswith(WORD_START) and piece[1:].isalpha())


# The probability of a word; that of its most probable spelling, and its pieces.
Spelled = tuple[float, tuple[float, Path]]
pieces_of = lru_cache(maxsize=4)(Pieces)


@dataclass(eq=False)
class _Search:
    """The branches of a text that were computed: the share of every piece to come next, by the
    pieces of the branch. settings: temperature and top-p of these shares. numbers: of the branches.
    n_numbers: how many the matrices of the model hold.
    """

    pieces: Pieces
    shares: dict[Path, Array]
    settings: tuple[float, float]
    numbers: dict[Path, int]
    n_numbers: int

    @property
    def room(self) -> int:
        """How many branches memory and time leave room for."""
        by_memory = MOST_SHARES // 2 // len(self.pieces.all)
        return min(by_memory, max(AT_ONCE, MOST_WORK // self.n_numbers))

    def unknown(self, paths: Iterable[Path]) -> list[Path]:
        """Those of some branches that were not computed; their parents were."""
        return [path for path in dict.fromkeys(paths) if path not in self.numbers]

    @property
    def n_steps(self) -> int:
        """How many branches were computed."""
        return len(self.numbers) - 1

    def ends(self, path: Path) -> float:
        """The probability that the next piece ends the word."""
        return 1 - float(self.shares[path][self.pieces.letters].sum())

    def best_first(
        self, n_words: int, most: int = MOST_STEPS, at_once: int = AT_ONCE
    ) -> Asks[tuple[dict[str, float], float]]:
        """Texts of words and a lower bound of their probabilities, and the probability of the best
        branch that was not computed. most: how many are.
        """
        bounds: dict[str, float] = {}
        waiting: list[tuple[float, Path]] = []
        most = min(most, self.room)
        self._wait(waiting, (), 1.0, self.pieces.of_words, most)
        while waiting and self.n_steps < most:
            enough = sorted(bounds.values())[-n_words] if len(bounds) >= n_words else LEAST
            if -waiting[0][0] < enough:
                break
            batch = [heappop(waiting) for _ in range(min(at_once, len(waiting)))]
            yield [path for _, path in batch]
            for share, path in batch:
                text = "".join(self.pieces.all[one] for one in path)
                if text != WORD_START:
                    bounds[text] = bounds.get(text, 0.0) - share * self.ends(path)
                self._wait(waiting, path, -share, self.pieces.letters, most)
        return bounds, max(LEAST, -waiting[0][0]) if waiting else LEAST

    def _wait(
        self,
        waiting: list[tuple[float, Path]],
        path: Path,
        share: float,
        which: list[int],
        most: int,
    ) -> None:
        """Let the branches that go on with some pieces wait, those that can be computed at most."""
        shares, n = self.shares[path][which] * share, most + 2 * AT_ONCE
        likely = np.argsort(-shares, kind="stable")[:n]
        for place in likely[shares[likely] > LEAST].tolist():
            heappush(waiting, (-float(shares[place]), (*path, which[place])))

    def probability(self, texts: Sequence[str]) -> Asks[dict[str, Spelled]]:
        """The probability of each text as the next word, summed over its spellings."""
        spelled: dict[str, list[tuple[float, Path]]] = {text: [] for text in texts}
        goes_on = self._spelled(texts)
        n_more = min(MOST_SPELLINGS, self.room)
        most = self.n_steps + n_more
        level: list[tuple[Path, str, float]] = [((), "", 1.0)]
        while level:
            after = [
                ((*path, one), text + self.pieces.all[one], share * float(self.shares[path][one]))
                for path, text, share in level
                for one in goes_on[text]
            ]
            level = sorted((one for one in after if one[2] > NEGLECTED), key=lambda one: -one[2])
            del level[max(0, most - self.n_steps) :]
            yield [path for path, _, _ in level]
            for path, text, share in level:
                if text in spelled:
                    spelled[text].append((share * self.ends(path), path))
        return {text: _together(ways) for text, ways in spelled.items() if ways}

    def _spelled(self, texts: Sequence[str]) -> dict[str, list[int]]:
        """For each beginning of some texts, the pieces that go on with it towards one of them."""
        starts = {""} | {text[:size] for text in texts for size in range(len(text) + 1)}
        spells = self.pieces.spells
        return {
            start: [
                spells[text[len(start) :]]
                for text in sorted(starts)
                if text.startswith(start) and text[len(start) :] in spells
            ]
            for start in starts
        }

    def signs(self) -> Asks[dict[str, Spelled]]:
        """The probability of everything that begins no word, as people write it."""
        spellings: dict[str, list[Spelled]] = {}
        starts: list[Path] = [()]
        if (space := self.pieces.spells.get(WORD_START)) is not None:
            starts.append((space,))
        yield starts[1:]
        for path in starts:
            share, shares_X = float(self.shares[()][path[0]]) if path else 1.0, self.shares[path]
            names, pieces_N, names_N = self.pieces.signs(bool(path))
            shares_N = share * shares_X[pieces_N]
            best = np.lexsort((-shares_N, names_N))  # of each name the most probable piece first
            firsts = best[np.searchsorted(names_N, np.arange(len(names)))]
            sums = np.bincount(names_N, shares_N, len(names)).tolist()
            several = zip(names, sums, shares_N[firsts].tolist(), pieces_N[firsts], strict=True)
            for name, of_sign, of_best, piece in several:
                spellings.setdefault(name, []).append((of_sign, (of_best, (*path, int(piece)))))
        return {
            name: (sum(share for share, _ in several), max(best for _, best in several))
            for name, several in spellings.items()
        }


def _together(spelled: list[tuple[float, Path]]) -> Spelled:
    """The sum over several spellings, and the most probable of them."""
    return sum(share for share, _ in spelled), max(spelled)


@dataclass(frozen=True, eq=False)
class After:
    """What may follow a text. kept: its keys as scores read them and its values, two of (L, G, S,
    K). logits: after its last piece. settings: temperature and top-p with which each piece is
    drawn. Shapes: (X,).
    """

    decoder: Decoder
    vocabulary: tuple[str, ...]
    ids: Sequence[int]
    logits: Array
    kept: Sequence[Array]
    settings: tuple[float, float] = (1.0, 1.0)

    def next_words(self, k: int) -> NextWords:
        """The k most probable words and marks."""
        return self._computed(lambda _, search: self._best(search, k))

    def most_probable(self, search: _Search) -> Asks[tuple[str, float, Path]]:
        """The most probable word or mark, its probability and its pieces. The probability is 0
        where the search leaves open which it is.
        """
        bounds, open_share = yield from search.best_first(1, FEW_STEPS, FEW_AT_ONCE)
        spelled = yield from search.signs()
        likely = sorted(bounds, key=lambda text: -bounds[text])[:1]
        shown = {self._shown(text) for text in likely}
        spelled |= yield from self._summed(search, sorted(shown))
        word = min(spelled, key=lambda one: (-spelled[one][0], one))
        share, (_, path) = spelled[word]
        return word, share if share >= open_share else 0.0, path

    def _shown(self, text: str) -> str:
        """A word as people write it, with the letters of the text that it goes on with."""
        if text.startswith(WORD_START):
            return text.strip()
        return letters_begun(self.vocabulary, self.ids) + text

    def _best(self, search: _Search, k: int) -> Asks[NextWords]:
        bounds, complete_to = yield from search.best_first(k)
        # A spelling that the search did not reach can raise a word, so more than k are summed.
        likely = sorted(bounds, key=lambda text: -bounds[text])[: k + MORE]
        shown = set(map(self._shown, likely))
        spelled = yield from search.signs()
        spelled |= yield from self._summed(search, sorted(shown))
        best = sorted(spelled.items(), key=lambda item: (-item[1][0], item[0]))[:k]
        words = NextWords((word, share) for word, (share, _) in best if share > 0)
        words.rest = max(0.0, 1 - sum(share for _, share in words))
        words.complete_to, words.n_steps = complete_to, search.n_steps
        words.spellings = {word: path for word, (_, (_, path)) in best}
        return words

    def shares(self, words: Sequence[str]) -> dict[str, float]:
        """The probability of each of some words and marks."""
        return self._computed(lambda _, search: self.word_shares(search, words))

    def word_shares(self, search: _Search, words: Sequence[str]) -> Asks[dict[str, float]]:
        """The same, by a search."""
        signs = yield from search.signs()
        # Bytes write letters, too; a letter that is a word is spelled by the pieces of words.
        spelled = [word for word in words if word.isalpha() or (word and word not in signs)]
        summed = signs | (yield from self._summed(search, spelled))
        return {word: summed.get(word, (0.0, ()))[0] for word in words}

    def search(self, root: int) -> _Search:
        """A search that begins with the text. root: its number in branches."""
        first: dict[Path, Array] = {(): next_probabilities(self.logits, *self.settings)}
        size = self.decoder.n_numbers
        return _Search(pieces_of(self.vocabulary), first, self.settings, {(): root}, size)

    def _computed(self, asks_of: Callable[["After", _Search], Asks[T]]) -> T:
        (result,) = side_by_side([self], Branches(self.decoder, self.kept), asks_of)
        return result

    def _summed(self, search: _Search, words: Sequence[str]) -> Asks[dict[str, Spelled]]:
        """The probability of words, whether they begin after a space or end the word of the
        text.
        """
        begun = letters_begun(self.vocabulary, self.ids)
        forms = {word: _forms(word, begun) for word in words}
        exact = yield from search.probability([text for texts in forms.values() for text in texts])
        summed = {}
        for word, texts in forms.items():
            if spellings := [exact[text] for text in texts if text in exact]:
                summed[word] = (
                    sum(share for share, _ in spellings),
                    max(best for _, best in spellings),
                )
        return summed


def side_by_side(
    after: Sequence[After], branches: Branches, asks_of: Callable[[After, _Search], Asks[T]]
) -> list[T]:
    """What a search finds after each of some texts. What all of them ask for at a time is computed
    together. branches: of a text of which they are beginnings, in the order of its lengths.
    """
    searches = [one.search(root=-1 - place) for place, one in enumerate(after)]
    asking = [asks_of(one, search) for one, search in zip(after, searches, strict=True)]
    results: dict[int, T] = {}
    while len(results) < len(asking):
        new: list[tuple[_Search, Path]] = []
        for place, (search, asks) in enumerate(zip(searches, asking, strict=True)):
            if place not in results:
                try:
                    new += [(search, one) for one in search.unknown(next(asks))]
                except StopIteration as end:
                    results[place] = end.value
        if new:
            parents = [search.numbers[path[:-1]] for search, path in new]
            first = len(branches)
            logits_NX = branches.extend(parents, [path[-1] for _, path in new])
            for number, ((search, path), logits_X) in enumerate(
                zip(new, logits_NX, strict=True), first
            ):
                search.numbers[path] = number
                search.shares[path] = next_probabilities(logits_X, *search.settings)
    return [results[place] for place in range(len(asking))]


def letters_begun(vocabulary: tuple[str, ...], ids: Sequence[int]) -> str:
    """The letters at the end of a text, with which letters that follow make one word.

    >>> pieces = (" a", " yo", "u", ".")
    >>> letters_begun(pieces, [0, 1, 2]), letters_begun(pieces, [1, 3])
    ('you', '')
    """
    last = _LAST_WORD.search("".join(vocabulary[one] for one in ids))
    return last[0] if last else ""


def _forms(word: str, begun: str) -> list[str]:
    """What a text can go on with to show a word: it begins one, or ends the word of the text."""
    going_on = word.removeprefix(begun) if word.startswith(begun) else ""
    return [WORD_START + word, *([going_on] if going_on else [])]
