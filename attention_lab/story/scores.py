"""The facts of the steps from the scores to what a head finds.

At the end: a row that has nothing to take from any token, with softmax alone, a sink, or a gate on
the output. Sources: Xiao et al. 2024 (attention sinks); OpenAI 2025 (gpt-oss, a logit per head);
Qiu et al. 2025 (gated attention).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from attention_core.checks import Array
from attention_core.formulas import softmax
from attention_core.trace import Trace

from ..focus import Focus
from ..heads.counts import layer_size
from ..heads.keys_read import ReadRow, ScaleEffect, read_row, scale_effect
from ..heads.patterns import effective_tokens
from ..heads.score_schemes import SCHEMES
from ..masks.hiding import LastQuery, last_query_alone
from ..masks.mistakes import row_sum_with_dropout
from ..masks.temperature import at_temperature
from ..rotary_pairs import TurnedPair, pair_of, shift_gap
from ..rounding import tolerance
from ..scenario import Scenario
from ..sentences import longer_sequence
from .seen import KeysSeen, keys_seen


@dataclass(frozen=True)
class ScoreFacts:
    """One pair of tokens in all heads: the multiplications of the whole product of the two stacks
    and of the Hadamard product, and the sum of the scores over the heads. is_one_wide: whether one
    wide head, without the split, has this sum as its score: not where heads share keys, or where
    queries and keys are normed or turned head by head.
    """

    n_full: int
    n_hadamard: int
    total: float
    is_one_wide: bool


def score_facts(trace: Trace, query: int, key: int) -> ScoreFacts:
    """The facts of the scores of a pair."""
    one_pair = replace(layer_size(trace), n_tokens=1)
    counts = {one.key: one.multiplications.of(one_pair) for one in SCHEMES}
    total = float(trace.scores[0, :, query, key].sum())
    is_one_wide = trace.sizes["G"] == trace.sizes["H"]
    is_one_wide = is_one_wide and trace.head_norm is None and trace.rotary is None
    return ScoreFacts(counts["full"], counts["hadamard"], total, is_one_wide)


@dataclass(frozen=True)
class ScaleFacts:
    """What the scale does to a head. sums_are_1: whether shares sum to 1 without it and with it.
    variance: of the raw scores.
    """

    effect: ScaleEffect
    sums_are_1: bool
    variance: float


def scale_facts(trace: Trace, head: int) -> ScaleFacts:
    """The facts of the scale in a head."""
    effect = scale_effect(trace, head)
    is_rounding = effect.sum_gap <= tolerance(trace, "probabilities")
    return ScaleFacts(effect, is_rounding, float(trace.scores[0, head].var()))


@dataclass(frozen=True)
class MaskFacts:
    """What a mask hides, at the cell in focus of the picture.

    seen: of the keys. chosen: the mask of the layer; is_example: whether the picture shows another
    one, because there is none. is_empty: whether no cell is hidden. in_batch: whether
    [pad] is hidden besides. longer: the sequence length that makes room for [pad]; 0 if there is
    none. alone: the last token as a query by itself.
    """

    seen: KeysSeen
    chosen: str
    is_example: bool
    is_empty: bool
    in_batch: bool
    longer: int
    alone: LastQuery


def mask_facts(
    chosen: Scenario, scenario: Scenario, trace: Trace, focus: Focus, n_sentences: int
) -> MaskFacts:
    """The facts of a mask. chosen: the choices; scenario, trace: what the picture shows."""
    return MaskFacts(
        keys_seen(trace, focus.head, focus.query),
        chosen.mask,
        scenario.mask != chosen.mask,
        not trace.hidden_keys.any(),
        n_sentences > 1,
        longer_sequence(chosen) or 0,
        last_query_alone(trace),
    )


@dataclass(frozen=True)
class SoftmaxFacts:
    """The shares of the query in focus.

    n_empty: rows of the layer that are all 0. thinned: the sum of the row after dropout. given:
    what the row gives when all its scores fall. has_sink: whether one more score takes a part.
    """

    row: ReadRow
    has_sink: bool
    n_empty: int
    thinned: float
    given: tuple[Given, ...]


def softmax_facts(trace: Trace, head: int, query: int) -> SoftmaxFacts:
    """The facts of a row of shares."""
    return SoftmaxFacts(
        read_row(trace, head, query),
        trace.sink is not None,
        int(trace.empty_rows.sum()),
        row_sum_with_dropout(trace, head, query),
        given_by(trace, head, query),
    )


@dataclass(frozen=True)
class MixingFacts:
    """What a query receives in a head.

    is_average: whether they sum to 1, so that no number leaves the range of
    the values. feature: of the number in focus; is_cut: whether it is the last one in the place of
    one that does not exist.
    """

    row: ReadRow
    is_average: bool
    feature: int
    is_cut: bool


def mixing_facts(trace: Trace, focus: Focus) -> MixingFacts:
    """The facts of what a query receives."""
    place, row = focus.within(trace, "head_outputs"), read_row(trace, focus.head, focus.query, 1)
    is_average = abs(row.total - 1) <= tolerance(trace, "probabilities")
    return MixingFacts(row, is_average, place.feature, place.feature < focus.feature)


@dataclass(frozen=True, eq=False)
class TemperatureFacts:
    """A row of shares as it is and at another temperature: the share of the key in focus, and the
    effective tokens. shares: of the head at that temperature, (T, S).
    """

    share: tuple[float, float]
    tokens: tuple[float, float]
    shares: Array


def temperature_facts(trace: Trace, focus: Focus, temperature: float) -> TemperatureFacts:
    """The facts of a temperature. Raises: SettingsError beyond the range of float."""
    shares_TS = at_temperature(trace, np.array([temperature]), focus.head)[0]
    rows = (trace.probabilities[0, focus.head, focus.query], shares_TS[focus.query])
    now, then = ((float(row[focus.key]), float(effective_tokens(row))) for row in rows)
    return TemperatureFacts((now[0], then[0]), (now[1], then[1]), shares_TS)


@dataclass(frozen=True)
class NormFacts:
    """What QK-norm bounds in a head.

    query_length, key_length: the largest in the head. most: the largest size that a scaled score
    can have, the scale times both; largest: the largest that one has, after a soft cap if there is
    one. share: the most that the query in focus can give to one of the n_seen keys that it sees, if
    no bias is added to scores and it sees any; else None.
    """

    query_length: float
    key_length: float
    most: float
    largest: float
    is_capped: bool
    n_seen: int
    share: float | None


def norm_facts(trace: Trace, head: int, query: int) -> NormFacts:
    """The facts of a layer with QK-norm."""
    query_length, key_length = (
        float(np.linalg.norm(getattr(trace, name)[0, at], axis=-1).max())
        for name, at in (
            ("normed_queries", head),
            ("normed_keys", head * trace.sizes["G"] // trace.sizes["H"]),
        )
    )
    most, share = abs(trace.scale) * query_length * key_length, None
    n_seen = keys_seen(trace, head, query).n_seen
    if trace.bias is None and n_seen:
        share = 1 / (1 + (n_seen - 1) * float(np.exp(-2 * most)))
    largest, is_capped = float(np.abs(trace.scaled_scores[0, head]).max()), bool(trace.softcap)
    return NormFacts(query_length, key_length, most, largest, is_capped, n_seen, share)


@dataclass(frozen=True)
class RotaryFacts:
    """One pair of features and its turn. shift_gap: the most that a score moves if all turns begin
    `places` positions later. has_codes: whether the inputs hold positions as well, which such a
    shift leaves as they are.
    """

    pair: TurnedPair
    places: int
    shift_gap: float
    has_codes: bool


SHIFT = 100


def rotary_facts(
    scenario: Scenario, trace: Trace, field: str, cell: tuple[int, ...]
) -> RotaryFacts:
    """The facts of rotary positions at a cell of turned queries or keys."""
    return RotaryFacts(
        pair_of(trace, field, cell), SHIFT, shift_gap(trace, SHIFT), scenario.positions
    )


LOWERED = (0.0, 2.0, 5.0, 10.0)  # by how much all scores of the row
SINK = 0.0  # its logit
GATES = (1.0, 0.5, 0.1, 0.0)  # what an output gate lets through


@dataclass(frozen=True)
class Given:
    """What a row gives to all tokens together, all of its scores lowered by a number.

    alone: by softmax; with_sink: with one more logit of 0. gate, gated: what a gate lets through,
    and the length of the output that is then left.
    """

    lowered: float
    alone: float
    with_sink: float
    gate: float
    gated: float


def given_by(trace: Trace, head: int, query: int) -> tuple[Given, ...]:
    """What the row of a query gives in the three ways; nothing for a row without keys."""
    scores_S = trace.masked_scores[0, head, query]
    scores_S = scores_S[np.isfinite(scores_S)].astype(np.float64)
    if not scores_S.size:
        return ()
    length = float(np.linalg.norm(trace.head_outputs[0, head, query]))
    parts = []
    for lowered, gate in zip(LOWERED, GATES, strict=True):
        lowered_S = scores_S - lowered
        alone = float(softmax(lowered_S).sum())
        with_sink = float(softmax(np.append(lowered_S, SINK))[:-1].sum())
        parts.append(Given(lowered, alone, with_sink, gate, gate * length))
    return tuple(parts)
