"""The scene that the matrix board draws: the matrices of a step, how each cell is computed, and
where each matrix stands.

A scene is one JSON object that may hold bytes: `payload` encodes numbers and rules, and
`scene_formats` writes it out. The board in the browser knows nothing about attention: all that it
says and shows comes from here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from attention_core import AXES, STEPS
from attention_core.rules import Rule
from attention_core.steps import GIVEN_AXES
from attention_lab.notation.notation import Notation, written_name
from attention_viz.derived_arrays import DERIVED_ARRAYS

from .names import title_of
from .payload import JSON, Stage, Window, array_json, board_json, panel_json, present, rule_json
from .pieces import named
from .theme import BOARD_PALETTES

BEFORE_SCORES = list(STEPS)[: list(STEPS).index("scores")]


@dataclass(frozen=True)
class Panel:
    """One matrix of the board: its array, the axes that are its rows and columns, and its place.

    rows, columns: axis numbers, None for a single row or column. tiles: an axis that gets one
    matrix per index. place: column and row of the board's own grid. part: result, operand, tiles,
    row or aside.
    """

    array: str
    rows: int | None
    columns: int | None
    place: tuple[int, int]
    part: str = "operand"
    title: str = ""
    tiles: int | None = None
    arrange: str = "grid"
    small: bool = False
    diagonal: bool = False
    link: str = ""
    editable: bool = False


def scene(
    stage: Stage,
    panels: Sequence[Panel],
    cell: tuple[str, Sequence[int]],
    description: str,
    beside: Sequence[str] = (),
) -> JSON:
    """The board's JSON object for some panels. cell: the array and the index of the pinned cell.
    beside: arrays without a panel, through which others are explained.
    """
    names = _needed(stage, [*(panel.array for panel in panels), *beside])
    return board_json(
        description,
        {name: array_json(stage, name) for name in names},
        _axes(stage, names),
        [_panel(stage, panel) | _quiet(stage, panel, panels) for panel in panels],
        cell,
        stage.notation,
        rules={n: rule_json(rule) for n in names if (rule := _complete_rule(stage, n, names))},
        player=any(panel.part == "result" for panel in panels),
    )


def coloured_scene(scene: JSON, mode: str, zoom: float = 1.0) -> JSON:
    """A scene with the colours of a mode, "light", "dark" or "both", and with its type enlarged."""
    palettes = BOARD_PALETTES | {"both": BOARD_PALETTES}
    return scene | {"palette": palettes[mode], "zoom": zoom}


def has_cell(scene: JSON, cell: JSON | None) -> bool:
    """Whether there is a cell, and it lies in the part that is sent of its array."""
    if cell is None or cell["array"] not in scene["arrays"]:
        return False
    array, index = scene["arrays"][cell["array"]], cell["index"]
    if len(index) != len(array["shape"]):
        return False
    first = array.get("start", [0] * len(index))
    return all(
        start <= place < start + size
        for place, start, size in zip(index, first, array["shape"], strict=True)
    )


def _needed(stage: Stage, names: Iterable[str]) -> list[str]:
    """The arrays of the panels, the arrays from which derived ones are computed, and the numbers
    that rules read, such as the scale.
    """
    names_in_order = dict.fromkeys(names)
    waiting = list(names_in_order)
    while waiting:
        name = waiting.pop()
        rule = stage.rule(name)
        if rule is None:
            continue
        for r in (*rule.reads, *rule.adds):
            is_small = r.array in GIVEN_AXES and len(stage.letters(r.array)) < 2
            if r.array not in names_in_order and (name in DERIVED_ARRAYS or is_small):
                names_in_order[r.array] = None
                waiting.append(r.array)
    return list(names_in_order)


def _complete_rule(stage: Stage, name: str, names: Sequence[str]) -> Rule | None:
    """The rule of an array, if the scene has all arrays that the rule reads."""
    rule = stage.rule(name)
    if rule and all(r.array in names for r in (*rule.reads, *rule.adds)):
        return rule
    return None


def _axes(stage: Stage, names: Iterable[str]) -> JSON:
    """Every axis of the scene: its word, its labels, and the width of a head if heads lie side by
    side.
    """
    trace = stage.trace
    axes: JSON = {}
    for name in names:
        declared = stage.letters(name)
        for letter, shown in zip(declared, trace.shown(declared), strict=True):
            word = AXES.get(shown, stage.notation.layout.column)
            axes[shown] = {"word": word, "labels": None, "block": None}
            if letter in ("T", "S"):
                axes[shown] |= named(trace.labels(letter))
                if stage.n_real is not None:
                    axes[shown]["real"] = stage.n_real
            if "·" in letter:
                axes[shown]["block"] = trace.sizes[letter.split("·")[1]]
    return axes


def _panel(stage: Stage, panel: Panel) -> JSON:
    words = panel.title or title_of(written_name(stage.trace, panel.array), stage.notation.layout)
    title = f"{stage.symbol(panel.array)} {words}".strip()
    about = panel_json(panel.array, title, _badge(stage, panel), panel.place, panel.part)
    about |= {"id": f"{panel.array} {panel.part}", "rows": panel.rows, "columns": panel.columns}
    about["size"] = "small" if panel.small else "full"
    if panel.tiles is not None:
        about |= {"tiles": panel.tiles, "arrange": panel.arrange}
    mark = "diagonal" * panel.diagonal
    return about | present(mark=mark, link=panel.link, editable=panel.editable)


def _quiet(stage: Stage, panel: Panel, panels: Sequence[Panel]) -> JSON:
    """Whether axes in words are only spoken: before the scores every row is a token, and no query
    has met a key. Which part of an axis is sent must be seen.
    """
    results = {panel.array for panel in panels if panel.part == "result"}
    is_quiet = results & set(BEFORE_SCORES) and not _part_sent(stage, panel)
    return {"quiet": True} if is_quiet else {}


def _badge(stage: Stage, panel: Panel) -> str:
    """The sizes of the array and its axes in words, in reading order; with tiles in the order of
    the array. Of an axis that is sent in part, the words say which part.
    """
    drawn = _drawn_axes(stage, panel)
    if not drawn:
        return ""
    shape, letters = stage.whole_shape(panel.array), stage.letters(panel.array)
    sizes = " × ".join(str(shape[axis]) for axis in drawn)
    shown = stage.trace.shown(letters)
    words = " × ".join(axis_word(shown[axis], stage.notation) for axis in drawn)
    return f"{sizes}, {_part_sent(stage, panel) or words}"


def _drawn_axes(stage: Stage, panel: Panel) -> list[int]:
    """The axes of an array that a panel draws, in reading order."""
    across = [panel.rows, panel.columns]
    if stage.notation.convention == "column":
        across.reverse()
    drawn = [axis for axis in (panel.tiles, *across) if axis is not None]
    return sorted(drawn) if drawn[-2:] == sorted(drawn[-2:]) else drawn


def _part_sent(stage: Stage, panel: Panel) -> str:
    """Which part of a panel's axes is sent, in words; "" if all is."""
    shape, letters = stage.whole_shape(panel.array), stage.letters(panel.array)
    shown = stage.trace.shown(letters)
    cut = [axis for axis in _drawn_axes(stage, panel) if letters[axis] in stage.windows]
    parts = (
        _part(axis_word(shown[axis], stage.notation), stage.windows[letters[axis]], shape[axis])
        for axis in cut
    )
    return " × ".join(filter(None, parts))


def _part(word: str, window: Window, size: int) -> str:
    """Which part of an axis is sent; "" for all of it.

    >>> _part("feature", (0, 8), 16)
    'feature 0–7 of 16'
    """
    first, last = window[0], min(window[1], size) - 1
    if last - first + 1 == size:
        return ""
    places = f"{first}–{last}" if last > first else str(first)
    return f"{word} {places} of {size}"


def axis_word(letter: str, notation: Notation) -> str:
    """An axis in one word: query, key, feature, head, or column if heads lie side by side, which is
    a row where tokens are columns.
    """
    if "·" in letter:
        return notation.layout.column
    if AXES[letter].endswith("feature"):
        return "feature"
    return AXES[letter].removesuffix(" position")
