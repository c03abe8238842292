"""The heads ranked by what they do on the user's sentence."""

from attention_ui.blocks import show_page
from attention_viz.trained.find_head_page import FIND_A_HEAD

show_page(FIND_A_HEAD)
