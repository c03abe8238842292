"""The colours of every picture, light and dark. Figures name a colour role, such as "@query";
`coloured_figure` replaces it by the colour.
"""

import base64
from typing import Any

import numpy as np

Figure = dict[str, Any]


def _even(*colours: str) -> list[list[float | str]]:
    """A scale from the first colour to the last, with equal steps."""
    return [[place / (len(colours) - 1), colour] for place, colour in enumerate(colours)]


# The role colours are those of .streamlit/config.toml (a test compares them); each has a contrast
# of at least 4.5 with the background. The scales are safe for the common kinds of colour blindness:
# probabilities in one hue, features and logits from orange (negative) through the background to
# violet (positive).
PALETTES: dict[str, dict[str, Any]] = {
    "light": {
        "background": "#ffffff",
        "text": "#1a1b26",
        "muted": "#5a5d6e",
        "line": "#d5d6e3",
        "primary": "#4338ca",
        "query": "#1d5fc4",
        "key": "#b4232c",
        "value": "#0b7150",
        "output": "#8420b0",
        "focus": "#c2410c",
        "hidden": "#e3e4ec",
        "hatch": "#8d90a3",
        "probability": _even("#f7f9fd", "#bcd6f0", "#5f9fd8", "#2166b0", "#0a2f66"),
        "logit": _even("#7f3b08", "#e08214", "#f7f7f9", "#8d7fc0", "#3f1273"),
    },
    "dark": {
        "background": "#11121a",
        "text": "#f1f2f8",
        "muted": "#b3b6c6",
        "line": "#3a3c4f",
        "primary": "#a5b4fc",
        "query": "#7cb4ff",
        "key": "#ff9a98",
        "value": "#63d6a8",
        "output": "#dd9bff",
        "focus": "#ffb071",
        "hidden": "#2c2e3d",
        "hatch": "#7d8096",
        "probability": _even("#181b29", "#1f3f73", "#2f74c0", "#6fb3f2", "#e2f1ff"),
        # Steeper beside the middle than in light: near black the eye tells fewer steps apart.
        "logit": [
            [0, "#ffc27a"],
            [0.38, "#8f5820"],
            [0.5, "#1b1d29"],
            [0.62, "#5c4f9f"],
            [1, "#cdbcff"],
        ],
    },
}
# The colours of boards; those that only charts use are added below.
BOARD_PALETTES = {mode: dict(colours) for mode, colours in PALETTES.items()}
# One hue for each of 8 heads, repeated for more: the palette of Okabe and Ito, which the
# colour-blind can distinguish, without yellow and black.
HEAD_HUES = (
    (0, 114, 178),
    (230, 159, 0),
    (0, 158, 115),
    (204, 121, 167),
    (86, 180, 233),
    (213, 94, 0),
    (150, 140, 40),
    (120, 120, 130),
)


def _inks(ink: int) -> dict[str, str]:
    """A colour for the line or bar of each head: the eight hues with some ink, then with more."""
    mixed = [
        [round(share * part + (1 - share) * ink) for part in hue]
        for share in (0.8, 0.5)
        for hue in HEAD_HUES
    ]
    return {f"head {i}": "#{:02x}{:02x}{:02x}".format(*parts) for i, parts in enumerate(mixed)}


PALETTES["light"] |= _inks(0)
PALETTES["dark"] |= _inks(255)

_COLOUR_KEYS = {
    "color",
    "bgcolor",
    "bordercolor",
    "fillcolor",
    "gridcolor",
    "outlinecolor",
    "arrowcolor",
}
_FONT_KEYS = {"font", "tickfont"}  # numbers inside cells keep their size: the cells do not grow


def figure_json(figure: Figure, mode: str = "light", zoom: float = 1.0) -> Figure:
    """A figure in the colours of a mode, "light" or "dark", with its arrays encoded for the
    browser. zoom: enlarges the type.
    """
    packed: Figure = pack_arrays(coloured_figure(figure, mode, zoom))
    return packed


def coloured_figure(figure: Figure, mode: str = "light", zoom: float = 1.0) -> Figure:
    """A copy of a figure with the colours of a mode, "light" or "dark", in the place of roles.
    zoom: enlarges type and height.
    """
    palette, size = PALETTES[mode], 13 * zoom
    font = {"color": palette["text"], "size": size, "family": '"Source Sans", sans-serif'}
    layout: Figure = {
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": font,
        "hoverlabel": {
            "bgcolor": palette["background"],
            "font": font | {"size": size + 1},
            "align": "left",
        },
        "modebar": {
            "bgcolor": "rgba(0,0,0,0)",
            "color": palette["muted"],
            "activecolor": palette["primary"],
        },
    }
    copy: Figure = _coloured(figure, palette, zoom)
    layout |= copy["layout"]
    layout["margin"] = {side: zoom * room for side, room in layout.get("margin", {}).items()}
    for name in layout:
        # Otherwise Plotly measures each label of an axis, to hide labels that leave the picture:
        # a twentieth of a repaint.
        if name[1:].startswith("axis"):
            layout[name] = {"ticklabeloverflow": "allow"} | layout[name]
    # The titles of vertical axes grow with the type: without more height they would be cut.
    if "height" in layout:
        layout["height"] *= zoom
    return copy | {"layout": layout}


def _coloured(part: Any, palette: dict[str, Any], zoom: float) -> Any:
    """Replace roles, but only where Plotly expects a colour: a user's token may be "@query"."""
    if isinstance(part, dict):
        return {key: _entry(key, value, palette, zoom) for key, value in part.items()}
    if isinstance(part, list) and part and isinstance(part[0], dict):
        return [_coloured(item, palette, zoom) for item in part]
    return part


def _entry(key: str, value: Any, palette: dict[str, Any], zoom: float) -> Any:
    if key in _COLOUR_KEYS and isinstance(value, str) and value.startswith("@"):
        return palette[value[1:]]
    if key in _FONT_KEYS and "size" in value:
        value = value | {"size": zoom * value["size"]}
    return _coloured(value, palette, zoom)


# Element types that plotly.js reads from base64; other arrays travel as lists.
PLOTLY_DTYPES = ("|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<f4", "<f8")


def pack_arrays(part: Any) -> Any:
    """A part of a figure with its arrays in the form that plotly.js reads from JSON.

    >>> pack_arrays({"z": np.zeros((1, 2), "f4"), "name": "z"})
    {'z': {'dtype': 'f4', 'bdata': 'AAAAAAAAAAA=', 'shape': '1, 2'}, 'name': 'z'}
    """
    if isinstance(part, dict):
        return {key: pack_arrays(value) for key, value in part.items()}
    if isinstance(part, list) and part and isinstance(part[0], dict):
        return [pack_arrays(item) for item in part]
    if not isinstance(part, np.ndarray):
        return part
    if part.dtype.str not in PLOTLY_DTYPES or not part.size:
        return part.tolist()
    array = {"dtype": part.dtype.str[1:], "bdata": base64.b64encode(part.tobytes()).decode("ascii")}
    if part.ndim > 1:
        array["shape"] = str(part.shape)[1:-1]
    return array
