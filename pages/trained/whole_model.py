"""The whole model: one picture from the prompt to the next word."""

from attention_ui.blocks import show_page
from attention_viz.trained.whole_page import WHOLE_MODEL

show_page(WHOLE_MODEL)
