"""Convolution: heads that each look at a fixed offset do what a convolution does."""

from attention_ui.blocks import show_page
from attention_viz.labs.convolution_page import CONVOLUTION

show_page(CONVOLUTION)
