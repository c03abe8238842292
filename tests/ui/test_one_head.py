"""One trained head: the layer's own numbers, each of its steps, and the walk through its layer."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.trained.encoded_text import attention_of
from attention_lab.trained.minilm import load_minilm
from tests.lab.made_files import safetensors
from tests.ui.app import (
    facts,
    gone_to,
    opened,
    page_context,
    page_shown,
    scenes,
    sent,
    texts,
)
from tests.ui.uploads import ANIMAL, asked, uploaded


def test_one_head_shows_the_layers_own_trace() -> None:
    app = opened("one-head", text=ANIMAL, th_layer=3, th_head=1, th_cell="9-2-0", oh_step="W_Q")
    heat, _, weights = scenes(app)
    assert heat["cell"] == {"array": "probabilities", "index": [0, 1, 9, 2]}
    assert sent(heat["arrays"]["probabilities"])[0, 1, 9, 2] == pytest.approx(0.688, abs=1e-3)
    w_q = load_minilm().layers[3].attention.w_q
    first = weights["arrays"]["w_q"]["start"][1]
    assert first <= 32 < first + 64
    assert np.array_equal(sent(weights["arrays"]["w_q"]), w_q[:, first : first + 64].astype("f4"))
    assert facts(app)["share"] == attention_of(ANIMAL).layers[3][1, 9, 2]
    assert facts(app)["captions"][1] == "it → animal"
    assert facts(app)["asks_and_is_read"] == ("it", "animal")
    assert "68.8 %" in texts(app)


@pytest.mark.parametrize("step", ["scores", "W_Q", "W_K", "W_V", "mixing", "W_O"])
def test_every_step_of_a_head(step: str) -> None:
    app = opened("one-head", text="we like tea", oh_step=step, th_cell="1-2-40")
    assert not app.exception
    assert not app.error
    assert len(scenes(app)) == 3
    places = {
        "scores": [1, 2],
        "mixing": [1, 31],
        "W_Q": [1, 63],
        "W_K": [2, 63],
        "W_V": [2, 63],
        "W_O": [1, 40],
    }
    assert scenes(app)[2]["cell"]["index"][-2:] == places[step]


@pytest.mark.parametrize(("step", "feature"), [("W_Q", 7), ("W_K", 7), ("W_V", 15)])
def test_a_feature_stays_in_its_head(step: str, feature: int) -> None:
    sides = {"q": (8, 12), "k": (8, 12), "v": (16, 12)}
    tensors = {f"attn.{name}_proj.weight": np.ones(side, "f4") for name, side in sides.items()}
    tensors["attn.o_proj.weight"] = np.ones((12, 16), "f4")
    app = opened("your-weights", text=ANIMAL, th_cell="1-1-7", th_head=1)
    app = uploaded("wide.safetensors", safetensors(tensors), app)
    asked(app, "Heads").set_value(2).run()
    app = gone_to(app, "one-head")
    app.segmented_control(key="oh_step").set_value(step).run()
    assert scenes(app)[-1]["cell"]["index"] == [0, 1, feature]


def test_the_page_and_the_story_agree() -> None:
    app = opened("one-head", text=ANIMAL, th_layer=3, th_head=1, th_cell="9-2-0")
    next(button for button in app.button if button.label.startswith("Walk through")).click().run()
    assert page_shown(app).url_path == "scores"
    now = page_context(app)
    assert (now.scenario.weights, now.scenario.layer) == ("trained", 3)
    assert (now.focus.head, now.focus.query, now.focus.key) == (1, 9, 2)
    assert now.trace.probabilities[0, 1, 9, 2] == attention_of(ANIMAL).layers[3][1, 9, 2]
