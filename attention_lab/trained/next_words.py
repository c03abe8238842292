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
from functools import lru_cache
from heapq import heappop, heappush

import numpy as np

from attention_core.checks import Array

from ..words.pieces import readable
from .branches import Branches
from .byte_pairs import END, START, WORD_START
from .decoder import Decoder
from .generation import next_probabilities

MOST_STEPS = 600  # branches that the search computes
MOST_SPELLINGS = 2000  # further branches that the sum over spellings computes, the likeliest first
AT_ONCE = 16  # branches that it computes together
MORE = 5  # words that are summed beside those that are wanted
LEAST = 1e-5  # words that are less probable are not searched for
NEGLECTED = 1e-12  # spellings that are less probable are left out of a word
_LAST_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*['’-]?\Z")


Path = tuple[int, ...]


class NextWords(tuple[tuple[str, float], ...]):
    """Words and their probabilities, the most probable one first.

    rest: the probability of all others together. complete_to: every word that has a spelling more
    probable than this was found. n_steps: how many branches of the text were computed. spelled: the
    pieces that most probably write each word.
    """

    rest: float
    complete_to: float
    n_steps: int
    spelled: dict[str, Path]


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

    def sign(self, piece: int, after_space: bool) -> str:
        """A piece that is no part of a word, as people write it; after a space alone a piece that
        is no mark leaves this space.
        """
        text = self.all[piece]
        if piece in (START, END):
            return readable(WORD_START if after_space else self.all[END])
        return readable(WORD_START if after_space and text.startswith(WORD_START) else text)


def _starts_word(piece: str) -> bool:
    return piece == WORD_START or (piece.startswith(WORD_START) and piece[1:].isalpha())


pieces_of = lru_cache(maxsize=4)(Pieces)


@dataclass(eq=False)
class _Search:
    """The branches that were computed: the share of every piece to come next, by the pieces of the
    branch. settings: temperature and top-p of the shares.
    """

    branches: Branches
    pieces: Pieces
    shares: dict[Path, Array]
    settings: tuple[float, float] = (1.0, 1.0)
    numbers: dict[Path, int] = field(default_factory=lambda: {(): -1})
    likeliest: dict[str, tuple[float, Path]] = field(default_factory=dict)

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
        self._wait(waiting, (), 1.0, self.pieces.of_words)
        while waiting and len(self.branches) < MOST_STEPS:
            enough = sorted(found.values())[-n_words] if len(found) >= n_words else LEAST
            if -waiting[0][0] < enough:
                break
            batch = [heappop(waiting) for _ in range(min(AT_ONCE, len(waiting)))]
            self.compute(path for _, path in batch)
            for share, path in batch:
                text = "".join(self.pieces.all[one] for one in path)
                if text != WORD_START:
                    found[text] = found.get(text, 0.0) - share * self.ends(path)
                self._wait(waiting, path, -share, self.pieces.letters)
        return found, max(LEAST, -waiting[0][0]) if waiting else LEAST

    def _wait(
        self, waiting: list[tuple[float, Path]], path: Path, share: float, which: list[int]
    ) -> None:
        shares = self.shares[path][which] * share
        for place in np.flatnonzero(shares > LEAST):
            heappush(waiting, (-float(shares[place]), (*path, which[place])))

    def probability(self, texts: Sequence[str]) -> dict[str, float]:
        """The probability of each text as the next word, summed over its spellings."""
        total = dict.fromkeys(texts, 0.0)
        goes_on, most = self._spelled(texts), len(self.branches) + MOST_SPELLINGS
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
                if text in total:
                    total[text] += self._noted(text, share * self.ends(path), path)
        return total

    def _noted(self, text: str, share: float, path: Path) -> float:
        """A share, with its path kept if it is the likeliest way to write a text so far."""
        if share > self.likeliest.get(text, (0.0,))[0]:
            self.likeliest[text] = (share, path)
        return share

    def _spelled(self, texts: Sequence[str]) -> dict[str, list[int]]:
        """For each beginning of some texts, the pieces that go on with it towards one of them."""
        starts = {text[:size] for text in texts for size in range(len(text) + 1)}
        spells = self.pieces.spells
        return {
            start: [
                spells[text[len(start) :]]
                for text in sorted(starts)
                if text.startswith(start) and text[len(start) :] in spells
            ]
            for start in starts
        }

    def signs(self) -> dict[str, float]:
        """The probability of everything that begins no word, as people write it."""
        found: dict[str, float] = {}
        space = self.pieces.spells.get(WORD_START)
        self.compute([] if space is None else [(space,)])
        for path in ((), (space,)) if space is not None else ((),):
            share = 1.0 if not path else float(self.shares[()][space])
            words = self.pieces.letters if path else self.pieces.of_words
            for one in np.setdiff1d(np.arange(len(self.pieces.all)), words).tolist():
                name = self.pieces.sign(one, bool(path))
                of_piece = share * float(self.shares[path][one])
                found[name] = found.get(name, 0.0) + self._noted(name, of_piece, (*path, one))
        return found

    def exact(self, shown: Iterable[str], begun: str) -> dict[str, tuple[float, Path]]:
        """The probability of some words and of all marks, and the pieces that most probably write
        each; no pieces where nothing can. begun: the letters at the end of the text.
        """
        forms = {word: _forms(word, begun) for word in shown}
        of_texts = self.probability([text for texts in forms.values() for text in texts])
        found = {
            sign: (share, self.likeliest[sign]) for sign, share in self.signs().items() if share
        }
        exact = {sign: (share, path) for sign, (share, (_, path)) in found.items()}
        for word, texts in forms.items():
            share, _ = exact.get(word, (0.0, ()))
            ways = [self.likeliest.get(text, (0.0, ())) for text in (word, *texts)]
            exact[word] = (share + sum(of_texts[text] for text in texts), max(ways)[1])
        return exact


def search_words(
    decoder: Decoder,
    vocabulary: tuple[str, ...],
    ids: Sequence[int],
    logits_X: Array,
    kept: Sequence[Array],
    k: int,
) -> NextWords:
    """The k most probable words and marks after a text. logits_X: after its last piece. kept: its
    keys as scores read them and its values, two of (L, G, S, K).
    """
    pieces = pieces_of(vocabulary)
    search = _Search(Branches(decoder, kept), pieces, {(): next_probabilities(logits_X)})
    bounds, complete_to = search.best_first(k)
    begun = _begun(vocabulary, ids)
    # A spelling that the search did not reach can raise a word, so more than k are summed.
    likely = sorted(bounds, key=lambda text: -bounds[text])[: k + MORE]
    shown = {text.strip() if text.startswith(WORD_START) else begun + text for text in likely}
    found = search.exact(sorted(shown), begun)
    best = sorted(found.items(), key=lambda pair: (-pair[1][0], pair[0]))[:k]
    words = NextWords((word, share) for word, (share, _) in best if share > 0)
    words.rest = max(0.0, 1 - sum(share for _, share in words))
    words.complete_to, words.n_steps = complete_to, len(search.branches)
    words.spelled = {word: path for word, (share, path) in best if share > 0}
    return words


def drawn_words(
    decoder: Decoder,
    vocabulary: tuple[str, ...],
    ids: Sequence[int],
    logits_X: Array,
    kept: Sequence[Array],
    words: Sequence[str],
    settings: tuple[float, float],
) -> dict[str, float]:
    """The probability with which each of some words is written next if each piece is drawn with a
    temperature and a top-p. settings: the two. The rest is as for `search_words`.
    """
    first: dict[Path, Array] = {(): next_probabilities(logits_X, *settings)}
    search = _Search(Branches(decoder, kept), pieces_of(vocabulary), first, settings)
    found = search.exact(words, _begun(vocabulary, ids))
    return {word: found[word][0] for word in words}


def _begun(vocabulary: tuple[str, ...], ids: Sequence[int]) -> str:
    """The letters at the end of a text, with which letters that follow make one word.

    >>> _begun((" a", " yo", "u", "."), [0, 1, 2]), _begun((" a", " yo", "u", "."), [1, 3])
    ('you', '')
    """
    found = _LAST_WORD.search("".join(vocabulary[one] for one in ids))
    return found[0] if found else ""


def _forms(word: str, begun: str) -> list[str]:
    """What a text can go on with to show a word: it begins one, or ends the word of the text."""
    going_on = word.removeprefix(begun) if word.startswith(begun) else ""
    return [WORD_START + word, *([going_on] if going_on else [])]
