"""Own matrices and states from files: a good file is loaded, a bad one changes nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_lab.scenario import Scenario, trace_of
from attention_lab.state_file import State, write_state
from attention_lab.user_data.matrix_files import write_npz
from attention_lab.user_data.user_matrices import UserMatrices
from attention_ui import own_numbers
from attention_viz.markdown import escape_markdown
from tests.lab.made_files import npz
from tests.ui.app import named_in, opened, page_context, pressed, texts
from tests.ui.callbacks import file, session

EDITED = "wq_0_3_9__x_2_1_-0.5"


@pytest.mark.parametrize(
    ("choices", "good", "bad", "named"),
    [
        ({"weights": "trained"}, {"w_q": (384, 384)}, {"w_q": (5, 12)}, {"W_Q", "5", "12", "384"}),
        ({"weights": "orthonormal"}, {"w_v": (16, 16)}, {"w_q": (16, 128)}, {"W_Q", "16", "128"}),
        ({"weights": "weightless"}, {}, {"w_o": (8, 16)}, {"W_O", "8", "16"}),
        ({}, {"w_q": (16, 16)}, {"b_q": (7,)}, {"W_Q", "16", "b_Q", "7"}),
        ({"weights": "weightless"}, {}, {"w_q": (16, 8)}, {"W_Q", "W_K", "8", "NPZ"}),
        ({"weights": "weightless"}, {"w_v": (16, 8)}, {"b_o": (16,)}, {"W_V", "8", "b_O", "16"}),
    ],
)
def test_a_file_that_makes_no_layer_leaves_the_one_before(
    monkeypatch: pytest.MonkeyPatch,
    choices: dict[str, Any],
    good: dict[str, Any],
    bad: dict[str, Any],
    named: set[str],
) -> None:
    state = session(monkeypatch)
    before = ""
    scenario = Scenario(text="we like tea", **choices)
    for shapes in (good, bad) if good else (bad,):
        before = state["own"]
        matrices = {name: np.full(shape, 0.01) for name, shape in shapes.items()}
        state["own file"] = file("m.npz", write_npz(matrices))
        own_numbers._load(replace(scenario, own=state["own"]))
    assert named <= named_in(state["own numbers refused"])
    assert state["own"] == before
    held = trace_of(replace(scenario, own=before)).projections
    assert all((getattr(held, name) == 0.01).all() for name in good)


def test_what_was_left_unread_is_told_once() -> None:
    app = opened("scores")
    app.session_state["own numbers"] = True
    content = npz({"W_Q": np.eye(16), "W_Z *new*": np.ones((2, 2))})
    app.run().file_uploader(key="own file").set_value(("m.npz", content, "")).run()
    assert [escape_markdown("W_Z *new*") in info.value for info in app.info] == [True]
    assert (page_context(app).trace.projections.w_q == np.eye(16)).all()
    assert not app.run().info


def test_own_sizes_count() -> None:
    own = UserMatrices(x=np.arange(24.0).reshape(3, 8) / 7)
    app = opened("scores", own=own.url_value())
    assert page_context(app).trace.inputs.shape == (1, 3, 8)
    assert "Your own X replace" in texts(app)
    assert page_context(pressed(app, "Drop own matrices")).scenario == Scenario()


@pytest.mark.parametrize("name", ["m.npz", "m.csv", "m.bin", "s.json", "../../m.npz"])
def test_a_bad_file_changes_nothing(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    state = session(monkeypatch, **{"own file": file(name, b"{}"), "edits": EDITED})
    own_numbers._load(Scenario())
    assert (state["edits"], state["own"]) == (EDITED, "")
    assert len(state["own numbers refused"]) > 20


def test_a_state_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = Scenario(text="a b c", n_heads=2, mask="causal", edits=EDITED, batch="d\ne")
    data = write_state(State(scenario, (1, 2, 0, 3), "gml", sentence=2))
    state = session(monkeypatch, **{"own file": file("s.json", data)})
    own_numbers._load(Scenario())
    expected = {"text": "a b c", "n_heads": 2, "mask": "causal", "edits": EDITED, "batch": "d\ne"}
    expected |= {"head": 1, "query": 2, "feature": 3, "notation": "gml", "sentence": 2}
    assert {name: state[name] for name in expected} == expected


def test_a_place_beyond_all_goes_into_a_state_file() -> None:
    app = opened("practice", query=99999)
    app.session_state["own numbers"] = True
    app.run()
    assert not app.error
    assert "State" in [button.label for button in app.get("download_button")]
