"""The widgets of the page *Convolution*: picture, kernel, sharpness, padding, and the chosen pixel,
with the texts of each choice; a table for a kernel that the visitor types, which the URL holds as
text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from attention_core import AttentionError, SettingsError
from attention_core.checks import Array
from attention_lab.cache import cached
from attention_lab.labs.convolution import error_curve, expected_error
from attention_lab.labs.convolution_heads import PADDINGS, signed_patterns, token_grid
from attention_lab.labs.images import IMAGES, KERNELS, as_image, as_kernel
from attention_viz.markdown import escape_markdown

from ..url_state import (
    PERSISTENCE,
    cell_places,
    choose_one,
    draw_bound,
    restore,
    set_places,
    write_to_url,
)

SHARPNESSES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 20.0, 30.0, 40.0, 60.0, 80.0)
OWN_KERNEL = "own"
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
FIRST_KERNEL = "0 1 0, 1 -4 1, 0 1 0"
MAX_KERNEL_CHARACTERS = 300  # nine numbers of up to 24 characters, with spaces and commas


def choose_convolution() -> tuple[Array, Array, float, str]:
    """Draw all widgets; return picture (H, W, 1), kernel (K, K, 1, 1), sharpness and padding."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        image = draw_bound(
            st.selectbox,
            "Picture",
            tuple(IMAGES),
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
    numbers = edit_kernel() if kernel == OWN_KERNEL else KERNELS[kernel]
    return as_image(IMAGES[image]), as_kernel(numbers), float(sharpness), str(padding)


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


def edit_kernel() -> Array:
    """A table of 3 × 3 numbers; the URL holds them."""
    restore("conv_own", "Own kernel", FIRST_KERNEL, _read_kernel)
    write_to_url("conv_own", FIRST_KERNEL)
    text = st.session_state["conv_own"]
    key, first_text = _table(text)
    rows = [row.split() for row in first_text.split(",")]
    columns = {name: [row[place] for row in rows] for place, name in enumerate(("←", "·", "→"))}
    st.caption("Own kernel: type numbers.")
    st.data_editor(
        columns,
        key=key,
        on_change=_kernel_changed,
        args=(key, _parse_kernel(first_text)),
        hide_index=True,
        width=300,
        alt="Own kernel",
    )
    if error := st.session_state.pop("conv refused", ""):
        st.error(escape_markdown(error))
    return _parse_kernel(text)


def _kernel_changed(key: str, numbers: Array) -> None:
    """Read the typed numbers. Text that is not a number gives an error message, and the table
    shows the old numbers again.
    """
    rows: list[list[object]] = numbers.tolist()
    changed: Mapping[int, Mapping[str, Any]] = st.session_state[key]["edited_rows"]
    for row, cells in changed.items():
        for column, value in cells.items():
            rows[int(row)]["←·→".index(column)] = (
                None if value is None else str(value).replace(",", ".")
            )
    st.session_state[f"{key} shows"] = ""
    try:
        st.session_state["conv_own"] = text = _kernel_text(as_kernel(rows)[..., 0, 0])
    except AttentionError as error:
        st.session_state["conv refused"] = str(error)
        return
    kept = [part.split() for part in text.split(",")]
    if all(
        kept[int(row)]["←·→".index(column)] == value
        for row, cells in changed.items()
        for column, value in cells.items()
    ):
        st.session_state[f"{key} shows"] = text


def _table(text: str) -> tuple[str, str]:
    """The key of a table and the text with which it was created. A new table is created only if
    the old one does not show `text`.

    A new table loses the focus of the keyboard and what is typed while it appears.
    """
    number, first_text = st.session_state.get("conv kernel", (0, text))
    key = f"conv kernel {number}"
    if key not in st.session_state or st.session_state.pop(f"{key} shows", first_text) != text:
        number, first_text = number + 1, text
    st.session_state["conv kernel"] = number, first_text
    key = f"conv kernel {number}"
    st.session_state[f"{key} shows"] = text
    return key, first_text


def _parse_kernel(text: str) -> Array:
    numbers: Array = as_kernel([row.split() for row in text.split(",")])[..., 0, 0]
    return numbers


def _kernel_text(numbers: Array) -> str:
    """The shortest text that reads back as the same numbers."""
    return ", ".join(
        " ".join(repr(number).removesuffix(".0") for number in row) for row in numbers.tolist()
    )


def _read_kernel(text: str) -> str:
    if len(text) > MAX_KERNEL_CHARACTERS:
        raise SettingsError(
            f"A kernel in the URL may have {MAX_KERNEL_CHARACTERS} characters: the kernel shown"
            " stays"
        )
    return _kernel_text(_parse_kernel(text))
