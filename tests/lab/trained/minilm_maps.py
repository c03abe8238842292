"""The attention of MiniLM on a text, as the pages about its heads read it."""

from __future__ import annotations

from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.encoded_text import encoded_alone


def attention_of(text: str, n_tokens: int = 0) -> AttentionMaps:
    """The attention weights of all 72 heads on a text that is cut to n_tokens."""
    return AttentionMaps.of_traces(encoded_alone(text, n_tokens).traces)
