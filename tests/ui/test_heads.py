"""What all pages about heads promise."""

from __future__ import annotations

import itertools

import pytest

from attention_ui.registry import PAGES
from tests.ui.app import (
    facts,
    figures,
    opened,
    page_context,
    scenes,
    texts,
)

HEADS = [page.url_path for page in PAGES if page.section == "heads"]


@pytest.mark.parametrize("page", ["shared-keys", "one-matrix-or-many"])
def test_counts_are_those_of_the_layer(page: str) -> None:
    stated = facts(opened(page, notation="gml"))
    assert (stated["size"].n_tokens, stated["size"].d_model, stated["size"].n_heads) == (12, 16, 4)
    assert page_context(opened(page, notation="gml")).own_letters in texts(
        opened(page, notation="gml")
    )
    assert page_context(opened(page)).own_letters == ""


@pytest.mark.parametrize("page", HEADS)
@pytest.mark.parametrize("first", [0, 2])
def test_a_hostile_url_gives_the_page(page: str, first: int) -> None:
    names = (
        "subset",
        "off",
        "basis",
        "groups",
        "kind",
        "portrait",
        "heads_stage",
        "heads_lines",
        "shared_count",
        "shared_letter",
        "ways_letter",
        "ways_count",
    )
    nonsense = itertools.islice(
        itertools.cycle(["<script>", "0.99..-1", "0" * 300, "٣"]), first, None
    )
    app = opened(page, **dict(zip(names, nonsense, strict=False)))
    assert not app.exception
    assert not app.error
    assert figures(app) or scenes(app)
