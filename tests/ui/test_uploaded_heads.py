"""Weights and heads of a file: what the pages about trained heads ask and show, what they refuse,
and a layer that goes to the story with its matrices, biases and heads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_core import Projections, TextError, attend
from attention_core.projections import BIASES, MATRICES
from attention_lab.heads.head_portraits import MEASURES
from attention_lab.labs.training import train_layer
from attention_lab.labs.training_runs import layer_run
from attention_lab.labs.training_settings import TrainingSettings
from attention_lab.page_list import PAGES
from attention_lab.scenario import Scenario
from attention_lab.sentences import tokens_of
from attention_ui.trained.uploaded_heads import CONTROLS_OF_MAPS, UPLOAD_KEY
from tests.lab.hostile_files import WEIGHTS
from tests.lab.made_files import npz, safetensors
from tests.lab.named_weights import D, H, as_gpt2, as_torch, weights
from tests.ui.app import (
    errors,
    gone_to,
    named_in,
    opened,
    page_context,
    page_shown,
    pressed,
    scenes,
    sent,
    texts,
    title,
)
from tests.ui.uploads import BERT, SHARES, WORDS, asked, for_a_file, uploaded

TAKE = "Take this layer to the story"
MAPS = npz({"attention": SHARES, "tokens": WORDS})


def one_head(app: AppTest) -> AppTest:
    """The app with one head open on the page of all heads."""
    app.session_state["th_open"] = "true"
    return app.run()


def test_attention_from_elsewhere() -> None:
    app = uploaded("a.npz", MAPS)
    assert np.array_equal(sent(scenes(app)[0]["arrays"]["layer 1"]), SHARES[1])
    assert set(app.query_params) == {"text", "th_model"}  # the file is in no URL
    assert "all-MiniLM" not in texts(app)
    app = one_head(app)
    named = {tuple(axis["labels"] or ()) for axis in scenes(app)[0]["axes"].values()}
    assert tuple(WORDS) in named
    app = gone_to(app, "find-a-head")
    rank = next(one.name for one in MEASURES if one.of_scores)
    assert rank not in app.selectbox(key="choose fh_rule").options
    app = gone_to(app, "change-a-word")  # there is no attention for another sentence
    assert len(errors(app)) == 1
    assert not scenes(app)


def test_a_layer_of_a_file() -> None:
    app = uploaded("bert.safetensors", safetensors(BERT))
    assert [layer.split(" · ")[0] for layer in asked(app, "Layer").options] == ["0", "1"]
    asked(app, "Layer").set_value(1).run()
    asked(app, "Heads").set_value(4).run()
    app = one_head(app)
    assert "n_heads" in [slider.key for slider in app.sidebar.slider]  # all controls count
    assert scenes(app)[0]["arrays"]["probabilities"]["shape"] == [1, 4, 13, 13]
    app.segmented_control(key="choose oh_step").set_value("W_Q").run()
    expected = BERT["encoder.layer.1.attention.self.query.weight"].T
    assert np.array_equal(sent(scenes(app)[-1]["arrays"]["w_q"]), expected)
    app.segmented_control(key="choose th_model").set_value("MiniLM").run()
    assert "n_heads" not in [slider.key for slider in app.sidebar.slider]


def test_each_file_is_asked_about_anew() -> None:
    app = uploaded("first.safetensors", safetensors(BERT))
    asked(app, "Layer").set_value(1).run()
    asked(app, "Heads").set_value(4).run()
    assert {"1", "4"} <= named_in(app.success[0].value)
    app = uploaded("second.safetensors", safetensors(BERT), app)
    assert (asked(app, "Layer").value, asked(app, "Heads").value) == (0, 1)
    assert {"0", "1"} <= named_in(app.success[0].value)


def test_the_sidebar_has_what_the_shown_heads_read() -> None:
    app = one_head(uploaded("a.npz", MAPS, for_a_file(head=0)))
    assert [caption.value for caption in app.sidebar.caption] == [CONTROLS_OF_MAPS.says]
    assert not app.sidebar.text_input
    app.segmented_control(key="choose th_model").set_value("MiniLM").run()
    assert app.sidebar.text_input
    app = gone_to(uploaded("bert.safetensors", safetensors(BERT)), "change-a-word")
    assert "n_heads" in [slider.key for slider in app.sidebar.slider]
    assert np.abs(sent(scenes(app)[1]["arrays"]["layer 0"])).max() > 0.01


def test_a_file_without_a_sentence() -> None:
    app = uploaded("a.npz", MAPS, for_a_file(text=""))
    assert np.array_equal(sent(scenes(app)[0]["arrays"]["layer 1"]), SHARES[1])
    app = uploaded("w.safetensors", safetensors(BERT), for_a_file(text=""))
    with pytest.raises(TextError) as refused:
        tokens_of(Scenario(text=""))
    assert errors(app) == [str(refused.value)]
    app.text_input(key="text").set_value("back again").run()
    assert page_context(app).trace.tokens == ("back", "again")
    assert scenes(app)


def test_a_layer_that_cannot_be_used_is_named() -> None:
    odd = {f"*c*.{letter}_proj.weight": np.zeros((4, 4, 1, 1), "f4") for letter in "qkvo"}
    app = uploaded("bert.safetensors", safetensors(odd | BERT))
    assert [layer.split(" · ")[0] for layer in asked(app, "Layer").options] == ["0", "1"]
    assert "\\*c\\*\\.q\\_proj" in app.info[0].value


def test_a_layer_between_two_sequences_is_refused() -> None:
    sides = {letter: (12, 12 if letter in "kv" else 10) for letter in "qkv"} | {"o": (10, 12)}
    across = {f"cross.{name}_proj.weight": np.ones(side, "f4") for name, side in sides.items()}
    app = uploaded("bert.safetensors", safetensors(across | BERT))
    (error,) = errors(app)
    assert {"10", "12"} <= named_in(error)
    assert not app.success
    assert UPLOAD_KEY not in app.session_state
    asked(app, "Layer").set_value(1).run()
    assert not app.error
    assert app.success


def test_hostile_files_change_nothing() -> None:
    app = uploaded("a.npz", MAPS)
    before = app.session_state[UPLOAD_KEY].content.layers
    for fault in ("a gap", "objects", "nothing", "a .bin"):  # what they say is the readers' own
        name, make, _ = WEIGHTS[fault]
        app = uploaded(name, make(), app)
        assert len(app.error) == 1, fault
        assert np.array_equal(sent(scenes(app)[0]["arrays"]["layer 1"]), SHARES[1]), fault
        assert app.session_state[UPLOAD_KEY].content.layers is before, fault
    assert "safetensors.torch.save_file" in app.code[0].value
    app.file_uploader(key="yw_file").set_value(None).run()
    app = pressed(app, "Drop it")
    assert UPLOAD_KEY not in app.session_state
    assert not scenes(app)
    app = pressed(gone_to(app, "find-a-head"), "Load a file")
    assert page_shown(app).url_path == "trained-heads"
    assert app.file_uploader


TELLING = [
    next(page.url_path for page in PAGES if page.section == section)
    for section in ("story", "heads", "masks", "diagonal")
]


@pytest.mark.parametrize("names", [as_torch, as_gpt2])
def test_a_layer_of_a_file_is_told(names: Any) -> None:
    layer = weights()
    app = for_a_file(text="one two three", weights="trained", mask="causal")
    app = uploaded("layer.safetensors", safetensors(names(layer)), app)
    asked(app, "Heads").set_value(H).run()
    app = pressed(app, TAKE)
    assert title(app) == "Overview"
    now = page_context(app)
    chosen = (now.scenario.weights, now.scenario.n_heads, now.scenario.mask)
    assert chosen == ("random", H, "causal")
    for name in MATRICES + BIASES:
        assert np.array_equal(getattr(now.trace.projections, name), getattr(layer, name)), name
    for page in TELLING:
        app = gone_to(app, page)
        assert page_shown(app).url_path == page
        assert not app.error, page
        assert page_context(app).trace.sizes["D"] == D
    assert "b_q" in scenes(gone_to(app, "projections"))[0]["arrays"]


def test_a_layer_that_cannot_be_told() -> None:
    large = as_torch(Projections.random(768, 12, bias=True).astype(np.float32))
    app = uploaded("bert.npz", npz(large))
    assert TAKE not in [button.label for button in app.button]
    assert {"768", "512"} <= named_in(app.info[0].value)
    assert scenes(app)


def test_a_layer_of_the_laboratory_keeps_its_biases() -> None:
    layer_run(TrainingSettings(n_steps=40, seed=3)).train(60)
    app = opened("training", train_steps=40, train_seed=3, mask="causal", residual="true")
    app = pressed(app, TAKE)
    assert title(app) == "Overview"
    now = page_context(app)
    trained = list(train_layer(TrainingSettings(n_steps=40, seed=3)))[-1].projections
    assert np.abs(np.asarray(trained.b_o)).max() > 0
    assert (now.scenario.mask, now.scenario.residual) == ("none", False)
    np.testing.assert_array_equal(now.trace.output, attend(now.trace.inputs, trained).output)
    app = pressed(app, "Drop own matrices")
    assert "own" not in app.query_params
    assert page_context(app).trace.projections.b_o is None
