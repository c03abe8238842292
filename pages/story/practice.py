"""Practice: questions on the user's own layer, one by one or as a set with one's own numbers."""

from attention_ui.blocks import show_page
from attention_viz.practice_page import PRACTICE

show_page(PRACTICE)
