"""The user's own numbers: edits from the board, the table and the address, matrices and states
from files.
"""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.scenario import Scenario, trace_of
from attention_lab.state_file import State, write_state
from attention_lab.user_data.edits import Edit, Edits
from attention_lab.user_data.npz_matrices import write_npz
from attention_lab.user_data.own_matrices import OwnMatrices, template
from attention_ui import board, own_numbers
from attention_ui.markdown import plain
from tests.lab.own_matrix_cases import npz
from tests.ui.app import here, opened, scenes, texts

EDITED = "wq_0_3_9__x_2_1_-0.5"


def pressed(app: AppTest, label: str) -> AppTest:
    """The app after a button."""
    return next(button for button in app.button if button.label == label).click().run()


def test_edits_in_the_address_change_the_layer() -> None:
    """The numbers in the address stand in X and W_Q, everything after follows, and changed
    cells are marked.
    """
    app = opened("projections", edits=EDITED)
    trace, plain = here(app).trace, trace_of(Scenario())
    assert trace.projections.w_q[0, 3] == 9
    assert trace.inputs[0, 2, 1] == -0.5
    assert not np.array_equal(trace.output, plain.output)
    arrays = scenes(app)[0]["arrays"]
    assert all("changed" in arrays[name] for name in ("inputs", "w_q", "queries"))
    assert "Edited cells: 2" in texts(app)


def test_undo_and_reset() -> None:
    """Undo takes the last edit back, reset all; then the layer is the very one of before."""
    app = pressed(opened("scores", edits=EDITED), "Undo")
    assert here(app).scenario.edits == "wq_0_3_9"
    app = pressed(opened("scores", edits=EDITED), "Reset edits")
    assert here(app).scenario == Scenario()
    assert not any("changed" in array for array in scenes(app)[0]["arrays"].values())


@pytest.mark.parametrize(
    "junk", ["banana", "wq_0_0_nan", "wq_0_0_1e99", "wz_0_0_1", "x_-1_0_2", "." + "0" * 32, "__"]
)
def test_nonsense_in_the_address(junk: str) -> None:
    """What is no edit is refused with a sentence; the page shows the layer without it."""
    app = opened("scores", edits=junk)
    assert not app.exception
    assert here(app).scenario == Scenario()
    assert "“Edited cells”" in app.toast[0].value
    assert not opened("scores", own=junk).exception


def test_a_place_beyond_all_goes_into_a_state_file() -> None:
    """The files can be had whatever place the address asks for, also where no page has looked
    for it yet.
    """
    app = opened("practice", query=99999)
    app.session_state["own numbers"] = True
    app.run()
    assert not app.error
    assert "State" in [button.label for button in app.get("download_button")]


def test_an_edit_outside_waits() -> None:
    """An edit of a cell that a smaller layer does not have is kept, and the sidebar says so."""
    app = opened("scores", edits="wq_15_15_2", d_model=8, n_heads=2)
    assert "outside the matrices now shown" in texts(app)
    app.number_input(key="d_model").set_value(16).run()
    assert here(app).trace.projections.w_q[15, 15] == 2


def session(monkeypatch: pytest.MonkeyPatch, **more: Any) -> dict[str, Any]:
    """A session for callbacks that run outside a page."""
    state: dict[str, Any] = {"edits": "", "own": ""} | more
    for module in (own_numbers, board):
        monkeypatch.setattr(module.st, "session_state", state)
    return state


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ({"array": "w_q", "index": [0, 3], "value": 9}, "wq_0_3_9"),
        ({"array": "inputs", "index": [0, 2, 1], "value": -0.5}, "x_2_1_-0.5"),
        ({"array": "memory", "index": [0, 2, 1], "value": -0.5}, "x_2_1_-0.5"),
        ({"array": "scores", "index": [0, 0, 2, 1], "value": 1}, ""),
        ({"array": "w_q", "index": [0], "value": 9}, ""),
        ({"array": "w_q", "index": [0, 3], "value": "9"}, ""),
        (None, ""),
        ([1], ""),
    ],
)
def test_typing_on_a_cell(monkeypatch: pytest.MonkeyPatch, edit: Any, expected: str) -> None:
    """A number typed on a cell of X or of a weight is an edit; anything else a browser may send
    changes nothing.
    """
    state = session(monkeypatch, board={"edit": edit})
    board._edited("board")
    assert state["edits"] == expected


