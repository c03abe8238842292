"""Two sentences that differ in one word, and which heads notice."""

from attention_ui.blocks import show_page
from attention_viz.trained.change_word_page import CHANGE_A_WORD

show_page(CHANGE_A_WORD)
