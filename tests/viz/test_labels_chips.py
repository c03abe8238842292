"""The tokens as chips: hostile text stays text."""

from __future__ import annotations

from attention_lab.words.text import PADDING_TOKEN, Tokens
from attention_viz.labels import token_chips
from tests.viz.example_traces import HOSTILE

TOKENS = Tokens((*HOSTILE, PADDING_TOKEN), len(HOSTILE))


def test_tokens_are_escaped() -> None:
    html = token_chips(TOKENS, 0)
    assert "<script" not in html
    assert "<b>" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "&amp;lt;b&amp;gt;" in html


def test_the_chosen_token_and_the_padding_are_marked() -> None:
    html = token_chips(Tokens((PADDING_TOKEN, "a", PADDING_TOKEN), 2), 1)
    assert html.count("chosen") == 1
    assert html.count("padding") == 1
    assert [f"<small>{place}</small>" in html for place in range(3)] == [True] * 3
