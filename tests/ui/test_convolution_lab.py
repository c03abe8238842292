"""What is typed into the tables of the convolution laboratory."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from attention_ui.labs import convolution_lab
from tests.ui.app import errors, opened, texts


def test_a_digit_beyond_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is typed into the drawing is brought to a digit, be it infinite, no number or
    nothing.
    """
    typed = {"0": {"0": math.inf, "1": -math.inf, "2": math.nan, "3": None, "4": 7.9}}
    held = {"table": {"edited_rows": typed}}
    monkeypatch.setattr(convolution_lab.st, "session_state", held)
    convolution_lab._drawing_changed("table", [[1] * 8] * 8)
    assert held["conv_drawn"].split("-")[0] == "90007111"


@pytest.mark.parametrize(
    ("typed", "says"), [(None, "is empty: type a number"), ("None", "holds 'None', which is no")]
)
def test_a_weight_that_is_none(monkeypatch: pytest.MonkeyPatch, typed: Any, says: str) -> None:
    """A cell of the kernel that was cleared is said to be empty, not to hold a word that nobody
    typed.
    """
    held: dict[str, Any] = {"table": {"edited_rows": {"1": {"→": typed}}}}
    monkeypatch.setattr(convolution_lab.st, "session_state", held)
    convolution_lab._kernel_changed("table", np.eye(3))
    assert held["conv refused"].startswith(f"The kernel's row 2, column 3 {says}")
    assert "conv_own" not in held


def test_a_kernel_of_zeros_leaves_the_rest_of_the_page() -> None:
    """Two heads have nothing to look for then, which is said where they would stand; what comes
    after them is there.
    """
    app = opened("convolution", conv_kernel="own", conv_own="0 0 0, 0 0 0, 0 0 0")
    app.session_state["conv two"] = app.session_state["conv one"] = True
    app.run()
    assert "no head has anything to look for" in errors(app)[0]
    assert "If every token reads only itself" in texts(app)
    assert "**Try:**" in texts(app)
