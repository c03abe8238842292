"""The diagonal of modern attention: what rotary positions, QK-norm, sinks and others do to it."""

from attention_ui.blocks import show_page
from attention_viz.diagonal.modern_page import MODERN

show_page(MODERN)
