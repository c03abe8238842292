"""All heads: what each attends to, side by side, as one matrix, and as lines between tokens."""

from attention_ui.blocks import show_page
from attention_viz.heads.all_heads_page import ALL_HEADS

show_page(ALL_HEADS)
