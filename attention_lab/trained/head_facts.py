"""What the pages of all heads say: for each one record of facts, from which its sentences take
their values.
"""

from dataclasses import dataclass

import numpy as np

from ..heads.keys_read import strongest_lines
from ..words.numbers import Case, Count, Number, Share, more_or_less, sum_in_digits
from .attention_maps import AttentionMaps
from .head_finder import (
    example_cell,
    has_sink,
    rank_heads,
    sink_shares,
    targets_of,
    word_at,
    word_share,
    word_to_word,
)
from .head_measures import (
    HEAD_MEASURES,
    MeasuredHeads,
    copied_logits,
    copied_when_off,
    measure_heads,
)
from .model_run import LanguageModelRun

COPIES, WORD_TO_WORD = "copies what it reads", "word to word"


@dataclass(frozen=True, eq=False)
class FoundHeads:
    """The heads by a rule. pair: a query and a key that the rule names; None if its numbers are no
    shares of the attention.
    """

    rule: str
    measured: MeasuredHeads
    pair: tuple[int, int] | None = None

    @property
    def best(self) -> list[tuple[int, int, float]]:
        """Layer, head and number of the heads that do it most; a share of 0 is none."""
        return [one for one in self.measured.best(5) if one[2] > 0 or self.pair is None]


def find_heads(
    rule: str,
    maps: AttentionMaps,
    traces: tuple[object, ...],
    run: LanguageModelRun | None,
    words: tuple[int, int],
) -> FoundHeads:
    """The heads ranked by a rule. words: tokens of the two words of "word to word". Raises:
    AttentionError.
    """
    if rule == COPIES and run:
        return FoundHeads(rule, copied_logits(run))
    if rule in HEAD_MEASURES:
        return FoundHeads(rule, measure_heads(HEAD_MEASURES[rule], maps, traces))  # type: ignore[arg-type]
    if rule == WORD_TO_WORD:
        targets = word_to_word(maps.tokens, *words, maps.memory_tokens)
        return FoundHeads(rule, rank_heads(maps, targets).measured, words)
    targets = targets_of(maps, rule)
    return FoundHeads(rule, rank_heads(maps, targets).measured, example_cell(targets))


@dataclass(frozen=True)
class CopyingHead:
    """By how much a head raises the logit of what it reads on the direct path, and by how much the
    logit falls without the head.
    """

    layer: Count
    head: Count
    direct: Number
    falls: Number


@dataclass(frozen=True)
class FindFacts:
    """*Find a head*: the head that does most of what a rule names. number: its share or measure.
    even: the share of a head that reads all keys equally. asking, read: the words of "word to
    word"; several: whether the asking word has several pieces. lost: of a head that copies,
    by how much the logit changes when it is switched off; moves: "more" if the logit falls, "less"
    if it rises. copiers: of the heads that copy most, both numbers with their signs.
    """

    layer: Count
    head: Count
    number: Share | Number
    even: Share | None = None
    asking: str = ""
    read: str = ""
    several: bool = False
    lost: Number | None = None
    moves: Case | None = None
    copiers: tuple[CopyingHead, ...] = ()


def find_facts(
    found: FoundHeads, maps: AttentionMaps, run: LanguageModelRun | None
) -> FindFacts | None:
    """What *Find a head* says; None if no head does it."""
    if not found.best:
        return None
    layer, head, most = found.best[0]
    place = Count(layer), Count(head)
    if found.rule == COPIES and run:
        copiers = tuple(
            CopyingHead(
                Count(one), Count(of), Number(direct), Number(copied_when_off(run, one, of))
            )
            for one, of, direct in found.best
        )
        lost = copiers[0].falls
        moves = Case(more_or_less(lost, 0))
        return FindFacts(*place, Number(most), lost=Number(abs(lost)), moves=moves, copiers=copiers)
    if found.pair is None:
        return FindFacts(*place, Number(most))
    even = None if found.measured.even is None else Share(found.measured.even[layer])
    asking, read, n_pieces = "", "", 1
    if found.rule == WORD_TO_WORD:
        asking, n_pieces = word_at(maps.tokens, found.pair[0])
        read, _ = word_at(maps.memory_tokens, found.pair[1])
    return FindFacts(*place, Share(most), even, asking, read, n_pieces > 1)


@dataclass(frozen=True)
class SinkFacts:
    """A head, and what the first token takes of what later tokens give, on average."""

    layer: Count
    head: Count
    share: Share


@dataclass(frozen=True)
class AllHeadsFacts:
    """*All heads of a model*: its sizes, and the head of which the first token takes most; None in
    a text without later tokens.
    """

    layers: Count
    heads: Count
    sink: SinkFacts | None


def all_heads_facts(maps: AttentionMaps) -> AllHeadsFacts:
    """What *All heads of a model* says while no head is open."""
    shares_LH, sink = sink_shares(maps), None
    if not np.isnan(shares_LH).any():
        layer, head = np.unravel_index(shares_LH.argmax(), shares_LH.shape)
        sink = SinkFacts(Count(layer), Count(head), Share(shares_LH[layer, head]))
    return AllHeadsFacts(Count(maps.sizes["L"]), Count(maps.sizes["H"]), sink)


@dataclass(frozen=True)
class HeadFacts:
    """*One head*: the share of a key; if its word has several pieces, their shares and the sum in
    percent, as texts that add up. sink: what the first token takes of the head, if it is a sink.
    left_out: lines that are too many to be drawn.
    """

    share: Share
    pieces: tuple[str, ...]
    sink: Share | None
    left_out: Count


def head_facts(
    maps: AttentionMaps, layer: int, head: int, cell: tuple[int, int], which: str = "query"
) -> HeadFacts:
    """What *One head* says of a cell: query and key. which: see `strongest_lines`."""
    (query, key), shares_TS = cell, maps.layers[layer][head]
    _, pieces = word_share(maps.memory_tokens, shares_TS[query], key)
    percent = sum_in_digits([100 * one for one in pieces], 1) if len(pieces) > 1 else ()
    sink = Share(sink_shares(maps)[layer, head]) if has_sink(maps, layer, head) else None
    left_out = strongest_lines(shares_TS[np.newaxis], which, query, key).left_out
    return HeadFacts(Share(shares_TS[query, key]), tuple(percent), sink, Count(left_out))
