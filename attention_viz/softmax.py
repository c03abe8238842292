"""The softmax of one row, opened: a table with a bar and a number for every key and every step of the computation."""

from __future__ import annotations

import math

import numpy as np

from attention_core import Trace
from attention_core.checks import Array
from attention_core.decompositions import SoftmaxRow, softmax_row

from .labels import number, short
from .theme import PALETTES

DIGITS = 3


def softmax_html(trace: Trace, head: int, query: int, key: int, mode: str = "light") -> str:
    """Key by key: the masked score, minus the row's maximum, its exponential, and that divided by the row's sum.

    It is a real table, so it can be read aloud and copied; tokens are escaped. The chosen key's row and the sums stay
    in sight while a long table is scrolled.
    """
    row = softmax_row(trace, head, query)
    tokens, palette = trace.labels("S"), PALETTES[mode]
    asks = short(trace.labels("T")[query])
    lines = [_line(row, j, token, chosen=j == key) for j, token in enumerate(tokens)]
    style = f"--focus: {palette['focus']}; --bar: {palette['primary']}; --hatch: {palette['hatch']}"
    style += f"; --ground: {palette['background']}; --key: {palette['key']}"
    return (
        f'<div class="softmax" style="{style}" role="region" tabindex="0" aria-label="The softmax of one row">'
        f"<table><caption>Head {head}, row of <bdi>“{asks}”</bdi>, {len(tokens)} keys</caption>"
        f"{_header(row)}<tbody>{''.join(lines)}</tbody>{_footer(row)}</table></div>"
    )


def _header(row: SoftmaxRow) -> str:
    maximum = number(row.maximum, DIGITS) if math.isfinite(row.maximum) else "none"
    titles = (
        ("key", ""),
        ("masked score", "ŝ, from the step before"),
        ("minus the maximum", f"ŝ − {maximum}".replace("− −", "+ ")),
        ("exponential", "e to the power of that"),
        ("divided by the sum", f"÷ {number(row.total, DIGITS)} = probability"),
    )
    return "<thead><tr>" + "".join(f'<th scope="col">{a}<small>{b}</small></th>' for a, b in titles) + "</tr></thead>"


def _line(row: SoftmaxRow, j: int, token: str, chosen: bool) -> str:
    """One key: its token, then four bars with their numbers."""
    hidden = bool(np.isneginf(row.scores[j]))
    name = f"<bdi>{short(token)}</bdi>"
    if hidden:
        name += " <small>masked</small>"
    elif row.scores[j] == row.maximum:
        name += " <small>maximum</small>"
    zero = "0" if hidden else ""
    cells = (
        _cell(row.scores, j),
        _cell(row.shifted, j),
        _cell(row.exponentials, j, zero),
        _cell(row.probabilities, j, zero),
    )
    kind = " ".join(word for word, holds in (("chosen", chosen), ("hidden", hidden)) if holds)
    return f'<tr class="{kind}"><th scope="row"><small>{j}</small> {name}</th>{"".join(cells)}</tr>'


def _cell(column: Array, j: int, text: str = "") -> str:
    """A number with its bar; the bars of a column share one scale, which always holds 0."""
    value = float(column[j])
    written = text or number(value, DIGITS)
    start, width = bar(column, j)
    stroke = f'<i style="left: {start:.2f}%; width: {width:.2f}%"></i>' if width else ""
    return f'<td><span class="track">{stroke}</span><b>{written}</b></td>'


def bar(column: Array, j: int) -> tuple[float, float]:
    """Where the bar of a number begins and how long it is, in percent of its column; nothing for a masked score.

    >>> bar(np.array([-1.0, 3.0, -np.inf]), 0), bar(np.array([-1.0, 3.0, -np.inf]), 1)
    ((0.0, 25.0), (25.0, 75.0))
    """
    if not np.isfinite(column[j]):
        return 0.0, 0.0
    finite = column[np.isfinite(column)]
    low, high = min(float(finite.min()), 0.0), max(float(finite.max()), 0.0)
    if low == high:
        return 0.0, 0.0
    begin, end = sorted((0.0, float(column[j])))
    return 100 * (begin - low) / (high - low), 100 * (end - begin) / (high - low)


def _footer(row: SoftmaxRow) -> str:
    """The two numbers that every key of the row shares, and what the shares sum to."""
    maximum = f"maximum {number(row.maximum, DIGITS)}" if math.isfinite(row.maximum) else "no maximum"
    words = (maximum, "", f"sum {number(row.total, DIGITS)}", f"sum {number(row.share, 6)}")
    cells = "".join(f"<td><b>{text}</b></td>" for text in words)
    return f'<tfoot><tr><th scope="row">the row</th>{cells}</tr></tfoot>'
