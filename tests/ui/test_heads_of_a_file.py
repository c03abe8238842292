"""Heads of a file where pages ask for more than they have: keys of another sequence, the trained model beside."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.made_weight_files import npz, safetensors
from tests.ui.app import errors, gone_to, here, opened, scenes, texts, title
from tests.ui.test_trained import BERT, rng, sent, uploaded


@pytest.mark.parametrize("n_queries", [1, 3])
def test_cross_attention_from_elsewhere(n_queries: int) -> None:
    """Heads whose keys are another sequence are ranked by the rules that say something of it; the rest are left out."""
    shares = rng.dirichlet(np.ones(5), size=(2, 2, n_queries)).astype("f4")
    app = gone_to(uploaded("a.npz", npz({"attention": shares})), "find-a-head")
    assert not app.exception
    assert not app.error
    assert app.selectbox(key="fh_rule").options == ["first token", "last token", "word to word"]
    ranking = sent(scenes(app)[0]["arrays"]["ranking"])
    assert np.allclose(ranking, shares[..., 0].mean(axis=-1))
    assert scenes(app)[1]["cell"]["index"] == [min(1, n_queries - 1), 0]
    app.selectbox(key="fh_rule").set_value("word to word").run()
    app.selectbox(key="fh_to").set_value(4).run()
    assert not app.error
    assert np.allclose(sent(scenes(app)[0]["arrays"]["ranking"]), shares[:, :, app.selectbox(key="fh_from").value, 4])
    app.segmented_control(key="th_whose").set_value("model").run()
    assert len(app.selectbox(key="fh_rule").options) == 7
    app.selectbox(key="fh_rule").set_value("itself").run()
    app.segmented_control(key="th_whose").set_value("yours").run()
    assert not app.exception
    assert not app.error
    assert app.selectbox(key="fh_rule").value == "first token"


def test_the_heading_is_true_of_a_file() -> None:
    """Over the attention of a file of 2 × 2 heads nothing tells of the model's 72 or of the visitor's sentence."""
    shares = rng.dirichlet(np.ones(5), size=(2, 2, 5)).astype("f4")
    app = gone_to(uploaded("a.npz", npz({"attention": shares})), "trained-heads")
    told = f"{title(app)}\n{texts(app)}"
    assert "**4 heads, one line for each layer.**" in told
    assert "72" not in told
    assert "your own sentence" not in told


def test_a_file_without_a_sentence() -> None:
    """Attention needs no sentence; weights do, which is said, and the place for a file stays to choose another."""
    app = uploaded("w.safetensors", safetensors(BERT), opened("your-weights", text=""))
    assert errors(app) == ["The text holds no word, so there is nothing to attend to: type at least one"]
    shares = rng.dirichlet(np.ones(5), size=(2, 2, 5)).astype("f4")
    app = uploaded("a.npz", npz({"attention": shares}), app)
    assert errors(app) == []
    assert np.array_equal(sent(scenes(app)[0]["arrays"]["layer 1"]), shares[1])
    app.text_area(key="text").set_value("back again").run()
    assert here(app).trace.tokens == ("back", "again")


@pytest.mark.parametrize("page", ["change-a-word", "layers"])
def test_the_model_beside_a_file(page: str) -> None:
    """What these pages show of the trained model alone, they say not to be the file's; no sentence changes the file."""
    said = "heads of the trained model, not those of your file"
    shares = rng.dirichlet(np.ones(5), size=(2, 2, 5)).astype("f4")
    app = gone_to(uploaded("a.npz", npz({"attention": shares})), page)
    assert said in texts(app)
    assert "Another sentence gives other numbers" not in texts(app)
    assert said not in texts(opened(page))
