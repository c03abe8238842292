"""Construct: tasks to build a head by hand, judged by running the layer."""

from attention_ui.blocks import show_page
from attention_viz.heads.construct_page import CONSTRUCT

show_page(CONSTRUCT)
