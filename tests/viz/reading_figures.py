"""How the tests read a figure: what is sent to the browser, its markers, its texts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import plotly.graph_objects as go

from attention_viz.theme import Figure, coloured_figure, figure_json


def refuse(constant: str) -> None:
    """JSON has no NaN and no infinity; a browser would refuse the whole picture."""
    raise AssertionError(constant)


def as_sent(figure: Figure) -> str:
    """The text that goes to the browser, every property checked by Plotly; arrays travel as
    base64.
    """
    text = json.dumps(figure_json(figure))
    checked = json.loads(str(go.Figure(coloured_figure(figure)).to_json()))
    del checked["layout"]["template"]
    assert _comparable(json.loads(text, parse_constant=refuse)) == _comparable(checked)
    return text


def _comparable(part: Any) -> Any:
    """Without empty lists, which Plotly leaves out, and angles, in which its check changes the
    last bits.
    """
    if isinstance(part, dict):
        return {
            key: _comparable(value) for key, value in part.items() if value != [] and key != "angle"
        }
    return [_comparable(item) for item in part] if isinstance(part, list) else part


def strings(part: Any) -> Iterator[str]:
    """Every string of a figure."""
    if isinstance(part, dict):
        for value in part.values():
            yield from strings(value)
    elif isinstance(part, (list, tuple)):
        for value in part:
            yield from strings(value)
    elif isinstance(part, str):
        yield part
