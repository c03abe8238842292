"""How records show themselves in a notebook: a line for each array, or a small table."""

from collections.abc import Iterable, Sequence
from html import escape

from .checks import Array

TABLE_STYLE = "text-align: left; white-space: pre-line; padding: 2px 10px"
Rows = Sequence[tuple[str, ...]]


def array_type(array: Array) -> str:
    """The type and shape of an array.

    >>> import numpy as np
    >>> array_type(np.zeros((2, 3)))
    'float64 (2, 3)'
    """
    return f"{array.dtype.name} {array.shape}"


def text_table(title: str, rows: Rows) -> str:
    """A title, and rows with their cells below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
    return "\n".join([title, *lines])


def html_table(title: str, heads: Iterable[str], rows: Rows) -> str:
    """The same for a browser, with a head for each column."""

    def line(cells: Iterable[str], tag: str) -> str:
        return "".join(f'<{tag} style="{TABLE_STYLE}">{escape(one)}</{tag}>' for one in cells)

    body = "".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
    return (
        f"<table><caption>{escape(title)}</caption><thead><tr>{line(heads, 'th')}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )
