"""The weights of heads that look at a fixed offset, whatever the tokens hold.

The features of a token are its content, then its position. A head that should look at the offset Δ
gives key j the score -α‖p_j - (p_i + Δ)‖² plus a number that is the same for all keys of the row,
which the softmax does not see.
"""

from __future__ import annotations

import math

import numpy as np

from attention_core.checks import Array, is_finite_number, short_repr, whole_number
from attention_core.errors import SettingsError
from attention_core.projections import Projections

from .padding import TokenGrid, check_pair, kernel_offsets, shift_matrix

SHARPEST = 200.0
# The engine divides scores by √d_k; the heads below have d_k = 4.
_D_K = 4
_UNSCALE = math.sqrt(_D_K)


def position_features(grid: TokenGrid) -> Array:
    """What tells a head where a token is. Shapes: (tokens, 5), or (tokens, 4) around circles.

    1, row, column, row² + column², 0 for a cell of the grid, and 0, 0, 0, 0, 1 for the sink; around
    circles the cosine and sine of the row's angle and of the column's.
    """
    rows, columns = grid.shape
    row_T, column_T = (
        index.ravel().astype(np.float64) - grid.margin for index in np.indices((rows, columns))
    )
    if grid.padding == "circular":
        angles = 2 * np.pi * row_T / rows, 2 * np.pi * column_T / columns
        return np.stack([turn(angle) for angle in angles for turn in (np.cos, np.sin)], axis=1)
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

    q = [2g(r+Δr), 2g(c+Δc), -g, g(‖p+Δ‖² - 1/2)], k = [r, c, r²+c², sink], g = α√d_k. The sink's
    score lies α/2 below a hit and α/2 above the next miss, so it takes over exactly when the target
    is missing. Shapes: (5, 4) twice.
    """
    (down, across), sharpness = check_pair("offset", offset), check_sharpness(sharpness)
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
    """W_Q turns both angles by the offset, W_K leaves them: the score is α (cos of both angles
    between query and key).

    Shapes: (4, 4) twice.
    """
    sides = (whole_number("shape", side, 1) for side in check_pair("shape", shape))
    sharpness = check_sharpness(sharpness)
    w_q = np.zeros((4, _D_K))
    for axis, (step, side) in enumerate(zip(check_pair("offset", offset), sides, strict=True)):
        angle = 2 * np.pi * step / side
        rotation = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
        w_q[2 * axis : 2 * axis + 2, 2 * axis : 2 * axis + 2] = rotation
    return sharpness * _UNSCALE * w_q, np.eye(4, _D_K)


def convolution_heads(weights: Array, sharpness: float, grid: TokenGrid) -> Projections:
    """One head per number of the kernel; W_V hands on the content, and W_O holds the kernel.

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
    """The attention of a head for the kernel's positive numbers and of one for the negative ones,
    and their sizes.

    A pattern's rows sum to 1; the size, with its sign, is what W_O gives back. A part without
    numbers is left out.
    Shapes: weights (K, K) -> (heads, H·W, tokens), (heads,). Raises: SettingsError for a kernel of
    zeros.
    """
    patterns, sizes = [], []
    for sign in (1.0, -1.0):
        part = np.maximum(sign * weights, 0).ravel()
        if part.any():
            moved = [
                share * shift_matrix(grid, offset)
                for offset, share in zip(
                    kernel_offsets(weights.shape[0]), part / part.sum(), strict=True
                )
            ]
            patterns.append(np.sum(moved, axis=0))
            sizes.append(sign * part.sum())
    if not patterns:
        raise SettingsError(
            "Every number of the kernel is 0, so no head has anything to look for: change one"
        )
    return np.stack(patterns), np.array(sizes)


def mixture_heads(
    patterns_HNT: Array, sizes_H: Array, sharpness: float, grid: TokenGrid
) -> Projections:
    """Heads for tokens of one content and a one-hot position: row i of W_Q holds the wanted scores
    of token i.

    A wanted share p becomes the score ln p, every other token gets -sharpness. Margin and sink ask
    for nothing.
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


def check_sharpness(sharpness: float) -> float:
    """The sharpness itself. Raises: SettingsError when it is outside 0 to 200."""
    if not is_finite_number(sharpness) or not 0 < sharpness <= SHARPEST:
        raise SettingsError(
            f"sharpness is {short_repr(sharpness)} but must be a number above 0 and at most"
            f" {SHARPEST:g}"
        )
    return float(sharpness)
