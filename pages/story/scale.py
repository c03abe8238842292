"""Scale: every score is multiplied by the same number."""

from attention_ui.blocks import show_page
from attention_viz.story.score_pages import SCALE

show_page(SCALE)
