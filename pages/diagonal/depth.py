"""Depth: stacked attention layers, how fast their tokens become equal, and what delays it."""

from attention_ui.blocks import show_page
from attention_viz.diagonal.depth_page import DEPTH

show_page(DEPTH)
