"""Head worth: the output as a sum over heads, and what changes without some of them."""

from attention_ui.blocks import show_page
from attention_viz.heads.head_worth_page import HEAD_WORTH

show_page(HEAD_WORTH)