@pytest.mark.parametrize("value", [1e99, float("nan"), float("inf")])
def test_a_number_that_is_too_large(monkeypatch: pytest.MonkeyPatch, value: float) -> None:
    """It is refused with a sentence, and the edits stay."""
    state = session(monkeypatch, edits=EDITED)
    own_numbers.edit_cell("w_q", 0, 0, value)
    assert state["edits"] == EDITED
    assert "between" in state["own numbers refused"]


def test_the_table_gives_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every number changed in the table is one edit; an emptied cell is none."""
    state = session(monkeypatch, table={"edited_rows": {1: {"2": 3.5, "0": None}, 0: {"1": -1}}})
    own_numbers._table_changed("table", "w_o")
    assert Edits.decode(state["edits"]).items == (Edit("w_o", 1, 2, 3.5), Edit("w_o", 0, 1, -1.0))


def file(name: str, data: bytes) -> Any:
    """An uploaded file."""
    return SimpleNamespace(name=name, getvalue=lambda: data)


def test_matrices_from_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading the template changes no number."""
    trace = trace_of(Scenario())
    state = session(monkeypatch, **{"own file": file("m.npz", template(trace))})
    own_numbers._load(Scenario())
    loaded = trace_of(Scenario(own=state["own"]))
    np.testing.assert_array_equal(loaded.output, trace.output)


