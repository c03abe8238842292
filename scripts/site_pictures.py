"""The picture of a page, as others show it beside a link: drawn from the stored answer of the page,
without a browser.
"""

import base64
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from textwrap import shorten, wrap
from typing import Any

import numpy as np
from PIL import Image, ImageColor, ImageDraw, ImageFont

SIZE = (1200, 630)
MARGIN, TOP, GAP = 60, 250, 50  # around, above the matrices, between them
LOW = 550  # where they end
LARGEST_CELL = 40
MOST_PANELS = 4
PURPLE, INK, SOFT, RULE = "#4338ca", "#1a1b26", "#5a5d6e", "#d5d6e3"
CURVES = ("#1d5fc4", "#b4232c", "#0b7150", "#8420b0", "#c2410c")
Drawing = Mapping[str, Any]


def icon(side: int) -> bytes:
    """The icon of the site as PNG: three arcs that meet in points, as in `assets/icon.svg`."""
    image = Image.new("RGB", (4 * side, 4 * side), "white")
    draw, unit = ImageDraw.Draw(image), 4 * side / 64
    for left, right, top in ((10, 54, 15), (10, 32, 28)):
        box = [place * unit for place in (left, top, right, 2 * 48 - top)]
        draw.arc(box, 180, 360, fill="#6d66ee", width=int(5 * unit))
    for x in (10, 32, 54):
        draw.circle((x * unit, 48 * unit), 8 * unit, fill="#6d66ee")
    return _png(image.resize((side, side)))


