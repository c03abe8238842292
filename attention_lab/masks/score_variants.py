"""Two other ways to compute shares from queries and keys: additive scores, and one softmax over all
scores of a head.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.formulas import softmax
from attention_core.trace import Trace, head_of


@dataclass(frozen=True, eq=False)
class AdditiveScores:
    """Additive scores of a head, under its mask, and the shares computed from them.

    Shapes: scores and shares (T, S). largest: the largest |score| without the mask, at most
    `bound`. largest_dot: the same for the layer's scaled dot products. n_tanh: the number of tanh
    computed, and of numbers in memory at once.
    """

    scores: Array
    shares: Array
    largest: float
    largest_dot: float
    bound: float
    n_tanh: int


def additive_scores(trace: Trace, head: int) -> AdditiveScores:
    """Scores Σ v_k tanh(q_k + k_k) of a head's queries and keys, with every number of v equal to 1.

    W_Q and W_K are those of the layer; a model would learn v. No scale is used.
    Source: Bahdanau et al. 2015, appendix A.1.2. Vaswani et al. 2017, section 3.2.1, call it
    additive attention.
    """
    query_TK = trace.query_heads[0, head]
    key_SK = trace.key_heads[0, head_of(trace, "key_heads", head)]
    tanh_TSK = np.tanh(query_TK[:, np.newaxis] + key_SK)
    scores_TS: Array = tanh_TSK.sum(axis=-1)
    masked_TS: Array = np.where(trace.hidden[0, head], -np.inf, scores_TS)
    largest, largest_dot = (
        float(np.abs(each_TS).max()) for each_TS in (scores_TS, trace.scaled_scores[0, head])
    )
    bound = float(tanh_TSK.shape[-1])
    return AdditiveScores(masked_TS, softmax(masked_TS), largest, largest_dot, bound, tanh_TSK.size)


@dataclass(frozen=True, eq=False)
class OneSoftmax:
    """One softmax over all scores of a head: the shares, which sum to 1 together, and the sum of
    each query's shares.

    Shapes: shares (T, S), of_query (T,). gap: the largest difference between the shares and those
    of the layer times the sum of their query; only rounding makes it differ from 0.
    """

    shares: Array
    of_query: Array
    gap: float


def one_softmax(trace: Trace, head: int) -> OneSoftmax:
    """One softmax over all masked scores of a head, instead of one for each query."""
    scores_TS = trace.masked_scores[0, head]
    shares_TS: Array = softmax(scores_TS.ravel()).reshape(scores_TS.shape)
    of_query_T: Array = shares_TS.sum(axis=-1)
    expected_TS = of_query_T[:, np.newaxis] * trace.probabilities[0, head]
    return OneSoftmax(shares_TS, of_query_T, float(np.abs(shares_TS - expected_TS).max()))
