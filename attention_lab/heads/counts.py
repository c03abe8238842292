"""Counts of a layer as formulas of its sizes, and these sizes as one of them grows."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from attention_core.projection_checks import divisors
from attention_core.trace import Trace

# The letter of each size that can grow.
SIZE_OF_LETTER = {"n": "n_tokens", "C": "d_model", "h": "n_heads", "G": "n_kv_heads"}


@dataclass(frozen=True)
class LayerSize:
    """The sizes that counts depend on: n tokens, width C, h heads, G key/value heads, head widths
    d_k and d_v.
    """

    n_tokens: int
    d_model: int
    n_heads: int
    n_kv_heads: int
    d_k: int
    d_v: int


def layer_size(trace: Trace) -> LayerSize:
    """The sizes of a layer that attends to itself."""
    sizes = trace.sizes
    return LayerSize(*(sizes[letter] for letter in "TDHGKV"))


@dataclass(frozen=True)
class Count:
    """One count: its name, its formula as LaTeX, and its number for given sizes."""

    name: str
    formula: str
    of: Callable[[LayerSize], int]


def compare_counts(number: int, other: int) -> str:
    """Whether a number is "fewer" than another, "as many", or "more".

    >>> [compare_counts(number, 3) for number in (2, 3, 4)]
    ['fewer', 'as many', 'more']
    """
    return ("as many", "more", "fewer")[(number > other) - (number < other)]


def total_count(counts: Iterable[Count], size: LayerSize) -> int:
    """The sum of some counts.

    >>> tokens = Count("tokens", "n", lambda size: size.n_tokens)
    >>> width = Count("width", "C", lambda size: size.d_model)
    >>> size = LayerSize(n_tokens=3, d_model=4, n_heads=1, n_kv_heads=1, d_k=4, d_v=4)
    >>> total_count([tokens, width], size)
    7
    """
    return sum(count.of(size) for count in counts)


def growing_sizes(size: LayerSize, letter: str) -> tuple[LayerSize, ...]:
    """The layer with a growing number of tokens n, width C, heads h or key/value heads G. d_k = d_v
    = C/h follow C and h.

    n starts at 8, or lower for a smaller layer. h ends at C, with heads of width 1. G follows h: a
    key/value head keeps the number of heads that share it, or all heads share it as before.
    """
    if letter == "n":
        first = min(3, size.n_tokens.bit_length() - 1)
        return tuple(replace(size, n_tokens=2**k) for k in range(first, 10))
    if letter == "C":
        widths = [2**k for k in range(8)]
        return tuple(replace(size, d_model=w * size.n_heads, d_k=w, d_v=w) for w in widths)
    if letter == "h":
        return tuple(_with_heads(size, 2**k) for k in range(6) if 2**k <= size.d_model)
    return tuple(replace(size, n_kv_heads=groups) for groups in divisors(size.n_heads))


def size_value(size: LayerSize, letter: str) -> int:
    """The size with a letter."""
    return int(getattr(size, SIZE_OF_LETTER[letter]))


def _with_heads(size: LayerSize, n_heads: int) -> LayerSize:
    readers, groups = size.n_heads // size.n_kv_heads, 1
    if readers < size.n_heads or size.n_heads == 1:
        groups = max(part for part in divisors(n_heads) if part == 1 or part * readers <= n_heads)
    width = size.d_model // n_heads
    return replace(size, n_heads=n_heads, n_kv_heads=groups, d_k=width, d_v=width)
