"""Whether the user's own matrices fit the weights beside them in a scenario."""

from __future__ import annotations

from attention_core.errors import ShapeError

from .matrix_names import ALL_SYMBOLS, BIAS_SYMBOLS
from .user_matrices import UserMatrices


def check_beside_trained(own: UserMatrices, width: int) -> None:
    """A matrix beside trained weights must have their sizes, which cannot change. Raises:
    ShapeError.
    """
    for name, matrix in own.arrays.items():
        rows = len(matrix) if name == "x" else width
        expected = (width,) if name in BIAS_SYMBOLS else (rows, width)
        if matrix.shape != expected:
            needed = ("tokens", width) if name == "x" else expected
            raise ShapeError(
                f"{ALL_SYMBOLS[name]} is {' × '.join(map(str, matrix.shape))}, but in a trained"
                f" layer it must be {' × '.join(map(str, needed))}: choose other weights, or"
                " leave it out"
            )


def check_beside_drawn(
    own: UserMatrices, weights: str, d_model: int, n_heads: int, d_k: int, d_v: int
) -> None:
    """No more columns than rows can be orthonormal. Weightless layers have identity matrices beside
    the user's own, whose width no control changes. Raises: ShapeError.
    """
    for size, width, alone, names in (
        ("d_k", d_k, {"w_q", "w_k"}, "W_Q and W_K in one NPZ file"),
        ("d_v", d_v, {"w_v"}, "W_V"),
    ):
        cause = own.cause_of(size)
        is_beside = weights == "weightless" and not own.arrays.keys() >= alone
        if is_beside and cause and width * n_heads != d_model:
            raise ShapeError(
                f"The other matrices of a weightless layer are identities, {d_model} × {d_model},"
                f" which do not fit ({cause}): choose other weights, load {names}, or leave it out"
            )
        if weights == "orthonormal" and cause and width > d_model:
            raise ShapeError(
                f"{size} is {width} ({cause}, heads: {n_heads}), but an orthonormal head is at most"
                f" as wide as the inputs, {d_model}: choose other weights, make all heads together"
                f" at most {n_heads * d_model} wide, or leave it out"
            )


def check_residual(residual: bool, d_in: int, d_out: int) -> None:
    """The residual connection needs an output as wide as the inputs. Raises: ShapeError."""
    if residual and d_in != d_out:
        raise ShapeError(
            f"Residual adds the inputs, {d_in} wide, to an output that is {d_out} wide: switch"
            f" Residual off, or use a W_O with {d_in} columns. The controls Output matrix and"
            " Output width d_o make one"
        )
