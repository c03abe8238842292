"""Claims: sentences about attention, each with its verdict and a check that runs on the spot."""

from attention_ui.blocks import show_page
from attention_viz.diagonal.claims import CLAIM_PAGE

show_page(CLAIM_PAGE)
