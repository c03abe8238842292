"""Figures as JSON: the browser gets what Plotly would have made of them itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from attention_viz.theme import PLOTLY_DTYPES, pack_arrays


def figure(numbers: np.ndarray) -> dict[str, Any]:
    """A picture with an array in a trace and one beside a list of parts."""
    return {
        "data": [{"type": "heatmap", "z": numbers, "x": ["a", "b", "c"], "customdata": numbers}],
        "layout": {
            "height": 300,
            "shapes": [{"type": "rect", "x0": 0}],
            "meta": {"description": "A test."},
        },
    }


@pytest.mark.parametrize("kind", ["<f4", "<i2", ">f4", "<U1", "|b1"])
@pytest.mark.parametrize("turned", [False, True], ids=["straight", "turned"])
def test_what_is_sent_is_what_plotly_would_send(kind: str, turned: bool) -> None:
    numbers = np.arange(6).reshape(3, 2).T if turned else np.arange(6).reshape(2, 3)
    given = figure(numbers.astype(kind, order="K"))
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
