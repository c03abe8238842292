"""When attention is a 1 × 1 convolution: every token reads only itself, so that Y = X W_V W_O token
by token.

The slides claim it of weightless attention. It needs tokens of equal length or positions, and a
limit: raw tokens cannot all choose themselves, because a longer token in the same direction always
wins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import attend
from attention_core.checks import Array, as_stack, check_choice
from attention_core.errors import SettingsError, ShapeError
from attention_core.projections import Projections
from attention_core.trace import Trace

from ..layer_norm import standardised
from .convolution_heads import check_sharpness

TOKENS = ("raw", "layer-normed", "with positions")


@dataclass(frozen=True, eq=False)
class OneByOne:
    """Attention beside the 1 × 1 convolution. own: the share each token gives to itself, (T,).
    error: the largest.
    """

    trace: Trace
    expected: Array
    own: Array
    error: float


def run_one_by_one(
    tokens: ArrayLike, kernel: ArrayLike, sharpness: float, kind: str = "layer-normed"
) -> OneByOne:
    """One head with W_Q W_Kᵀ = sharpness · I on the tokens, on the normalised ones, or on one-hot
    positions.

    Shapes: tokens (T, C), kernel (C, C_out). Raises: SettingsError, ShapeError.

    >>> run_one_by_one([[1.0], [2.0], [3.0]], [[1.0]], sharpness=60, kind="with positions").error
    0.0
    """
    x_TC, kernel_CO = (
        as_stack("tokens", tokens, 2, exactly=True),
        as_stack("kernel", kernel, 2, exactly=True),
    )
    if x_TC.shape[1] != kernel_CO.shape[0]:
        raise ShapeError(
            f"tokens (T, C) and kernel (C, C_out) do not fit: {x_TC.shape} and {kernel_CO.shape}"
        )
    x_TC = normalised(x_TC) if check_choice("kind", kind, TOKENS) == "layer-normed" else x_TC
    compared_TF = np.eye(len(x_TC)) if kind == "with positions" else x_TC
    inputs_TD = np.hstack([x_TC, compared_TF])
    reads_content, reads_compared = np.split(np.eye(inputs_TD.shape[1]), [x_TC.shape[1]], axis=1)
    w_q = check_sharpness(sharpness) * reads_compared
    trace = attend(
        inputs_TD, Projections(w_q, reads_compared, reads_content, kernel_CO, n_heads=1), scale=1.0
    )
    expected_TO = x_TC @ kernel_CO
    own_T = trace.probabilities[0, 0].diagonal()
    return OneByOne(trace, expected_TO, own_T, float(np.abs(trace.output[0] - expected_TO).max()))


def normalised(x_TC: Array) -> Array:
    """Every token with mean 0 and variance 1, so that all have the same length √C. Shapes: (T, C).

    Raises: SettingsError for a token that LayerNorm gives no direction.
    """
    normed_TC = standardised(as_stack("tokens", x_TC, 2, exactly=True))
    if not normed_TC.any(axis=1).all():
        raise SettingsError(
            "A token whose numbers are all equal has no spread to divide by: change it"
        )
    return normed_TC
