"""What the site shows of a layer beside the controls: which sentence, which sizes and options."""

from __future__ import annotations

from typing import Any

import pytest

from tests.viz.reading_site import answer_to

USUAL = "d_model=12&n_heads=3"


def control(answer: dict[str, Any], name: str) -> dict[str, Any]:
    """The control with a name."""
    return next(one for one in answer["controls"] if one["name"] == name)


def test_the_sentence_of_a_batch_that_is_shown_is_the_one_that_is_chosen() -> None:
    query = "text=we+saw+it&batch=you+like+cake%0Athey+sleep+well"
    for place, first in enumerate(("we", "you", "they")):
        found = answer_to("scores", f"{query}&sentence={place}&query=1")
        chosen = control(found, "sentence")
        assert (chosen["value"], len(chosen["options"])) == (str(place), 3)
        assert chosen["options"][place][1].startswith(f"{place} · {first}")
        assert control(found, "query")["options"][0][1] == f"0 · {first}"
        assert control(found, "query")["value"] == "1"


@pytest.mark.parametrize("heads", [3, 4, 6])
def test_the_next_embedding_size_is_one_that_the_heads_share(heads: int) -> None:
    found = control(answer_to("scores", f"d_model=12&n_heads={heads}"), "d_model")
    assert (found["step"], found["low"]) == (heads, heads)


@pytest.mark.parametrize("path", ["all-heads", "head-worth", "shared-keys", "what-changes"])
def test_a_page_shows_the_layer_that_the_app_shows(path: str) -> None:
    """Options of modern attention are left out where a page explains the layer without them."""
    modern = f"{USUAL}&sink=true&rotary=halves&qk_norm=true&softcap=true&alibi=true"
    plain, other = (answer_to(path, query)["blocks"] for query in (USUAL, modern))
    assert (plain == other) is (path != "what-changes")
    assert answer_to(path, modern)["query"].count("sink=true") == 1
