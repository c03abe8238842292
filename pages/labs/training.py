"""Training: what heads learn to look at, and what more of them are good for."""

from contextlib import suppress

from attention_core import AttentionError
from attention_ui.blocks import show_page
from attention_ui.layer_import import offer_story
from attention_viz.labs.training_page import TEMPERATURE, TRAINING, shown_layer

chosen = show_page(TRAINING)
with suppress(AttentionError):  # the page has said why there is no layer
    layer = shown_layer(chosen)
    offer_story(
        layer.projections,
        "train take",
        x=layer.inputs[0],
        disabled=chosen[TEMPERATURE.key] != TEMPERATURE.default,
        controls={"mask": "none", "scaling": "on", "residual": False, "n_tokens": "fit"},
    )
