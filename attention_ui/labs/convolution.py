"""The widgets of the page *Convolution*: picture, kernel, sharpness, padding, and the chosen pixel,
with the texts of each choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from attention_core.checks import Array
from attention_lab.cache import cached
from attention_lab.labs.convolution import error_curve, expected_error
from attention_lab.labs.convolution_heads import signed_patterns
from attention_lab.labs.images import IMAGES, KERNELS, as_image, as_kernel
from attention_lab.labs.padding import PADDINGS, token_grid

from ..url_state import PERSISTENCE, cell_places, choose_one, draw_bound, set_places
from .picture_upload import upload_picture
from .typed_tables import edit_kernel, edit_picture

SHARPNESSES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 20.0, 30.0, 40.0, 60.0, 80.0)
OWN_KERNEL, DRAWN_PICTURE, PICTURE_FILE = "own", "drawn", "file"
ERROR_LABELS = {
    "nothing": "expected: 4 e^−α × range × Σ|kernel|",
    "frame": "expected: 4 e^−α × range × Σ|kernel|",
    "sink": "expected: e^(−α/2) × range × Σ|kernel|",
    "circular": "expected: 2 Σ e^(−α (1 − cos 2π/side)) × range × Σ|kernel|",
}
_SQUARED_DISTANCE = (
    "In 64-bit numbers the error falls to the size of rounding. The score is $-\\alpha\\,\\lVert"
    " p_j - (p_i + \\Delta)\\rVert^2$ plus a number that is the same for a whole row. Real matrices"
    " $W_Q$ and $W_K$ make it from the features 1, row, column, row² + column²."
)
# How the scores are made, by the padding.
SCORE_DESCRIPTIONS = {
    "nothing": _SQUARED_DISTANCE,
    "frame": _SQUARED_DISTANCE,
    "sink": _SQUARED_DISTANCE,
    "circular": (
        "The score is $\\alpha$ times the sum of two cosines of the angles between places on"
        " circles: one circle for the rows, one for the columns. Neighbours on a circle lie close"
        " together, so this needs a much larger $\\alpha$."
    ),
}
# What the single head compares, by the kind of its tokens.
COMPARISON_DESCRIPTIONS = {
    "raw": "Here W_Q W_Kᵀ = α·I.",
    "layer-normed": "Here W_Q W_Kᵀ = α·I.",
    "with positions": "Here W_Q W_Kᵀ is α·I on the positions and 0 elsewhere.",
}
Rows = tuple[tuple[float, ...], ...]


def choose_convolution() -> tuple[Array, Array, float, str]:
    """Draw all widgets; return picture (H, W, 1), kernel (K, K, 1, 1), sharpness and padding."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        image = draw_bound(
            st.selectbox,
            "Picture",
            (*IMAGES, DRAWN_PICTURE, PICTURE_FILE),
            1,
            required=True,
            width=150,
            **_key("image"),
        )
        kernel = draw_bound(
            st.selectbox,
            "Kernel",
            (*KERNELS, OWN_KERNEL),
            required=True,
            width=150,
            **_key("kernel"),
        )
        padding = choose_one(
            "Beyond the edge",
            PADDINGS,
            "frame",
            **_key("padding"),
            help="\n\n".join(f"**{name}**: {one.description}" for name, one in PADDINGS.items()),
        )
        sharpness = draw_bound(
            st.select_slider,
            "Sharpness α of the heads",
            SHARPNESSES,
            4.0,
            width=260,
            **_key("sharpness"),
            help="The score of a token is −α times its squared distance from where the head looks.",
        )
    return *_choose_matrices(str(image), str(kernel)), float(sharpness), str(padding)


def _choose_matrices(image: str, kernel: str) -> tuple[Array, Array]:
    """Picture and kernel, with a table or an upload for those of the visitor."""
    if image not in (DRAWN_PICTURE, PICTURE_FILE) and kernel != OWN_KERNEL:
        # Empty columns would take room from the picture.
        return as_image(IMAGES[image]), as_kernel(KERNELS[kernel])
    left, right = st.columns(2)
    with left:
        picture = _choose_picture(image)
    with right:
        numbers = _choose_kernel(kernel)
    return picture, numbers


def _choose_picture(image: str) -> Array:
    if image == DRAWN_PICTURE:
        return as_image(edit_picture())
    if image == PICTURE_FILE:
        return as_image(upload_picture())
    return as_image(IMAGES[image])


def _choose_kernel(kernel: str) -> Array:
    if kernel == OWN_KERNEL:
        return as_kernel(edit_kernel())
    return as_kernel(KERNELS[kernel])


def chosen_pixel(picture: Array) -> tuple[int, int]:
    """The pixel clicked last; before the first click one near the middle."""
    row, column = cell_places(
        "conv_pixel", "Pixel", "3-3", picture.shape[:2], "A pixel is two whole numbers such as 3-4"
    )
    return row, column


def pin_pixel(array: str, index: Sequence[int]) -> None:
    """Choose the clicked pixel; a callback of the board."""
    set_places("conv_pixel", *index[:2])


def errors_by_sharpness(
    picture: Array, kernel: Array, padding: str
) -> tuple[list[float], list[float]]:
    """The largest error at every sharpness, measured and expected by theory."""
    return _errors_by_sharpness(_as_rows(picture), _as_rows(kernel), padding)


@cached
def _errors_by_sharpness(
    picture: Rows, kernel: Rows, padding: str
) -> tuple[list[float], list[float]]:
    image, weights = as_image(picture), as_kernel(kernel)
    errors = error_curve(image, weights, SHARPNESSES, padding)
    return errors, [expected_error(image, weights, alpha, padding) for alpha in SHARPNESSES]


def _as_rows(matrix: Array) -> Rows:
    """A matrix of one channel as plain numbers, which a cache can use as a key."""
    return tuple(tuple(row) for row in matrix.reshape(matrix.shape[:2]).tolist())


def two_head_factors(kernel: Array, picture: Array, padding: str) -> list[float]:
    """The sum of the kernel's positive numbers and that of its negative numbers: the factors by
    which W_O multiplies the two heads.
    """
    height, width = picture.shape[:2]
    grid = token_grid(padding, height, width, reach=kernel.shape[0] // 2)
    sizes: list[float] = signed_patterns(kernel[..., 0, 0], grid)[1].tolist()
    return sizes


def _key(name: str) -> dict[str, Any]:
    return {"key": f"conv_{name}", **PERSISTENCE}
