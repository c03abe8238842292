"""One number for every head of every layer: the measures of its attention, and how much a head of
the language model copies what it reads.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.trace import Trace

from ..heads.head_portraits import MEASURES, Measure
from ..heads.patterns import pattern_of, uniform_pattern
from ..heads.weight_blocks import output_rows
from .attention_maps import AttentionMaps, pattern_of_layer
from .model_run import LanguageModelRun

# Measures that are also rules of where a head looks.
_RULES = ("self_mass", "previous_mass", "next_mass", "first_mass")
HEAD_MEASURES = {measure.name: measure for measure in MEASURES if measure.key not in _RULES}
FIRST_COPIER = 2  # the first query with an earlier piece: 0 is the start, 1 the first piece


@dataclass(frozen=True, eq=False)
class MeasuredHeads:
    """One number for each head; NaN where there is nothing to measure.

    even: the value in each layer of a head that reads all keys it may see equally; None if it has
    none. Shapes: values (L, H), even (L,).
    """

    values: Array
    even: Array | None = None

    @property
    def means(self) -> list[float | None]:
        """The mean of every layer over the heads that have a value; None if no head has one."""
        known = [row[~np.isnan(row)] for row in self.values]
        return [float(row.mean()) if row.size else None for row in known]

    def best(self, count: int = 5) -> list[tuple[int, int, float]]:
        """Layer, head and value of the heads with the largest values, the largest first; heads
        without a value are left out.
        """
        order = np.argsort(-self.values, axis=None, kind="stable")[:count]  # NaN comes last
        places = zip(*np.unravel_index(order, self.values.shape), strict=True)
        heads = [(int(one), int(head), float(self.values[one, head])) for one, head in places]
        return [one for one in heads if not np.isnan(one[2])]


def measures_for(maps: AttentionMaps, with_scores: bool) -> tuple[str, ...]:
    """The names of the measures that these heads have. with_scores: whether their scores are known,
    not their attention alone.
    """
    in_order = maps.tokens == maps.memory_tokens
    return tuple(
        name
        for name, measure in HEAD_MEASURES.items()
        if (in_order or not measure.in_order) and (with_scores or not measure.of_scores)
    )


def measure_heads(
    measure: Measure, maps: AttentionMaps, traces: Sequence[Trace] = ()
) -> MeasuredHeads:
    """One measure of all heads. traces: needed where it reads the scores.

    >>> maps = AttentionMaps.of([[[[0.5, 0.5], [0.0, 1.0]]]])
    >>> measure_heads(HEAD_MEASURES["mean distance"], maps).values.tolist()
    [[0.25]]
    """
    if not traces:
        return _of_maps(measure, maps)
    values, even = [], []
    for pattern in map(pattern_of, traces):
        values.append(measure.value(pattern)[0])
        if (baseline := measure.baseline(pattern)) is not None:
            even.append(float(baseline[0].mean()))
    return MeasuredHeads(np.stack(values), _line(even))


def _of_maps(measure: Measure, maps: AttentionMaps) -> MeasuredHeads:
    """One head after the other: all heads at once would take gigabytes in float64."""
    values_LH = np.empty((maps.sizes["L"], maps.sizes["H"]))
    for place in np.ndindex(values_LH.shape):
        values_LH[place] = measure.value(pattern_of_layer(maps, *place)).item()
    in_order = maps.tokens == maps.memory_tokens
    alike = uniform_pattern(maps.seen[np.newaxis, np.newaxis], in_order=in_order)
    return MeasuredHeads(values_LH, _line([measure.value(alike).item()] * len(values_LH)))


def _line(even: Sequence[float]) -> Array | None:
    """The value of a head without preferences in each layer; None if it has none."""
    return np.array(even) if even and not np.isnan(even).any() else None


def copied_logits(run: LanguageModelRun) -> MeasuredHeads:
    """How much each head raises the logit of the earlier pieces that it reads, as a mean over the
    queries that have any.

    For query i: Σ_j A_ij (ℓ_ij(x_j) - mean_x ℓ_ij(x)) over the keys 0 < j < i, with ℓ_ij =
    (v_j W_O ⊙ g / r_i) Eᵀ: what the value of key j adds to the logits if it goes straight to the
    last norm, whose divisor r_i is held at its value. x_j is the piece at j. What is added to all
    pieces alike changes no share, so it is taken off. The start is no piece of the text, and a
    token that reads itself brings nothing from elsewhere: what goes there counts 0. Shapes: (L, H).
    Units: logits. The path is that of Elhage et al. 2021, "Copying / primitive in-context
    learning", who measure the eigenvalues of W_E W_OV W_U, which no text decides.
    """
    decoder = run.decoder
    rows_XD = decoder.unembedding
    read_SD = decoder.last_reads(rows_XD[list(run.ids)] - decoder.average_row)
    values = []
    for trace in run.traces:
        p = trace.projections
        value_HSV = np.repeat(trace.value_heads[0], p.n_heads // trace.sizes["G"], axis=0)
        added_HSD = value_HSV @ output_rows(p)
        raised_HS = np.einsum("hsd,sd->hs", added_HSD, read_SD)
        earlier_HTS = np.tril(trace.probabilities[0], -1)[..., 1:]
        raised_HT = np.einsum("hts,hs->ht", earlier_HTS, raised_HS[:, 1:]) / run.divisors
        copiers_HT = raised_HT[:, FIRST_COPIER:]
        nothing_H = np.full(len(raised_HT), np.nan)
        values.append(copiers_HT.mean(axis=1) if copiers_HT.size else nothing_H)
    return MeasuredHeads(np.array(values))


def copied_when_off(run: LanguageModelRun, layer: int, head: int) -> float:
    """By how much the logits of the earlier pieces that a head reads really fall without it: the
    same mean as `copied_logits`, of what changes when the head is switched off and all that follows
    is computed again. NaN without an earlier piece.

    For query i: Σ_j A_ij (Δ_i(x_j) - mean_x Δ_i(x)) over the keys 0 < j < i, with Δ_i = the logits
    after i minus those without the head. Units: logits.

    >>> from attention_lab import language_model
    >>> frog = language_model().run(language_model().encode("One day, a little frog was very sad."))
    >>> round(copied_when_off(frog, 4, 4), 2) < round(float(copied_logits(frog).values[4, 4]), 2)
    True
    """
    fall_TX = run.logits - run.without((layer, head)).logits
    fall_TX -= fall_TX.mean(axis=-1, keepdims=True)
    earlier_TS = np.tril(run.traces[layer].probabilities[0, head], -1)[:, 1:]
    raised_T = np.einsum("ts,ts->t", earlier_TS, fall_TX[:, list(run.ids[1:])])
    copiers_T = raised_T[FIRST_COPIER:]
    return float(copiers_T.mean()) if copiers_T.size else float("nan")
