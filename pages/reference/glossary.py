"""Glossary: every symbol of the layer in all notations, with axes and sizes; words without one."""

from attention_ui.blocks import show_page
from attention_viz.reference.glossary_page import GLOSSARY

show_page(GLOSSARY)
