"""The sizes of a layer as one of them grows and the others stay."""

from __future__ import annotations

from dataclasses import replace

from attention_core.checks import check_choice
from attention_core.head_widths import divisors

from .counts import LayerSize

LETTERS = ("n", "C", "h", "G")


def as_grows(size: LayerSize, letter: str) -> tuple[LayerSize, ...]:
    """The layer with n tokens, width C, h heads or G key/value heads growing; d_k = d_v = C/h
    follow C and h.

    n starts at 8, or below a smaller layer; h ends at C, where a head is one number wide. G follows
    h: as many heads share a key/value head as before, or all of them if all did.
    Raises: SettingsError.
    """
    check_choice("letter", letter, LETTERS)
    if letter == "n":
        first = min(3, size.n_tokens.bit_length() - 1)
        return tuple(replace(size, n_tokens=2**k) for k in range(first, 10))
    if letter == "C":
        widths = [2**k for k in range(8)]
        return tuple(replace(size, d_model=w * size.n_heads, d_k=w, d_v=w) for w in widths)
    if letter == "h":
        return tuple(_with_heads(size, 2**k) for k in range(6) if 2**k <= size.d_model)
    return tuple(replace(size, n_kv_heads=groups) for groups in divisors(size.n_heads))


def grown(size: LayerSize, letter: str) -> int:
    """How large a growing size is. Raises: SettingsError."""
    names = dict(zip(LETTERS, ("n_tokens", "d_model", "n_heads", "n_kv_heads"), strict=True))
    return int(getattr(size, names[check_choice("letter", letter, LETTERS)]))


def _with_heads(size: LayerSize, n_heads: int) -> LayerSize:
    readers = size.n_heads // size.n_kv_heads
    groups = (
        1
        if size.n_kv_heads == 1 < size.n_heads
        else max(part for part in divisors(n_heads) if part == 1 or part * readers <= n_heads)
    )
    width = size.d_model // n_heads
    return replace(size, n_heads=n_heads, n_kv_heads=groups, d_k=width, d_v=width)
