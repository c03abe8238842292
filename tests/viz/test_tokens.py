"""The pictures of the tokens: hostile text stays text, and word plus position is the input."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core.embeddings import embed
from attention_core.text import PAD, Tokens
from attention_viz.parts import MOST_CLICKABLE
from attention_viz.tokens import PARTS, chips_html, embedding_sum
from tests.viz.example_traces import HOSTILE

TOKENS = Tokens((*HOSTILE, PAD), len(HOSTILE))


def test_tokens_are_escaped() -> None:
    """A token that is markup is shown letter by letter."""
    html = chips_html(TOKENS, 0)
    assert "<script" not in html
    assert "<b>" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "&amp;lt;b&amp;gt;" in html


def test_the_chosen_token_and_the_padding_are_marked() -> None:
    """One chip is lit; only tokens that fill the sequence up are dashed, not a word that looks like them."""
    html = chips_html(Tokens((PAD, "a", PAD), 2), 1)
    assert html.count("chosen") == 1
    assert html.count("padding") == 1
    assert [f"<small>{place}</small>" in html for place in range(3)] == [True] * 3


@pytest.mark.parametrize("positions", [True, False])
def test_the_three_matrices_are_those_of_the_embedding(positions: bool) -> None:
    """Word vectors, positions and inputs are drawn with their own numbers and on one scale."""
    embedding = embed(TOKENS.tokens, 5, positions=positions)
    figure = embedding_sum(embedding, TOKENS, query=2, column=3)
    parts = figure["data"][:3]
    for name, part in zip(PARTS, parts, strict=True):
        np.testing.assert_array_equal(part["z"], getattr(embedding, name).astype("f4"))
    assert len({part["zmax"] for part in parts}) == 1


def test_a_click_names_the_row_and_the_column() -> None:
    """Every cell of the three matrices carries its place, and no head."""
    clicks = embedding_sum(embed(TOKENS.tokens, 5), TOKENS, 0, 0)["data"][-1]
    places = [[-1, *place] for place in np.ndindex(len(TOKENS.tokens), 5)]
    assert clicks["customdata"].tolist() == places * 3
    assert not any("<script" in text for text in clicks["text"])


def test_the_number_in_focus_is_framed_in_all_three() -> None:
    """The same place is marked in the word vector, the position and the sum."""
    figure = embedding_sum(embed(TOKENS.tokens, 5), TOKENS, query=2, column=3)
    frames = [shape for shape in figure["layout"]["shapes"] if shape["line"]["color"] == "@focus"]
    assert len(frames) == 3
    assert len({frame["y0"] for frame in frames}) == 1


def test_large_matrices_have_no_markers() -> None:
    """Where markers would make the page slow there are none, and the picture stays."""
    tokens = Tokens(("a",) * 64, 64)
    embedding = embed(tokens.tokens, 128)
    assert embedding.inputs.size > MOST_CLICKABLE
    assert [part["type"] for part in embedding_sum(embedding, tokens, 0, 0)["data"]] == ["heatmap"] * 3
