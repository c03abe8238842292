"""Matrices as one text for a URL or a JSON file: exact, compressed, and safe to read from
strangers.
"""

from __future__ import annotations

import base64
import math
import re
import zlib
from collections.abc import Mapping

import numpy as np

from attention_core.checks import Array
from attention_core.errors import FileError

from .matrix_names import ALL_SYMBOLS, MAX_MATRIX_BYTES, check_matrix_shape

_MAX_BYTES = MAX_MATRIX_BYTES + 200
_ENTRY = re.compile(rf"({'|'.join(ALL_SYMBOLS)}) (\d{{1,4}}) (\d{{1,4}})", re.ASCII)
# A longer text fits no URL. For a layer 384 wide the best compression takes 6 s, level 3 0.2 s.
_MAX_TIGHT_BYTES = 2**18
_AGAIN = "load your matrices, or your state file, again"


def pack(matrices: Mapping[str, Array]) -> str:
    """Names and shapes (a bias is one row), then every number as float64, compressed, as letters,
    digits, "-" and "_".

    1500 numbers take 900 characters if they are -1, 0 or 1, 4300 with two decimals, 6100 with
    three, 15,000 at random. No text begins with ".": base64 has no such letter.

    >>> unpack(pack({"w_q": np.array([[0.1, -2.0]])}))["w_q"].tolist()
    [[0.1, -2.0]]
    """
    if not matrices:
        return ""
    shapes = {name: np.atleast_2d(matrix).shape for name, matrix in matrices.items()}
    head = ";".join(f"{name} {rows} {columns}" for name, (rows, columns) in shapes.items())
    numbers = b"".join(matrix.astype("<f8").tobytes() for matrix in matrices.values())
    level = 9 if len(numbers) <= _MAX_TIGHT_BYTES else 3
    return (
        base64.urlsafe_b64encode(zlib.compress(head.encode() + b"\n" + numbers, level))
        .rstrip(b"=")
        .decode()
    )


def unpack(text: str) -> dict[str, Array]:
    """The matrices in such a text, to the last bit. Raises: FileError, ShapeError.

    However much a text would unpack to, at most the bytes of the largest matrices are unpacked.
    """
    if not text:
        return {}
    head, _, numbers = _inflated(text).partition(b"\n")
    matrices: dict[str, Array] = {}
    offset = 0
    for entry in head.decode("latin-1").split(";"):
        match = _ENTRY.fullmatch(entry)
        if not match or match[1] in matrices:
            raise FileError(f"The text of your matrices is damaged at {entry[:40]!r}; {_AGAIN}")
        name, shape = match[1], (int(match[2]), int(match[3]))
        check_matrix_shape(name, shape)
        end = offset + 8 * math.prod(shape)
        matrices[name] = np.frombuffer(
            numbers[offset:end].ljust(end - offset, b"\0"), "<f8"
        ).reshape(shape)
        offset = end
    if offset != len(numbers):
        raise FileError(
            f"The text of your matrices holds {len(numbers):,} bytes of numbers, not {offset:,};"
            f" {_AGAIN}"
        )
    return matrices


def _inflated(text: str) -> bytes:
    """The unpacked bytes of a text, at most those of the largest matrices."""
    if len(text) > 1.4 * _MAX_BYTES:
        raise FileError(
            f"The text of your matrices has {len(text):,} characters, more than the largest"
            f" matrices need; {_AGAIN}"
        )
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        reader = zlib.decompressobj()
        inflated = reader.decompress(packed, _MAX_BYTES)
    except (ValueError, zlib.error) as error:
        raise FileError(f"The text of your matrices is damaged; {_AGAIN}") from error
    if reader.unconsumed_tail:
        raise FileError(
            f"The text of your matrices unpacks to more than {_MAX_BYTES:,} bytes; {_AGAIN}"
        )
    if not reader.eof or reader.unused_data:
        raise FileError(f"The text of your matrices is cut off or goes on too long; {_AGAIN}")
    return inflated
