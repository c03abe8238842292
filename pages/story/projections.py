"""Projections: one product gives the queries of all heads, one the keys, one the values."""

from attention_ui.blocks import show_page
from attention_viz.story.cut_pages import PROJECTIONS

show_page(PROJECTIONS)