def test_a_matrix_beside_a_trained_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its heads are those of the trained layer, whatever number the control shows, which has no
    effect there.
    """
    given = OwnMatrices(w_q=np.full((384, 384), 0.01))
    state = session(monkeypatch, **{"own file": file("m.npz", write_npz(given.given))})
    scenario = Scenario(text="we like tea", weights="trained", n_heads=5)
    own_numbers._load(scenario)
    assert "own numbers refused" not in state
    assert trace_of(replace(scenario, own=state["own"])).projections.w_q[0, 0] == 0.01


@pytest.mark.parametrize(
    ("choices", "good", "bad", "words"),
    [
        (
            {"weights": "trained"},
            {"w_q": (384, 384)},
            {"w_q": (5, 12)},
            "W_Q is 5 × 12, but in a trained layer",
        ),
        (
            {"weights": "trained"},
            {},
            {"w_q": (5, 5)},
            "W_Q is 5 × 5, but in a trained layer it must be 384 × 384",
        ),
        (
            {"weights": "orthonormal"},
            {"w_v": (16, 16)},
            {"w_q": (16, 128)},
            "an orthonormal head is at most as wide",
        ),
        (
            {"weights": "orthonormal"},
            {},
            {"w_q": (4, 64)},
            "an orthonormal head is at most as wide as the inputs, 4",
        ),
        (
            {"weights": "weightless"},
            {},
            {"w_o": (8, 16)},
            "W_O has 8 rows, but weightless layers have the identity",
        ),
        (
            {"residual": True},
            {"w_o": (16, 16)},
            {"w_o": (16, 5)},
            "switch Residual off, or give W_O 16 columns",
        ),
        (
            {},
            {"w_q": (16, 16)},
            {"b_q": (7,)},
            "W_Q has 16 columns, b_Q has 7 numbers: these must be equal",
        ),
        (
            {},
            {"w_q": (16, 16)},
            {"w_k": (16, 8)},
            "change the matrices, or drop those loaded before",
        ),
        (
            {"weights": "weightless"},
            {},
            {"w_q": (16, 8)},
            "give W_Q and W_K in one NPZ file, or leave it out",
        ),
        (
            {"weights": "weightless"},
            {"w_v": (16, 8)},
            {"b_o": (16,)},
            "W_V has 8 columns, b_O has 16 numbers: these",
        ),
    ],
)
def test_a_file_that_makes_no_layer_leaves_the_one_before(
    monkeypatch: pytest.MonkeyPatch,
    choices: dict[str, Any],
    good: dict[str, Any],
    bad: dict[str, Any],
    words: str,
) -> None:
    """Matrices that do not fit the layer are refused with a sentence, and those that were
    loaded before stay.
    """
    state = session(monkeypatch)
    before = ""
    for shapes in (good, bad) if good else (bad,):
        before = state["own"]
        matrices = {name: np.full(shape, 0.01) for name, shape in shapes.items()}
        state["own file"] = file("m.npz", write_npz(matrices))
        own_numbers._load(Scenario(text="we like tea", own=state["own"], **choices))
    assert words in state["own numbers refused"]
    assert state["own"] == before
    assert bool(before) == bool(good)


def test_what_was_left_unread_is_told_once() -> None:
    """The arrays of a file that the app has no use for are named after loading, letter by
    letter, and then no more.
    """
    app = opened("scores")
    app.session_state["own numbers"] = True
    content = npz(W_Q=np.eye(16), **{"W_Z *new*": np.ones((2, 2))})
    app.run().file_uploader(key="own file").set_value(("m.npz", content, "")).run()
    said = plain("Left unread, because the app has no use for it: W_Z *new*.")
    assert [info.value for info in app.info] == [said]
    assert (here(app).trace.projections.w_q == np.eye(16)).all()
    assert not app.run().info


def test_own_sizes_count() -> None:
    """Sizes of own matrices replace those of the controls, the page names them, and one button
    drops them.
    """
    own = OwnMatrices(x=np.arange(24.0).reshape(3, 8) / 7)
    app = opened("scores", own=own.address())
    assert here(app).trace.inputs.shape == (1, 3, 8)
    assert "your own X, sizes included" in texts(app)
    assert here(pressed(app, "Drop own matrices")).scenario == Scenario()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("m.npz", b"no zip"),
        ("m.csv", b"w_q\n1,two"),
        ("m.bin", b""),
        ("s.json", b"{}"),
        ("s.json", b"[" * 10**5),
        ("../../m.npz", b"PK\x03\x04"),
    ],
)
def test_a_bad_file_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, name: str, data: bytes
) -> None:
    """A damaged or foreign file is refused with a sentence; edits and matrices stay as they
    were.
    """
    state = session(monkeypatch, **{"own file": file(name, data), "edits": EDITED})
    own_numbers._load(Scenario())
    assert (state["edits"], state["own"]) == (EDITED, "")
    assert len(state["own numbers refused"]) > 20


def test_a_state_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """A state file sets every control, the edits, the cell in focus and the notation."""
    scenario = Scenario(text="a b c", n_heads=2, mask="causal", edits=EDITED)
    state = session(
        monkeypatch,
        **{"own file": file("s.json", write_state(State(scenario, (1, 2, 0, 3), "gml")))},
    )
    own_numbers._load(Scenario())
    assert (state["text"], state["n_heads"], state["mask"], state["edits"]) == (
        "a b c",
        2,
        "causal",
        EDITED,
    )
    assert (state["head"], state["query"], state["feature"], state["notation"]) == (1, 2, 3, "gml")


def test_too_many_edits_for_an_address() -> None:
    """More than forty edits go by a key; on a server that does not know it the page says what
    to do.
    """
    edits = Edits(tuple(Edit("w_q", i // 16, i % 16, 1.0) for i in range(41)))
    app = opened("scores", edits=edits.address())
    assert len(edits.address()) < 40
    assert (here(app).trace.projections.w_q[:2] == 1).all()
