"""A picture from a file that the visitor uploads, as grey numbers; it stays in the session.

Pillow, on which Streamlit depends, decodes it. No file is trusted: its size is read from its header
and checked before a pixel is decoded.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

import streamlit as st
from PIL import Image
from streamlit.typing import UploadedFile

from attention_core import AttentionError
from attention_core.checks import Array
from attention_core.errors import FileError
from attention_lab.labs.images import IMAGES, MAX_IMAGE_SIDE, shrink_image
from attention_lab.labs.picture_file import (
    MAX_PICTURE_BYTES,
    MAX_PICTURE_SIDE,
    PICTURE_KINDS,
    check_file_size,
    check_picture_size,
    gif_without_metadata,
    grey_luminance,
    jpeg_without_metadata,
    orientation,
    png_without_metadata,
    read_picture,
    rgba_luminance,
    upright,
)
from attention_viz.markdown import escape_markdown

from ..upload_limits import check_upload

# The ending of a file's name and what Pillow calls its kind.
PILLOW_FORMATS = {
    "png": "PNG",
    "jpg": "JPEG",
    "jpeg": "JPEG",
    "gif": "GIF",
    "bmp": "BMP",
    "webp": "WEBP",
}
_WITHOUT_METADATA = {
    "JPEG": jpeg_without_metadata,
    "PNG": png_without_metadata,
    "GIF": gif_without_metadata,
}
_BEGINNINGS = {
    "PNG": rb"\x89PNG\r\n\x1a\n",
    "JPEG": rb"\xff\xd8\xff",
    "GIF": rb"GIF8[79]a",
    "BMP": rb"BM",
    "WEBP": rb"RIFF.{4}WEBP",
}
DAMAGED_PICTURE = "The picture is damaged or cut off: save it again"
PICTURE_ENDINGS = (*PILLOW_FORMATS, *PICTURE_KINDS)
# Photographs may be this large: JPEG alone can be decoded at a half or a quarter of its size.
MAX_PHOTOGRAPH_SIDE = 4096
# A progressive JPEG paints the whole picture with each scan. Ten scans are usual, but eight
# megabytes can hold 600,000.
MAX_PAINTED_PIXELS = 500 * MAX_PICTURE_SIDE**2
_BEGIN_SCAN = b"\xff\xda"
# What Pillow calls pictures of 16 bits, and how NumPy reads their pixels.
_DEEP = {"I;16": "<u2", "I;16B": ">u2", "I": "=i4"}
# Pillow converts these samples of a PNG to 8 bits, but not the value that marks transparency.
# These functions do, by Pillow's name of the samples. Of 16 bits the lower 8 are lost, so colours
# that differ from the transparent one only there become transparent, too.
_MADE_8_BITS: dict[str, Callable[[Any], Any]] = {
    "L;2": lambda grey: (grey & 3) * 85,
    "L;4": lambda grey: (grey & 15) * 17,
    "RGB;16B": lambda colour: tuple(part >> 8 for part in colour),
}


def read_any_picture(data: bytes, file_name: str) -> Array:
    """The pixels of a picture, 0 black and 1 white. Numbers of CSV and NPY files stay unchanged.

    Colours become their luminance. Transparent pixels lie on white. A photograph is turned upright.
    Of an animation the first picture is read. The ending of the file's name decides how the file is
    read; the name is never used as a path.
    Shapes: (height, width). Raises: FileError, ShapeError.
    """
    kind = PurePath(file_name).suffix.lower().removeprefix(".")
    if kind in PICTURE_KINDS:
        return read_picture(data, file_name)
    if kind not in PILLOW_FORMATS:
        raise FileError(
            f"A picture may be a file of kind {', '.join(PICTURE_ENDINGS)}, but this one is"
            f" {kind[:8]!r}: save it as PNG"
        )
    check_file_size(data)
    exif = b""
    if without_metadata := _WITHOUT_METADATA.get(PILLOW_FORMATS[kind]):
        data, exif = without_metadata(data)
    picture = _decoded(data, kind)
    return upright(_grey(picture), orientation(exif or picture.info.get("exif", b"")))


def _decoded(data: bytes, kind: str) -> Image.Image:
    """The first picture of a file, in greys of 16 bits or in RGBA. Its size is checked before its
    pixels are decoded.
    """
    is_jpeg = PILLOW_FORMATS[kind] == "JPEG"
    most = MAX_PHOTOGRAPH_SIDE if is_jpeg else MAX_PICTURE_SIDE
    try:
        picture = Image.open(io.BytesIO(data), formats=[PILLOW_FORMATS[kind]])
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise FileError(
            f"The picture is too large: a side may have 1 to {most:,} pixels. Choose a smaller one"
        ) from error
    except Exception as error:  # the readers of Pillow raise many kinds of errors
        if re.match(_BEGINNINGS[PILLOW_FORMATS[kind]], data, re.DOTALL):
            raise FileError(DAMAGED_PICTURE) from error
        raise FileError(
            f"The file is named {kind} but its content is not {PILLOW_FORMATS[kind]}: give it the"
            " ending of its kind"
        ) from error
    check_picture_size(picture.height, picture.width, most)
    if is_jpeg:
        _halve(picture, data.count(_BEGIN_SCAN))
    samples = str(picture.tile[0][3]) if picture.tile else ""  # load() removes it
    try:
        picture.load()
        if samples in _MADE_8_BITS and "transparency" in picture.info:
            picture.info["transparency"] = _MADE_8_BITS[samples](picture.info["transparency"])
        return picture if picture.mode in _DEEP else picture.convert("RGBA")
    except Exception as error:
        raise FileError(DAMAGED_PICTURE) from error


def _halve(picture: Image.Image, n_scans: int) -> None:
    """Decode a photograph that is too large at half or a quarter of its size. Raises: FileError."""
    width, height = picture.size
    if n_scans * height * width > MAX_PAINTED_PIXELS:
        raise FileError(
            f"The JPEG has {n_scans:,} scans, too many to decode: save it again without the option"
            " “progressive”"
        )
    times = 1 << (-(-max(height, width) // MAX_PICTURE_SIDE) - 1).bit_length()
    picture.draft(None, (max(1, width // times), max(1, height // times)))


def _grey(picture: Image.Image) -> Array:
    if kind := _DEEP.get(picture.mode):
        hidden = picture.info.get("transparency")
        return grey_luminance(
            picture.tobytes(), picture.height, picture.width, kind=kind, hidden=hidden
        )
    return rgba_luminance(picture.tobytes(), picture.height, picture.width)


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
