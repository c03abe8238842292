"""The widgets of the convolution laboratory: picture, kernel, sharpness, padding, and the pixel
that is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from attention_core.cache import cached
from attention_core.checks import Array
from attention_lab.labs.convolution import error_curve, expected_error
from attention_lab.labs.convolution_heads import signed_patterns
from attention_lab.labs.images import IMAGES, KERNELS, as_image, as_kernel
from attention_lab.labs.padding import PADDINGS, token_grid

from ..url_state import KEPT, bound, choose_one, pin_places, pinned
from .picture_upload import from_file
from .typed_tables import drawn, own_kernel

SHARPNESSES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 20.0, 30.0, 40.0, 60.0, 80.0)
OWN, DRAWN, FILE = "own", "drawn", "file"
LAWS = {
    "nothing": "expected: 4 e^−α × range × Σ|kernel|",
    "frame": "expected: 4 e^−α × range × Σ|kernel|",
    "sink": "expected: e^(−α/2) × range × Σ|kernel|",
    "circular": "expected: 2 Σ e^(−α (1 − cos 2π/side)) × range × Σ|kernel|",
}
Rows = tuple[tuple[float, ...], ...]


def setup() -> tuple[Array, Array, float, str]:
    """Draw all choices; give picture (H, W, 1), kernel (K, K, 1, 1), sharpness and padding."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        image = bound(
            st.selectbox,
            "Picture",
            (*IMAGES, DRAWN, FILE),
            1,
            required=True,
            width=150,
            **_about("image"),
        )
        kernel = bound(
            st.selectbox, "Kernel", (*KERNELS, OWN), required=True, width=150, **_about("kernel")
        )
        padding = choose_one(
            "Beyond the edge",
            PADDINGS,
            "frame",
            **_about("padding"),
            help="\n\n".join(f"**{name}**: {one.says}" for name, one in PADDINGS.items()),
        )
        sharpness = bound(
            st.select_slider,
            "Sharpness α of the heads",
            SHARPNESSES,
            4.0,
            width=260,
            **_about("sharpness"),
            help="A head’s score is −α times the squared distance from where it looks.",
        )
    # Empty columns would take room from the picture.
    return *_matrices(str(image), str(kernel)), float(sharpness), str(padding)


def _matrices(image: str, kernel: str) -> tuple[Array, Array]:
    """Picture and kernel, with a table or a file where they are the visitor's own."""
    has_tables = image in (DRAWN, FILE) or kernel == OWN
    left, right = st.columns(2) if has_tables else (st.container(), st.container())
    with left:
        picture = drawn() if image == DRAWN else from_file() if image == FILE else IMAGES[image]
    with right:
        numbers = as_kernel(own_kernel() if kernel == OWN else KERNELS[kernel])
    return as_image(picture), numbers


def pixel(picture: Array) -> tuple[int, int]:
    """The pixel that was clicked last; at first one near the middle."""
    row, column = pinned(
        "conv_pixel", "Pixel", "3-3", picture.shape[:2], "A pixel is two whole numbers such as 3-4"
    )
    return row, column


def pin(array: str, index: Sequence[int]) -> None:
    """Look at the clicked pixel; for the callback of the board."""
    pin_places("conv_pixel", *index[:2])


@cached
def curve(picture: Rows, kernel: Rows, padding: str) -> tuple[list[float], list[float]]:
    """The largest error at every sharpness, and the one that theory expects."""
    errors = error_curve(picture, kernel, SHARPNESSES, padding).tolist()
    return errors, [
        expected_error(picture, kernel, sharpness, padding) for sharpness in SHARPNESSES
    ]


def as_rows(matrix: Array) -> Rows:
    """A matrix of one channel as plain numbers, which a cache can keep."""
    return tuple(tuple(row) for row in matrix.reshape(matrix.shape[:2]).tolist())


def two_sizes(kernel: Array, picture: Array, padding: str) -> list[float]:
    """The sums of the kernel's positive and of its negative numbers: what W_O makes of the two
    heads.
    """
    height, width = picture.shape[:2]
    grid = token_grid(padding, height, width, reach=kernel.shape[0] // 2)
    sizes: list[float] = signed_patterns(kernel[..., 0, 0], grid)[1].tolist()
    return sizes


def _about(name: str) -> dict[str, Any]:
    return {"key": f"conv_{name}", **KEPT}
