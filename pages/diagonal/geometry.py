"""Geometry: tokens as arrows in the plane, the keys that beat a token, and where outputs lie."""

from attention_ui.blocks import show_page
from attention_viz.diagonal.geometry_page import GEOMETRY

show_page(GEOMETRY)
