"""Overview: the whole layer as one picture, and what happens in five sentences."""

from attention_ui.blocks import show_page
from attention_viz.story.first_pages import OVERVIEW

show_page(OVERVIEW)
