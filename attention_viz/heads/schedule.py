"""What can run at once in a layer: a box for each part of a step, moments from left to right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from attention_lab.heads.schedule import Box, BoxKey, Schedule
from attention_lab.notation.notation import Notation, Symbol

from ..curves import chart_axis
from ..names import role_of, title_of
from ..parts import Part, annotation, layout
from ..theme import Figure

MAX_DRAWN_HEADS = 5  # drawn heads; of more heads the first ones and the last
LANES, HEAD_GAP = 3, 0.5  # lanes of a head: queries, keys, values; the gap between heads, in lanes
LANE_PX, HALF_WIDTH = 25, 0.37  # the height of a lane; half the width of a box, in moments
WHOLE_LAYER_FIELDS = (
    "inputs",
    "memory",
    "merged",
    "output",
)  # fields as high as all heads together
# The first lane of its head that a box covers, and the last; the others cover the upper two.
LANES_OF_FIELD = {"queries": (0, 0), "keys": (1, 1), "values": (2, 2), "head_outputs": (0, 2)}


@dataclass(frozen=True)
class BoxPosition:
    """The position of a box: its moment, and its upper and lower edge in lanes."""

    x: float
    top: float
    bottom: float


@dataclass(frozen=True)
class Connection:
    """The corners of a line from a box to one that waits for it, and its colour."""

    color: str
    x: tuple[float, ...]
    y: tuple[float, ...]


def drawn_heads(n_heads: int) -> tuple[int, ...]:
    """The heads that are drawn: all, or the first ones and the last."""
    return (
        tuple(range(n_heads))
        if n_heads <= MAX_DRAWN_HEADS
        else (*range(MAX_DRAWN_HEADS - 2), n_heads - 1)
    )


def schedule_figure(plan: Schedule, notation: Notation) -> Figure:
    """The boxes of a layer by moment and head, with lines from the boxes that each waits for."""
    n_heads = max(box.parts for box in plan.boxes)
    rows = drawn_heads(n_heads)
    places = _box_positions(plan, n_heads, rows)
    shown = [box for box in plan.boxes if box.key in places]
    names = {box.key: _name(box, notation) for box in plan.boxes}
    lines = [
        _connection(key, box.key, places) for box in shown for key in box.waits_for if key in places
    ]
    height = max(place.bottom for place in places.values())
    notes = [_box_text(box, names[box.key], places[box.key]) for box in shown]
    notes += _headings(shown)
    if len(rows) < n_heads:
        text = f"⋮ heads not drawn: {n_heads - len(rows)}"
        above = (LANES + HEAD_GAP) * (len(rows) - 1)
        notes.append(annotation(1 - HALF_WIDTH, above + 0.1, text, "@muted", "left", 12))
    description = (
        f"Boxes by moment from left to right. Moments: {plan.depth}, heads: {n_heads}, most boxes"
        f" at one moment: {plan.widest}."
    )
    parts: Part = {
        "shapes": [_frame(box, places[box.key]) for box in shown],
        "annotations": notes,
        "margin": {"l": 4, "r": 4, "t": 8, "b": 44},
        "xaxis": chart_axis("moment", range=[-0.5, plan.depth + 0.5], dtick=1, showgrid=False),
        "yaxis": {"visible": False, "fixedrange": True, "range": [height + 0.2, -1.9]},
    }
    data = [*_connection_lines(lines), *_hover_marks(shown, places, names)]
    return {"data": data, "layout": layout(LANE_PX * (height + 2.1) + 52, description, **parts)}


def _box_positions(plan: Schedule, n_heads: int, rows: Sequence[int]) -> dict[BoxKey, BoxPosition]:
    """The position of each drawn box: in the lanes of its head or of the first head that shares
    it, or as high as all heads.
    """
    tops = {head: row * (LANES + HEAD_GAP) for row, head in enumerate(rows)}
    if len(rows) < n_heads:
        tops[rows[-1]] += 0.7
    end = max(tops.values()) + LANES
    moments = {box.key: box.moment for box in plan.boxes}
    given = [box.key for box in plan.boxes if not box.moment]
    passed = any(  # what is given goes by the heads to the end, below them
        key in given and box.moment - moments[key] > 1
        for box in plan.boxes
        for key in box.waits_for
    )
    places = {}
    for box in plan.boxes:
        low = end + 0.7 * (passed and box.field != "merged")
        if box.field in WHOLE_LAYER_FIELDS:
            part = given.index(box.key) if box.key in given else 0
            n_parts = len(given) if box.key in given else 1
            top, bottom = low * part / n_parts, low * (part + 1) / n_parts
            places[box.key] = BoxPosition(box.moment, top + 0.08, bottom - 0.08)
            continue
        heads = [head for head in rows if head * box.parts // n_heads == box.head]
        if heads:
            first, last = LANES_OF_FIELD.get(box.field, (0, 1))
            top = tops[heads[0]]
            places[box.key] = BoxPosition(box.moment, top + first + 0.08, top + last + 0.92)
    return places


def _connection(key: BoxKey, to: BoxKey, places: Mapping[BoxKey, BoxPosition]) -> Connection:
    """The line from the right of a box to the left of one that waits for it: straight, or with one
    step up or down before its end.
    """
    source, target = places[key], places[to]
    left, right = target.x - HALF_WIDTH, source.x + HALF_WIDTH
    color = "@muted" if role_of(key[0]) == "text" else f"@{role_of(key[0])}"
    low, high = max(source.top, target.top), min(source.bottom, target.bottom)
    if low < high:
        # Past the heads, below all of them.
        y = (
            high - 0.35
            if key[0] in WHOLE_LAYER_FIELDS and target.x - source.x > 1
            else (low + high) / 2
        )
        return Connection(color, (right, left), (y, y))
    first, last = LANES_OF_FIELD.get(key[0], (0, 1))
    y = (source.top + source.bottom) / 2
    own = (target.top + target.bottom) / 2
    end = target.top - 0.08 + (first + last + 1) / 2 if key[0] in LANES_OF_FIELD else own
    turn = left - (0.16 if key[0] == "memory" else 0.1)
    return Connection(color, (right, turn, turn, left), (y, y, end, end))


def _connection_lines(lines: Sequence[Connection]) -> Iterator[Part]:
    """The lines of each colour as one curve, and their arrow heads as one set of marks."""
    by_color = sorted(lines, key=lambda line: line.color)
    for color, same in groupby(by_color, key=lambda line: line.color):
        mine = list(same)
        look = {"type": "scatter", "hoverinfo": "skip", "showlegend": False}
        yield look | {
            "mode": "lines",
            "x": [x for line in mine for x in (*line.x, None)],
            "y": [y for line in mine for y in (*line.y, None)],
            "line": {"color": color, "width": 1.5},
        }
        yield look | {
            "mode": "markers",
            "x": [line.x[-1] - 0.03 for line in mine],
            "y": [line.y[-1] for line in mine],
            "marker": {"symbol": "triangle-right", "size": 8, "color": color},
        }


def _hover_marks(
    shown: Sequence[Box], places: Mapping[BoxKey, BoxPosition], names: Mapping[BoxKey, str]
) -> Iterator[Part]:
    """The hover texts of the boxes, also the table of the figure: a trace for each step."""
    for field, same in groupby(shown, key=lambda box: box.field):
        boxes = list(same)
        yield {
            "type": "scatter",
            "mode": "markers",
            "name": title_of(field),
            "x": [box.moment for box in boxes],
            "y": [(places[box.key].top + places[box.key].bottom) / 2 for box in boxes],
            "text": [_hover_text(box, names) for box in boxes],
            "marker": {"size": 34, "color": f"@{role_of(field)}", "opacity": 0},
            "hovertemplate": "%{text}<br>moment %{x}<extra></extra>",
        }


def _hover_text(box: Box, names: Mapping[BoxKey, str]) -> str:
    """A box in words: its name, its work, and the boxes that it waits for."""
    work = f"multiplications: {box.multiplications:,}"
    if box.exponentials:
        work += f", exponentials: {box.exponentials:,}"
    waits = ", ".join(names[key] for key in box.waits_for) or "nothing"
    return f"{names[box.key]}<br>{work}<br>waits for {waits}"


def _frame(box: Box, place: BoxPosition) -> Part:
    left, right = place.x - HALF_WIDTH, place.x + HALF_WIDTH
    return {
        "type": "path",
        "path": f"M{left},{place.top}H{right}V{place.bottom}H{left}Z",
        "line": {"color": f"@{role_of(box.field)}", "width": 1.5},
        "layer": "above",
    }


def _box_text(box: Box, name: str, place: BoxPosition) -> Part:
    """The symbol of a box and its multiplications: beside the symbol, or below it in a high box."""
    rows = place.bottom - place.top > 1
    work = f"{_compact(box.multiplications)} ×" if box.moment else ""
    if box.exponentials:
        work += f"<br>{_compact(box.exponentials)} exp"
    text = f"<b>{name}</b>{'<br>' if rows and not box.exponentials else ' '}{work}"
    middle = (place.top + place.bottom) / 2
    return annotation(place.x, middle, text.strip(), f"@{role_of(box.field)}", size=11)


def _headings(shown: Sequence[Box]) -> list[Part]:
    """The titles above each moment."""
    moments: dict[int, list[str]] = {}
    for box in shown:
        titles = moments.setdefault(box.moment, [])
        titles += [] if title_of(box.field) in titles else [title_of(box.field)]
    return [
        annotation(moment, -0.25, "<br>".join(titles).replace(" ", "<br>"), "@muted", size=11)
        | {"yanchor": "bottom"}
        for moment, titles in moments.items()
    ]


def _name(box: Box, notation: Notation) -> str:
    """The symbol of a box with the number of its head."""
    base = notation.base(box.field)
    if box.field in WHOLE_LAYER_FIELDS:
        return Symbol(base).plain
    return Symbol(notation.of_head(base, str(box.head + notation.first_head))).plain


def _compact(count: int) -> str:
    """A count that fits a box.

    >>> _compact(3072), _compact(1_234_567)
    ('3,072', '1.2 M')
    """
    return f"{count:,}" if count < 100_000 else f"{count / 1e6:,.1f} M"
