"""The four ways of computing scores, run: what they differ by, and how long they take as a size
grows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from attention_core.cache import cached
from attention_core.checks import Array
from attention_core.initialisation import Stream, generator
from attention_core.trace import Trace

from .counts import LayerSize, size_of
from .measurement import Measurement, measure
from .score_schemes import SCHEMES, Scheme
from .size_growth import as_grows

# A measurement may keep so many numbers at once (32 MB) and multiply so often (about a tenth of a
# second).
MOST_NUMBERS, MOST_MULTIPLIES = 2**22, 2**26


@dataclass(frozen=True)
class Agreement:
    """How far each way, by its key, is from the layer's scores, as a part of the largest;
    n_tokens were compared.
    """

    gaps: dict[str, float]
    n_tokens: int


@cached
def agreement(trace: Trace) -> Agreement:
    """All four ways on the queries and keys of a layer, on as many of the first tokens as are
    quickly computed.
    """
    size, n_tokens = size_of(trace), min(trace.sizes["T"], trace.sizes["S"])
    while n_tokens > 1 and not all(
        is_small_enough(s, replace(size, n_tokens=n_tokens)) for s in SCHEMES
    ):
        n_tokens //= 2
    readers = size.n_heads // size.n_kv_heads
    query_HTK = trace.query_heads[0, :, :n_tokens]
    key_HTK = trace.key_heads[0, :, :n_tokens].repeat(readers, axis=0)
    scores_HTT = trace.scores[0, :, :n_tokens, :n_tokens]
    most = float(np.abs(scores_HTT).max()) or 1.0
    gaps = {
        s.key: float(np.abs(s.scores(query_HTK, key_HTK) - scores_HTT).max()) / most
        for s in SCHEMES
    }
    return Agreement(gaps, n_tokens)


@dataclass(frozen=True)
class Run:
    """One way of computing scores, run at a size."""

    scheme: Scheme
    size: LayerSize
    measured: Measurement


def runs_as_grows(size: LayerSize, letter: str) -> tuple[Run, ...]:
    """Every way of computing scores, measured as a size grows on random queries and keys; the too
    large are left out.

    Raises: SettingsError.
    """
    found = []
    for larger in as_grows(size, letter):
        schemes = [scheme for scheme in SCHEMES if is_small_enough(scheme, larger)]
        if schemes:
            query_HTK, key_HSK = _queries_and_keys(larger)
            found += [
                Run(scheme, larger, measure(scheme, query_HTK, key_HSK)) for scheme in schemes
            ]
    return tuple(found)


def is_small_enough(scheme: Scheme, size: LayerSize) -> bool:
    """Whether a measurement stays within 32 MB and about a tenth of a second."""
    kept = scheme.extra.of(size) + size.n_heads * size.n_tokens**2
    return kept <= MOST_NUMBERS and scheme.multiplies.of(size) <= MOST_MULTIPLIES


def _queries_and_keys(size: LayerSize) -> tuple[Array, Array]:
    rng = generator(0, Stream.TIMED_HEADS)
    shape = (size.n_heads, size.n_tokens, size.d_k)
    return rng.standard_normal(shape), rng.standard_normal(shape)
