"""A live board in a notebook, without the notebook: its script, and what a pin or an edit means.

`widget.py` ties this to anywidget.
"""

import json
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.errors import SettingsError, short_repr
from attention_core.trace import Trace
from attention_lab.focus import moved_places
from attention_lab.heads.reruns import rerun
from attention_lab.user_data.edits import EDITABLE_ARRAYS, Edit, Edits, apply_edits

from .handout import BOARD_FOLDER, joined_script
from .payload import JSON

# The board lies on its own background, which may differ from the notebook's by a shade.
WIDGET_CSS = """
:host { display: block; }
.place { padding: 0.5rem; }
.place .board { background: var(--background); box-shadow: 0 0 0 0.5rem var(--background); }
"""


def widget_script() -> str:
    """The board as one module for anywidget, its style inside."""
    style = (BOARD_FOLDER / "board.css").read_text(encoding="utf-8") + WIDGET_CSS
    script = joined_script("widget.js")
    return f"const STYLE = {json.dumps(style)};\n{script}\nexport default {{ render }};\n"


def checked_pin(scene: JSON, pin: Any) -> JSON:
    """A cell of an array of the scene, whether or not it is in the part that was sent: its array
    and its index. Raises: SettingsError.

    >>> checked_pin({"arrays": {"scores": {"shape": [2, 3]}}}, {"array": "scores", "index": (1, 2)})
    {'array': 'scores', 'index': [1, 2]}
    """
    sizes = {name: one.get("whole", one["shape"]) for name, one in scene["arrays"].items()}
    match pin:
        case {"array": str(array), "index": [*index]} if len(index) == len(sizes.get(array, "")):
            if all(
                isinstance(place, int | np.integer) and 0 <= place < size
                for place, size in zip(index, sizes[array], strict=True)
            ):
                return {"array": array, "index": [int(place) for place in index]}
    listed = ", ".join(f"{name} {list(size)}" for name, size in sizes.items())
    raise SettingsError(
        f'pin is {short_repr(pin)} but must be a cell, {{"array": name, "index": [...]}}, of what'
        f" the board shows: {listed}"
    )


def pinned_places(scene: JSON, pin: JSON) -> dict[str, int]:
    """Head, query, key and feature of a pinned cell, as far as its array has them."""
    letters = scene["arrays"][pin["array"]]["axes"]
    axes = [(letter, scene["axes"][letter]["block"]) for letter in letters]
    return moved_places(axes, pin["index"])


def edited_trace(trace: Trace, sequence: int, edit: Any) -> Trace:
    """The layer again with one number replaced.

    edit: array, index and value, as the board sends them: of the inputs or memory of the sequence
    that is shown, or of weights. Raises: SettingsError.
    """
    match edit:
        case {"array": str(array), "index": [*_, int(row), int(column)], "value": value} if (
            array in EDITABLE_ARRAYS and isinstance(value, int | float)
        ):
            edits = Edits((Edit(EDITABLE_ARRAYS[array], row, column, value),))
        case _:
            raise SettingsError(
                f"edit is {short_repr(edit)} but must be array, index and value; the arrays are"
                f" {', '.join(EDITABLE_ARRAYS)}"
            )
    of_memory = array == "memory" and trace.memory is not trace.inputs
    batch = trace.memory if of_memory else trace.inputs
    before = batch[sequence]
    after, projections = apply_edits(edits, before, trace.projections)
    if after is before and projections is trace.projections:
        raise SettingsError(
            f"edit is of row {row}, column {column} of {array}, which has no such cell"
        )
    changes: dict[str, Any] = {"projections": projections}
    if after is not before:
        changes["memory" if of_memory else "x"] = _with_sequence(batch, sequence, after)
    return rerun(trace, **changes)


def _with_sequence(batch: Array, sequence: int, numbers: Array) -> Array:
    changed: Array = batch.copy()
    changed[sequence] = numbers
    return changed
