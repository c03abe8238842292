"""Next token: what the layer's output is good for, in a model that writes."""

from attention_ui.blocks import show_page
from attention_viz.story.after_pages import NEXT_TOKEN

show_page(NEXT_TOKEN)
