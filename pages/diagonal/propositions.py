"""Propositions: fourteen statements about the diagonal, each checked on the tokens shown."""

from attention_ui.blocks import show_page
from attention_viz.diagonal.propositions_page import PROPOSITION_PAGE

show_page(PROPOSITION_PAGE)
