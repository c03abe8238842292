"""QK-norm: every query and key of a head gets the same length."""

from attention_ui.blocks import show_page
from attention_viz.story.score_pages import QK_NORM

show_page(QK_NORM)
