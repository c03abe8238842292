"""One matrix or many: four ways to compute the scores of all heads, counted and measured."""

from attention_ui.blocks import show_page
from attention_viz.heads.one_matrix_page import ONE_MATRIX

show_page(ONE_MATRIX)
