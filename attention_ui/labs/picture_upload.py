"""A picture from a file of the visitor's, which stays in the session."""

from __future__ import annotations

import streamlit as st
from streamlit.typing import UploadedFile

from attention_core import AttentionError
from attention_core.checks import Array
from attention_lab.labs.images import IMAGES, MAX_SIDE, as_image, shrink_image
from attention_lab.labs.picture_file import MAX_BYTES

from ..markdown import plain
from ..upload_room import check_kept
from .decoded_pictures import KINDS, read_any_picture

# In the session: the file read last and what is wrong with it; the last picture.
READ, LAST = "conv read", "conv last"
LARGEST_FILE = MAX_BYTES // 2**20  # MB


def from_file() -> Array:
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
        st.session_state[READ] = file.file_id, _fault_of(file)
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


def _fault_of(file: UploadedFile) -> str:
    """Keep the picture in a file as the last one; or say what is wrong with it."""
    try:
        check_kept(file)
        picture = read_any_picture(file.getvalue(), file.name)
        st.session_state[LAST] = as_image(shrink_image(picture))
    except AttentionError as error:
        return str(error)
    return ""
