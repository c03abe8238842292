"""Mask workshop: masks combined and painted, on a batch of sentences of different lengths."""

from attention_ui.blocks import show_page
from attention_viz.masks.workshop_page import MASK_WORKSHOP

show_page(MASK_WORKSHOP)
