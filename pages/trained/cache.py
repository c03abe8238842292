"""The KV cache: the keys and values that a writing model keeps."""

from attention_ui.blocks import show_page
from attention_viz.trained.cache import CACHE

show_page(CACHE)
