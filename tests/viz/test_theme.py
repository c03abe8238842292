"""Colours: those of the configuration, readable, put in only where a colour stands; the browser
gets what Plotly would have made of a figure.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from attention_core import STEPS
from attention_lab.notation.notation import QUANTITIES
from attention_viz.derived_arrays import DERIVED_ARRAYS
from attention_viz.names import COLOUR_ROLES, role_of
from attention_viz.theme import PALETTES, PLOTLY_DTYPES, coloured_figure, pack_arrays

ROOT = Path(__file__).parents[2]
CONFIG = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
# palette entry -> what config.toml calls it
SHARED = {
    "background": "backgroundColor",
    "text": "textColor",
    "muted": "grayColor",
    "line": "borderColor",
    "primary": "primaryColor",
    "query": "blueColor",
    "key": "redColor",
    "value": "greenColor",
    "output": "violetColor",
}
READ = ("text", "muted", "primary", "query", "key", "value", "output", "focus")


def luminance(colour: str) -> float:
    """How bright a colour is. Source: WCAG 2.2, relative luminance."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def mixed(one: str, other: str, share: float) -> str:
    """A colour with so large a share of the first of two."""
    parts = [(int(one[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02x}" for a, b in parts)


def contrast(one: str, other: str) -> float:
    """From 1 (equal) to 21 (black on white)."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("mode", PALETTES)
@pytest.mark.parametrize("name", SHARED)
def test_pictures_and_page_have_the_same_colours(mode: str, name: str) -> None:
    assert PALETTES[mode][name] == CONFIG["theme"][mode][SHARED[name]]


@pytest.mark.parametrize("mode", PALETTES)
@pytest.mark.parametrize("name", READ)
def test_colours_of_text_can_be_read(mode: str, name: str) -> None:
    for ground in ("backgroundColor", "secondaryBackgroundColor"):
        assert contrast(PALETTES[mode][name], CONFIG["theme"][mode][ground]) >= 4.5


@pytest.mark.parametrize("mode", PALETTES)
def test_the_terms_of_a_sum_can_be_read(mode: str) -> None:
    palette = PALETTES[mode]
    style = (ROOT / "assets" / "board" / "board.css").read_text(encoding="utf-8")
    (share,) = re.findall(
        r"color-mix\(in srgb, var\(--tint, var\(--background\)\) (\d+)%, var\(--background\)\)",
        style,
    )
    for _, colour in palette["logit"]:
        ground = mixed(colour, palette["background"], int(share) / 100)
        for name in ("text", "muted", "query", "key", "value", "output"):
            assert contrast(palette[name], ground) >= 4.5


@pytest.mark.parametrize("mode", PALETTES)
def test_probability_runs_one_way_and_signed_scales_meet_at_zero(mode: str) -> None:
    shares, signed = (
        [contrast(colour, PALETTES[mode]["background"]) for _, colour in PALETTES[mode][scale]]
        for scale in ("probability", "logit")
    )
    assert shares == sorted(shares)
    assert signed[:3] == sorted(signed[:3], reverse=True)
    assert signed[2:] == sorted(signed[2:])
    assert max(shares[0], signed[2]) < 1.2
    assert (shares[-1] > 7, min(signed[0], signed[-1]) > 6) == (True, True)


@pytest.mark.parametrize(("mode", "least"), [("light", 1.15), ("dark", 1.4)])
def test_small_numbers_are_seen(mode: str, least: float) -> None:
    scale = PALETTES[mode]["logit"]
    _, zero = scale[2]
    for place, strong in (scale[1], scale[3]):
        tenth = mixed(strong, zero, 0.05 / abs(place - 0.5))
        assert contrast(tenth, zero) >= least


@pytest.mark.parametrize("mode", PALETTES)
def test_sixteen_heads_have_colours_of_their_own(mode: str) -> None:
    colours = [PALETTES[mode][f"head {head}"] for head in range(16)]
    assert len(set(colours)) == 16
    assert min(contrast(colour, PALETTES[mode]["background"]) for colour in colours) >= 3


def test_every_field_has_a_role() -> None:
    assert {role_of(field) for field in STEPS} <= PALETTES["light"].keys()
    assert set(COLOUR_ROLES) <= {*QUANTITIES, *DERIVED_ARRAYS}
    story = {"query_heads": "query", "keys": "key", "values": "value", "output": "output"}
    assert {name: role_of(name) for name in story} == story


FIGURE: dict[str, Any] = {
    "data": [
        {
            "type": "scatter",
            "marker": {"color": "@query"},
            "text": ["@key", "@nothing"],
            "name": "@value",
            "x": [1],
        }
    ],
    "layout": {
        "shapes": [{"line": {"color": "@focus", "width": 1}}],
        "annotations": [{"text": "@query", "font": {"color": "@text"}}],
        "xaxis": {"ticktext": ["@primary"], "title": {"text": "@line"}},
        "meta": {"description": "@muted"},
    },
}


@pytest.mark.parametrize("mode", PALETTES)
def test_roles_become_colours(mode: str) -> None:
    figure, palette = coloured_figure(FIGURE, mode), PALETTES[mode]
    assert figure["data"][0]["marker"]["color"] == palette["query"]
    assert figure["layout"]["shapes"][0]["line"]["color"] == palette["focus"]
    assert figure["layout"]["annotations"][0]["font"]["color"] == palette["text"]
    assert figure["layout"]["font"]["color"] == palette["text"]


def test_text_is_never_taken_for_a_role() -> None:
    figure = coloured_figure(FIGURE)
    assert figure["data"][0]["text"] == ["@key", "@nothing"]
    assert figure["data"][0]["name"] == "@value"
    assert figure["layout"]["annotations"][0]["text"] == "@query"
    assert figure["layout"]["xaxis"] == FIGURE["layout"]["xaxis"] | {"ticklabeloverflow": "allow"}
    assert figure["layout"]["meta"] == FIGURE["layout"]["meta"]


def test_an_unknown_role_is_noticed() -> None:
    with pytest.raises(KeyError, match="qwery"):
        coloured_figure({"data": [{"marker": {"color": "@qwery"}}], "layout": {}})


def test_presentation_enlarges_type_margins_and_height() -> None:
    font = {"size": 10, "color": "@text"}
    figure = {
        "data": [{"marker": {"size": 14}}],
        "layout": {
            "margin": {"l": 20},
            "height": 300,
            "xaxis": {"tickfont": font},
            "annotations": [{"font": font}],
        },
    }
    dressed, usual = coloured_figure(figure, zoom=2), coloured_figure(figure)
    layout, own = dressed["layout"], usual["layout"]
    fonts = (layout["xaxis"]["tickfont"], layout["annotations"][0]["font"])
    assert [font["size"] for font in fonts] == [20, 20]
    assert (layout["margin"]["l"], layout["font"]["size"]) == (40, 2 * own["font"]["size"])
    assert (layout["height"], dressed["data"][0]["marker"]["size"]) == (600, 14)
    assert fonts[0]["color"] == PALETTES["light"]["text"]


@pytest.mark.parametrize("kind", ["<f4", "<i2", ">f4", "<U1", "|b1"])
@pytest.mark.parametrize("turned", [False, True], ids=["straight", "turned"])
def test_what_is_sent_is_what_plotly_would_send(kind: str, turned: bool) -> None:
    numbers = np.arange(6).reshape(3, 2).T if turned else np.arange(6).reshape(2, 3)
    given: dict[str, Any] = {
        "data": [{"type": "heatmap", "z": numbers.astype(kind, order="K"), "x": ["a", "b", "c"]}],
        "layout": {"height": 300, "shapes": [{"type": "rect", "x0": 0}], "meta": {"a": "b"}},
    }
    ready, checked = pack_arrays(given), go.Figure(given).to_dict()
    assert ready["layout"] | {"template": checked["layout"]["template"]} == checked["layout"]
    (sent,), (wanted,) = ready["data"], checked["data"]
    assert sent.keys() == wanted.keys()
    if kind in PLOTLY_DTYPES:
        assert sent == wanted
    else:
        assert sent["z"] == given["data"][0]["z"].tolist()


def test_an_array_without_numbers_is_an_empty_list() -> None:
    assert pack_arrays({"z": np.zeros((0, 3), "f4")}) == {"z": []}
