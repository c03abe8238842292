"""What learners ask, and every idea of the five texts, with links to the pages that show it."""

from attention_ui.blocks import show_page
from attention_viz.reference.questions_page import QUESTIONS

show_page(QUESTIONS)
