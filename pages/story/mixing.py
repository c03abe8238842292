"""Mixing: each token receives the average of the value vectors, weighted by its shares."""

from attention_ui.blocks import show_page
from attention_viz.story.softmax_pages import MIXING

show_page(MIXING)
