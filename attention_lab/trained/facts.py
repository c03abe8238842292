"""What the pages of the model that writes say: for each page one record of facts, from which its
sentences take their values.
"""

from dataclasses import dataclass

import numpy as np

from ..words.numbers import Case, Count, Number, Share, sum_in_digits
from ..words.pieces import readable
from .allowed_models import writing_model
from .cached_step import CachedStep
from .change_a_word import ChangedWord, ShareChange
from .decoder import FEED_FORWARD, HEAD, Part, head_of, layer_of
from .model_run import AVERAGE
from .why_word import WhyWord
from .writing import Continuations, Writing

ROUNDING = 1000  # times that of a number: of a share that is computed in two ways
N_NAMED = 3  # words, pieces or heads that are named one by one


@dataclass(frozen=True)
class AddedPart:
    """A part of the sum and what it adds."""

    name: str
    added: Number


def part_name(part: Part) -> str:
    """A part of the sum in words.

    >>> part_name((HEAD, 4, 2)), part_name((FEED_FORWARD, 0))
    ('head 2 of layer 4', 'the feed-forward part of layer 0')
    """
    match part:
        case (kind, int(layer), int(head)) if kind == HEAD:
            return f"head {head} of layer {layer}"
        case (kind, int(layer)) if kind == FEED_FORWARD:
            return f"the feed-forward part of layer {layer}"
    return "the last token itself"


@dataclass(frozen=True)
class WhyFacts:
    """*Why this word?* after, rest_now: None while no part is off. comes: the word that is first,
    if another. off: layer and head of the first that are off, fed: layers of feed-forward parts
    among them, more_off: how many more are. layer, head: in focus. kinds: what the last token, all
    heads and all feed-forward parts add, and their sum. loss: what the head wrote, the response,
    the norm, and their sum. added: what comes from the source, the word that adds or takes most,
    from all others, and their sum. repaired: the part of what it wrote that others make up for.
    """

    word: str
    before: Share
    after: Share | None
    comes: tuple[str, Share] | None
    off: tuple[tuple[Count, Count], ...]
    fed: tuple[Count, ...]
    more_off: Count | None
    layer: Count
    head: Count
    read_from: str
    read: Share
    rest: Share
    rest_now: Share | None
    piece: str
    against: str
    n_logits: Count | None
    n_parts: Count
    kinds: tuple[str, ...]
    leading: AddedPart | None
    second: AddedPart | None
    loss: tuple[str, ...]
    turned_by: Case
    repaired: Share | None
    source: str
    source_read: Share
    added: tuple[str, ...]


def why_facts(why: WhyWord) -> WhyFacts:
    """What *Why this word?* says of a word. Raises: AttentionError."""
    (before, after), off = why.shares, bool(why.off)
    named = why.off[:N_NAMED]
    (top, most), (layer, head) = why.words_after[0], why.focus
    rest, rest_now = why.rest
    first, second = (AddedPart(part_name(part), Number(value)) for part, value in why.ranked[:2])
    values = [value for _, value, _ in why.sources]
    place = int(np.abs(values).argmax())
    source, _, source_read = why.sources[place]
    vocabulary = why.before.vocabulary
    return WhyFacts(
        word=why.word,
        before=Share(before),
        after=Share(after) if off else None,
        comes=(top, Share(most)) if off and top != why.word else None,
        off=tuple((Count(at), Count(head)) for at, head in why.heads_off if (at, head) in named),
        fed=tuple(Count(layer_of(one)) for one in named if head_of(one) is None),
        more_off=Count(len(why.off) - N_NAMED) if len(why.off) > N_NAMED else None,
        layer=Count(layer),
        head=Count(head),
        read_from=why.most_read[0],
        read=Share(why.most_read[1]),
        rest=Share(rest),
        rest_now=Share(rest_now) if off else None,
        piece=readable(vocabulary[why.piece]),
        against=_piece_against(why),
        n_logits=Count(len(vocabulary)) if why.against == AVERAGE else None,
        n_parts=Count(len(why.parts)),
        kinds=tuple(sum_in_digits(why.kinds)),
        leading=first if why.leading else None,
        second=second if why.leading else None,
        loss=tuple(sum_in_digits(why.loss)),
        turned_by=Case(why.turned_by),
        repaired=Share(why.repaired) if why.repaired else None,
        source=source,
        source_read=Share(source_read),
        added=tuple(sum_in_digits([values[place], sum(values) - values[place]])),
    )


