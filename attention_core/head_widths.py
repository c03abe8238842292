"""How wide a head is, and which numbers of heads divide a width."""

from __future__ import annotations

import math

from .checks import whole_number
from .errors import SettingsError


def divisors(number: int) -> list[int]:
    """All whole numbers that divide `number`, in increasing order.

    >>> divisors(12)
    [1, 2, 3, 4, 6, 12]
    """
    whole_number("number", number, 1, 10**12)  # a million divisions
    small = [d for d in range(1, math.isqrt(number) + 1) if number % d == 0]
    return sorted({*small, *(number // d for d in small)})


def nearest_divisors(number: int, wanted: int) -> list[int]:
    """The divisors of `number` next to `wanted`: the largest below it and the smallest above it.

    >>> nearest_divisors(64, 5)
    [4, 8]
    """
    every = divisors(number)
    return sorted({*[d for d in every if d <= wanted][-1:], *[d for d in every if d >= wanted][:1]})


def head_width(d_model: int, n_heads: int, or_else: str = "") -> int:
    """d_model / n_heads, the usual width of one head.

    or_else: another remedy, which ends the sentence.
    Raises: SettingsError with the nearest divisors when the heads do not divide the width.
    """
    if d_model % n_heads:
        choices = " or ".join(map(str, nearest_divisors(d_model, n_heads)))
        raise SettingsError(
            f"n_heads is {n_heads} but must divide d_model {d_model}: try {choices}{or_else}"
        )
    return d_model // n_heads


def head_widths(d_model: int, n_heads: int, d_k: int | None, d_v: int | None) -> tuple[int, int]:
    """d_k and d_v; a missing one is d_model / n_heads, or equals the other where that is not a
    whole number.
    """
    for name, size in (("d_model", d_model), ("n_heads", n_heads), ("d_k", d_k), ("d_v", d_v)):
        if size is not None or name in ("d_model", "n_heads"):
            whole_number(name, size, 1)
    if d_model % n_heads == 0:
        return d_k or d_model // n_heads, d_v or d_model // n_heads
    if d_k is None and d_v is None:
        head_width(d_model, n_heads, ", or give d_k (and d_v)")
    return d_k or d_v or 0, d_v or d_k or 0


def uneven_sharing(n_heads: int, n_kv_heads: int) -> str:
    """The error text for query heads that cannot share the key/value heads evenly."""
    return (
        f"{n_heads} query heads cannot share {n_kv_heads} key/value heads evenly; choose a divisor"
    )
