"""What a visitor's page shows is not lost to what other visitors load."""

from __future__ import annotations

import gc
from collections import OrderedDict
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from attention_core import SettingsError
from attention_core.errors import FileError
from attention_lab import cache
from attention_lab.scenario import Scenario
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.user_data import text_store
from attention_lab.user_data.edits import Edit, Edits
from attention_lab.user_data.matrix_files import write_npz
from attention_lab.user_data.text_store import is_key, store_text, stored_text
from attention_lab.user_data.user_matrices import UserMatrices
from attention_lab.whose_heads import OwnHeads
from attention_ui import own_numbers
from attention_ui.trained import loaded_heads
from attention_ui.trained.loaded_heads import load_heads
from attention_ui.trained.uploaded_heads import UPLOAD_KEY
from tests.lab.made_files import npz
from tests.ui.app import errors, opened, page_context, refused, texts
from tests.ui.callbacks import file, session
from tests.ui.uploads import uploaded

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
    assert "Your own W_Q replace" in texts(app)
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
    assert "Edited cells: 41." in texts(app)


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
    assert all(f"no room for your {one}" in texts(app) for one in said)
    assert any("*State*" in caption.value for caption in app.sidebar.caption) == bool(said)


def heads_of(n_bytes: int) -> Callable[[], OwnHeads]:
    """What reads heads of a size."""
    half = np.zeros((1, 1, 1, n_bytes // 4), np.float32)
    return lambda: OwnHeads("heads", AttentionMaps((half[0],), (), ()))


def test_the_heads_that_visitors_load_have_one_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A network has three quarters of it; what a session drops makes room."""
    where = SimpleNamespace(ip_address="6.6.6.6")
    monkeypatch.setattr(loaded_heads, "_loaded", [])
    monkeypatch.setattr(loaded_heads, "MAX_LOADED_BYTES", 40_000)
    monkeypatch.setattr(loaded_heads, "MAX_LOADED_OF_NETWORK", 30_000)
    monkeypatch.setattr(loaded_heads, "st", SimpleNamespace(context=where))
    loaded = [load_heads(heads_of(10_000)) for _ in range(2)]
    loaded.append(load_heads(heads_of(8_000)))
    with pytest.raises(FileError):
        load_heads(heads_of(4_000))
    loaded[2] = load_heads(heads_of(9_500), instead_of=loaded[2])
    where.ip_address = "192.0.2.7"
    other = load_heads(heads_of(8_000))
    with pytest.raises(FileError):
        load_heads(heads_of(4_000))
    loaded.clear()
    gc.collect()
    assert load_heads(heads_of(20_000)).title == other.title


def test_a_page_says_that_heads_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loaded_heads, "MAX_LOADED_BYTES", 1_234)
    shares = npz({"attention": np.full((2, 3, 9, 9), 1 / 9, np.float32)})
    app = uploaded("a.npz", shares)
    (said,) = errors(app)
    assert "1,234" in said
    assert UPLOAD_KEY not in app.session_state
    monkeypatch.setattr(loaded_heads, "MAX_LOADED_BYTES", 1_234_567)
    assert UPLOAD_KEY in uploaded("b.npz", shares).session_state


def test_long_texts_of_all_visitors_have_one_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short ones always fit, and a text that is there takes no more."""
    gc.collect()
    before = sum(len(one.text) for one in text_store._held.values())
    monkeypatch.setattr(text_store, "ALWAYS_HELD", 10)
    monkeypatch.setattr(text_store, "MAX_HELD_CHARACTERS", before + 100)
    held = [text_store.hold_text("a" * 90), text_store.hold_text("b" * 10)]
    with pytest.raises(FileError):
        text_store.hold_text("c" * 11)
    assert text_store.hold_text("a" * 90) is held[0]
    held.clear()
    gc.collect()
    assert text_store.hold_text("c" * 100).text == "c" * 100
