"""Pictures of the usual kinds as grey numbers, decoded by Pillow, which Streamlit brings along.

Nothing in a file is believed: its size is read from its header, and refused, before a pixel is
decoded.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from PIL import Image

from attention_core.checks import Array
from attention_core.errors import FileError
from attention_lab.labs import luminance
from attention_lab.labs.picture_file import KINDS as PLAIN
from attention_lab.labs.picture_file import MAX_SIDE, check_bytes, check_sides, read_picture
from attention_lab.labs.picture_notes import (
    gif_without_notes,
    jpeg_without_notes,
    orientation,
    png_without_notes,
    upright,
)

# The ending of a file's name and what Pillow calls its kind.
DECODED = {"png": "PNG", "jpg": "JPEG", "jpeg": "JPEG", "gif": "GIF", "bmp": "BMP", "webp": "WEBP"}
_WITHOUT_NOTES = {"JPEG": jpeg_without_notes, "PNG": png_without_notes, "GIF": gif_without_notes}
_BEGINNINGS = {
    "PNG": rb"\x89PNG\r\n\x1a\n",
    "JPEG": rb"\xff\xd8\xff",
    "GIF": rb"GIF8[79]a",
    "BMP": rb"BM",
    "WEBP": rb"RIFF.{4}WEBP",
}
DAMAGED = "The picture is damaged or cut off: save it again"
KINDS = (*DECODED, *PLAIN)
# Photographs may be this large: JPEG alone can be decoded at a half or a quarter of its size.
MAX_PHOTOGRAPH_SIDE = 4096
# A progressive JPEG paints the whole picture with each scan, and eight megabytes hold 600,000 of
# them; ten are usual.
MOST_PAINTED = 500 * MAX_SIDE**2
_BEGIN_SCAN = b"\xff\xda"
# What Pillow calls pictures of 16 bits, and how NumPy reads their pixels.
_DEEP = {"I;16": "<u2", "I;16B": ">u2", "I": "=i4"}
# Samples of a PNG that Pillow makes 8 bits of, by its name for them, and the same for the
# transparent one, which it leaves as it is. Of 16 bits the lower 8 are lost, so that colours like
# the transparent one go with it.
_MADE_8_BITS: dict[str, Callable[[Any], Any]] = {
    "L;2": lambda grey: (grey & 3) * 85,
    "L;4": lambda grey: (grey & 15) * 17,
    "RGB;16B": lambda colour: tuple(part >> 8 for part in colour),
}


def read_any_picture(data: bytes, file_name: str) -> Array:
    """The pixels of a picture, 0 black and 1 white unless it is CSV or NPY, whose numbers are taken
    as they stand.

    Colours become their luminance, what is transparent lies on white, a photograph stands upright,
    and of an animation the first picture is taken. The file's name decides how it is read; it is
    never used as a path.
    Shapes: (height, width). Raises: FileError, ShapeError.
    """
    kind = PurePath(file_name).suffix.lower().removeprefix(".")
    if kind in PLAIN:
        return read_picture(data, file_name)
    if kind not in DECODED:
        raise FileError(
            f"A picture may be a file of kind {', '.join(KINDS)}, but this one is {kind[:8]!r}:"
            " save it as PNG"
        )
    check_bytes(data)
    exif = b""
    if without_notes := _WITHOUT_NOTES.get(DECODED[kind]):
        data, exif = without_notes(data)
    picture = _decoded(data, kind)
    return upright(_grey(picture), orientation(exif or picture.info.get("exif", b"")))


def _decoded(data: bytes, kind: str) -> Image.Image:
    """The first picture of a file, in greys of 16 bits or in RGBA, its size checked before its
    pixels are made.
    """
    is_jpeg = DECODED[kind] == "JPEG"
    most = MAX_PHOTOGRAPH_SIDE if is_jpeg else MAX_SIDE
    try:
        picture = Image.open(io.BytesIO(data), formats=[DECODED[kind]])
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise FileError(
            f"The picture is huge, but 1 to {most:,} a side are read: choose another"
        ) from error
    except Exception as error:  # Pillow raises whatever its reader of a kind comes upon
        if re.match(_BEGINNINGS[DECODED[kind]], data, re.DOTALL):
            raise FileError(DAMAGED) from error
        raise FileError(
            f"The file is named {kind} but does not begin as {DECODED[kind]} does: give it the name"
            " of its kind"
        ) from error
    check_sides(picture.height, picture.width, most)
    if is_jpeg:
        _halve(picture, data.count(_BEGIN_SCAN))
    samples = str(picture.tile[0][3]) if picture.tile else ""  # loading forgets it
    try:
        picture.load()
        if samples in _MADE_8_BITS and "transparency" in picture.info:
            picture.info["transparency"] = _MADE_8_BITS[samples](picture.info["transparency"])
        return picture if picture.mode in _DEEP else picture.convert("RGBA")
    except Exception as error:
        raise FileError(DAMAGED) from error


def _halve(picture: Image.Image, n_scans: int) -> None:
    """Have a photograph decoded at a half or a quarter of its size, as far as need be. Raises:
    FileError.
    """
    width, height = picture.size
    if n_scans * height * width > MOST_PAINTED:
        raise FileError(
            f"The picture is painted in {n_scans:,} scans: save it again without “progressive”"
        )
    times = 1 << (-(-max(height, width) // MAX_SIDE) - 1).bit_length()
    picture.draft(None, (max(1, width // times), max(1, height // times)))


def _grey(picture: Image.Image) -> Array:
    if kind := _DEEP.get(picture.mode):
        hidden = picture.info.get("transparency")
        return luminance.of_deep_greys(
            picture.tobytes(), picture.height, picture.width, kind=kind, hidden=hidden
        )
    return luminance.of_colours(picture.tobytes(), picture.height, picture.width)
