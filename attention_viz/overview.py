"""The whole layer as one picture, with all heads; each matrix opens its step."""

from __future__ import annotations

from dataclasses import replace

from attention_core import STEPS, Trace
from attention_core.steps import GIVEN_AXES

from .labels import counted
from .payload import JSON, Stage, Window
from .scene import Panel, scene
from .story.products import head_window

MAX_HEADS_STACKED = 3  # heads that stand one below the other; more stand in a grid
MAX_SIDE_DRAWN = (
    24  # rows and columns of a large matrix that are drawn, those of the focus among them
)

# The columns of the picture, from the inputs to the output.
FLOW = (
    ("inputs",),
    ("w_q", "w_k", "w_v"),
    ("queries", "keys", "values"),
    ("probabilities",),
    ("head_outputs",),
    ("w_o",),
    ("output",),
)
PER_HEAD = ("probabilities", "head_outputs")  # one matrix for each head
LABELLED_FIELDS = ("inputs", "probabilities", "output")  # their rows, and columns, are labelled
# How large the cells are beside those of the inputs: what the layer is about has the largest.
CELL_SCALES = {
    "w_q": 0.6,
    "w_k": 0.6,
    "w_v": 0.6,
    "w_o": 0.6,
    "probabilities": 1.5,
} | dict.fromkeys(("queries", "keys", "values", "head_outputs"), 0.8)
# What the colours of numbers and of shares mean.
COLOUR_LEGEND = [
    {"scale": "feature", "low": "−", "high": "+"},
    {"scale": "share", "low": "0", "high": "1"},
]
WEIGHT_STEPS = {"w_q": "queries", "w_k": "keys", "w_v": "values", "w_o": "output"}
ARROWS = (
    "inputs w_q",
    "inputs w_k",
    "inputs w_v",
    "w_q queries",
    "w_k keys",
    "w_v values",
    "queries probabilities",
    "keys probabilities",
    "probabilities head_outputs",
    "values head_outputs",
    "head_outputs w_o",
    "head_outputs output",
    "w_o output",
)


def overview(stage: Stage, head: int, query: int, key: int) -> JSON:
    """The layer from the inputs to the output, with all heads, as matrices of its real numbers
    joined by arrows.

    A link is the name of the field whose step it opens.
    """
    trace = stage.trace
    mixed = trace.projections.w_o is not None
    flow = [names for names in FLOW if mixed or names != ("w_o",)]
    places = {name: (i, j) for i, names in enumerate(flow) for j, name in enumerate(names)}
    panels = [_panel(trace, name, place) for name, place in places.items()]
    stage = replace(stage, windows=_windows(trace, head) | _tokens(trace, query, key))
    given = scene(stage, panels, ("probabilities", (0, head, query, key)), _says(trace))
    ids = {panel["array"]: panel["id"] for panel in given["panels"]}
    for panel in given["panels"]:
        panel |= {
            "bare": panel["array"] not in LABELLED_FIELDS,
            "scale": CELL_SCALES.get(panel["array"], 1.0),
        }
    arrows = [[ids[a], ids[b]] for a, b in (pair.split() for pair in ARROWS) if _drawn(mixed, a, b)]
    columns = [[ids[name] for name in names] for names in flow]
    about = {"arrows": arrows, "flow": columns, "player": False, "arithmetic": False}
    about |= {"legend": COLOUR_LEGEND}
    return given | about


def _panel(trace: Trace, name: str, place: tuple[int, int]) -> Panel:
    n_axes = len(STEPS[name].letters if name in STEPS else GIVEN_AXES[name].split())
    tiles = 1 if name in PER_HEAD and trace.sizes["H"] > 1 else None
    arrange = "down" if trace.sizes["H"] <= MAX_HEADS_STACKED else "grid"
    return Panel(
        name,
        n_axes - 2,
        n_axes - 1,
        place,
        "aside",
        tiles=tiles,
        arrange=arrange,
        link=WEIGHT_STEPS.get(name, name),
    )


def _drawn(mixed: bool, start: str, end: str) -> bool:
    return (start, end) != ("head_outputs", "output") if mixed else "w_o" not in (start, end)


def _tokens(trace: Trace, query: int, key: int) -> dict[str, Window]:
    """Of the queries "T" and of the keys "S" the first token that is drawn and the one after the
    last.

    They hold the given ones, and of a longer sentence are always as many, so that the picture keeps
    its size.
    """
    drawn = {}
    for letter, place in (("T", query), ("S", key)):
        size = trace.sizes[letter]
        first = min(place // MAX_SIDE_DRAWN * MAX_SIDE_DRAWN, max(0, size - MAX_SIDE_DRAWN))
        drawn[letter] = (first, min(first + MAX_SIDE_DRAWN, size))
    return drawn


def _windows(trace: Trace, head: int) -> dict[str, Window]:
    """Of the heads one, of wide matrices the first columns, of fused ones those around the head."""
    windows = {letter: (0, min(MAX_SIDE_DRAWN, trace.sizes[letter])) for letter in "DMO"}
    for field in ("queries", "keys", "values", "merged"):
        first, last = head_window(trace, field, head, MAX_SIDE_DRAWN)
        windows[STEPS[field].letters[-1]] = (first, min(last, first + MAX_SIDE_DRAWN))
    return windows


def _says(trace: Trace) -> str:
    sizes = trace.sizes
    return (
        f"The whole attention layer as one picture for {counted(sizes['T'], 'token')} and"
        f" {counted(sizes['H'], 'head')}, from the inputs to the output. Each small matrix opens"
        " its step."
    )
