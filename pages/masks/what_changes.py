"""What changes: the layer as it is, the layer with one thing changed, and their difference."""

from attention_ui.blocks import show_page
from attention_viz.masks.changes_page import WHAT_CHANGES

show_page(WHAT_CHANGES)
