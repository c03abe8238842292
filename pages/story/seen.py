"""What you have seen: one token before and after the layer, and what comes next in a model."""

from attention_ui.blocks import show_page
from attention_viz.story.after_pages import SEEN

show_page(SEEN)
