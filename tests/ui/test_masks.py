"""The pages about masks and kinds of attention: what can be chosen, and what they say."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.user_data.painted_masks import mask_from_text, mask_to_text
from attention_lab.user_data.user_matrices import UserMatrices
from attention_viz.masks.experiments import EXPERIMENTS
from tests.ui.app import (
    errors,
    gone_to,
    named_in,
    opened,
    page_context,
    pressed,
    refused,
    scenes,
    texts,
)
from tests.viz.reading_scenes import numbers

SITUATIONS: list[dict[str, Any]] = [
    {"text": "a", "n_heads": 1, "d_model": 1, "mw_masks": "", "mw_second": "", "mw_third": " "},
    {"scaling": "custom", "scale": -100, "edits": "x_0_1_9"},
    {"notation": "gml", "n_tokens": 16, "mask": "padding", "residual": "true"},
]
HIDDEN = np.ones((12, 12), dtype=bool)
HIDDEN[7, :3] = False
ONE_ROW = np.ones((12, 12), dtype=bool)
ONE_ROW[1] = False
FIELDS_OF_TEXT = [("mask-workshop", "mw_second", "Second"), ("mask-workshop", "mw_third", "Third")]


@pytest.mark.parametrize("situation", SITUATIONS)
def test_every_experiment_runs_clean(situation: dict[str, Any]) -> None:
    app = opened("mask-workshop", **situation)
    for name in EXPERIMENTS:
        app.session_state["mw_try"] = name
        assert errors(app.run()) == [], name
        assert scenes(app)


@pytest.mark.parametrize(
    ("page", "name"), [("mask-workshop", "mw_second"), ("encoder-decoder", "ed_target")]
)
def test_markup_in_a_sentence_stays_text(page: str, name: str) -> None:
    app = opened(page, **{name: "<script>alert(1)</script> $x$ [l](//x) :red[x] **b**"})
    assert errors(app) == []
    assert scenes(app)
    assert "<script>" not in texts(app).replace(r"\<", "")


# --- the mask workshop ---


def test_a_sequence_that_the_batch_lacks() -> None:
    app = opened("mask-workshop", mw_sequence=2, mw_third="")
    assert "the last one, 1, is shown" in texts(app)
    assert scenes(app)[0]["cell"]["array"] == "scores 1"


@pytest.mark.parametrize(
    ("choices", "says"),
    [
        ({}, "So it matters on which side"),
        ({"scaling": "off"}, "With another scale or bias"),
        ({"painted": mask_to_text(ONE_ROW)}, "some queries see all keys"),
    ],
)
def test_whether_the_order_of_mask_and_scale_matters(choices: dict[str, Any], says: str) -> None:
    masks = {"mw_masks": "painted"} if "painted" in choices else {}
    assert says in texts(opened("mask-workshop", mw_try="mask or scale first", **masks, **choices))


def test_painted_cells_are_hidden_in_every_sequence() -> None:
    app = opened("mask-workshop", painted=mask_to_text(HIDDEN), mw_masks="painted", query=7, key=1)
    for n in range(3):
        hidden = np.isneginf(numbers(scenes(app)[0]["arrays"][f"scores {n}"]))
        assert np.array_equal(hidden, ~HIDDEN)
    assert "by: **painted**" in texts(app)


def test_a_painted_mask_in_every_step() -> None:
    app = opened("mask-workshop", painted=mask_to_text(HIDDEN), mw_masks="painted")
    assert np.isneginf(numbers(scenes(app)[0]["arrays"]["scores 1"])).sum() == 3
    assert "Every step of the layer uses this mask" not in texts(app)
    pressed(app, "Use this mask in every step")
    assert "Every step of the layer uses this mask" in texts(app)
    linked = opened("all-heads", mask="painted", painted=mask_to_text(HIDDEN))
    for shown in (gone_to(app, "softmax"), linked):
        assert np.array_equal(page_context(shown).trace.hidden[0, 1], ~HIDDEN)
        assert shown.query_params["painted"] in (mask_to_text(HIDDEN), [mask_to_text(HIDDEN)])
    assert "It hides 3 of 144 cells" in texts(gone_to(app, "mask"))
    pressed(gone_to(app, "mask-workshop"), "Hide nothing")
    assert not page_context(app).trace.hidden_keys.any()


def test_a_damaged_painted_mask_hides_nothing() -> None:
    app = opened("scores", mask="painted", painted="banana")
    assert [one[:2] for one in refused(app)] == [("Painted mask", "banana")]
    assert not page_context(app).trace.hidden_keys.any()


def test_the_buttons_for_painting() -> None:
    app = pressed(opened("mask-workshop", query=3), "Hide all keys from the query")
    assert np.argwhere(~mask_from_text(app.session_state["painted"]))[:, 0].tolist() == [3] * 12
    pressed(app, "Start from all masks together")
    assert (~mask_from_text(app.session_state["painted"])).sum() == 66 + 12 - 8
    assert pressed(app, "Hide nothing").session_state["painted"] == ""


# --- sentences besides that of the sidebar ---


def left_out(app: AppTest) -> dict[str, int]:
    """How many tokens of each sentence have no room, by its name."""
    found = re.findall(r"Tokens of the (\w+) sentence left out: \*\*(\d+) of", texts(app))
    return {name: int(count) for name, count in found}


def test_words_that_have_no_room_are_said_by_sentence() -> None:
    app = opened("mask-workshop", text="It sat", mw_second="", mw_third="It slept very well")
    assert left_out(app) == {"third": 2}
    assert "Sequence length 4" in texts(app)
    app.session_state["n_tokens"] = "4"
    assert left_out(app.run()) == {}


def test_a_shorter_sentence_is_advised_where_the_sequence_cannot_grow() -> None:
    own = UserMatrices(x=np.ones((1, 16))).url_value()
    for page, address, cut in (
        ("mask-workshop", {"mw_third": "It slept", "own": own}, {"second": 5, "third": 1}),
        ("mask-workshop", {"mw_second": "tea " * 65}, {"second": 53}),
    ):
        app = opened(page, **address)
        assert left_out(app) == cut
        assert "in the sidebar makes room" not in texts(app)


@pytest.mark.parametrize(("page", "name", "label"), FIELDS_OF_TEXT)
def test_a_sentence_without_words_is_refused_by_its_field(page: str, name: str, label: str) -> None:
    app = opened(page, **{name: "\u200b\u200d"})
    (said,) = [box.value for box in app.warning]
    assert label in named_in(said)
    assert scenes(app)
    assert not app.text_input(key=f"choose {name}").set_value("tea").run().warning


@pytest.mark.parametrize(("page", "name", "label"), FIELDS_OF_TEXT)
def test_a_sentence_that_is_too_long_is_refused(page: str, name: str, label: str) -> None:
    app = opened(page, **{name: "word " * 500})
    assert [one[0] for one in refused(app)] == [f"{label} sentence"]
    assert scenes(app)
    app.text_input(key=f"choose {name}").set_value("wide " * 200).run()
    assert left_out(app)[label.lower()] == 200 - 12