def picture(title: str, question: str, answer: Drawing, words: str) -> bytes:
    """The picture of a page as PNG: its title, its question, and the first matrices or curves of
    its stored answer, or words where it has neither. Its size in pixels is `SIZE`.
    """
    image = Image.new("RGB", SIZE, "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, 16, SIZE[1]), fill=PURPLE)
    draw.text((MARGIN, 40), title, fill=INK, font=_font(58 if len(title) < 34 else 44))
    lines = wrap(question, 62)
    draw.text((MARGIN, 125), "\n".join(lines[:2]), fill=SOFT, font=_font(34), spacing=8)
    draw.text((MARGIN, 575), "Attention Lab", fill=PURPLE, font=_font(28))
    boards, charts = [*_found(answer, "board")], [*_found(answer, "figure")]
    if panels := next(filter(None, map(_panels, boards)), None):
        _draw_panels(draw, panels)
    elif charts:
        _draw_curves(draw, charts[0]["data"])
    else:
        text = "\n".join(wrap(shorten(words, 400, placeholder=" …"), 70))
        draw.text((MARGIN, TOP), text, fill=INK, font=_font(30), spacing=12)
    return _png(image)


def _font(size: int) -> Any:
    return ImageFont.load_default(size)


def _png(image: Image.Image) -> bytes:
    target = BytesIO()
    image.quantize(64, method=Image.Quantize.MAXCOVERAGE).save(target, "PNG", optimize=True)
    return target.getvalue()


def _found(answer: Drawing, name: str) -> Iterator[Any]:
    """The scene of a step, or the boards or figures of the blocks of a page, in their order."""
    if "scene" in answer and name == "board":
        yield answer["scene"]
    for block in answer.get("blocks") or ():
        if name in block:
            yield block[name]
        for part in block.get("parts") or ():
            yield from _found({"blocks": part}, name)


def _panels(scene: Drawing) -> list[tuple[str, list[list[str]]]]:
    """The first matrices of a scene: their names, and the colours of their cells."""
    shown = [one for one in scene["panels"] if one.get("columns") is not None]
    stage = [one for one in shown if one.get("role") in ("operand", "result")]
    picked = [one for one in stage or shown if "data" in scene["arrays"][one["array"]]][
        :MOST_PANELS
    ]
    names = [one["array"] for one in picked]
    return [
        (scene["arrays"][one["array"]].get("title", ""), _cells(scene, one))
        for place, one in enumerate(picked)
        if one["array"] not in names[:place]
    ]


def _cells(scene: Drawing, panel: Drawing) -> list[list[str]]:
    """The colours of the cells of a panel, row by row."""
    array, pinned = scene["arrays"][panel["array"]], scene["cell"]
    numbers = np.frombuffer(base64.b64decode(array["data"]), np.float32).reshape(array["shape"])
    cell = pinned["index"] if pinned["array"] == panel["array"] else [0] * numbers.ndim
    start = array.get("start") or [0] * numbers.ndim  # of an array of which a part is sent
    axes = (-1 if panel.get("rows") is None else panel["rows"], panel["columns"])
    index = [
        slice(None) if axis in axes else max(0, cell[axis] - start[axis])
        for axis in range(numbers.ndim)
    ]
    shown = numbers[tuple(index)]
    shown = np.atleast_2d(shown if axes[0] < axes[1] else shown.T)
    palette = scene["palette"]["light"]
    finite = np.abs(shown[np.isfinite(shown)])
    largest = float(finite.max(initial=0)) or 1.0
    is_share = array.get("kind") == "probability"
    stops = palette["probability" if is_share else "logit"]
    return [
        [
            _between(stops, float(one if is_share else 0.5 + one / largest / 2))
            if np.isfinite(one)
            else palette["hidden"]
            for one in row
        ]
        for row in shown
    ]


def _between(stops: Sequence[tuple[float, str]], place: float) -> str:
    """The colour of a scale at a place from 0 to 1."""
    wanted = [at for at, _ in stops]
    mixed = zip(*(ImageColor.getrgb(colour)[:3] for _, colour in stops), strict=True)
    red, green, blue = (round(float(np.interp(place, wanted, one))) for one in mixed)
    return f"#{red:02x}{green:02x}{blue:02x}"


def _draw_panels(draw: ImageDraw.ImageDraw, panels: Sequence[tuple[str, list[list[str]]]]) -> None:
    """Draw matrices beside one another, vectors below one another, with cells of one size."""
    columns = [len(cells[0]) for _, cells in panels]
    are_vectors = all(len(cells) == 1 for _, cells in panels)
    width = SIZE[0] - 2 * MARGIN - (0 if are_vectors else GAP * (len(panels) - 1))
    height = (LOW - TOP) / (2 * len(panels) if are_vectors else 1)
    across = max(columns) if are_vectors else sum(columns)
    side = min(width / across, height / max(len(cells) for _, cells in panels), LARGEST_CELL)
    left, top = float(MARGIN), float(TOP)
    for title, cells in panels:
        draw.text((left, top - 32), title[: int(len(cells[0]) * side / 11)], SOFT, _font(22))
        for y, row in enumerate(cells):
            for x, colour in enumerate(row):
                at = (left + x * side, top + y * side)
                box = (*at, at[0] + side, at[1] + side)
                draw.rectangle(box, fill=colour, outline=RULE if side > 8 else None)
        if are_vectors:
            top += 2 * height
        else:
            left += len(cells[0]) * side + GAP


def _draw_curves(draw: ImageDraw.ImageDraw, traces: Sequence[Drawing]) -> None:
    """Draw the curves and bars of a chart in one frame."""
    known = [_numbers(trace.get("y")) for trace in traces]
    known = [one for one in known if one.size and np.isfinite(one).any()]
    if not known:
        return
    low = min(0.0, *(float(np.nanmin(one)) for one in known), 0.0)
    high = max(float(np.nanmax(one)) for one in known)
    for place, numbers in enumerate(known[: len(CURVES)]):
        xs = np.linspace(MARGIN + 30, SIZE[0] - MARGIN - 30, numbers.size)
        ys = LOW - (LOW - TOP) * (numbers - low) / ((high - low) or 1.0)
        points = [(float(x), float(y)) for x, y in zip(xs, ys, strict=True) if np.isfinite(y)]
        if traces[place].get("type") == "bar":
            for x, y in points:
                draw.rectangle((x - 12, min(y, LOW), x + 12, LOW), fill=CURVES[place])
        else:
            draw.line(points, fill=CURVES[place], width=5)
    draw.line((MARGIN, LOW, SIZE[0] - MARGIN, LOW), fill=RULE, width=3)


def _numbers(values: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The numbers of a curve: a list, or bytes with the name of their type. What is no number is
    NaN.
    """
    if isinstance(values, Mapping):
        return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"]).astype(float)
    return np.array(
        [float(one) if isinstance(one, int | float) else np.nan for one in values or ()]
    )
