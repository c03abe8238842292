"""The weights of heads that look at a fixed offset, whatever the tokens hold.

The features of a token are its content, then its position. A head that should look at the offset Δ
gives key j the score -α‖p_j - (p_i + Δ)‖² plus a number that is the same for all keys of the row.
Such a number does not change the softmax.
"""

from __future__ import annotations

import math

import numpy as np

from attention_core.checks import Array
from attention_core.errors import SettingsError
from attention_core.projections import Projections

from .padding import TokenGrid, kernel_offsets, shift_matrix

# The engine divides scores by √d_k; the heads below have d_k = 4.
_D_K = 4
_UNSCALE = math.sqrt(_D_K)


def position_features(grid: TokenGrid) -> Array:
    """The features for the position of each token. Shapes: (tokens, 5), or (tokens, 4) on circles.

    A cell of the grid has 1, row, column, row² + column², 0, and the sink has 0, 0, 0, 0, 1. On
    circles they are cosine and sine of the row's angle, then of the column's angle.
    """
    rows, columns = grid.shape
    row_T, column_T = (
        index.ravel().astype(np.float64) - grid.margin for index in np.indices((rows, columns))
    )
    if grid.padding == "circular":
        angles = 2 * np.pi * row_T / rows, 2 * np.pi * column_T / columns
        return np.stack([wave(angle) for angle in angles for wave in (np.cos, np.sin)], axis=1)
    features_TF = np.zeros((grid.n_tokens, 5))
    features_TF[: rows * columns, :4] = np.stack(
        [np.ones_like(row_T), row_T, column_T, row_T**2 + column_T**2], axis=1
    )
    if grid.has_sink:
        features_TF[-1, 4] = 1
    return features_TF


def quadratic_head(offset: tuple[int, int], sharpness: float) -> tuple[Array, Array]:
    """W_Q and W_K for the position features: the score falls with the squared distance from the
    target.

    q = [2g(r+Δr), 2g(c+Δc), -g, g(‖p+Δ‖² - 1/2)], k = [r, c, r²+c², sink], g = α√d_k. The score of
    the sink is α/2 below that of the target and α/2 above that of its neighbours, so the sink wins
    exactly if the target is missing. Shapes: (5, 4) twice.
    """
    down, across = offset
    w_q = np.array(
        [
            [2 * down, 2 * across, -1, down**2 + across**2 - 0.5],
            [2, 0, 0, 2 * down],
            [0, 2, 0, 2 * across],
            [0, 0, 0, 1],
            [0, 0, 0, 0],
        ]
    )
    w_k = np.zeros((5, _D_K))
    w_k[1:] = np.eye(_D_K)
    return sharpness * _UNSCALE * w_q, w_k


def circular_head(
    offset: tuple[int, int], sharpness: float, shape: tuple[int, int]
) -> tuple[Array, Array]:
    """W_Q rotates both angles by the offset and W_K keeps them. The score is α times the sum of the
    cosines of both angles between query and key.

    Shapes: (4, 4) twice.
    """
    w_q = np.zeros((4, _D_K))
    for axis, (step, side) in enumerate(zip(offset, shape, strict=True)):
        angle = 2 * np.pi * step / side
        rotation = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
        w_q[2 * axis : 2 * axis + 2, 2 * axis : 2 * axis + 2] = rotation
    return sharpness * _UNSCALE * w_q, np.eye(4, _D_K)


def convolution_heads(weights: Array, sharpness: float, grid: TokenGrid) -> Projections:
    """One head for each number of the kernel; W_V copies the content, and W_O holds the kernel.

    Shapes: weights (K, K, Cin, Cout).
    """
    n_contents = weights.shape[2]
    heads = []
    for offset in kernel_offsets(weights.shape[0]):
        circular = grid.padding == "circular"
        head = (
            circular_head(offset, sharpness, grid.shape)
            if circular
            else quadratic_head(offset, sharpness)
        )
        w_q, w_k = (np.vstack([np.zeros((n_contents, _D_K)), block]) for block in head)
        heads.append((w_q, w_k, np.eye(len(w_q), n_contents)))
    return Projections.from_heads(heads, weights.reshape(-1, weights.shape[3]))


def signed_patterns(weights: Array, grid: TokenGrid) -> tuple[Array, Array]:
    """The attention of a head for the kernel's positive numbers, that of a head for its negative
    numbers, and the sum of each part.

    The rows of a pattern sum to 1, so W_O multiplies by the sum of the part, with its sign. An
    empty part has no head.
    Shapes: weights (K, K) -> (heads, H·W, tokens), (heads,). Raises: SettingsError for a kernel of
    zeros.
    """
    patterns, sizes = [], []
    for sign in (1.0, -1.0):
        part = np.maximum(sign * weights, 0).ravel()
        if part.any():
            shifted = [
                share * shift_matrix(grid, offset)
                for offset, share in zip(
                    kernel_offsets(weights.shape[0]), part / part.sum(), strict=True
                )
            ]
            patterns.append(np.sum(shifted, axis=0))
            sizes.append(sign * part.sum())
    if not patterns:
        raise SettingsError(
            "Every number of the kernel is 0, so no head has anything to look for: change a number"
        )
    return np.stack(patterns), np.array(sizes)


def mixture_heads(
    patterns_HNT: Array, sizes_H: Array, sharpness: float, grid: TokenGrid
) -> Projections:
    """Heads for tokens with one content feature and a one-hot position: row i of W_Q holds the
    scores of token i.

    A share p of a pattern becomes the score ln p; every other token gets -sharpness. The rows of
    margin and sink stay 0.
    Shapes: (heads, H·W, tokens), (heads,).
    """
    n_tokens, heads = grid.n_tokens, []
    for pattern_NT in patterns_HNT:
        scores_TT = np.zeros((n_tokens, n_tokens))
        wanted = pattern_NT > 0
        scores_TT[grid.pixels] = np.where(
            wanted, np.log(np.where(wanted, pattern_NT, 1)), -sharpness
        )
        content = np.zeros((1, n_tokens))
        w_q = np.vstack([content, scores_TT * math.sqrt(n_tokens)])
        heads.append((w_q, np.vstack([content, np.eye(n_tokens)]), np.eye(n_tokens + 1, 1)))
    return Projections.from_heads(heads, sizes_H[:, np.newaxis])
