"""The convolution laboratory: attention becomes the convolution; what is typed, drawn, read."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_ui.labs import convolution
from tests.ui.app import errors, named_in, opened, opened_at, scenes, texts


def said_errors(app: AppTest) -> list[float]:
    """The largest errors that the page states: of the heads, then of two heads here and sharp."""
    found = re.findall(r"(?:α = [\d.]+: |Largest error: |here, )\*\*(\S+?)\*\*", texts(app))
    return [float(number.replace("−", "-")) for number in found]


@pytest.mark.parametrize(
    ("padding", "most"), [("nothing", 1e-12), ("frame", 1e-12), ("sink", 1e-12), ("circular", 1e-8)]
)
def test_convolution_is_reached(padding: str, most: float) -> None:
    app = opened("convolution", conv_padding=padding, conv_sharpness=80.0, conv_kernel="emboss")
    assert said_errors(app)[0] < most


def test_an_own_kernel_from_the_url() -> None:
    app = opened(
        "convolution",
        conv_kernel="own",
        conv_own="1 0 0, 0 0 0, 0 0 -2",
        conv_sharpness=80.0,
    )
    app = opened_at(app, "conv two")
    assert errors(app) == []
    assert len(scenes(app)) == 3
    assert max(said_errors(app)[:3]) < 1e-12


@pytest.mark.parametrize("typed", [None, "None"])
def test_a_weight_that_is_none(monkeypatch: pytest.MonkeyPatch, typed: Any) -> None:
    held: dict[str, Any] = {"table": {"edited_rows": {"1": {"→": typed}}}}
    monkeypatch.setattr(convolution.st, "session_state", held)
    convolution._kernel_changed("table", np.eye(3))
    assert {"2", "3"} <= named_in(held["conv refused"])
    assert ("'None'" in held["conv refused"]) == (typed == "None")
    assert "conv_own" not in held


def test_a_kernel_of_zeros_leaves_the_rest_of_the_page() -> None:
    """Two heads have nothing to look for then, which is said where they would stand; what comes
    after them is there.
    """
    app = opened("convolution", conv_kernel="own", conv_own="0 0 0, 0 0 0, 0 0 0")
    app.session_state["conv two"] = app.session_state["conv one"] = True
    app.run()
    assert len(errors(app)) == 1
    assert "Tokens that choose themselves: **" in texts(app)


def test_a_kernel_without_positive_numbers() -> None:
    app = opened("convolution", conv_kernel="own", conv_own="-1 -1 -1, -1 -1 -1, -1 -1 -1")
    app = opened_at(app, "conv two")
    heads = [name for name in scenes(app)[2]["arrays"] if name.startswith("head")]
    assert len(heads) == 1
    assert said_errors(app)[2] < 1e-12
