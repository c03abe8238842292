"""Two layers: an induction circuit, trained before one's eyes."""

from attention_ui.blocks import show_page
from attention_viz.labs.circuit_page import TWO_LAYERS

show_page(TWO_LAYERS)
