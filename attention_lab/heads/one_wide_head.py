"""The same weights as one wide head: what a layer would attend to if its matrices were not cut into
heads.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isclose, sqrt

from attention_core.errors import SettingsError
from attention_core.projections import BIASES, MATRICES
from attention_core.trace import Trace

from .reruns import rerun


@dataclass(frozen=True)
class LayerCost:
    """What a layer holds and computes for one sequence.

    width: d_k of a head. parameters: numbers in weights and biases. scores: their number.
    multiplications: for all scores. distributions: for each query, one per head.
    """

    width: int
    parameters: int
    scores: int
    multiplications: int
    distributions: int


def one_wide_head(trace: Trace) -> Trace:
    """The layer once more, on the same inputs and with the same matrices, but with one head as wide
    as all heads together.

    A scale of 1/√d_k follows the width; another scale stays. Raises: SettingsError if heads share
    keys and values: such heads cannot become one.

    >>> import numpy as np
    >>> from attention_core import Projections, attend
    >>> trace = attend(np.eye(2, 4), Projections.random(d_model=4, n_heads=2))
    >>> one = one_wide_head(trace)
    >>> one.sizes["H"], one.sizes["K"]
    (1, 4)
    >>> bool(np.allclose(one.scores[0, 0], trace.scores[0].sum(axis=0)))
    True
    """
    p = trace.projections
    if p.groups != p.n_heads:
        raise SettingsError(
            f"{p.n_heads} heads share {p.groups} sets of keys and values, so they cannot become one"
            " wide head: choose separate keys and values for each head"
        )
    is_usual = isclose(trace.scale, 1 / sqrt(p.d_k))
    return rerun(
        trace,
        projections=replace(p, n_heads=1, n_kv_heads=None),
        scale=None if is_usual else trace.scale,
    )


def layer_cost(trace: Trace) -> LayerCost:
    """What a layer holds and computes, with or without a memory."""
    sizes, p = trace.sizes, trace.projections
    arrays = [getattr(p, name) for name in MATRICES + BIASES]
    scores = sizes["H"] * sizes["T"] * sizes["S"]
    return LayerCost(
        width=sizes["K"],
        parameters=sum(array.size for array in arrays if array is not None),
        scores=scores,
        multiplications=scores * sizes["K"],
        distributions=sizes["H"],
    )
