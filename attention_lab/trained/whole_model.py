"""A whole model on a text in one picture: what it would say after each layer at each word, what
comes next, what the heads read between two layers, and which of that makes the answer.

H head, K what may come next, L layer, S source token, T token, V source word, W word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attention_core.checks import Array
from attention_core.errors import SettingsError

from ..cache import cached
from ..user_data.matrix_names import MAX_TOKENS
from ..words.numbers import Count, Share, sum_in_digits
from ..words.pieces import TEXT_ENDS, continued, readable, word_slices
from .attention_maps import AttentionMaps
from .decoder import EMBEDDING, HEAD, Head
from .generation import next_probabilities
from .lens import Said, cut_run, lens_pieces, lens_shares, lens_words, logits_at
from .model_run import LanguageModelRun, run_of
from .next_words import NextWords
from .writing import mark, written_after

N_NEXT = 5  # words on top
MOST_PIECES = 4096  # of a vocabulary that is searched for words
MOST_WORDS = 17  # that a picture shows at a time, with the start of the text
MOST_ROWS = 8  # layers; of more, several are one row
# The parts of a layer, from below, by whether each is normed before it or after it is added.
NORMS_FIRST = ("norm", "attention", "norm", "feed-forward")
NORMS_LAST = ("attention", "norm", "feed-forward", "norm")
LEAST_ADDED = 0.02  # of the answer's sum, that an arc adds which is drawn thick
OF_LARGEST, MOST_THICK = 0.5, 4  # of what the largest adds, and how many


@dataclass(frozen=True)
class Carrier:
    """A head that adds much to the answer from a word. at: the place of the word. read: its share.
    added: a part of the answer's sum.
    """

    layer: Count
    head: Count
    at: int
    word: str
    read: Share
    added: Share

    @property
    def part(self) -> Head:
        """Its layer and number."""
        return int(self.layer), int(self.head)


@dataclass(frozen=True, eq=False)
class WholeModel:
    """A text in a whole model. run: None for a model that says no next word, or of which only the
    attention is known. pieces: whether the columns are pieces of words. written: how many of the
    tokens were written after those that were given. parts: of each layer, from below.
    """

    maps: AttentionMaps
    run: LanguageModelRun | None = None
    pieces: bool = False
    written: int = 0
    parts: tuple[str, ...] = NORMS_FIRST

    @cached_property
    def columns(self) -> tuple[slice, ...]:
        """The tokens of each column."""
        tokens = self.maps.tokens
        alone = [slice(place, place + 1) for place in range(len(tokens))]
        return tuple(word_slices(tokens) if continued(tokens) and not self.pieces else alone)

    @property
    def words(self) -> tuple[str, ...]:
        """The columns as people write them."""
        return tuple(readable(*self.maps.tokens[one]) for one in self.columns)

    @property
    def n_layers(self) -> int:
        """The number of layers."""
        return len(self.maps.layers)

    @property
    def says_pieces(self) -> bool:
        """Whether chips hold pieces: where these are columns, in a model whose large vocabulary has
        a piece for most words, and in a deep one, which would search for words too long.
        """
        is_large = self.n_layers > MOST_ROWS or len(self.known.vocabulary) > MOST_PIECES
        return self.pieces or is_large

    @cached_property
    def said(self) -> list[list[Said]]:
        """What the model would say after each layer at the last piece of each word, as if no layer
        followed; nothing without a run.
        """
        if self.run is None:
            return []
        places = [one.stop - 1 for one in self.columns]
        words = (lens_pieces if self.says_pieces else lens_words)(self.run, places)
        if not self.says_pieces:
            word, share = self.next_words[0]
            words[-1][-1] = Said(word, share, self.next_words.spellings[word][0])
        return words

    @cached_property
    def next_words(self) -> NextWords:
        """The most probable words to come next."""
        return self.known.next_words(N_NEXT)

    @property
    def known(self) -> LanguageModelRun:
        """The run of a model that has one."""
        if self.run is None:
            raise TypeError("a model without next words was asked for them")
        return self.run

    @property
    def answer(self) -> Said:
        """What the model says after the last layer at the last word."""
        return self.said[-1][-1]

    @cached_property
    def since(self) -> tuple[int, ...]:
        """For each word the layer from which on what would be said is the last answer there."""
        layers = []
        for column in zip(*self.said, strict=True):
            texts = [one.text for one in column]
            others = [layer for layer, text in enumerate(texts) if text != texts[-1]]
            layers.append(max(others, default=-1) + 1)
        return tuple(layers)

    @cached_property
    def first_pieces(self) -> list[int]:
        """The first piece of each of what comes next."""
        if self.says_pieces:
            order: list[int] = np.argsort(-self.known.logits[-1], kind="stable")[:N_NEXT].tolist()
            return order
        return [self.next_words.spellings[word][0] for word, _ in self.next_words]

    @cached_property
    def coming(self) -> tuple[tuple[str, ...], Array]:
        """What comes next, and the share of each after each layer. Shapes: (L, K)."""
        run = self.run
        if run is None:
            return (), np.zeros((self.n_layers, 0))
        if self.says_pieces:
            order = self.first_pieces
            shares = [
                next_probabilities(logits_at(run, layer, [-1])[0])[order]
                for layer in range(self.n_layers)
            ]
            return tuple(readable(run.vocabulary[one]) for one in order), np.array(shares)
        words = [word for word, _ in self.next_words]
        earlier = [[*one.values()] for one in lens_shares(run, words, range(self.n_layers - 1))]
        return tuple(words), np.array([*earlier, [share for _, share in self.next_words]])

    def read(self, layer: int, head: int | None = None) -> Array:
        """How much the last piece of each word reads from each word, the sum of its pieces: of a
        head, or of all heads on average. Shapes: (W, V).
        """
        shares_HTS = self.maps.layers[layer]
        shares_TS = shares_HTS.mean(axis=0) if head is None else shares_HTS[head]
        rows_WS = shares_TS[[one.stop - 1 for one in self.columns]]
        return self._of_words(rows_WS)

    def _of_words(self, numbers_S: Array) -> Array:
        """Numbers of tokens along the last axis, added up for each word."""
        starts = [one.start for one in self.columns]
        sums: Array = np.add.reduceat(numbers_S, starts, axis=-1)
        return sums

    def most_reading(self, layers: Sequence[int], word: int, source: int) -> Head:
        """The head of some layers in which a word reads another one most."""
        last = self.columns[word].stop - 1
        rows_LHS = np.array([self.maps.layers[layer][:, last] for layer in layers])
        read_LH = self._of_words(rows_LHS)[..., source]
        place, head = np.unravel_index(int(read_LH.argmax()), read_LH.shape)
        return layers[int(place)], int(head)

    @cached_property
    def added(self) -> Array:
        """What each head adds to the logit of the answer's first piece, above the average piece, by
        the word it reads. Shapes: (L, H, V).
        """
        run, sizes = self.run, self.maps.sizes
        if run is None:
            return np.zeros((sizes["L"], sizes["H"], len(self.columns)))
        added_LHS = np.zeros((sizes["L"], sizes["H"], sizes["S"]))
        for layer, head in np.ndindex(sizes["L"], sizes["H"]):
            if (layer, head) not in run.decoder.off:
                added_LHS[layer, head] = run.sources((layer, head), self.answer.piece)
        return self._of_words(added_LHS)

    @cached_property
    def thick(self) -> list[Carrier]:
        """The heads and words that add most to the answer, the largest first."""
        if self.run is None or (total := self.total) <= 0:
            return []
        added_LHV = self.added / total
        carriers = list[Carrier]()
        for flat in np.argsort(-added_LHV, axis=None)[:MOST_THICK]:
            layer, head, word = map(int, np.unravel_index(flat, added_LHV.shape))
            part = float(added_LHV[layer, head, word])
            if part < max(LEAST_ADDED, OF_LARGEST * (carriers[0].added if carriers else 0)):
                break
            read = Share(self.read(layer, head)[-1, word])
            where = Count(layer), Count(head), word, self.words[word]
            carriers.append(Carrier(*where, read, Share(part)))
        return carriers

    @property
    def total(self) -> float:
        """The logit of the answer's first piece above the average piece."""
        last_X = self.known.logits[-1]
        return float(last_X[self.answer.piece] - last_X.mean())

    @property
    def with_all_parts(self) -> WholeModel:
        """The same before parts were switched off."""
        return whole_run(run_again(self.known, self.known.ids, False), self.pieces)

    @property
    def prompt(self) -> int:
        """How many tokens were given."""
        return len(self.maps.tokens) - self.written

    def one_more(self, most: int = MAX_TOKENS) -> tuple[int, ...]:
        """The pieces written after the prompt with those of the answer, after the mark of their
        prompt; none if there is no room or the story ends. most: how many tokens have room.
        """
        run, room = self.known, most - len(self.maps.tokens)
        spelled: tuple[int, ...] = (self.answer.piece,)
        if not self.says_pieces:
            spelled = self.next_words.spellings[self.answer.text]
        if len(spelled) > room or run.vocabulary[spelled[0]] in TEXT_ENDS:
            return ()
        return mark(run.ids[: self.prompt], (*run.ids[self.prompt :], *spelled))

    @property
    def n_written(self) -> int:
        """How many words were written."""
        return sum(one.stop > self.prompt for one in self.columns)

    def cut_at(self, layer: int, word: int) -> LanguageModelRun:
        """The text up to a word in the model that stops after a layer."""
        ids = self.known.ids[: self.columns[word].stop]
        return cut_run(run_again(self.known, ids, True), layer)

    def piece_read(self, layer: int, head: int, word: int, source: int) -> int:
        """The piece of a word that another one reads most in a head."""
        places = self.columns[source]
        row_S = self.maps.layers[layer][head, self.columns[word].stop - 1, places]
        return int(places.start + row_S.argmax())

    def rows(self, opened: int | None = None) -> list[range]:
        """The layers of each row, from the first layer on: one, or several of a deep model, of
        which one row may be opened.
        """
        size = -(-self.n_layers // MOST_ROWS)
        groups = [
            range(first, min(first + size, self.n_layers))
            for first in range(0, self.n_layers, size)
        ]
        if opened is None or not 0 <= opened < len(groups):
            return groups
        alone = [range(layer, layer + 1) for layer in groups[opened]]
        return [*groups[:opened], *alone, *groups[opened + 1 :]]


def whole_model(
    maps: AttentionMaps,
    run: LanguageModelRun | None,
    pieces: bool = False,
    marked: tuple[int, ...] = (),
    parts: tuple[str, ...] = NORMS_FIRST,
) -> WholeModel:
    """The picture of a text in a model. marked: what was written after it, with a mark, see
    `written_after`. parts: of a layer, where there is no run. Raises: SettingsError for attention
    on another text than that of the queries, which has no columns here.
    """
    if maps.tokens != maps.memory_tokens:
        raise SettingsError(
            "The file holds attention from one text to another, but this page shows models that"
            " read their own text: see “All heads of a model”"
        )
    if run is None:
        return WholeModel(maps, pieces=pieces, parts=parts)
    return whole_run(run, pieces, written_after(run.ids, marked))


@cached
def whole_run(
    run: LanguageModelRun, pieces: bool = False, written: tuple[int, ...] = ()
) -> WholeModel:
    """The picture of a run. written: pieces that follow its text."""
    if written:
        run = run_again(run, run.ids + written, True)
    return WholeModel(AttentionMaps.of_traces(run.traces), run, pieces, len(written))


@cached
def run_again(run: LanguageModelRun, ids: tuple[int, ...], as_set: bool) -> LanguageModelRun:
    """Other ids in the model of a run. as_set: whether its parts are off that are off."""
    decoder = run.decoder if as_set else run.decoder.before or run.decoder
    return run_of(decoder, ids, run.vocabulary, run.means)


@dataclass(frozen=True)
class WholeFacts:
    """*The whole model*: last: the last word. answer: what comes next, and its share. since: the
    layer from which on it is the answer; earlier: what would be said after the layer before; None
    if it was there from the first layer on, or parts are off. was: the answer with all parts on, if
    some are off. carrier: the head that adds most. left_out: words that have no room. opened: the
    share of the chip that is open; sum: what the word itself, all heads and all feed-forward parts
    add to its logit, and their sum.
    """

    last: str = ""
    answer: str = ""
    share: Share | None = None
    since: Count | None = None
    earlier: tuple[str, Share] | None = None
    was: tuple[str, Share] | None = None
    carrier: Carrier | None = None
    left_out: Count | None = None
    opened: Share | None = None
    sum: tuple[str, ...] = ()


def whole_facts(whole: WholeModel, opened: tuple[int, int] | None = None) -> WholeFacts:
    """What the page says. opened: layer and word of the chip whose sum is open."""
    left = len(whole.words) - MOST_WORDS
    left_out = Count(left) if left > 0 else None
    run = whole.run
    if run is None:
        return WholeFacts(whole.words[-1], left_out=left_out)
    since, answer = whole.since[-1], whole.answer
    before = whole.said[since - 1][-1] if since else None
    was = whole.with_all_parts.answer if run.decoder.off else None
    earlier = (before.text, Share(before.share)) if before and not was else None
    place = opened
    if opened and not (opened[0] < whole.n_layers and opened[1] < len(whole.words)):
        place = None
    return WholeFacts(
        last=whole.words[-1],
        answer=answer.text,
        share=Share(answer.share),
        since=Count(since) if earlier else None,
        earlier=earlier,
        was=(was.text, Share(was.share)) if was else None,
        carrier=whole.thick[0] if whole.thick else None,
        left_out=left_out,
        opened=Share(whole.said[place[0]][place[1]].share) if place else None,
        sum=_sum(whole, *place) if place else (),
    )


def _sum(whole: WholeModel, layer: int, word: int) -> tuple[str, ...]:
    """The sum of a chip in digits that add up."""
    added = whole.cut_at(layer, word).contributions(whole.said[layer][word].piece)
    kinds = [
        sum(value for part, value in added.items() if kind in (part, part[0]))
        for kind in (EMBEDDING, HEAD)
    ]
    return tuple(sum_in_digits([*kinds, sum(added.values()) - sum(kinds)]))
