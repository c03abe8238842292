"""Rotary positions: every pair of features is turned by an angle that grows with the position."""

from attention_ui.blocks import show_page
from attention_viz.story.score_pages import ROTARY

show_page(ROTARY)
