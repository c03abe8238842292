"""What the pages about heads say: for each page one record of facts, from which its sentences take
their values.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.positions import Rotary
from attention_core.trace import Trace

from ..cache import cached
from ..rounding import tolerance
from ..words.numbers import Case, Count, Number, Share, Told, format_agreement
from .counts import Count as Counted
from .counts import LayerSize, total_count
from .habits import HabitFacts
from .head_worth import (
    extremes,
    has_shares,
    norm_shares,
    ranking,
    share_without,
    signed_shares,
    token_changes,
)
from .keys_read import AveragingEffect, averaging_effect
from .latent import absorbed_scores, largest_rank, with_latent
from .patterns import column_sums
from .reruns import relative_change
from .shared_keys import with_shared_keys
from .similarity import mean_head_divergence
from .weight_blocks import output_gap

SHARING_KINDS = ("MHA", "GQA", "MQA", "MLA")
Cell = tuple[int, int, int]  # head, query and key


@dataclass(frozen=True)
class CellFacts:
    """One query and one key in all heads. row: what the shares of the query sum to: "1" in every
    head, "0" if it may see no key, "less" if a sink takes a part. sums: that number, or the
    smallest and the largest. column: the sum of the shares that the key gets in the head in focus,
    and share: that of the query.
    """

    row: Case
    sums: tuple[Told, ...]
    head: Count
    column: Number
    share: Share


@dataclass(frozen=True)
class AllHeadsFacts:
    """*All heads*. average: None if the mean looks no wider; cell, left_out: None where the page
    does not show them.
    """

    habits: tuple[HabitFacts, ...]
    average: AveragingEffect | None = None
    cell: CellFacts | None = None
    left_out: Count | None = None


def average_facts(trace: Trace, heads: Sequence[int]) -> AveragingEffect | None:
    """What an average hides; None if the mean of the heads looks no wider than a head."""
    lost = averaging_effect(trace, heads)
    return lost if str(lost.in_the_mean) != str(lost.in_a_head) else None


def cell_facts(trace: Trace, cell: Cell) -> CellFacts:
    """What the rows and the columns of shares sum to at a cell."""
    head, query, key = cell
    sums_H, row = trace.probabilities[0, :, query].sum(axis=-1), "less"
    if not sums_H.any():
        row = "0"
    elif np.abs(sums_H - 1).max() <= tolerance(trace, "probabilities"):
        row = "1"
    ends = (Told(sums_H.min(), 2), Told(sums_H.max(), 2))
    return CellFacts(
        Case(row),
        ends if row == "less" else ends[:1],
        Count(head),
        Number(column_sums(trace.probabilities)[0][head, key], 2, among=1.0),
        Share(trace.probabilities[0][cell]),
    )


@dataclass(frozen=True)
class HeadsOff:
    """Heads that are switched off, and how far what all heads add moves without them, relative to
    its length; None if that is 0. left: what is left if all heads are off: "", "0", "bias",
    "input" or "bias and input".
    """

    heads: tuple[Count, ...]
    moved: Share | None
    left: Case


@dataclass(frozen=True)
class WorthFacts:
    """*What a head is worth*. found: "nothing" if the parts of all heads sum to 0, "alone" for one
    head, "equal" if all move the output as far, else "some". most, least: heads, and how far what
    all heads add moves without them, relative to its length. agree: of sums and outputs. moved: the
    length by which the output of the token in focus moves. feature, head: in focus. The rest: both
    kinds of shares.
    """

    found: Case
    most_in: tuple[Count, ...]
    most: Share | None
    least_in: tuple[Count, ...]
    least: Share | None
    agree: str
    head: Count
    moved: Number
    off: HeadsOff | None
    signed_sum: Number | None
    norm_sum: Number | None
    by_signed: tuple[Count, ...]
    by_norm: tuple[Count, ...]


def worth_facts(trace: Trace, head: int, query: int, off: Sequence[int]) -> WorthFacts:
    """What *What a head is worth* says of a layer without some heads."""
    signed_H, norms_H = signed_shares(trace)[0], norm_shares(trace)[0]
    has, ends = has_shares(trace), extremes(norms_H)
    kind = "nothing"
    if has:
        kind = "alone" if len(norms_H) == 1 else "equal" if ends.are_equal else "some"
    is_ranked, differ = kind in ("equal", "some"), kind == "some"
    return WorthFacts(
        found=Case(kind),
        most_in=_counts(ends.most) if is_ranked else (),
        most=Share(norms_H[ends.most[0]]) if is_ranked else None,
        least_in=_counts(ends.least) if differ else (),
        least=Share(norms_H[ends.least[0]]) if differ else None,
        agree=format_agreement(output_gap(trace), tolerance(trace, "output")),
        head=Count(head),
        moved=Number(token_changes(trace)[0, head, query]),
        off=_heads_off(trace, off, has) if off else None,
        signed_sum=Number(signed_H.sum(), 6) if has else None,
        norm_sum=Number(norms_H.sum()) if has else None,
        by_signed=_counts(ranking(signed_H)) if has else (),
        by_norm=_counts(ranking(norms_H)) if has else (),
    )


def _counts(heads: Sequence[int]) -> tuple[Count, ...]:
    return tuple(map(Count, heads))


def _heads_off(trace: Trace, off: Sequence[int], has: bool) -> HeadsOff:
    left = ""
    if len(off) == trace.sizes["H"]:
        parts = (["bias"] if trace.projections.b_o is not None else []) + (
            ["input"] if trace.residual else []
        )
        left = " and ".join(parts) or "0"
    moved = Share(share_without(trace, off)) if has else None
    return HeadsOff(_counts(off), moved, Case(left))


@dataclass(frozen=True)
class KindFacts:
    """One kind of sharing. name: what it is called; sets: of keys and values; kept: numbers of a
    token; attention, output: how far they change.
    """

    name: str
    sets: Count | None
    kept: Count
    attention: Share
    output: Share


@dataclass(frozen=True)
class Saving:
    """A count of each kind. name and formula: "" for the total."""

    name: str
    formula: Case
    numbers: tuple[Count, ...]


@dataclass(frozen=True)
class SharedFacts:
    """*Shared keys and values*. shared: "alone" for a layer of one head, "already" if its heads
    share keys, else "none". moved: by which part of its length the output moves with GQA, MQA and
    MLA. rank: of the latents, and largest: at which nothing is lost. is_normed: whether QK-norm
    stands between queries and keys. absorbed: how far scores are off if no key is made. turned:
    the same with rotary positions, those of the layer if it has some.
    """

    shared: Case
    heads: Count | None
    groups: Count | None
    moved: tuple[Share, ...]
    kinds: tuple[KindFacts, ...]
    strongest: Number
    rank: Count
    largest: Count
    is_normed: bool
    absorbed: Number
    turned: Number | None
    savings: tuple[Saving, ...]


def own_kind(trace: Trace) -> str:
    """What the layer is called: its heads may share keys and values already."""
    n_heads, groups = trace.sizes["H"], trace.projections.groups
    if groups == n_heads:
        return SHARING_KINDS[0]
    return f"this layer ({'MQA' if groups == 1 else 'GQA'})"


@cached
def shared_traces(trace: Trace, n_groups: int, rank: int) -> dict[str, Trace]:
    """A layer as each of `SHARING_KINDS`. n_groups: key/value heads of GQA; rank: of MLA."""
    counts = (trace.projections.groups, n_groups, 1)
    traces = [with_shared_keys(trace, count) for count in counts]
    return dict(zip(SHARING_KINDS, [*traces, with_latent(trace, rank)], strict=True))


def shared_facts(
    traces: Mapping[str, Trace],
    rank: int,
    strongest: float,
    sizes: Sequence[LayerSize],
    counts: Sequence[Counted],
) -> SharedFacts:
    """What *Shared keys and values* says. traces: the layer as each of `SHARING_KINDS`, the first
    one its own. strongest: the share of the strongest colour. sizes: of all kinds but MLA; counts:
    those that are compared.
    """
    trace = traces[SHARING_KINDS[0]]
    n_heads, groups, is_normed = trace.sizes["H"], trace.projections.groups, bool(trace.head_norm)
    shared = "alone" if n_heads == 1 else "already" if groups < n_heads else "none"
    kinds = tuple(_kind_facts(trace, kind, one, rank) for kind, one in traces.items())
    can_turn = trace.sizes["K"] % 2 == 0 and trace.sizes["T"] > 1 and not is_normed
    turned = absorbed_scores(trace, rank, trace.rotary or Rotary()) if can_turn else None
    rows = [
        Saving(one.name, Case(one.formula), _counts([one.of(s) for s in sizes])) for one in counts
    ]
    totals = Saving("", Case(), _counts([total_count(counts, one) for one in sizes]))
    return SharedFacts(
        shared=Case(shared),
        heads=Count(n_heads) if shared == "already" else None,
        groups=Count(groups) if shared == "already" else None,
        moved=tuple(one.output for one in kinds[3 if shared == "alone" else 1 :]),
        kinds=kinds,
        strongest=Number(strongest, 2),
        rank=Count(rank),
        largest=Count(largest_rank(trace)),
        is_normed=is_normed,
        absorbed=Number(absorbed_scores(trace, rank, head_norm=trace.head_norm).difference, 2),
        turned=Number(turned.difference, 2) if turned else None,
        savings=(*rows, totals),
    )


def _kind_facts(trace: Trace, kind: str, one: Trace, rank: int) -> KindFacts:
    is_latent, sets = kind == SHARING_KINDS[-1], one.projections.groups
    return KindFacts(
        own_kind(trace) if kind == SHARING_KINDS[0] else kind,
        None if is_latent else Count(sets),
        Count(rank if is_latent else sets * (trace.sizes["K"] + trace.sizes["V"])),
        Share(mean_head_divergence(trace, one)),
        Share(relative_change(trace.output, one.output)),
    )
