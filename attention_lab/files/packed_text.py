"""Bytes as a short text for a URL: compressed, then letters, digits, "-" and "_" (base64, RFC 4648,
section 5) without padding. Such a text may come from anybody.
"""

import base64
import re
import zlib

HEADLESS = -zlib.MAX_WBITS  # without zlib's header and checksum, six bytes shorter


def packed(data: bytes, level: int = 9, wbits: int = zlib.MAX_WBITS) -> str:
    """The text of these bytes. level: of the compression; wbits: `HEADLESS` or zlib's own.

    >>> unpacked(packed(b"the cat"), 99)
    b'the cat'
    """
    return base64.urlsafe_b64encode(zlib.compress(data, level, wbits)).rstrip(b"=").decode()


def unpacked(text: str, most: int, wbits: int = zlib.MAX_WBITS, lenient: bool = False) -> bytes:
    """The bytes in such a text, at most `most` - 1; no more than `most` are ever unpacked.

    lenient: whether other characters in it, and letters behind it, are passed over, as where a link
    was copied from a message.
    Raises: ValueError that says what is wrong, as the end of a sentence about the text.
    """
    reader = zlib.decompressobj(wbits)
    try:
        letters = re.sub(r"[^A-Za-z0-9_-]", "", text) if lenient else text
        pressed = base64.b64decode(letters + "=" * (-len(letters) % 4), b"-_", validate=True)
        data = reader.decompress(pressed, most)
    except (ValueError, zlib.error) as error:
        raise ValueError("is damaged") from error
    if reader.unconsumed_tail:
        raise ValueError(f"unpacks to more than {most:,} bytes")
    if not reader.eof or (reader.unused_data and not lenient):
        raise ValueError("is cut off or goes on too long")
    return data
