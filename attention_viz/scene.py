"""What the matrix board is given: the matrices of a step, how each cell is computed, and where each
matrix stands.

A scene is one JSON object with bytes in it: how numbers and rules travel in it is in `payload`, how
it is written out in `scene_formats`. The board in the browser knows no attention: all it says and
shows comes from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from attention_core import AXES
from attention_core.derived_arrays import DERIVED_ARRAYS
from attention_core.rules import Rule
from attention_core.steps import GIVEN_AXES

from .names import title_of
from .payload import JSON, Stage, array_json, rule_json
from .theme import BOARD_PALETTES


@dataclass(frozen=True)
class Panel:
    """One matrix of the board: which axes of the array are drawn as rows and columns, and where it
    stands.

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
    stage: Stage, panels: Sequence[Panel], cell: tuple[str, Sequence[int]], description: str
) -> JSON:
    """The board's JSON object for some panels; cell: the array and the index of the pinned cell."""
    names = _needed(stage, [panel.array for panel in panels])
    array, index = cell
    return {
        "description": description,
        "arrays": {name: array_json(stage, name) for name in names},
        "rules": {name: rule_json(told) for name in names if (told := _told(stage, name, names))},
        "axes": _axes(stage, names),
        "panels": [_panel(stage, panel) for panel in panels],
        "cell": {"array": array, "index": [int(i) for i in index]},
        "player": any(panel.part == "result" for panel in panels),
        "arithmetic": True,
        "transposed": stage.notation.convention == "column",
    }


def coloured_scene(given: JSON, mode: str, zoom: float = 1.0) -> JSON:
    """The scene in the colours of a mode, "light", "dark" or "both", and with larger type."""
    return given | {
        "palette": BOARD_PALETTES if mode == "both" else BOARD_PALETTES[mode],
        "zoom": zoom,
    }


def _needed(stage: Stage, names: Iterable[str]) -> list[str]:
    """The arrays of the panels, what derived arrays among them are worked out from, and settings
    that the rules read.
    """
    found = dict.fromkeys(names)
    waiting = list(found)
    while waiting:
        name = waiting.pop()
        rule = stage.rule(name)
        if rule is None:
            continue
        for r in (*rule.reads, *rule.adds):
            small = r.array in GIVEN_AXES and len(stage.letters(r.array)) < 2
            if r.array not in found and (name in DERIVED_ARRAYS or small):
                found[r.array] = None
                waiting.append(r.array)
    return list(found)


def _told(stage: Stage, name: str, names: Sequence[str]) -> Rule | None:
    """The rule of an array, if all it reads is there."""
    rule = stage.rule(name)
    if rule and all(r.array in names for r in (*rule.reads, *rule.adds)):
        return rule
    return None


def _axes(stage: Stage, names: Iterable[str]) -> JSON:
    """Every axis of the scene: its word, its labels, and the width of a head where heads lie
    side by side.
    """
    trace, axes = stage.trace, {}
    for name in names:
        declared = stage.letters(name)
        for letter, shown in zip(declared, trace.shown(declared), strict=True):
            parts = letter.split("·")
            axes[shown] = {
                "word": AXES.get(shown, "column"),
                "labels": list(trace.labels(letter)) if letter in "TS" else None,
                "block": trace.sizes[parts[1]] if len(parts) == 2 else None,
            }
            if letter in ("T", "S") and stage.n_real is not None:
                axes[shown]["real"] = stage.n_real
    return axes


def _panel(stage: Stage, panel: Panel) -> JSON:
    title = f"{stage.symbol(panel.array)} {panel.title or title_of(panel.array)}".strip()
    given: JSON = {
        "id": f"{panel.array} {panel.part}",
        "array": panel.array,
        "rows": panel.rows,
        "columns": panel.columns,
        "place": list(panel.place),
        "role": panel.part,
        "title": title,
        "badge": _badge(stage, panel),
        "size": "small" if panel.small else "full",
    }
    if panel.tiles is not None:
        given |= {"tiles": panel.tiles, "arrange": panel.arrange}
    if panel.diagonal:
        given["mark"] = "diagonal"
    if panel.link:
        given["link"] = panel.link
    if panel.editable:
        given["editable"] = True
    return given


def _badge(stage: Stage, panel: Panel) -> str:
    """The sizes that are drawn, as numbers, in the order in which they are read, and their axes in
    words; of tiles, as they lie in the array.
    """
    across = [panel.rows, panel.columns]
    if stage.notation.convention == "column":
        across.reverse()
    drawn = [axis for axis in (panel.tiles, *across) if axis is not None]
    if not drawn:
        return ""
    if drawn[-2:] == sorted(drawn[-2:]):
        drawn.sort()
    shape, letters = stage.shape(panel.array), stage.trace.shown(stage.letters(panel.array))
    sizes = " × ".join(str(shape[axis]) for axis in drawn)
    words = " × ".join(axis_word(letters[axis]) for axis in drawn)
    return f"{sizes}, {words}"


def axis_word(letter: str) -> str:
    """An axis in one word: query, key, feature, head, or column where heads lie side by side."""
    if "·" in letter:
        return "column"
    if AXES[letter].endswith("feature"):
        return "feature"
    return AXES[letter].removesuffix(" position")
