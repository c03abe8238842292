"""Next token, again and again: the language model goes on with the text, piece by piece."""

from attention_ui.blocks import show_page
from attention_viz.trained.writing import WRITING

show_page(WRITING)
