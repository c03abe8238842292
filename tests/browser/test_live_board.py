"""The script of a live board in a plain page, beside a stand-in for the notebook's side."""

from __future__ import annotations

import base64
import re
from typing import Any

import numpy as np
import pytest
from PIL import ImageColor
from playwright.sync_api import Page, expect

from attention_core import Projections, Trace, attend, derive
from attention_lab.focus import Focus
from attention_viz.labels import format_number
from attention_viz.live_scene import checked_pin, edited_trace, widget_script
from attention_viz.notebook import live_scene
from attention_viz.payload import JSON
from attention_viz.scene import coloured_scene
from attention_viz.scene_formats import scene_to_bytes
from attention_viz.theme import PALETTES

pytestmark = pytest.mark.every_situation
TRACE = attend(np.random.default_rng(0).normal(size=(5, 6)), Projections.random(6, 2))
# The style of a notebook would hide every board that it reaches.
PAGE = "<style>.board, canvas { display: none !important }</style><div id='cell'></div>"
MOUNT = """async ([script, scene, pin]) => {
  const signs = (text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const bytes = (text) => new DataView(signs(text).buffer);
  const [state, listeners, told] = [{ scene: bytes(scene), pin, edit: null }, {}, []];
  const set = (name, value) => {
    state[name] = value;
    for (const act of listeners[`change:${name}`] ?? []) act();
  };
  const model = {
    get: (name) => state[name],
    set,
    save_changes: () => told.push(structuredClone({ pin: state.pin, edit: state.edit })),
    on: (event, act) => (listeners[event] ??= new Set()).add(act),
    off: (event, act) => listeners[event].delete(act),
  };
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const { default: widget } = await import(url);
  const end = widget.render({ model, el: document.getElementById("cell") });
  const shown = (scene) => set("scene", bytes(scene));
  Object.assign(window, { told, end, listeners, shown, pinned: (cell) => set("pin", cell) });
}"""

THEME = """light => {
  document.body.style.display = "none";
  document.body.dataset.jpThemeLight = light;
  requestAnimationFrame(() => document.body.style.display = "");
}"""


def packed(scene: JSON) -> str:
    """The bytes of a scene, as text."""
    return base64.b64encode(scene_to_bytes(coloured_scene(scene, "both"))).decode()


def scene_of(trace: Trace) -> JSON:
    """The queries, from the first cell on."""
    return live_scene("queries", trace, 0, Focus(0, 0, 0, 0))


def told(page: Page) -> dict[str, Any]:
    """What the board last told the notebook."""
    found: dict[str, Any] = page.evaluate("() => window.told.at(-1)")
    return found


def test_pins_go_both_ways_edits_come_back_and_the_theme_is_followed(
    page: Page, files: str
) -> None:
    scene = scene_of(TRACE)
    page.goto(f"{files}/tests/js/")
    page.set_content(PAGE)
    page.evaluate(MOUNT, [widget_script(), packed(scene), scene["cell"]])
    result = page.locator("#cell .arithmetic .result")
    # From Python to the board.
    page.evaluate("cell => window.pinned(cell)", {"array": "queries", "index": [0, 3, 1]})
    expect(result).to_have_text(format_number(derive(TRACE, "queries", (0, 3, 1)).result, 4))
    # From the board to Python.
    panel = page.locator("#cell .panel").last
    panel.focus()
    for key in ("ArrowUp", "ArrowLeft", "Enter"):
        panel.press(key)
    assert checked_pin(scene, told(page)["pin"]) == {"array": "queries", "index": [0, 2, 0]}
    # An edit, and the layer with it.
    inputs = page.locator("#cell .panel").first
    inputs.focus()
    for key in ("Enter", "7", "Enter"):
        page.keyboard.press(key)
    edit = told(page)["edit"]
    assert (edit["array"], edit["value"]) == ("inputs", 7)
    changed = edited_trace(TRACE, 0, edit)
    page.evaluate("scene => window.shown(scene)", packed(scene_of(changed)))
    page.evaluate("cell => window.pinned(cell)", {"array": "queries", "index": [0, 2, 0]})
    expect(result).to_have_text(format_number(derive(changed, "queries", (0, 2, 0)).result, 4))
    # JupyterLab's own theme, whatever the system's. It hides the notebook for less than a frame.
    section, name = page.locator("#cell section"), page.locator("#cell .arithmetic .name")
    for light, theme in (("false", "dark"), ("true", "light")):
        page.evaluate(THEME, light)
        red, green, blue = ImageColor.getrgb(PALETTES[theme]["query"])
        expect(name).to_have_css("color", f"rgb({red}, {green}, {blue})")
        background = re.compile(f"--background: {PALETTES[theme]['background']};")
        expect(section).to_have_attribute("style", background)
    page.evaluate("() => window.end()")
    expect(section).to_have_count(0)
    assert page.evaluate("() => Object.values(window.listeners).every((acts) => !acts.size)")
