"""Sources and limits: how numbers are checked, what is left out, texts, papers and licences."""

from attention_ui.blocks import show_page
from attention_viz.reference.sources_page import SOURCES

show_page(SOURCES)
