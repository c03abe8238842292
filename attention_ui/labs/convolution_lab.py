"""The widgets of the convolution laboratory: picture, kernel, sharpness, padding, and the pixel
that is looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import streamlit as st

from attention_core import AttentionError, SettingsError
from attention_core.checks import Array
from attention_lab.labs.convolution import error_curve, expected_error
from attention_lab.labs.convolution_heads import signed_patterns
from attention_lab.labs.images import IMAGES, KERNELS, MAX_SIDE, as_image, as_kernel, shrink_image
from attention_lab.labs.padding import PADDINGS, token_grid
from attention_lab.labs.picture_file import MAX_BYTES

from ..address import KEPT, adopt, bound, mirror
from ..markdown import plain
from ..one_of import one_of
from ..places import pin_places, pinned
from .decoded_pictures import KINDS, read_any_picture

SHARPNESSES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 20.0, 30.0, 40.0, 60.0, 80.0)
OWN, DRAWN, FILE = "own", "drawn", "file"
READ, LAST = (
    "conv read",
    "conv last",
)  # in the session: the file read last and what is wrong with it; the last picture
FIRST_KERNEL = "0 1 0, 1 -4 1, 0 1 0"
FIRST_DRAWING = "00099000-00900900-00900900-09000090-09999990-09000090-09000090-00000000"
LAWS = {
    "nothing": "expected: 4 e^−α × range × Σ|kernel|",
    "frame": "expected: 4 e^−α × range × Σ|kernel|",
    "sink": "expected: e^(−α/2) × range × Σ|kernel|",
    "circular": "expected: 2 Σ e^(−α (1 − cos 2π/side)) × range × Σ|kernel|",
}
MOST_LETTERS = 300  # nine numbers of 24 letters each, and what stands between
Rows = tuple[tuple[float, ...], ...]
LARGEST_FILE = MAX_BYTES // 2**20  # MB


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
        padding = one_of(
            "Beyond the edge",
            PADDINGS,
            "frame",
            **_about("padding"),
            help="\n\n".join(f"**{name}**: {padding.says}" for name, padding in PADDINGS.items()),
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
    left, right = st.columns(2)
    with left:
        picture = (
            _drawn() if image == DRAWN else _from_file() if image == FILE else IMAGES[str(image)]
        )
    with right:
        numbers = as_kernel(_own_kernel() if kernel == OWN else KERNELS[str(kernel)])
    return as_image(picture), numbers, float(sharpness), str(padding)


def pixel(picture: Array) -> tuple[int, int]:
    """The pixel that was clicked last; at first one near the middle."""
    row, column = pinned(
        "conv_pixel", "Pixel", "3-3", picture.shape[:2], "A pixel is two whole numbers such as 3-4"
    )
    return row, column


def pin(array: str, index: Sequence[int]) -> None:
    """Look at the clicked pixel; for the callback of the board."""
    pin_places("conv_pixel", *index[:2])


@lru_cache(maxsize=64)
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
    grid = token_grid(padding, *picture.shape[:2], reach=kernel.shape[0] // 2)
    sizes: list[float] = signed_patterns(kernel[..., 0, 0], grid)[1].tolist()
    return sizes


def _own_kernel() -> Array:
    """A table of 3 × 3 numbers; what is typed goes to the address."""
    adopt("conv_own", "Own kernel", FIRST_KERNEL, _read_kernel)
    mirror("conv_own", FIRST_KERNEL)
    text = st.session_state["conv_own"]
    key, begun = _table("kernel", text)
    rows = [row.split() for row in begun.split(",")]
    columns = {name: [row[place] for row in rows] for place, name in enumerate(("←", "·", "→"))}
    st.caption("Own kernel: type numbers.")
    st.data_editor(
        columns,
        key=key,
        on_change=_kernel_changed,
        args=(key, _kernel_at(begun)),
        hide_index=True,
        width=300,
        alt="Own kernel",
    )
    if refused := st.session_state.pop("conv refused", ""):
        st.error(plain(refused))
    return _kernel_at(text)


def _kernel_changed(key: str, numbers: Array) -> None:
    """Take over the typed numbers; what is none is refused with a sentence, and the table
    starts anew.
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


