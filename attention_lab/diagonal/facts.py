"""What the pages of the diagonal say: for each page one record of facts, from which its sentences
take their values.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from attention_core.trace import Trace

from ..words.numbers import Case, Count, Number, Share
from .depth import EQUAL_DISTANCE, TrajectorySample
from .geometry import LongerPair, half_plane_of, longer_pairs
from .growth_curves import half_argmax_width, half_mass_width
from .measures import (
    TOLERANCE,
    diagonal_margins,
    log_cross_ratios,
    pair_excess,
    pair_violations,
    self_attention_of,
    uniform_self_mass,
)
from .metrics import METRICS, measure_diagonal
from .propositions.catalogue import PROPOSITIONS
from .propositions.checks import PropositionCheck, tokens_of_trace
from .propositions.counterexamples import Search

# Equalities, and S13, whose largest eigenvalue is 1: only rounding separates the two sides.
IDENTITIES = ("S1", "S7", "S9", "S13", "S14")


@dataclass(frozen=True)
class PairFacts:
    """A pair of tokens: the share for itself of the first. holds: whether the pair bound does.
    share, other: a_ij and a_jj; excess: a_ij − max(a_ii, a_jj); ratio: None where the two do not
    see each other. For i = j in their place margin and largest: the largest share of the row, which
    is that of `most`, the token itself if it ties.
    """

    row: int
    column: int
    own: Number
    holds: Case | None = None
    share: Number | None = None
    other: Number | None = None
    excess: Number | None = None
    ratio: Number | None = None
    margin: Number | None = None
    largest: Number | None = None
    most: int | None = None


def pair_facts(trace: Trace, cell: tuple[int, int]) -> PairFacts:
    """What is said of a pair of tokens."""
    (i, j), shares = cell, trace.probabilities[0, 0]
    scores, own = trace.masked_scores[0, 0], Number(shares[i, i], 4)
    if i == j:
        largest = float(shares[i].max())
        most = i if largest - own <= TOLERANCE else int(shares[i].argmax())
        margin, largest = Number(diagonal_margins(scores)[i]), Number(largest, 4)
        return PairFacts(i, j, own, margin=margin, largest=largest, most=most)
    excess = float(pair_excess(shares)[i, j])
    return PairFacts(
        i,
        j,
        own,
        Case("fails" if excess > 0 else "holds"),
        Number(shares[i, j], 4),
        Number(shares[j, j], 4),
        Number(excess, 4),
        _known(float(log_cross_ratios(scores)[i, j])),
    )


def _known(value: float | None) -> Number | None:
    return None if value is None or isnan(value) else Number(value)


@dataclass(frozen=True)
class SelfAttentionFacts:
    """*Does a token look at itself?* mine: of n tokens, those that look most at themselves, ties
    included. mass: the attention on the diagonal; uniform: the same if all keys were read equally.
    broken: cells that break the pair bound. measures: of `METRICS`.
    """

    mine: Count
    n: Count
    ties: Count
    mass: Share
    uniform: Share
    broken: Count
    pair: PairFacts
    measures: tuple[Number | None, ...]


def self_attention_facts(trace: Trace, cell: tuple[int, int]) -> SelfAttentionFacts:
    """What *Does a token look at itself?* says of a head and a pair of its tokens."""
    scores, margin_T = trace.masked_scores[0, 0], diagonal_margins(trace.masked_scores[0, 0])
    measured = measure_diagonal(self_attention_of(trace))
    return SelfAttentionFacts(
        Count((margin_T >= 0).sum()),
        Count(len(margin_T)),
        Count((margin_T == 0).sum()),
        Share(measured["self_mass"] or 0.0, 0),
        Share(float(uniform_self_mass(scores)), 0),
        Count(pair_violations(trace.probabilities[0, 0]).sum()),
        pair_facts(trace, cell),
        tuple(_known(measured[one.name]) for one in METRICS),
    )


@dataclass(frozen=True)
class CheckFacts:
    """A check of a proposition. outcome: "does not apply", "one token", "tie", "violated", "equal"
    up to rounding, or "margin". by: the largest violation or the smallest margin. where: row and
    column, or the row alone.
    """

    number: str
    outcome: Case
    by: Number | None
    where: tuple[int, ...]


def check_facts(number: str, check: PropositionCheck, n_tokens: int) -> CheckFacts:
    """What is said of a check of the proposition with a number."""
    outcome, by = "equal", None
    if not check.applies:
        outcome = "one token" if n_tokens == 1 else "does not apply"
    elif not check.holds:
        outcome = "tie" if check.excess <= 0 else "violated"
        by = Number(check.excess, 4) if check.excess > 0 else None
    elif check.excess <= 0 and number not in IDENTITIES:
        outcome, by = "margin", Number(-check.excess, 4)
    return CheckFacts(number, Case(outcome), by, check.where if outcome != "equal" else ())


@dataclass(frozen=True)
class SearchFacts:
    """What a search has found. applied: of those tried, the token matrices that meet the condition.
    worst: the largest violation; margin: the smallest margin where there is no violation.
    """

    tried: Count
    applied: Count
    worst: Number | None
    margin: Number | None


def search_facts(search: Search) -> SearchFacts:
    """What is said of a search."""
    is_found = search.x is not None and search.nearest is not None
    excess = search.nearest.excess if search.nearest else None
    return SearchFacts(
        Count(search.tried),
        Count(search.applied),
        Number(excess, 4) if is_found and excess is not None else None,
        Number(-excess) if not is_found and excess is not None else None,
    )


@dataclass(frozen=True)
class PropositionFacts:
    """*Propositions*. violated: the numbers of those that the tokens violate."""

    violated: tuple[str, ...]
    pair: PairFacts
    checks: tuple[CheckFacts, ...]
    search: SearchFacts | None


def proposition_facts(
    trace: Trace, cell: tuple[int, int], search: Search | None
) -> PropositionFacts:
    """What *Propositions* says of tokens without weights, and of a search."""
    tokens = tokens_of_trace(trace)
    checks = {one.number: one.verify(tokens) for one in PROPOSITIONS}
    return PropositionFacts(
        tuple(number for number, check in checks.items() if not check.holds),
        pair_facts(trace, cell),
        tuple(check_facts(*one, trace.sizes["T"]) for one in checks.items()),
        search_facts(search) if search else None,
    )


@dataclass(frozen=True)
class DepthFacts:
    """*Depth*. ends: of each stack after how many layers its tokens count as equal; None if they do
    not within n_layers. near: the distance from their mean below which they do. first, last: seeds.
    """

    near: Share
    ends: tuple[tuple[str, Count | None], ...]
    n_layers: Count | None
    first: Count
    last: Count


def depth_facts(samples: Mapping[str, TrajectorySample], n_layers: int, seeds: range) -> DepthFacts:
    """What *Depth* says of some stacks."""
    ends = {name: one.median.layers_until(EQUAL_DISTANCE) for name, one in samples.items()}
    return DepthFacts(
        Share(EQUAL_DISTANCE, 0),
        tuple((name, None if end is None else Count(end)) for name, end in ends.items()),
        Count(n_layers) if None in ends.values() else None,
        Count(seeds[0]),
        Count(seeds[-1]),
    )


@dataclass(frozen=True)
class GeometryFacts:
    """*Geometry*. own: the score of the chosen token for itself. beaten: tokens with a higher score
    in its row. has_direction: whether its query is not 0. longer: those turned away from it by more
    than 90°, and n_longer how many; rising: those whose share of the row rises; None where the page
    does not say so.
    """

    token: int
    own: Number
    beaten: tuple[tuple[int, Number], ...]
    has_direction: bool
    longer: tuple[LongerPair, ...] = ()
    n_longer: Count | None = None
    rising: Count | None = None


def geometry_facts(trace: Trace, token: int, is_of_points: bool) -> GeometryFacts:
    """What *Geometry* says of a token. Raises: AttentionError."""
    scores_T, half = trace.scores[0, 0, token], half_plane_of(trace, token)
    pairs = longer_pairs(trace.inputs[0], token) if is_of_points else ()
    return GeometryFacts(
        token,
        Number(scores_T[token]),
        tuple((int(j), Number(scores_T[j])) for j in np.flatnonzero(half.rivals)),
        half.has_direction,
        pairs,
        Count(len(pairs)) if pairs else None,
        Count(sum(not one.only_falls for one in pairs)) if pairs else None,
    )


@dataclass(frozen=True)
class HalfFacts:
    """The widths at which tokens keep half of their attention, and at which half of the rows peak
    on the diagonal.
    """

    n_tokens: Count
    scaled: Number
    unscaled: Number
    rows: Number


@dataclass(frozen=True)
class GrowthFacts:
    """*Growth of self-attention*. half: the width at which a token keeps half of its attention, for
    each number of tokens. measured: of n points.
    """

    half: tuple[tuple[Number, Count], ...]
    widths: tuple[HalfFacts, ...]
    measured: Count
    n: Count


def growth_facts(counts: Sequence[int], scaled: bool, n_missing: int, n: int) -> GrowthFacts:
    """What *Growth of self-attention* says for some numbers of tokens."""
    widths = tuple(
        HalfFacts(
            Count(one),
            Number(half_mass_width(one), 1),
            Number(half_mass_width(one, scaled=False), 1),
            Number(half_argmax_width(one), 1),
        )
        for one in counts
    )
    half = tuple(
        (Number(one.scaled if scaled else one.unscaled, 0), one.n_tokens) for one in widths
    )
    return GrowthFacts(half, widths, Count(n - n_missing), Count(n))
