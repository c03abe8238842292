"""A picture from a file that the visitor uploads; it stays in the session."""

from __future__ import annotations

import streamlit as st
from streamlit.typing import UploadedFile

from attention_core import AttentionError
from attention_core.checks import Array
from attention_lab.labs.images import IMAGES, MAX_IMAGE_SIDE, shrink_image
from attention_lab.labs.picture_file import MAX_PICTURE_BYTES

from ..markdown import escape_markdown
from ..upload_limits import check_upload
from .decoded_pictures import PICTURE_ENDINGS, read_any_picture

# Keys of the session: the file read last with its error message; the last good picture.
READ_FILE_KEY, LAST_PICTURE_KEY = "conv read", "conv last"
MAX_PICTURE_MB = MAX_PICTURE_BYTES // 2**20  # MB


def upload_picture() -> Array:
    """The last picture that was read without an error, made small; before the first one the disc.

    It stays when its file is removed or another file is refused.
    """
    file = st.file_uploader(
        "A picture: PNG, JPEG, GIF, BMP, WebP, PGM, CSV or NPY",
        list(PICTURE_ENDINGS),
        key="conv file",
        max_upload_size=MAX_PICTURE_MB,
        help=(
            f"Colours become grey. The picture is shrunk to at most {MAX_IMAGE_SIDE} ×"
            f" {MAX_IMAGE_SIDE} pixels, since each pixel is a token. It stays until you leave and"
            " is not in the URL."
        ),
    )
    if file is None:  # also for a moment before another file, and on every return to the page
        st.session_state.pop(READ_FILE_KEY, None)
    elif (
        st.session_state.get(READ_FILE_KEY, ("",))[0] != file.file_id
    ):  # decoding takes up to a second, and every click runs it
        st.session_state[READ_FILE_KEY] = file.file_id, _error_of(file)
    last: Array | None = st.session_state.get(LAST_PICTURE_KEY)
    shown, name = last, "the last picture that could be read"
    if shown is None:
        shown, name = IMAGES["disc"], "the disc"
    if file is None:
        st.caption(f"Picture shown: {name}.")
    elif error := st.session_state[READ_FILE_KEY][1]:
        st.error(escape_markdown(error), icon=":material/error:")
        st.caption(f"Picture shown: {name}.")
    return shown


def _error_of(file: UploadedFile) -> str:
    """Keep the picture of a file as the last one; the error message if it cannot be read."""
    try:
        check_upload(file)
        picture = read_any_picture(file.getvalue(), file.name)
        st.session_state[LAST_PICTURE_KEY] = shrink_image(picture)
    except AttentionError as error:
        return str(error)
    return ""
