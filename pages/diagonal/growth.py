"""Growth of self-attention: its mass and its maxima against the width, as curves and measured."""

from attention_ui.blocks import show_page
from attention_viz.diagonal.growth_page import GROWTH

show_page(GROWTH)
