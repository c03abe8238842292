"""Output: the output projection mixes what the heads found into one vector per token."""

from attention_ui.blocks import show_page
from attention_viz.story.cut_pages import OUTPUT

show_page(OUTPUT)
