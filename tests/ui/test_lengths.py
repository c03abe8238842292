"""Sentences and cells that are longer than there is room for: what is left out or shown instead
is said.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_core import TextError
from attention_lab.choices import MAX_TEXT_LENGTH
from attention_lab.user_data.user_matrices import UserMatrices
from tests.ui.app import errors, facts, named_in, opened, page_context, scenes

FIELDS_OF_TEXT = [
    ("mask-workshop", "mw_second", "Second"),
    ("mask-workshop", "mw_third", "Third"),
    ("encoder-decoder", "ed_target", "Target"),
]


def left_out(app: AppTest) -> dict[str, int]:
    """How many tokens of each sentence have no room, by its name."""
    start, end = "left_out_of_the_", "_sentence"
    return {
        name.removeprefix(start).removesuffix(end): count
        for name, count in facts(app).items()
        if name.startswith(start)
    }


def test_words_that_have_no_room_are_said_by_sentence() -> None:
    app = opened("mask-workshop", text="It sat", mw_second="", mw_third="It slept very well")
    assert (left_out(app), facts(app)["longer_sequence_helps"]) == ({"third": 2}, True)
    app.session_state["n_tokens"] = "4"
    assert left_out(app.run()) == {}


def test_a_shorter_sentence_is_advised_where_the_sequence_cannot_grow() -> None:
    own = UserMatrices(x=np.ones((1, 16))).url_value()
    for page, address, cut in (
        ("mask-workshop", {"mw_third": "It slept", "own": own}, {"second": 5, "third": 1}),
        ("mask-workshop", {"mw_second": "tea " * 65}, {"second": 53}),
        ("encoder-decoder", {"ed_target": "tea " * 249}, {"target": 249 - 64}),
    ):
        app = opened(page, **address)
        assert left_out(app) == cut
        assert facts(app)["longer_sequence_helps"] is False


@pytest.mark.parametrize("address", [{}, {"weights": "trained"}])
def test_one_press_gives_a_cut_sentence_its_padding(address: dict[str, Any]) -> None:
    app = opened("mask", mask="padding", text="tea and cake " * 5, n_tokens=2, **address)
    (button,) = [button for button in app.button if button.label.startswith("Sequence length")]
    button.click().run()
    assert not app.info
    assert page_context(app).trace.hidden.any()
    full = opened("mask", mask="padding", text="tea " * 64, n_tokens=2, **address)
    assert full.info
    assert not [button for button in full.button if button.label.startswith("Sequence length")]


def test_a_cell_beyond_the_sequences_of_a_use_is_said() -> None:
    app = opened("encoder-decoder", ed_use="decoder", ed_cell="13.12", query=11)
    last = {"last_query_instead": 6, "last_key_instead": 6}
    assert last.items() <= facts(app).items()
    assert scenes(app)[0]["cell"] == {"array": "scores decoder", "index": [6, 6]}
    app.session_state["ed_use"] = "encoder"
    assert not last.keys() & facts(app.run()).keys()
    assert not last.keys() & facts(opened("encoder-decoder", ed_use="decoder", query=11)).keys()


@pytest.mark.parametrize("weights", ["random", "trained"])
@pytest.mark.parametrize(("page", "name", "label"), FIELDS_OF_TEXT)
def test_a_sentence_without_words_is_refused_by_its_field(
    page: str, name: str, label: str, weights: str
) -> None:
    app = opened(page, weights=weights, **{name: "\u200b\u200d"})
    assert isinstance(facts(app)[f"refused_in_{name}"], TextError)
    (said,) = errors(app)
    assert label in named_in(said)
    assert ("“Das Tier war zu müde”" in said) == (label == "Target")  # which is read instead
    assert len(scenes(app)) == len(scenes(opened(page, weights=weights)))
    assert errors(app.text_input(key=name).set_value("tea").run()) == []


@pytest.mark.parametrize(("page", "name", "label"), FIELDS_OF_TEXT)
def test_a_sentence_that_is_too_long_is_cut(page: str, name: str, label: str) -> None:
    app = opened(page, **{name: "word " * 5000})
    for _ in "address", "typed":
        assert errors(app) == []
        assert facts(app)[f"full_{name}"] is True
        assert left_out(app)[label.lower()] == 200 - (12 if page == "mask-workshop" else 64)
        assert scenes(app)
        app.text_input(key=name).set_value("wide " * 5000).run()
    assert len(app.session_state[name]) == MAX_TEXT_LENGTH


@pytest.mark.parametrize(
    ("page", "field", "head"), [("softmax", "probabilities", 1), ("output", "output", None)]
)
def test_which_head_a_table_is_of(page: str, field: str, head: int | None) -> None:
    app = opened(page, head=1)
    app.session_state["closer"] = ["numbers"]
    assert facts(app.run())["head_of_table"] == head
    assert len(app.dataframe) == 1