def _drawn() -> list[list[float]]:
    """A table of 8 × 8 whole numbers from 0 (black) to 9 (white)."""
    adopt("conv_drawn", "Own picture", FIRST_DRAWING, lambda text: _drawing_at(text) and text)
    mirror("conv_drawn", FIRST_DRAWING)
    text = st.session_state["conv_drawn"]
    key, begun = _table("drawing", text)
    numbers = _drawing_at(begun)
    config = {
        str(column): st.column_config.NumberColumn(min_value=0, max_value=9, step=1, width=38)
        for column in range(8)
    }
    st.caption("Own picture: 0 is black, 9 is white.")
    st.data_editor(
        {str(column): [row[column] for row in numbers] for column in range(8)},
        key=key,
        on_change=_drawing_changed,
        args=(key, numbers),
        hide_index=True,
        column_config=config,
        height=318,
        width=360,
        alt="Own picture",
    )
    return [[digit / 9 for digit in row] for row in _drawing_at(text)]


def _drawing_changed(key: str, numbers: list[list[int]]) -> None:
    drawn = [list(row) for row in numbers]
    changed: Mapping[int, Mapping[str, Any]] = st.session_state[key]["edited_rows"]
    for row, cells in changed.items():
        for column, value in cells.items():
            drawn[int(row)][int(column)] = 0 if value is None else int(min(9, max(0, value)))
    st.session_state["conv_drawn"] = text = "-".join("".join(map(str, row)) for row in drawn)
    as_typed = all(
        drawn[int(row)][int(column)] == cells[column]
        for row, cells in changed.items()
        for column in cells
    )
    st.session_state[f"{key} shows"] = text if as_typed else ""


def _table(name: str, text: str) -> tuple[str, str]:
    """The key of a table to type in, and the text it began with; it begins anew only where it shows
    another than this.

    A new table drops the keyboard's place, and what is typed while it comes.
    """
    number, begun = st.session_state.get(f"conv {name}", (0, text))
    key = f"conv {name} {number}"
    if key not in st.session_state or st.session_state.pop(f"{key} shows", begun) != text:
        number, begun = number + 1, text
    st.session_state[f"conv {name}"] = number, begun
    key = f"conv {name} {number}"
    st.session_state[f"{key} shows"] = text
    return key, begun


def _from_file() -> Array:
    """A small picture of the visitor's: the one read last, whatever became of its file; until
    there is one the disc.
    """
    file = st.file_uploader(
        "A picture: PNG, JPEG, GIF, BMP, WebP, PGM, CSV or NPY",
        list(KINDS),
        key="conv file",
        max_upload_size=LARGEST_FILE,
        help=(
            f"Colours become grey. It is shrunk to at most {MAX_SIDE} × {MAX_SIDE} pixels, since"
            " each is a token; it stays in this visit and is not in the address."
        ),
    )
    if file is None:  # also for a moment before another one, and on every return to the page
        st.session_state.pop(READ, None)
    elif (
        st.session_state.get(READ, ("",))[0] != file.file_id
    ):  # decoding takes up to a second, and every click runs it
        st.session_state[READ] = file.file_id, _fault_of(file.getvalue(), file.name)
    last: Array | None = st.session_state.get(LAST)
    if file is None:
        st.caption(
            "Until a file is chosen the disc is shown."
            if last is None
            else "The picture read last is shown."
        )
    elif fault := st.session_state[READ][1]:
        st.error(plain(fault), icon=":material/error:")
        st.caption(f"So {'the disc' if last is None else 'the earlier picture'} is shown.")
    return IMAGES["disc"] if last is None else last


def _fault_of(data: bytes, name: str) -> str:
    """Keep the picture in a file as the last one; or say what is wrong with it."""
    try:
        st.session_state[LAST] = as_image(shrink_image(read_any_picture(data, name)))
    except AttentionError as error:
        return str(error)
    return ""


def _kernel_at(text: str) -> Array:
    numbers: Array = as_kernel([row.split() for row in text.split(",")])[..., 0, 0]
    if len(numbers) != 3:
        raise SettingsError(
            "A kernel in the address has three rows of three numbers, so the kernel shown stays"
        )
    return numbers


def _kernel_text(numbers: Array) -> str:
    """The shortest text that reads back as the same numbers."""
    return ", ".join(
        " ".join(repr(number).removesuffix(".0") for number in row) for row in numbers.tolist()
    )


def _read_kernel(given: str) -> str:
    if len(given) > MOST_LETTERS:
        raise SettingsError("The kernel in the address is too long, so the kernel shown stays")
    return _kernel_text(_kernel_at(given))


def _drawing_at(text: str) -> list[list[int]]:
    rows = text.split("-")
    if len(rows) != 8 or not all(len(row) == 8 and row.isascii() and row.isdigit() for row in rows):
        raise SettingsError("A picture is eight rows of eight digits, so the picture shown stays")
    return [[int(digit) for digit in row] for row in rows]


def _about(name: str) -> dict[str, Any]:
    return {"key": f"conv_{name}", **KEPT}
