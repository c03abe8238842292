"""Shared keys and values (GQA, MQA, MLA): what changes when heads share them, and what it saves."""

from attention_ui.blocks import show_page
from attention_viz.heads.shared_keys_page import SHARED_KEYS

show_page(SHARED_KEYS)