def _piece_against(why: WhyWord) -> str:
    """The piece that the first one is compared with; "" if it is none."""
    if not isinstance(why.against, int):
        return ""
    piece, against = (why.before.vocabulary[one] for one in (why.piece, why.against))
    if readable(piece) != readable(against):
        return readable(against)
    where = "at the start" if against.startswith(" ") else "inside"  # the other one is elsewhere
    return f"{readable(against)} {where} of a word"


@dataclass(frozen=True)
class CacheFacts:
    """*The KV cache*. n: tokens so far; at_once: whether they are computed in this step; kept:
    tokens whose keys and values are kept since earlier steps; gap: the largest difference of a
    share, if it is no rounding; rounding: that of rounding alone. now, so_far: multiplications with
    a cache and without.
    """

    last: str
    n: Count
    at_once: bool
    kept: Count
    saved: Share | None
    gap: Share | None
    rounding: Number | None
    now: tuple[Count, Count]
    so_far: tuple[Count, Count]


def cache_facts(step: CachedStep) -> CacheFacts:
    """What *The KV cache* says of a step. Raises: AttentionError."""
    n, gap = len(step.ids), step.largest_gap
    rounding = ROUNDING * np.finfo(step.rows.probabilities.dtype).eps
    return CacheFacts(
        last=writing_model(step.model).pieces(step.ids[-1:])[0],
        n=Count(n),
        at_once=step.n_new == n,
        kept=Count(n - step.n_new),
        saved=Share(step.saved) if step.n_new < n else None,
        gap=Share(gap) if gap > rounding else None,
        rounding=Number(gap) if 0 < gap <= rounding else None,
        now=(Count(step.counts.total), Count(step.counts_without.total)),
        so_far=(Count(sum(step.totals[0])), Count(sum(step.totals[1]))),
    )


@dataclass(frozen=True)
class ChangeFacts:
    """*Change one word*: what a query gave a key and gives now, how much of its attention a query
    of the head moves on average, and the share of all heads that changed most.
    """

    gave: Share
    gives: Share
    moved: Share
    top: ShareChange


def change_facts(
    seen: ChangedWord, change: ChangedWord, cell: tuple[int, int, int, int]
) -> ChangeFacts:
    """What *Change one word* says. seen: the change as it is shown, by words or by pieces; cell:
    the layer, head, query and key in it. change: by pieces.
    """
    layer, head, *_ = cell
    return ChangeFacts(
        gave=Share(seen.before[cell]),
        gives=Share(seen.after[cell]),
        moved=Share(change.moved[layer, head]),
        top=change.largest(1)[0],
    )


@dataclass(frozen=True)
class WritingFacts:
    """*Next token: writing*. state: "full", "ended", "certain", "open", or "none" if none of what
    is shown can be drawn. named: the most probable of what can be drawn; others: the share of all
    that is not shown.
    """

    state: Case
    named: tuple[tuple[str, Share], ...] = ()
    others: Share | None = None


def writing_facts(writing: Writing, continuations: Continuations) -> WritingFacts:
    """What *Next token: writing* says of what may follow."""
    if writing.room < 1:
        return WritingFacts(Case("full"))
    if writing.next_id is None:
        return WritingFacts(Case("ended"))
    named = tuple((name, Share(share)) for name, share in continuations.drawable[:N_NAMED])
    if continuations.is_certain:
        return WritingFacts(Case("certain"), named)
    return WritingFacts(
        Case("open" if named else "none"), named, Share(continuations.drawn[-1]) if named else None
    )
