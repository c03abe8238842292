"""When attention is a 1 × 1 convolution: every token reads only itself, so Y = X W_V W_O token by
token.

The slides claim this of weightless attention. It needs tokens of equal length or positions, and it
holds in a limit. Raw tokens cannot all choose themselves: a longer token in the same direction
always wins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.projections import Projections
from attention_core.trace import Trace

from ..layer_norm import standardised

TOKEN_KINDS = ("raw", "layer-normed", "with positions")


@dataclass(frozen=True, eq=False)
class OneByOne:
    """Attention beside the 1 × 1 convolution. self_weights: the attention weight of each token for
    itself, (T,). error: the largest difference of the outputs.
    """

    trace: Trace
    expected: Array
    self_weights: Array
    error: float

    @property
    def n_choosing_themselves(self) -> int:
        """How many tokens have their row's largest score with themselves, up to rounding."""
        scores_TS = self.trace.scores[0, 0]
        best_T = scores_TS.max(axis=1)
        return int((scores_TS.diagonal() >= best_T - 1e-9 * np.abs(best_T)).sum())


def run_one_by_one(
    tokens_TC: Array, kernel_CO: Array, sharpness: float, kind: str = "layer-normed"
) -> OneByOne:
    """One head with W_Q W_Kᵀ = sharpness · I on the tokens, on normalised tokens, or on one-hot
    positions.

    kind: one of `TOKEN_KINDS`. Shapes: tokens (T, C), kernel (C, C_out).

    >>> tokens, kernel = np.array([[1.0], [2.0], [3.0]]), np.array([[1.0]])
    >>> run_one_by_one(tokens, kernel, sharpness=60, kind="with positions").error
    0.0
    """
    x_TC = tokens_TC
    if kind == "layer-normed":
        x_TC = standardised(x_TC)
    compared_TF = x_TC
    if kind == "with positions":
        compared_TF = np.eye(len(x_TC))
    inputs_TD = np.hstack([x_TC, compared_TF])
    reads_content, reads_compared = np.split(np.eye(inputs_TD.shape[1]), [x_TC.shape[1]], axis=1)
    w_q = sharpness * reads_compared
    trace = attend(
        inputs_TD, Projections(w_q, reads_compared, reads_content, kernel_CO, n_heads=1), scale=1.0
    )
    expected_TO = x_TC @ kernel_CO
    self_weights_T = trace.probabilities[0, 0].diagonal()
    error = float(np.abs(trace.output[0] - expected_TO).max())
    return OneByOne(trace, expected_TO, self_weights_T, error)


def one_by_one_example() -> tuple[Array, Array]:
    """Six tokens of four features, of which the last is twice the first, and a kernel from four to
    two features.
    """
    rng = np.random.default_rng(0)
    tokens_TC = rng.standard_normal((6, 4))
    tokens_TC[5] = 2 * tokens_TC[0]
    return tokens_TC, rng.standard_normal((4, 2))
