"""Encoder, decoder, cross-attention: the chosen use, its padding, and the counts on its card."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.masks.encoder_decoder import ATTENTION_USES, run_three_uses
from attention_lab.scenario import Scenario
from attention_ui.masks.sentences import choose_clicked_use
from tests.ui.app import facts, numbers_of_scene, opened, scenes, texts
from tests.ui.pinning import pin

TARGET = "Das Tier war zu müde"


def test_a_click_on_a_use_chooses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened("encoder-decoder")
    pin(app, monkeypatch, "uses", choose_clicked_use, "scores encoder", 13, 12)
    assert app.session_state["ed_use"] == "encoder"
    assert scenes(app)[0]["cell"] == {"array": "scores encoder", "index": [13, 12]}
    assert scenes(app)[1]["cell"] == {"array": "probabilities", "index": [0, 0, 13, 12]}
    shapes = [trace.scores.shape for trace in run_three_uses(Scenario(), TARGET, 2).values()]
    assert shapes == [(1, 4, 14, 14), (1, 4, 7, 7), (1, 4, 7, 14)]


@pytest.mark.parametrize("n_tokens", [0, 4])
def test_whose_padding_the_slider_moves(n_tokens: int) -> None:
    app = opened("encoder-decoder", n_tokens=n_tokens, ed_pad=4)
    assert facts(app)["sidebar_sets_the_source"] == bool(n_tokens)


def test_the_mask_of_the_sidebar_is_not_used() -> None:
    plain, causal = (opened("encoder-decoder", mask=mask) for mask in ("none", "causal"))
    for one, other in zip(scenes(plain), scenes(causal), strict=True):
        np.testing.assert_array_equal(numbers_of_scene(one), numbers_of_scene(other))
    assert facts(plain) == facts(causal)


def test_only_sentences_and_masks_differ() -> None:
    traces = run_three_uses(Scenario(), TARGET, 2)
    assert len({trace.projections.w_q.tobytes() for trace in traces.values()}) == 1
    assert len({trace.hidden_keys.tobytes() for trace in traces.values()}) == len(ATTENTION_USES)


def test_many_hidden_cells_are_counted_in_thousands() -> None:
    text = "a b c d e f g h " * 5
    app = opened("encoder-decoder", text=text)
    for key, trace in run_three_uses(Scenario(text=text), TARGET, 2).items():
        n_hidden, n_cells = int(trace.hidden_keys[0, 0].sum()), trace.scores[0, 0].size
        assert facts(app)[f"cells_hidden_in_{key}"] == n_hidden
        assert f"{n_cells:,}" in texts(app)
    assert (
        n_cells < 1000 < run_three_uses(Scenario(text=text), TARGET, 2)["encoder"].scores[0, 0].size
    )
