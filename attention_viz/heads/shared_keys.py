"""Heads that share keys and values, as lines of one board: the same head of every kind stands
in one column.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from attention_core import Trace
from attention_core.head_blocks import head_of
from attention_lab.notation.notation import OURS, Notation

from ..labels import counted
from ..payload import JSON, bits, float_bytes
from ..thumbnails import GIVEN, given_board, line_of_heads

MOST_LARGE = 200  # cells in a line of heads; more are drawn as small pictures


def sharing(
    kinds: Mapping[str, Trace],
    cell: tuple[int, int, int],
    limit: float,
    kind: str,
    notation: Notation = OURS,
) -> JSON:
    """The probabilities of all heads of each kind, such as "MHA", each head with the keys and
    values that it reads.

    cell: head, query and key of the pinned cell, which is of the given kind. limit: the value of
    the strongest colour.
    """
    trace = kinds[kind]
    n_heads, n_keys = trace.sizes["H"], trace.sizes["S"]
    says = f"The probabilities of {counted(n_heads, 'head')}, a line each for {', '.join(kinds)}."
    size = "full" if n_heads * n_keys <= MOST_LARGE else "small"
    panels = [
        line_of_heads(name, line, name, _sets(one), size) | {"captions": _read(one)}
        for line, (name, one) in enumerate(kinds.items())
    ]
    return given_board(
        says,
        {name: _array(name, one, limit) for name, one in kinds.items()},
        (trace.labels("T"), trace.labels("S")),
        panels,
        (kind, cell),
        transposed=notation.convention == "column",
    )


def strong_colour(trace: Trace) -> float:
    """A share that one cell in a hundred exceeds: as the strongest colour it leaves pale heads
    something to see.
    """
    return float(np.quantile(trace.probabilities, 0.99)) or 1.0


def _array(name: str, trace: Trace, limit: float) -> JSON:
    shares_HTS, hidden_HTS = trace.probabilities[0], trace.hidden[0]
    given: JSON = {
        "shape": list(shares_HTS.shape),
        "axes": ["H", "T", "S"],
        "title": name,
        "role": "text",
        "kind": "probability",
        "limit": float(f"{limit:.6g}"),
        "data": float_bytes(shares_HTS),
        "given": GIVEN["probability"],
    }
    return given | ({"hatched": bits(hidden_HTS)} if hidden_HTS.any() else {})


def _sets(trace: Trace) -> str:
    return counted(trace.projections.groups, "set") + " of keys and values"


def _read(trace: Trace) -> list[str]:
    """The key/value head that each head reads."""
    return [f"K/V {head_of(trace, 'key_heads', head)}" for head in range(trace.sizes["H"])]
