"""A link as a QR code, which phones read from a screen or from paper."""

import segno

BORDER = 4  # modules of white around the code, which the standard asks for


def qr_code(link: str, title: str) -> str:
    """The QR code of a link as SVG, dark on white in both themes. title: what readers hear.

    >>> qr_code("http://localhost:8501/class", "Join the class").startswith("<svg")
    True
    """
    code = segno.make(link, error="m", micro=False)
    return code.svg_inline(border=BORDER, scale=8, light="#fff", title=title, omitsize=True)
