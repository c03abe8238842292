"""Why this word: the logit of a piece as a sum, and what happens without each head."""

from attention_ui.blocks import show_page
from attention_viz.trained.why_word import WHY_THIS_WORD

show_page(WHY_THIS_WORD)
