"""Split: one wide matrix becomes one matrix per head."""

from attention_ui.blocks import show_page
from attention_viz.story.cut_pages import SPLIT

show_page(SPLIT)
