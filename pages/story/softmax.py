"""Softmax: every row of masked scores becomes shares that sum to 1."""

from attention_ui.blocks import show_page
from attention_viz.story.softmax_pages import SOFTMAX

show_page(SOFTMAX)
