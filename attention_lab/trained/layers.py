"""The measures of heads and of the diagonal for every head of every layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.errors import SettingsError
from attention_core.trace import Trace

from ..diagonal.measures import self_attention_of
from ..diagonal.metrics import METRICS, Metric
from ..heads.head_portraits import MEASURES, Measure
from ..heads.patterns import pattern_of, uniform_pattern
from .attention_maps import AttentionMaps, pattern_of_layer


@dataclass(frozen=True)
class LayerMeasure:
    """A measure as the pages offer it.

    formula: LaTeX. range: words, with formulas between dollar signs. of_scores: it needs the scores
    or the weights, which attention maps do not hold.
    """

    key: str
    title: str
    formula: str
    range: str
    description: str
    of_scores: bool
    source: Measure | Metric

    @property
    def share(self) -> bool:
        """Whether it is a share, from 0 to 1."""
        return self.range.startswith(("0 to 1;", "0 to 1.", "$[0, 1]$")) or self.range == "0 to 1"


@dataclass(frozen=True, eq=False)
class MeasuredHeads:
    """One number for each head; NaN where there is nothing to measure.

    even: the value of a head without preferences, or None if it has no value. Shapes: values (L,
    H), even (L,).
    """

    measure: LayerMeasure
    values: Array
    even: Array | None

    @property
    def means(self) -> list[float | None]:
        """The mean of every layer over the heads that have a value; None if no head has one."""
        known = [row[~np.isnan(row)] for row in self.values]
        return [float(row.mean()) if row.size else None for row in known]

    @property
    def largest(self) -> tuple[int, int] | None:
        """Layer and head of the largest value; None if no head has one."""
        if np.isnan(self.values).all():
            return None
        layer, head = np.unravel_index(np.nanargmax(self.values), self.values.shape)
        return int(layer), int(head)


def _layer_measures() -> dict[str, LayerMeasure]:
    portraits = [
        LayerMeasure(
            m.key, m.name[0].upper() + m.name[1:], m.formula, m.range, m.description, m.of_scores, m
        )
        for m in MEASURES
    ]
    known = {measure.key for measure in portraits}
    diagonal = [
        LayerMeasure(m.name, m.title, m.formula, f"${m.range}$", m.meaning, True, m)
        for m in METRICS
        if m.name not in known
    ]
    return {measure.key: measure for measure in (*portraits, *diagonal)}


LAYER_MEASURES = _layer_measures()


def measure_layers(key: str, maps: AttentionMaps, traces: Sequence[Trace] = ()) -> MeasuredHeads:
    """One measure of all heads. key: of `LAYER_MEASURES`.

    Raises: SettingsError if a measure needs scores and there are no traces, or if it needs queries
    and keys that are the same tokens, and they are not.

    >>> maps = AttentionMaps.of([[[[0.5, 0.5], [0.0, 1.0]]]])
    >>> measure_layers("self_mass", maps).values.tolist()
    [[0.75]]
    """
    measure = LAYER_MEASURES[key]
    if measure.of_scores and not traces:
        raise SettingsError(
            f"{measure.title} is computed from the scores, but only the attention of these heads is"
            " known: choose another measure"
        )
    if isinstance(measure.source, Metric):
        return MeasuredHeads(measure, _of_diagonals(measure.source, traces), None)
    if traces:
        return _of_patterns(measure, measure.source, traces)
    return _of_maps(measure, measure.source, maps)


def _of_patterns(measure: LayerMeasure, source: Measure, traces: Sequence[Trace]) -> MeasuredHeads:
    values, even = [], []
    for pattern in map(pattern_of, traces):
        _check_order(measure, source, pattern.in_order)
        values.append(source.value(pattern)[0])
        if (baseline := source.baseline(pattern)) is not None:
            even.append(float(baseline[0].mean()))
    return MeasuredHeads(measure, np.stack(values), _line(even))


def _of_maps(measure: LayerMeasure, source: Measure, maps: AttentionMaps) -> MeasuredHeads:
    """One head after the other: all heads at once would take gigabytes in float64."""
    in_order = maps.tokens == maps.memory_tokens
    _check_order(measure, source, in_order)
    values = [
        [
            source.value(pattern_of_layer(maps, layer, head)).item()
            for head in range(maps.sizes["H"])
        ]
        for layer in range(maps.sizes["L"])
    ]
    even = source.value(
        uniform_pattern(maps.seen[np.newaxis, np.newaxis], in_order=in_order)
    ).item()
    return MeasuredHeads(measure, np.array(values), _line([even] * len(values)))


def _line(even: Sequence[float]) -> Array | None:
    """The value of a head without preferences in each layer; None if it has none."""
    return np.array(even) if even and not np.isnan(even).any() else None


def _check_order(measure: LayerMeasure, source: Measure, in_order: bool) -> None:
    if source.in_order and not in_order:
        raise SettingsError(
            f"{measure.title} needs queries and keys that are the same tokens, but these are"
            " different: choose another measure"
        )


def _of_diagonals(source: Metric, traces: Sequence[Trace]) -> Array:
    heads = [
        [float(source.of(self_attention_of(trace, head))) for head in range(trace.sizes["H"])]
        for trace in traces
    ]
    return np.array(heads)
