"""Sentences and cells that are longer than there is room for: what is left out or shown instead
is said.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attention_lab.scenario import MAX_TEXT
from attention_lab.user_data.own_matrices import OwnMatrices
from tests.ui.app import errors, here, opened, scenes, texts

FIELDS_OF_TEXT = [
    ("mask-workshop", "mw_second", "Second"),
    ("mask-workshop", "mw_third", "Third"),
    ("encoder-decoder", "ed_target", "Target"),
]


def test_words_that_have_no_room_are_said_by_sentence() -> None:
    """Which sentence is cut, by how much, and what to do; where nothing is cut, nothing is said."""
    app = opened("mask-workshop", text="It sat", mw_second="", mw_third="It slept very well")
    said = [caption.value for caption in app.caption if "are left out:" in caption.value]
    assert len(said) == 1
    assert said[0].startswith(
        "**2 of the 4 tokens** of the third sentence are left out: there is room for 2. "
    )
    assert said[0].endswith("Sequence length 4 in the sidebar makes room for all.")
    app.session_state["n_tokens"] = "4"
    assert "are left out:" not in texts(app.run())


def test_a_shorter_sentence_is_advised_where_the_sequence_cannot_grow() -> None:
    """Beside an own X, and beyond 64 tokens, no sequence length helps; nor does a text end
    without a word.
    """
    own = OwnMatrices(x=np.ones((1, 16))).address()
    for page, name, address in (
        ("mask-workshop", "third", {"mw_third": "It slept", "own": own}),
        ("mask-workshop", "second", {"mw_second": "tea " * 65}),
        ("encoder-decoder", "target", {"ed_target": "tea " * 249}),
    ):
        (said,) = [
            line
            for line in texts(opened(page, **address)).splitlines()
            if f"the {name} sentence" in line
        ]
        assert said.endswith("A shorter one fits.")
    assert "**185 of the 249 tokens**" in said


@pytest.mark.parametrize("address", [{}, {"weights": "trained"}])
def test_one_press_gives_a_cut_sentence_its_padding(address: dict[str, Any]) -> None:
    """The longer sequence holds the whole sentence and [pad] after it, however short it was;
    too long a one stays.
    """
    app = opened("mask", mask="padding", text="tea and cake " * 5, n_tokens=2, **address)
    (button,) = [button for button in app.button if button.label.startswith("Sequence length")]
    button.click().run()
    assert not app.info
    assert here(app).trace.hidden.any()
    full = opened("mask", mask="padding", text="tea " * 64, n_tokens=2, **address)
    assert full.info
    assert not [button for button in full.button if button.label.startswith("Sequence length")]


def test_a_cell_beyond_the_sequences_of_a_use_is_said() -> None:
    """The target has fewer tokens than the source: what is shown in place of a query or key is
    named, else nothing.
    """
    app = opened("encoder-decoder", ed_use="decoder", ed_cell="13.12", query=11)
    moved = [
        f"There is no {word} here: the last one, 6, is shown." for word in ("query 13", "key 12")
    ]
    assert [caption.value for caption in app.caption if "There is no" in caption.value] == moved
    assert scenes(app)[0]["cell"] == {"array": "scores decoder", "index": [6, 6]}
    app.session_state["ed_use"] = "encoder"
    assert "There is no" not in texts(app.run())
    assert "There is no" not in texts(opened("encoder-decoder", ed_use="decoder", query=11))


@pytest.mark.parametrize("weights", ["random", "trained"])
@pytest.mark.parametrize(("page", "name", "label"), FIELDS_OF_TEXT)
def test_a_sentence_without_words_is_refused_by_its_field(
    page: str, name: str, label: str, weights: str
) -> None:
    """Invisible signs in one of several sentences are refused by its name, and the page goes on
    without them.
    """
    app = opened(page, weights=weights, **{name: "\u200b\u200d"})
    (said,) = errors(app)
    assert said.startswith(
        f"{label} sentence: The text holds no word, so there is nothing to attend to: type at least"
    )
    assert said.endswith(
        "Until then “Das Tier war zu müde” is read." if label == "Target" else "it is left out."
    )
    assert len(scenes(app)) == len(scenes(opened(page, weights=weights)))
    assert errors(app.text_input(key=name).set_value("tea").run()) == []


@pytest.mark.parametrize(("page", "name", "label"), FIELDS_OF_TEXT)
def test_a_sentence_that_is_too_long_is_cut(page: str, name: str, label: str) -> None:
    """By the address or typed, each sentence holds as many characters as that of the sidebar,
    and says so.
    """
    app = opened(page, **{name: "word " * 5000})
    for _ in "address", "typed":
        assert errors(app) == []
        assert (
            f"{label} sentence: the field holds 1,000 characters; what went beyond is left out."
            in texts(app)
        )
        assert "of the 200 tokens**" in texts(app)
        assert scenes(app)
        app.text_input(key=name).set_value("wide " * 5000).run()
    assert len(app.session_state[name]) == MAX_TEXT


@pytest.mark.parametrize(
    ("page", "field", "said"),
    [("softmax", "probabilities", " of head 1"), ("output", "output", "")],
)
def test_which_head_a_table_is_of(page: str, field: str, said: str) -> None:
    """The words above the numbers of a field name the head that is shown, if the field has any."""
    app = opened(page, head=1)
    app.session_state["closer"] = ["numbers"]
    assert f"\n{field.capitalize()}{said}: axes" in texts(app.run())
