"""Tokens: a sentence is cut into tokens, and each token becomes a row of numbers."""

from attention_ui.blocks import show_page
from attention_viz.story.first_pages import TOKENS

show_page(TOKENS)
