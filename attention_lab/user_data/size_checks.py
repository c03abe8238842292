"""Whether the user's own matrices fit the weights that a scenario puts beside them."""

from __future__ import annotations

from attention_core.counting import counted
from attention_core.errors import ShapeError

from .matrix_names import ALL_SYMBOLS, BIAS_SYMBOLS
from .user_matrices import UserMatrices


def check_beside_trained(own: UserMatrices, width: int) -> None:
    """Trained weights cannot change their sizes, so a matrix among them has theirs. Raises:
    ShapeError.
    """
    for name, matrix in own.given.items():
        rows = len(matrix) if name == "x" else width
        expected = (width,) if name in BIAS_SYMBOLS else (rows, width)
        if matrix.shape != expected:
            size_due = ("tokens", width) if name == "x" else expected
            raise ShapeError(
                f"{ALL_SYMBOLS[name]} is {' × '.join(map(str, matrix.shape))}, but in a trained"
                f" layer it must be {' × '.join(map(str, size_due))}: choose other weights, or"
                " leave it out"
            )


def check_beside_drawn(
    own: UserMatrices, weights: str, d_model: int, n_heads: int, d_k: int, d_v: int
) -> None:
    """No more columns than rows can be orthonormal, weightless layers have identity matrices beside
    the user's own, and no control changes a width that an own matrix decides. Raises: ShapeError.
    """
    for size, width, alone in (("d_k", d_k, ("w_q", "w_k")), ("d_v", d_v, ("w_v",))):
        cause = own.deciding(size)
        is_beside = weights == "weightless" and not own.given.keys() >= set(alone)
        if is_beside and cause and width * n_heads != d_model:
            raise ShapeError(
                f"{cause}, but weightless layers have the identity beside it, {d_model} ×"
                f" {d_model}: choose other weights, give"
                f" {' and '.join(ALL_SYMBOLS[name] for name in alone)}"
                f"{' in one NPZ file' * (len(alone) > 1)}, or leave it out"
            )
        if weights == "orthonormal" and cause and width > d_model:
            raise ShapeError(
                f"{cause}, which makes {size} = {width} with {counted(n_heads, 'head')}, but"
                f" an orthonormal head is at most as wide as the inputs, {d_model}: choose"
                f" other weights, make all heads together at most {n_heads * d_model}"
                " wide, or leave it out"
            )


def check_residual(residual: bool, d_in: int, d_out: int) -> None:
    """A layer may make an output to which the inputs cannot be added. Raises: ShapeError."""
    if residual and d_in != d_out:
        raise ShapeError(
            f"Residual adds the inputs, {d_in} wide, to an output that is {d_out} wide: switch"
            f" Residual off, or take a W_O with {counted(d_in, 'column')}, as many as X has: the"
            " controls Output matrix and Output width d_o make one"
        )
