"""Mask: the score of a key that a query may not see becomes minus infinity."""

from attention_ui.blocks import show_page
from attention_viz.story.mask_page import MASK

show_page(MASK)
