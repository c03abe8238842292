"""A scene written as JSON text, for hand-outs, and as one byte string, for the app."""

import base64
import json

from .payload import JSON


def scene_to_text(scene: JSON) -> str:
    """A scene as JSON text, its bytes as base64.

    Raises: TypeError or ValueError for values that JSON cannot hold.

    >>> scene_to_text({"data": b"light work"})
    '{"data": "bGlnaHQgd29yaw=="}'
    """
    return json.dumps(
        scene, allow_nan=False, default=lambda part: base64.b64encode(_checked(part)).decode()
    )


def scene_to_bytes(scene: JSON) -> bytes:
    r"""A scene as one byte string: four bytes with the length of the JSON text, the text, and then
    all parts that are bytes.

    The text holds [start, length] of each part, counted from the end of the text. Text and parts
    begin at multiples of four. Raises: TypeError or ValueError for values that JSON cannot hold.

    >>> scene_to_bytes({"data": b"light work"})
    b'\x10\x00\x00\x00{"data":[0,10]} light work'
    """
    parts = bytearray()

    def placed(part: object) -> tuple[int, int]:
        parts.extend(bytes(-len(parts) % 4))
        start = len(parts)
        parts.extend(_checked(part))
        return start, len(parts) - start

    # As ASCII, which can hold half a character. Escapes are 32 of 6000 bytes in a story's scene.
    text = json.dumps(scene, allow_nan=False, default=placed, separators=(",", ":")).encode("ascii")
    text += b" " * (-len(text) % 4)
    return len(text).to_bytes(4, "little") + text + parts


def _checked(part: object) -> bytes:
    """Bytes as they are. Arrays are refused: their memory would be sent without a word."""
    if isinstance(part, bytes):
        return part
    raise TypeError(
        f"a scene holds plain values and bytes, not {type(part).__name__}; pack arrays, convert"
        " numbers"
    )
