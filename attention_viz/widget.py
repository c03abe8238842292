"""A board in a notebook that tells Python what is pinned and edited; needs anywidget, which the
extra [widget] brings.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import anywidget
import traitlets

from attention_core.trace import Trace
from attention_lab.focus import Focus

from .live_scene import checked_pin, edited_trace, pinned_places, widget_script
from .payload import JSON
from .scene import coloured_scene, has_cell
from .scene_formats import scene_to_bytes


class LiveBoard(anywidget.AnyWidget):
    """A step of a layer in a cell of a notebook.

    pin: the pinned cell, {"array": ..., "index": [...]}; set it to move the board. edit: the last
    number that was typed, {"array": ..., "index": [...], "value": ...}, or None. trace: the layer
    that is shown, with the edits; set it to show another. Raises: SettingsError for what the board
    cannot show.
    """

    _esm = widget_script()
    scene = traitlets.Bytes().tag(sync=True)
    pin = traitlets.Dict().tag(sync=True)
    edit = traitlets.Dict(default_value=None, allow_none=True).tag(sync=True)
    trace = traitlets.Any()

    def __init__(
        self,
        trace: Trace,
        sequence: int,
        focus: Focus,
        scene_of: Callable[[Trace, int, Focus], JSON],
    ) -> None:
        """sequence: the one of a batch that is shown; focus: the cell that is pinned at first;
        scene_of: makes the scene of a layer.
        """
        self._sequence, self._focus, self._scene_of = sequence, focus, scene_of
        super().__init__(trace=trace)

    @traitlets.validate("trace")
    def _check_trace(self, proposal: Any) -> Trace:
        trace: Trace = proposal["value"]
        self._scene = self._scene_of(trace, self._sequence, self._focus)
        return trace

    @traitlets.validate("pin")
    def _check_pin(self, proposal: Any) -> JSON:
        return checked_pin(self._scene, proposal["value"])

    @traitlets.observe("trace")
    def _show_trace(self, _change: Any) -> None:
        with self.hold_sync():
            if not self.pin or not has_cell(self._scene, self.pin):
                self.pin = self._scene["cell"]
            self._send_scene()

    @traitlets.observe("pin")
    def _follow_pin(self, _change: Any) -> None:
        self._focus = replace(self._focus, **pinned_places(self._scene, self.pin))
        if not has_cell(self._scene, self.pin):  # a wide layer is sent in parts
            self._scene = self._scene_of(self.trace, self._sequence, self._focus)
            self._send_scene()

    @traitlets.observe("edit")
    def _take_edit(self, change: Any) -> None:
        if change["new"] is not None:
            self.trace = edited_trace(self.trace, self._sequence, change["new"])

    def _send_scene(self) -> None:
        self.scene = scene_to_bytes(coloured_scene(self._scene, "both"))
