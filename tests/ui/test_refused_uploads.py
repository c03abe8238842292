"""Refused files of heads: the error names what is wrong, and what was loaded before stays."""

from __future__ import annotations

import io
import re

import numpy as np

from attention_lab.files.weight_formats import open_weights
from attention_lab.user_data.layer_search import find_layers
from attention_ui.markdown import escape_markdown
from attention_ui.trained.uploaded_heads import UPLOAD_KEY
from tests.lab.hostile_files import WEIGHTS
from tests.lab.made_files import npz, safetensors
from tests.ui.app import (
    errors,
    facts,
    gone_to,
    page_shown,
    scenes,
    sent,
)
from tests.ui.uploads import BERT, SHARES, WORDS, asked, uploaded


def test_a_layer_that_cannot_be_used_is_named() -> None:
    odd = {f"*c*.{letter}_proj.weight": np.zeros((4, 4, 1, 1), "f4") for letter in "qkvo"}
    content = safetensors(odd | BERT)
    app = uploaded("bert.safetensors", content)
    assert [layer.split(" · ")[0] for layer in asked(app, "Layer").options] == ["0", "1"]
    first, _ = find_layers(open_weights(io.BytesIO(content), "bert.safetensors"))
    assert facts(app)["notes_on_the_layer"] == first.notes
    assert [box.value for box in app.info] == [escape_markdown(note) for note in first.notes]
    assert "\\*c\\*\\.q\\_proj" in app.info[0].value


def test_a_layer_between_two_sequences_is_refused() -> None:
    across = {
        f"cross.{letter}_proj.weight": np.ones((12, 12 if letter in "kv" else 10), "f4")
        for letter in "qkv"
    }
    app = uploaded(
        "bert.safetensors",
        safetensors(across | {"cross.o_proj.weight": np.ones((10, 12), "f4")} | BERT),
    )
    (error,) = errors(app)
    assert {"10", "12"} <= set(re.findall(r"\d+", error))
    assert not app.success
    assert UPLOAD_KEY not in app.session_state
    asked(app, "Layer").set_value(1).run()
    assert not app.error
    assert app.success


def test_hostile_files_change_nothing() -> None:
    app = uploaded("a.npz", npz({"attention": SHARES, "tokens": WORDS}))
    before = app.session_state[UPLOAD_KEY].content.layers
    for fault in ("a gap", "objects", "a .bin", "nothing"):
        name, make, _ = WEIGHTS[fault]
        app = uploaded(name, make(), app)
        assert len(app.error) == 1, fault
        assert len(app.error[0].value) < 1200, fault
        assert np.array_equal(sent(scenes(app)[0]["arrays"]["layer 1"]), SHARES[1]), fault
        assert "Drop it" in [button.label for button in app.button], fault
        assert all(
            np.array_equal(a, b)
            for a, b in zip(app.session_state[UPLOAD_KEY].content.layers, before, strict=True)
        ), fault
    app.file_uploader(key="yw_file").set_value(None).run()
    next(button for button in app.button if button.label == "Drop it").click().run()
    assert UPLOAD_KEY not in app.session_state
    assert page_shown(gone_to(app, "trained-heads")).url_path == "trained-heads"
    assert facts(app)["of_the_model"]


def test_a_pickle_is_refused_with_the_lines_that_convert_it() -> None:
    app = uploaded("model.pt", b"\x80\x02")
    assert len(errors(app)) == 1
    assert "safetensors.torch.save_file" in app.code[0].value
