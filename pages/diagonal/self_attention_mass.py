"""Does a token look at itself? How much of its attention each token keeps, and what changes it."""

from attention_ui.blocks import show_page
from attention_viz.diagonal.self_attention_page import SELF_ATTENTION

show_page(SELF_ATTENTION)
