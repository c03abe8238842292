"""Merge: the outputs of the heads are laid side by side again, token by token."""

from attention_ui.blocks import show_page
from attention_viz.story.cut_pages import MERGE

show_page(MERGE)
