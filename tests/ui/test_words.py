"""Words without a symbol: who searches the glossary for one learns what it is and where it can
be seen.
"""

from __future__ import annotations

import pytest

from attention_ui.reference.glossary import find_words, glossary_words, word_table
from attention_ui.registry import PAGES
from tests.ui.app import facts, opened


def test_every_word_leads_to_a_page() -> None:
    named = [one.word.casefold() for one in glossary_words()]
    assert named == sorted(set(named))
    assert {one.page for one in glossary_words()} <= {page.url_path for page in PAGES}
    assert all(one.meaning.endswith(".") for one in glossary_words())


@pytest.mark.parametrize(
    ("typed", "word"),
    [
        ("entropy", "entropy"),
        ("skip connection", "residual connection (skip connection)"),
        ("layer norm", "LayerNorm (layer normalisation)"),
        ("Gram", "Gram matrix"),
        ("cross attention", "cross-attention"),
        ("elementwise", "Hadamard product (elementwise product)"),
        ("positional", "position encoding (positional encoding)"),
    ],
)
def test_a_word_is_found(typed: str, word: str) -> None:
    assert word in [one.word for one in find_words(typed)]
    assert word in facts(opened("glossary", glossary_words=typed))["words_found"]


def test_nothing_is_said_to_fit_only_where_nothing_does() -> None:
    nothing, one = (
        opened("glossary", glossary_words=typed) for typed in ("zebra", "oversmoothing")
    )
    assert facts(nothing)["quantities_found"] == facts(nothing)["words_found"] == []
    assert (len(nothing.header), len(one.header)) == (0, 1)
    assert len(word_table(find_words("oversmoothing")).splitlines()) == 3
