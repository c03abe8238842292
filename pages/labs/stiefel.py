"""Stiefel: what it changes when the columns of every head's matrices are orthonormal."""

from attention_ui.blocks import show_page
from attention_viz.labs.stiefel_page import STIEFEL

show_page(STIEFEL)
