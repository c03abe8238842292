"""A row that has nothing to take from any token: softmax alone, a sink, a gate on the output.

Sources: Xiao et al. 2024 (attention sinks); OpenAI 2025 (gpt-oss, a logit per head); Qiu et al.
2025 (gated attention).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.formulas import softmax
from attention_core.trace import Trace

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
    found = []
    for lowered, gate in zip(LOWERED, GATES, strict=True):
        lowered_S = scores_S - lowered
        alone = float(softmax(lowered_S).sum())
        with_sink = float(softmax(np.append(lowered_S, SINK))[:-1].sum())
        found.append(Given(lowered, alone, with_sink, gate, gate * length))
    return tuple(found)
