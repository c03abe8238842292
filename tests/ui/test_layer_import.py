"""A layer goes from a file, or from the laboratory, to the story: matrices, biases and heads
arrive.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_core import Projections, attend
from attention_core.projections import BIASES, MATRICES
from attention_lab.export.trace_files import trace_to_npz
from attention_lab.labs.training import train_layer
from attention_lab.labs.training_settings import TrainingSettings
from attention_lab.user_data.user_matrices import read_matrices
from attention_ui.registry import PAGES
from tests.lab.made_files import npz, safetensors
from tests.lab.named_weights import D, H, as_gpt2, as_torch, weights
from tests.ui.app import (
    errors,
    facts,
    gone_to,
    named_in,
    opened,
    page_context,
    page_shown,
    scenes,
    title,
)
from tests.ui.uploads import asked

TAKE = "Take this layer to the story"
TELLING = [
    page.url_path for page in PAGES if page.section in ("story", "heads", "masks", "diagonal")
]


def uploaded(content: bytes, name: str = "layer.safetensors", **choices: Any) -> AppTest:
    """The page for one's own weights after a file was chosen."""
    app = opened("your-weights", text="one two three", **choices)
    app.file_uploader(key="yw_file").set_value((name, content, "")).run()
    assert not app.exception
    return app


def take(app: AppTest) -> AppTest:
    """The app after the button."""
    return next(button for button in app.button if button.label == TAKE).click().run()


@pytest.mark.parametrize("names", [as_torch, as_gpt2])
def test_a_layer_of_a_file_is_told(names: Any) -> None:
    layer = weights()
    app = uploaded(safetensors(names(layer)), weights="trained", mask="causal")
    asked(app, "Heads").set_value(H).run()
    app = take(app)
    assert not app.exception
    assert title(app) == "Overview"
    now = page_context(app)
    assert (now.scenario.weights, now.scenario.n_heads, now.scenario.mask) == (
        "random",
        H,
        "causal",
    )
    for name in MATRICES + BIASES:
        assert np.array_equal(getattr(now.trace.projections, name), getattr(layer, name)), name
    assert facts(app)["own_matrices"] == MATRICES + BIASES
    for page in TELLING:
        app = gone_to(app, page)
        assert page_shown(app).url_path == page
        assert not app.exception, page
        assert not app.error, page
        assert page_context(app).trace.sizes["D"] == D
    assert "b_q" in scenes(gone_to(app, "projections"))[0]["arrays"]


def test_dropping_it_brings_the_controls_back() -> None:
    app = take(uploaded(npz(as_torch(weights())), "layer.npz"))
    assert page_context(app).trace.projections.b_q is not None
    next(button for button in app.button if button.label == "Drop own matrices").click().run()
    assert page_context(app).scenario.own == ""
    assert page_context(app).trace.projections.b_q is None


def test_a_layer_that_is_too_large() -> None:
    app = uploaded(
        npz(as_torch(Projections.random(768, 12, bias=True).astype(np.float32))), "bert.npz"
    )
    assert TAKE not in [button.label for button in app.button]
    assert {"768", "512"} <= named_in(app.info[0].value)
    assert scenes(app)


def test_hostile_weights_are_refused_before_they_are_taken() -> None:
    arrays = as_torch(weights())
    arrays["out_proj.bias"] = np.full(D, np.inf, np.float32)
    app = uploaded(safetensors(arrays))
    assert len(errors(app)) == 1
    assert TAKE not in [button.label for button in app.button]
    assert page_context(app).scenario.own == ""


def test_a_layer_of_the_laboratory_keeps_its_biases() -> None:
    app = opened("training", train_steps=40, train_seed=3, mask="causal", residual="true")
    next(button for button in app.button if button.label == "Train").click().run()
    app = take(app)
    assert title(app) == "Overview"
    now = page_context(app)
    trained = list(train_layer(TrainingSettings(n_steps=40, seed=3)))[-1].projections
    assert trained.b_o is not None
    assert np.abs(trained.b_o).max() > 0
    assert np.array_equal(now.trace.projections.b_o, trained.b_o)
    assert (now.scenario.mask, now.scenario.residual) == ("none", False)
    np.testing.assert_array_equal(now.trace.output, attend(now.trace.inputs, trained).output)


def test_a_download_brings_the_biases_back() -> None:
    app = take(uploaded(npz(as_torch(weights())), "layer.npz"))
    own = read_matrices(trace_to_npz(page_context(app).trace), "trace.npz")
    assert own.arrays.keys() == {"x", *MATRICES, *BIASES}
