"""What a visitor's page shows is not lost to what other visitors load."""

from __future__ import annotations

import gc
from collections import OrderedDict

import numpy as np
import pytest

from attention_core import SettingsError
from attention_lab import cache
from attention_lab.scenario import Scenario
from attention_lab.user_data import text_store
from attention_lab.user_data.edits import Edit, Edits
from attention_lab.user_data.npz_matrices import write_npz
from attention_lab.user_data.text_store import is_key, store_text, stored_text
from attention_lab.user_data.user_matrices import UserMatrices
from attention_ui import own_numbers
from tests.ui.app import facts, opened, page_context, refused
from tests.ui.callbacks import file, session

NUMBERS = np.random.default_rng(1)
OWN = UserMatrices(w_q=NUMBERS.normal(size=(64, 64)))
EDITS = Edits(tuple(Edit("w_k", i // 16, i % 16, 1.0) for i in range(41)))


@pytest.fixture(autouse=True)
def _little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Room for one text alone, and nothing remembered of what was read from one."""
    monkeypatch.setattr(text_store, "MAX_STORED_CHARACTERS", 1)
    monkeypatch.setattr(text_store, "_texts", OrderedDict())
    cache.clear()


def test_an_open_page_keeps_its_numbers() -> None:
    own = OWN.url_value()
    app = opened("scores", own=own)
    store_text("what others load")
    cache.clear()
    app.session_state["seed"] = 5
    app.run()
    assert facts(app)["own_matrices"] == ("w_q",)
    assert not refused(app)
    assert (page_context(app).trace.projections.w_q == OWN.w_q).all()
    app.session_state["session"].held.clear()
    del app
    gc.collect()
    with pytest.raises(SettingsError):
        stored_text(own)


def test_edits_are_kept_for_an_open_page() -> None:
    app = opened("scores", edits=EDITS.url_value())
    store_text("what others load")
    app.session_state["seed"] = 5
    app.run()
    assert facts(app)["edited_cells"] == 41


def test_a_refused_file_takes_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = UserMatrices(w_q=np.ones((16, 16)), w_k=NUMBERS.normal(size=(16, 512)))
    assert is_key(wide.url_value()), "a text so short takes no room anyway"
    key = store_text("what others have")
    state = session(monkeypatch, **{"own file": file("m.npz", write_npz(wide.arrays))})
    own_numbers._load(Scenario())
    assert state["own numbers refused"]
    assert state["own"] == ""
    assert stored_text(key) == "what others have"


@pytest.mark.parametrize(
    ("edits", "own", "said"),
    [
        ("", "", []),
        ("wq_0_3_9", UserMatrices(b_q=np.ones(16)), []),
        (EDITS, "", ["edits"]),
        ("", OWN, ["own"]),
    ],
)
def test_numbers_that_only_the_server_has_are_noted(
    edits: str | Edits, own: str | UserMatrices, said: list[str]
) -> None:
    given = {
        name: value if isinstance(value, str) else value.url_value()
        for name, value in {"edits": edits, "own": own}.items()
    }
    app = opened("scores", **given)
    assert facts(app)["not_in_url"] == said
    assert any("*State*" in caption.value for caption in app.sidebar.caption) == bool(said)
