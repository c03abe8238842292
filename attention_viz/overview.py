"""The whole layer as one picture: every matrix small, in the order of computation; each opens
its step.
"""

from __future__ import annotations

from dataclasses import replace

from attention_core import STEPS, Trace
from attention_core.head_blocks import head_of
from attention_core.steps import GIVEN_AXES

from .labels import counted
from .payload import JSON, Stage, Window
from .scene import Panel, scene
from .story.windows import around

MOST = 48  # rows and columns of a large matrix that are drawn, those of the focus among them

# Which matrix stands in which column and row of the picture.
PLACES = {
    "inputs": (1, 0),
    "w_q": (0, 1),
    "w_k": (1, 1),
    "w_v": (2, 1),
    "queries": (0, 2),
    "keys": (1, 2),
    "values": (2, 2),
    "query_heads": (0, 3),
    "key_heads": (1, 3),
    "value_heads": (2, 3),
    "scores": (0, 4),
    "scaled_scores": (1, 4),
    "masked_scores": (2, 4),
    "probabilities": (3, 4),
    "head_outputs": (3, 5),
    "merged": (2, 5),
    "w_o": (1, 5),
    "output": (0, 5),
}
OPENS = {"w_q": "queries", "w_k": "keys", "w_v": "values", "w_o": "output"}
ARROWS = (
    "inputs w_q",
    "inputs w_k",
    "inputs w_v",
    "w_q queries",
    "w_k keys",
    "w_v values",
    "queries query_heads",
    "keys key_heads",
    "values value_heads",
    "query_heads scores",
    "key_heads scores",
    "scores scaled_scores",
    "scaled_scores masked_scores",
    "masked_scores probabilities",
    "probabilities head_outputs",
    "value_heads head_outputs",
    "head_outputs merged",
    "merged w_o",
    "w_o output",
    "merged output",
    "inputs output",
)


def overview(stage: Stage, head: int, query: int, key: int) -> JSON:
    """Every matrix of the layer as a thumbnail of its real numbers, joined by arrows; of per-head
    fields one head.

    A link is the name of the field whose step it opens.
    """
    trace = stage.trace
    shown = [name for name in PLACES if name != "w_o" or trace.projections.w_o is not None]
    panels = [_panel(trace, name) for name in shown]
    stage = replace(stage, windows=_windows(trace, head) | _tokens(trace, query, key))
    given = scene(stage, panels, ("scores", (0, head, query, key)), _says(trace))
    ids = {panel["array"]: panel["id"] for panel in given["panels"]}
    arrows = [[ids[a], ids[b]] for a, b in (pair.split() for pair in ARROWS) if _drawn(trace, a, b)]
    return given | {"arrows": arrows, "rules": {}, "player": False, "arithmetic": False}


def _panel(trace: Trace, name: str) -> Panel:
    n_axes = len(STEPS[name].letters if name in STEPS else GIVEN_AXES[name].split())
    return Panel(
        name, n_axes - 2, n_axes - 1, PLACES[name], "aside", small=True, link=OPENS.get(name, name)
    )


def _drawn(trace: Trace, start: str, end: str) -> bool:
    mixed = trace.projections.w_o is not None
    if (start, end) == ("inputs", "output"):
        return trace.residual
    return (start, end) != ("merged", "output") if mixed else "w_o" not in (start, end)


def _tokens(trace: Trace, query: int, key: int) -> dict[str, Window]:
    """Of the queries "T" and of the keys "S" the first token that is drawn and the one after the
    last.

    They hold the given ones, and of a longer sentence are always as many, so that the picture keeps
    its size.
    """
    drawn = {}
    for letter, place in (("T", query), ("S", key)):
        size = trace.sizes[letter]
        first = min(place // MOST * MOST, max(0, size - MOST))
        drawn[letter] = (first, min(first + MOST, size))
    return drawn


def _windows(trace: Trace, head: int) -> dict[str, Window]:
    """Of the heads one, of wide matrices the first columns, of fused ones those around the head."""
    windows = {letter: (0, min(MOST, trace.sizes[letter])) for letter in "DMO"}
    group = head_of(trace, "key_heads", head)
    windows |= {"H": (head, head + 1), "G": (group, group + 1)}
    for field in ("queries", "keys", "values", "merged"):
        first, last = around(trace, field, head, MOST)
        windows[STEPS[field].letters[-1]] = (first, min(last, first + MOST))
    return windows


def _says(trace: Trace) -> str:
    sizes = trace.sizes
    return (
        f"The whole attention layer as one picture for {counted(sizes['T'], 'token')} and"
        f" {counted(sizes['H'], 'head')}, from the inputs to the output. Each small matrix opens"
        " its step."
    )
