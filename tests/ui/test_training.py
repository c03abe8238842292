"""The page *Training* in the app: the button that trains, and the layer that it makes."""

from __future__ import annotations

from tests.ui.app import gone_to, opened, page_context, pressed


def test_a_trained_layer_goes_to_the_story() -> None:
    app = opened("training", train_model="4 heads", train_without="-1", train_at="900")
    assert not app.error
    app = pressed(app, "Train")
    assert app.button(key="training go").label == "Stop"
    assert app.session_state["train_now"] == "run"
    trace = page_context(gone_to(pressed(app, "Take this layer to the story"), "scores")).trace
    assert trace.projections.n_heads == 4
    assert trace.inputs.shape == (1, 12, 10)
