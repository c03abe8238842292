"""The board of heads that share their keys and values."""

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
    names: Mapping[str, str] | None = None,
) -> JSON:
    """The probabilities of all heads of each kind, such as "MHA", a line for each kind.

    cell: head, query and key of the pinned cell. kind: of the pinned cell. limit: the value of the
    strongest colour. latent: the width of MLA's vectors, of which it makes the keys and values.
    names: of kinds that are called otherwise.
    """
    trace, names = kinds[kind], names or {}
    n_heads, n_keys = trace.sizes["H"], trace.sizes["S"]
    description = (
        "The probabilities of all heads, a line for each of"
        f" {', '.join(names.get(name, name) for name in kinds)}. Heads: {n_heads}."
    )
    size = "full" if n_heads * n_keys <= MAX_KEYS_FULL_SIZE else "small"
    arrays, panels = {}, []
    for line, (name, one) in enumerate(kinds.items()):
        badge = f"{one.projections.groups} × keys and values"
        if name == LATENT:
            badge = f"{latent} numbers a token"
        captions = [f"K/V {head_of(one, 'key_heads', head)}" for head in range(n_heads)]
        title = names.get(name, name)
        panels.append(line_of_heads(name, line, title, badge, size) | {"captions": captions})
        look = {"limit": float(f"{limit:.6g}"), "side": n_keys, "hatched": one.hidden[0]}
        arrays[name] = heads_json(title, one.probabilities[0], **look)
    axes = head_axes((trace.labels("T"), trace.labels("S")))
    return board_json(description, arrays, axes, panels, (kind, cell), notation)


def strongest_colour(trace: Trace) -> float:
    """The share that one cell in a hundred exceeds. As the strongest colour it keeps pale heads
    visible.
    """
    return float(np.quantile(trace.probabilities, 0.99)) or 1.0
