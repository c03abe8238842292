"""Heads and weights of a file: what the pages about trained heads show and ask."""

from __future__ import annotations

import io

import numpy as np
import pytest

from attention_core import AttentionError, TextError
from attention_lab.files.weight_formats import open_weights
from attention_lab.scenario import Scenario
from attention_lab.sentences import tokens_of
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.layers import LAYER_MEASURES, measure_layers
from attention_lab.user_data.layer_search import find_layers
from attention_ui.trained.uploaded_heads import CONTROLS_OF_MAPS, UPLOAD_KEY
from tests.lab.made_files import npz, safetensors
from tests.ui.app import errors, facts, gone_to, opened, page_context, scenes, sent, texts, title
from tests.ui.uploads import BERT, SHARES, WORDS, asked, rng, uploaded


def test_attention_from_elsewhere() -> None:
    app = uploaded("a.npz", npz({"attention": SHARES, "tokens": WORDS}))
    assert np.array_equal(sent(scenes(app)[0]["arrays"]["layer 1"]), SHARES[1])
    for page in ("trained-heads", "one-head", "find-a-head", "layers"):
        app = gone_to(app, page)
        assert not app.exception
        assert not app.error
        labels = {tuple(axis["labels"] or ()) for axis in scenes(app)[0]["axes"].values()}
        assert page in ("find-a-head", "layers") or tuple(WORDS) in labels
    key, rank = next((key, one) for key, one in LAYER_MEASURES.items() if one.of_scores)
    app.selectbox(key="ly_measure").set_value(rank.title).run()
    with pytest.raises(AttentionError) as refused:
        measure_layers(key, AttentionMaps.of(SHARES))
    assert errors(app) == [str(refused.value)]


def test_a_layer_of_a_file() -> None:
    app = uploaded("bert.safetensors", safetensors(BERT))
    assert [layer.split(" · ")[0] for layer in asked(app, "Layer").options] == ["0", "1"]
    asked(app, "Layer").set_value(1).run()
    asked(app, "Heads").set_value(4).run()
    app = gone_to(app, "one-head")
    assert "n_heads" in [
        slider.key for slider in app.sidebar.slider
    ]  # for a layer alone all controls count
    assert "n_heads" not in [slider.key for slider in gone_to(app, "training").sidebar.slider]
    app = gone_to(app, "one-head")
    heat = scenes(app)[0]["arrays"]["probabilities"]
    assert heat["shape"] == [1, 4, 13, 13]
    app.segmented_control(key="oh_step").set_value("W_Q").run()
    expected = BERT["encoder.layer.1.attention.self.query.weight"].T
    assert np.array_equal(sent(scenes(app)[-1]["arrays"]["w_q"]), expected)
    app.segmented_control(key="th_whose").set_value("model").run()
    assert "n_heads" not in [slider.key for slider in app.sidebar.slider]


def test_each_file_is_asked_about_anew() -> None:
    file = open_weights(io.BytesIO(safetensors(BERT)), "first.safetensors")
    titles = [layer.title for layer in find_layers(file)]
    app = uploaded("first.safetensors", safetensors(BERT))
    asked(app, "Layer").set_value(1).run()
    asked(app, "Heads").set_value(4).run()
    assert (facts(app)["layer_read"], facts(app)["heads_read"]) == (titles[1], 4)
    app = uploaded("second.safetensors", safetensors(BERT), app)
    assert (asked(app, "Layer").value, asked(app, "Heads").value) == (0, 1)
    assert (facts(app)["layer_read"], facts(app)["heads_read"]) == (titles[0], 1)


def test_the_sidebar_has_what_the_shown_heads_read() -> None:
    app = gone_to(
        uploaded("a.npz", npz({"attention": SHARES, "tokens": WORDS}), opened("your-weights")),
        "one-head",
    )
    assert [caption.value for caption in app.sidebar.caption] == [CONTROLS_OF_MAPS.says]
    assert not app.sidebar.text_input
    app.segmented_control(key="th_whose").set_value("model").run()
    assert app.sidebar.text_input
    app = gone_to(uploaded("bert.safetensors", safetensors(BERT)), "change-a-word")
    assert "n_heads" not in [slider.key for slider in app.sidebar.slider]


def test_the_file_is_in_no_url_and_no_other_session() -> None:
    app = uploaded("a.npz", npz({"attention": SHARES}))
    assert set(app.query_params) == {"text"}
    assert UPLOAD_KEY not in opened("your-weights").session_state


def test_the_heading_is_true_of_a_file() -> None:
    shares = rng.dirichlet(np.ones(5), size=(2, 2, 5)).astype("f4")
    app = gone_to(uploaded("a.npz", npz({"attention": shares})), "trained-heads")
    noted = facts(app)
    assert (noted["heads"], noted["heads_of_the_file"], noted["of_the_model"]) == (4, True, False)
    assert "72" not in f"{title(app)}\n{texts(app)}"
    own = facts(opened("trained-heads"))
    assert (own["heads"], own["of_the_model"]) == (72, True)


def test_a_file_without_a_sentence() -> None:
    app = uploaded("w.safetensors", safetensors(BERT), opened("your-weights", text=""))
    with pytest.raises(TextError) as refused:
        tokens_of(Scenario(text=""))
    assert errors(app) == [str(refused.value)]
    shares = rng.dirichlet(np.ones(5), size=(2, 2, 5)).astype("f4")
    app = uploaded("a.npz", npz({"attention": shares}), app)
    assert errors(app) == []
    assert np.array_equal(sent(scenes(app)[0]["arrays"]["layer 1"]), shares[1])
    app.text_input(key="text").set_value("back again").run()
    assert page_context(app).trace.tokens == ("back", "again")


def test_one_head_of_one_token() -> None:
    app = gone_to(uploaded("a.npz", npz({"attention": np.ones((1, 1, 1, 1), "f4")})), "find-a-head")
    app.selectbox(key="fh_rule").set_value("itself").run()
    assert facts(app)["does_it_most"] == (0, 0)
    assert list(scenes(app)[1]["arrays"]) == ["head 0 0"]


def test_a_layer_of_one_head_under_a_causal_mask() -> None:
    sides = {"c_attn": (8, 24), "c_proj": (8, 8)}
    content = safetensors({f"attn.{n}.weight": np.ones(s, "f4") for n, s in sides.items()})
    app = uploaded("w.safetensors", content)
    (layer,) = find_layers(open_weights(io.BytesIO(content), "w.safetensors"))
    assert facts(app)["notes_on_the_layer"] == layer.notes
    assert len(app.info) == len(layer.notes)
    many = uploaded("bert.safetensors", safetensors(BERT))
    asked(many, "Heads").set_value(4).run()
    one, four = (scenes(gone_to(shown, "one-head"))[0] for shown in (app, many))
    assert one["description"] != four["description"]
