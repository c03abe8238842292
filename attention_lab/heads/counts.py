"""How much a layer holds and computes, as formulas of its sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields

from attention_core.checks import whole_number
from attention_core.errors import SettingsError
from attention_core.head_widths import uneven_sharing
from attention_core.trace import Trace


@dataclass(frozen=True)
class LayerSize:
    """The sizes that counts depend on: n tokens, width C, h heads, G key/value heads, head widths
    d_k and d_v.

    Raises: SettingsError.
    """

    n_tokens: int
    d_model: int
    n_heads: int
    n_kv_heads: int
    d_k: int
    d_v: int

    def __post_init__(self) -> None:
        for size in fields(self):
            whole_number(size.name, getattr(self, size.name), 1)
        if self.n_heads % self.n_kv_heads:
            raise SettingsError(uneven_sharing(self.n_heads, self.n_kv_heads))


def size_of(trace: Trace) -> LayerSize:
    """The sizes of a layer that attends to itself."""
    sizes = trace.sizes
    return LayerSize(*(sizes[letter] for letter in "TDHGKV"))


@dataclass(frozen=True)
class Count:
    """One thing that is counted: its name, its formula as LaTeX, and the number for given sizes."""

    name: str
    formula: str
    of: Callable[[LayerSize], int]


def total(counts: Iterable[Count], size: LayerSize) -> int:
    """The sum of some counts.

    >>> tokens, width = Count("tokens", "n", lambda s: s.n_tokens), Count("width", "C",
    ...     lambda s: s.d_model)
    >>> total([tokens, width], LayerSize(n_tokens=3, d_model=4, n_heads=1, n_kv_heads=1, d_k=4,
    ...     d_v=4))
    7
    """
    return sum(count.of(size) for count in counts)
