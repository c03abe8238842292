"""Block: what stands around attention in a Transformer, with every number."""

from attention_ui.blocks import show_page
from attention_viz.story.after_pages import BLOCK

show_page(BLOCK)
