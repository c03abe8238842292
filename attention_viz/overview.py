"""The whole layer as one picture with all heads; each matrix opens its step."""

from dataclasses import replace

import numpy as np

from attention_core import STEPS, Trace

from .names import title_of
from .payload import JSON, Stage, Window
from .scene import Panel, scene
from .sentence import sentence_part
from .story.products import head_window

MAX_HEADS_STACKED = 3  # more heads stand in a grid
# Rows of all heads together; of more heads only those of the sentence are drawn.
MAX_LINES_IN_GRID = 96
MAX_SIDE_DRAWN = 24  # rows and columns of a large matrix that are drawn, around the focus

# The columns of the picture, from the inputs to the output.
FLOW: tuple[tuple[str, ...], ...] = (
    ("inputs",),
    ("w_q", "w_k", "w_v"),
    ("queries", "keys", "values"),
    ("probabilities",),
    ("head_outputs",),
    ("w_o",),
    ("output",),
)
LABELLED_FIELDS = ("inputs", "probabilities", "output")
# The size of the cells relative to those of the inputs: the attention weights have the largest.
CELL_SCALES = {"probabilities": 1.5} | {
    **dict.fromkeys(("w_q", "w_k", "w_v", "w_o"), 0.6),
    **dict.fromkeys(("queries", "keys", "values", "head_outputs"), 0.8),
}
# The meaning of the colours of numbers and of shares.
COLOUR_LEGEND = [
    {"scale": "feature", "low": "−", "high": "+"},
    {"scale": "share", "low": "0", "high": "1"},
]
# The fields whose steps the weight matrices open.
WEIGHT_STEPS = {"w_q": "queries", "w_k": "keys", "w_v": "values", "w_o": "output"}
ARROWS: tuple[tuple[str, str], ...] = (
    *(("inputs", weights) for weights in FLOW[1]),
    *zip(FLOW[1], FLOW[2], strict=True),
    ("queries", "probabilities"),
    ("keys", "probabilities"),
    ("probabilities", "head_outputs"),
    ("values", "head_outputs"),
)
ARROWS_THROUGH_W_O = (("head_outputs", "w_o"), ("w_o", "output"))
ARROW_WITHOUT_W_O = (("head_outputs", "output"),)


def overview(stage: Stage, head: int, query: int, key: int) -> JSON:
    """The layer from the inputs to the output, with all heads, as matrices joined by arrows.

    A link is the name of the field whose step it opens.
    """
    trace = stage.trace
    flow, arrows = FLOW, ARROWS + ARROWS_THROUGH_W_O
    if trace.projections.w_o is None:
        flow = tuple(names for names in FLOW if names != ("w_o",))
        arrows = ARROWS + ARROW_WITHOUT_W_O
    places = {name: (i, j) for i, names in enumerate(flow) for j, name in enumerate(names)}
    panels = [_panel(stage, name, place) for name, place in places.items()]
    stage = replace(stage, windows=_windows(trace, head) | _token_windows(trace, query, key))
    cell = ("probabilities", (0, head, query, key))
    board = scene(stage, panels, cell, _description(trace), beside=_between(trace))
    ids = {panel["array"]: panel["id"] for panel in board["panels"]}
    sentence = sentence_part(trace, stage.names, head, query, "large", stage.pieces)
    is_large = trace.sizes["H"] * trace.sizes["T"] > MAX_LINES_IN_GRID
    for panel in board["panels"]:
        panel["bare"] = panel["array"] not in LABELLED_FIELDS
        panel["scale"] = CELL_SCALES.get(panel["array"], 1.0)
        if sentence and is_large and "tiles" in panel:
            panel |= {"only": [one["head"] for one in sentence["heads"]], "arrange": "down"}
    if sentence:
        board["sentence"] = sentence | {"chain": _chain(trace)}
    return board | {
        "arrows": [[ids[start], ids[end]] for start, end in arrows],
        "flow": [[ids[name] for name in names] for names in flow],
        "legend": COLOUR_LEGEND,
        "player": False,
    }


def _chain(trace: Trace) -> list[JSON]:
    """The numbers from a score to its share, each with the step that it opens."""
    fields = ["scores", "scaled_scores", "masked_scores", "probabilities"]
    if np.array_equal(trace.masked_scores, trace.scaled_scores):
        fields.remove("masked_scores")
    return [{"array": field, "title": title_of(field), "link": field} for field in fields]


def _panel(stage: Stage, name: str, place: tuple[int, int]) -> Panel:
    """A matrix of the picture; fields with one matrix for each head show all heads."""
    letters, n_heads = stage.letters(name), stage.trace.sizes["H"]
    link = WEIGHT_STEPS.get(name, name)
    panel = Panel(name, len(letters) - 2, len(letters) - 1, place, "aside", link=link)
    if "H" not in letters or n_heads == 1:
        return panel
    return replace(panel, tiles=1, arrange="down" if n_heads <= MAX_HEADS_STACKED else "grid")


def _token_windows(trace: Trace, query: int, key: int) -> dict[str, Window]:
    """The queries "T" and keys "S" that are drawn: the first one, and the one after the last.

    The query and key in focus are among them. Of longer sentences the same number of tokens is
    drawn, so the picture keeps its size.
    """
    windows = {}
    for letter, place in (("T", query), ("S", key)):
        size = trace.sizes[letter]
        first = min(place // MAX_SIDE_DRAWN * MAX_SIDE_DRAWN, max(0, size - MAX_SIDE_DRAWN))
        windows[letter] = (first, min(first + MAX_SIDE_DRAWN, size))
    return windows


def _windows(trace: Trace, head: int) -> dict[str, Window]:
    """The columns that are drawn: the first ones of wide matrices, of fused ones those around the
    head.
    """
    windows = {letter: (0, min(MAX_SIDE_DRAWN, trace.sizes[letter])) for letter in "DMO"}
    for field in ("queries", "keys", "values", "merged"):
        first, last = head_window(trace, field, head, MAX_SIDE_DRAWN)
        windows[STEPS[field].letters[-1]] = (first, min(last, first + MAX_SIDE_DRAWN))
    return windows


def _between(trace: Trace) -> list[str]:
    """The arrays without a panel through which a share is explained."""
    names = list(trace.steps)
    heads = names[names.index("query_heads") : names.index("probabilities")]
    tables = ["query_rotation", "key_rotation"] if trace.rotary else []
    return [name for name in heads if name != "value_heads"] + tables


def _description(trace: Trace) -> str:
    return (
        "The whole attention layer as one picture, from the inputs to the output. Tokens:"
        f" {trace.sizes['T']}; heads: {trace.sizes['H']}. Each small matrix opens its step."
    )
