"""Scores: every query is compared with every key, in every head."""

from attention_ui.blocks import show_page
from attention_viz.story.score_pages import SCORES

show_page(SCORES)
