"""The board of heads that share their keys and values."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from attention_core import Trace
from attention_core.trace import head_of
from attention_lab.notation.notation import OURS, Notation

from ..payload import JSON, board_json
from ..thumbnails import head_axes, heads_json, line_of_heads

LATENT = "MLA"  # the kind that makes its keys and values from latent vectors
MAX_KEYS_FULL_SIZE = 200  # keys in a line of heads; longer lines are drawn as small pictures


def shared_keys_board(
    kinds: Mapping[str, Trace],
    cell: tuple[int, int, int],
    limit: float,
    kind: str,
    notation: Notation = OURS,
    latent: int = 0,
) -> JSON:
    """The probabilities of all heads of each kind, such as "MHA", a line for each kind.

    cell: head, query and key of the pinned cell. kind: of the pinned cell. limit: the value of the
    strongest colour. latent: the width of MLA's vectors, of which it makes the keys and values.
    """
    trace = kinds[kind]
    n_heads, n_keys = trace.sizes["H"], trace.sizes["S"]
    description = (
        f"The probabilities of all heads, a line for each of {', '.join(kinds)}. Heads: {n_heads}."
    )
    size = "full" if n_heads * n_keys <= MAX_KEYS_FULL_SIZE else "small"
    panels = [
        line_of_heads(name, line, name, _badge(one, latent * (name == LATENT)), size)
        | {"captions": _captions(one)}
        for line, (name, one) in enumerate(kinds.items())
    ]
    return board_json(
        description,
        {name: _shares(name, one, limit) for name, one in kinds.items()},
        head_axes((trace.labels("T"), trace.labels("S"))),
        panels,
        (kind, cell),
        notation,
    )


def _shares(name: str, trace: Trace, limit: float) -> JSON:
    """The probabilities of all heads of a kind."""
    about = {"limit": float(f"{limit:.6g}"), "side": trace.sizes["S"], "hatched": trace.hidden[0]}
    return heads_json(name, trace.probabilities[0], **about)


def strongest_colour(trace: Trace) -> float:
    """The share that one cell in a hundred exceeds. As the strongest colour it keeps pale heads
    visible.
    """
    return float(np.quantile(trace.probabilities, 0.99)) or 1.0


def _badge(trace: Trace, latent: int) -> str:
    if latent:
        return f"{latent} numbers a token"
    return f"{trace.projections.groups} × keys and values"


def _captions(trace: Trace) -> list[str]:
    """For each head, the key/value head that it reads."""
    return [f"K/V {head_of(trace, 'key_heads', head)}" for head in range(trace.sizes["H"])]
