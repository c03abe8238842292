"""The next word of a language model that writes pieces: the search for the most probable words, and
the sum over the ways in which each is spelled.

A word begins with a space and letters, goes on with letters, and ends before anything else. Its
probability is the product of those of its pieces and of the probability that the next piece ends
it, summed over its spellings. X piece of the vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from heapq import heappop, heappush

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
NEGLECTED = 1e-12  # spellings that are less probable are left out of a word
_LAST_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*['’-]?\Z")


Path = tuple[int, ...]


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

    @cached_property
    def signs(self) -> tuple[tuple[str, ...], tuple[Array, Array], tuple[Array, Array]]:
        """What the pieces that are no part of a word write: all that is written; the pieces, and
        the place of what each writes in the text, and after a space alone. Shapes: (N,).
        """
        others = np.setdiff1d(np.arange(len(self.all)), self.of_words)
        after = np.setdiff1d(np.arange(len(self.all)), self.letters)
        written: dict[str, int] = {}
        places = (
            np.array(
                [written.setdefault(self._sign(self.all[one], space), len(written)) for one in many]
            )
            for space, many in ((False, others.tolist()), (True, after.tolist()))
        )
        first, second = places
        return tuple(written), (others, after), (first, second)

    def _sign(self, text: str, after_space: bool) -> str:
        """A piece that is no part of a word, as people write it; after a space alone a piece that
        is no mark leaves this space.
        """
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
    """The branches that were computed: the share of every piece to come next, by the pieces of the
    branch. settings: temperature and top-p of these shares.
    """

    branches: Branches
    pieces: Pieces
    shares: dict[Path, Array]
    settings: tuple[float, float]
    numbers: dict[Path, int] = field(default_factory=lambda: {(): -1})

    @property
    def room(self) -> int:
        """How many branches memory and time leave room for."""
        decoder = self.branches.decoder
        n_numbers = decoder.unembedding.size + sum(sum(one.counts) for one in decoder.layers)
        by_memory = MOST_SHARES // 2 // len(self.pieces.all)
        return min(by_memory, max(AT_ONCE, MOST_WORK // n_numbers))

    def compute(self, paths: Iterable[Path]) -> None:
        """Compute branches whose parents were computed."""
        new = [path for path in dict.fromkeys(paths) if path not in self.numbers]
        if new:
            first = len(self.branches)
            parents = [self.numbers[path[:-1]] for path in new]
            logits_NX = self.branches.extend(parents, [path[-1] for path in new])
            for number, (path, logits_X) in enumerate(zip(new, logits_NX, strict=True), first):
                self.numbers[path] = number
                self.shares[path] = next_probabilities(logits_X, *self.settings)

    def ends(self, path: Path) -> float:
        """The probability that the next piece ends the word."""
        return 1 - float(self.shares[path][self.pieces.letters].sum())

    def best_first(self, n_words: int) -> tuple[dict[str, float], float]:
        """Texts of words and a lower bound of their probabilities, and the probability of the best
        branch that was not computed.
        """
        found: dict[str, float] = {}
        waiting: list[tuple[float, Path]] = []
        most = min(MOST_STEPS, self.room)
        self._wait(waiting, (), 1.0, self.pieces.of_words, most)
        while waiting and len(self.branches) < most:
            enough = sorted(found.values())[-n_words] if len(found) >= n_words else LEAST
            if -waiting[0][0] < enough:
                break
            batch = [heappop(waiting) for _ in range(min(AT_ONCE, len(waiting)))]
            self.compute(path for _, path in batch)
            for share, path in batch:
                text = "".join(self.pieces.all[one] for one in path)
                if text != WORD_START:
                    found[text] = found.get(text, 0.0) - share * self.ends(path)
                self._wait(waiting, path, -share, self.pieces.letters, most)
        return found, max(LEAST, -waiting[0][0]) if waiting else LEAST

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

    def probability(self, texts: Sequence[str]) -> dict[str, Spelled]:
        """The probability of each text as the next word, summed over its spellings."""
        spelled: dict[str, list[tuple[float, Path]]] = {text: [] for text in texts}
        goes_on = self._spelled(texts)
        n_more = min(MOST_SPELLINGS, self.room)
        most = len(self.branches) + n_more
        level: list[tuple[Path, str, float]] = [((), "", 1.0)]
        while level:
            after = [
                ((*path, one), text + self.pieces.all[one], share * float(self.shares[path][one]))
                for path, text, share in level
                for one in goes_on[text]
            ]
            level = sorted((one for one in after if one[2] > NEGLECTED), key=lambda one: -one[2])
            del level[max(0, most - len(self.branches)) :]
            self.compute(path for path, _, _ in level)
            for path, text, share in level:
                if text in spelled:
                    spelled[text].append((share * self.ends(path), path))
        return {text: _together(found) for text, found in spelled.items() if found}

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

    def signs(self) -> dict[str, Spelled]:
        """The probability of everything that begins no word, as people write it."""
        written, pieces, places = self.pieces.signs
        starts: list[Path] = [()]
        if (space := self.pieces.spells.get(WORD_START)) is not None:
            starts.append((space,))
        self.compute(starts[1:])
        shares = [
            self.shares[path][which] * (self.shares[()][path[0]] if path else 1.0)
            for path, which in zip(starts, pieces, strict=False)
        ]
        share_N, place_N = np.concatenate(shares), np.concatenate(places[: len(starts)])
        sums = np.bincount(place_N, share_N, len(written)).tolist()
        order = np.lexsort((np.arange(len(share_N)), share_N))  # of equals the last one counts
        best = np.full(len(written), -1)
        best[place_N[order]] = order
        found: dict[str, Spelled] = {}
        for name, total, at in zip(written, sums, best.tolist(), strict=True):
            if at >= 0:
                second = at - len(shares[0])
                path = (int(pieces[0][at]),) if second < 0 else (*starts[1], int(pieces[1][second]))
                found[name] = total, (float(share_N[at]), path)
        return found


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
        search = self._search()
        bounds, complete_to = search.best_first(k)
        begun = letters_begun(self.vocabulary, self.ids)
        # A spelling that the search did not reach can raise a word, so more than k are summed.
        likely = sorted(bounds, key=lambda text: -bounds[text])[: k + MORE]
        shown = {text.strip() if text.startswith(WORD_START) else begun + text for text in likely}
        found = search.signs()
        for word, spelled in self._summed(search, sorted(shown)).items():
            found[word] = spelled
        best = sorted(found.items(), key=lambda item: (-item[1][0], item[0]))[:k]
        words = NextWords((word, share) for word, (share, _) in best if share > 0)
        words.rest = max(0.0, 1 - sum(share for _, share in words))
        words.complete_to, words.n_steps = complete_to, len(search.branches)
        words.spellings = {word: path for word, (_, (_, path)) in best}
        return words

    def shares(self, words: Sequence[str]) -> dict[str, float]:
        """The probability of each of some words and marks."""
        search = self._search()
        signs = search.signs()
        # Bytes write letters, too; a letter that is a word is spelled by the pieces of words.
        spelled = [word for word in words if word.isalpha() or (word and word not in signs)]
        found = signs | self._summed(search, spelled)
        return {word: found.get(word, (0.0, ()))[0] for word in words}

    def _search(self) -> _Search:
        first: dict[Path, Array] = {(): next_probabilities(self.logits, *self.settings)}
        branches, pieces = Branches(self.decoder, self.kept), pieces_of(self.vocabulary)
        return _Search(branches, pieces, first, self.settings)

    def _summed(self, search: _Search, words: Sequence[str]) -> dict[str, Spelled]:
        """The probability of words, whether they begin after a space or end the word of the
        text.
        """
        begun = letters_begun(self.vocabulary, self.ids)
        forms = {word: _forms(word, begun) for word in words}
        exact = search.probability([text for texts in forms.values() for text in texts])
        summed = {}
        for word, texts in forms.items():
            if found := [exact[text] for text in texts if text in exact]:
                summed[word] = sum(share for share, _ in found), max(best for _, best in found)
        return summed


def letters_begun(vocabulary: tuple[str, ...], ids: Sequence[int]) -> str:
    """The letters at the end of a text, with which letters that follow make one word.

    >>> pieces = (" a", " yo", "u", ".")
    >>> letters_begun(pieces, [0, 1, 2]), letters_begun(pieces, [1, 3])
    ('you', '')
    """
    found = _LAST_WORD.search("".join(vocabulary[one] for one in ids))
    return found[0] if found else ""


def _forms(word: str, begun: str) -> list[str]:
    """What a text can go on with to show a word: it begins one, or ends the word of the text."""
    going_on = word.removeprefix(begun) if word.startswith(begun) else ""
    return [WORD_START + word, *([going_on] if going_on else [])]
