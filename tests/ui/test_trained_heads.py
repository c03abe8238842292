"""The section on trained heads: its tokens, its places in the URL, and a missing model."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import attention_lab.trained.encoded_text as core
from attention_core import FileError
from attention_lab.scenario import Scenario, trace_of
from attention_lab.trained.encoded_text import attention_of, pieces_of
from attention_ui.markdown import escape_markdown
from attention_ui.trained import head_place
from tests.lab.made_files import npz
from tests.ui.app import (
    errors,
    facts,
    gone_to,
    opened,
    page_context,
    refused,
    scenes,
    sent,
    texts,
)
from tests.ui.uploads import ANIMAL, SHARES, uploaded

SECTION = ["trained-heads", "one-head", "find-a-head", "change-a-word", "layers"]
MISSING = "The trained model is not there"


def test_all_heads_of_all_layers() -> None:
    board = scenes(opened("trained-heads", text=ANIMAL))[0]
    for layer, shares in enumerate(attention_of(ANIMAL).layers):
        assert np.array_equal(sent(board["arrays"][f"layer {layer}"]), shares)


def test_the_sequence_length_counts() -> None:
    short = scenes(opened("trained-heads", text=ANIMAL, n_tokens=6))[0]["arrays"]["layer 0"][
        "shape"
    ]
    long = scenes(opened("trained-heads", text=ANIMAL, n_tokens=40))[0]["arrays"]["layer 0"][
        "shape"
    ]
    assert (short, long) == ([12, 6, 6], [12, 15, 15])


@pytest.mark.parametrize("page", SECTION)
def test_a_cut_sentence_is_counted_in_the_models_tokens(page: str) -> None:
    (cut,) = pieces_of(ANIMAL, 6).notes
    app = opened(page, text=ANIMAL, n_tokens=6)
    assert {"15", "4"} <= set(re.findall(r"\d+", cut))
    assert texts(app).count(escape_markdown(cut)) == 1
    assert "cut" not in facts(opened(page, text=ANIMAL, n_tokens=40))


@pytest.mark.parametrize(
    "parameters",
    [
        {"th_cell": "x"},
        {"th_cell": "1-2"},
        {"th_cell": "99999-0-0"},
        {"th_layer": "77"},
        {"th_head": "-1"},
        {"fh_from": "zz", "fh_rule": "word to word"},
        {"ly_measure": "size"},
        {"oh_step": "no"},
        {"cw_old": "$<b>"},
    ],
)
@pytest.mark.parametrize("page", SECTION)
def test_nonsense_in_the_url(page: str, parameters: dict[str, str]) -> None:
    app = opened(page, text="a b c", **parameters)
    assert not app.exception
    assert not app.error
    assert scenes(app)


def test_clicks_open_the_head_that_was_clicked(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, Any] = {}
    monkeypatch.setattr(head_place.st, "session_state", state)
    places = []
    for array, index in (("layer 4", [7, 1, 2]), ("head 5 11", [3, 0]), ("ranking", [2, 9])):
        head_place.open_pinned(array, index)
        places.append((state["th_layer"], state["th_head"], state["th_cell"]))
    assert places == [(4, 7, "1-2-0"), (5, 11, "3-0-0"), (2, 9, "")]
    head_place.pin_change("after minus before", [6, 5])
    assert (state["th_layer"], state["th_head"], state["th_cell"]) == (2, 9, "6-5-0")


@pytest.mark.parametrize("page", SECTION)
def test_without_the_model(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(folder: Path = Path("/nowhere")) -> None:
        raise FileError(MISSING)

    monkeypatch.setattr(core, "load_minilm", missing)
    text = f"nobody has read this on {page} before {sys.maxsize}"
    app = opened(page, text=text)
    assert [MISSING in error for error in errors(app)] == [True]
    assert scenes(gone_to(app, "scores"))
    app = uploaded("a.npz", npz({"attention": SHARES}), gone_to(app, "your-weights"))
    assert not app.error


def test_trained_weights_in_the_story() -> None:
    app = opened("softmax", text=ANIMAL, weights="trained", layer=3, head=1, query=9, key=2)
    assert page_context(app).trace is trace_of(
        replace(Scenario(), text=ANIMAL, weights="trained", layer=3)
    )
    assert page_context(app).trace.sizes["H"] == 12
    assert app.get_by_key("d_model").disabled
    assert app.get_by_key("n_heads").disabled


@pytest.mark.parametrize(
    ("page", "name", "label", "last"),
    [
        ("one-head", "th_layer", "Layer", 5),
        ("change-a-word", "th_head", "Head", 11),
        ("find-a-head", "fh_from", "From the word", 14),
    ],
)
def test_a_place_that_the_model_does_not_have(page: str, name: str, label: str, last: int) -> None:
    more = {"fh_rule": "word to word"} if name == "fh_from" else {}
    app = opened(page, text=ANIMAL, **more, **{name: 77})
    assert app.session_state[name] == last
    assert refused(app) == [(label, "77", last)]


@pytest.mark.parametrize(
    "page", ["trained-heads", "one-head", "find-a-head", "change-a-word", "layers"]
)
def test_sizes_of_the_story_that_do_not_divide_leave_the_trained_heads(page: str) -> None:
    app = opened(page, d_model=5, n_heads=4)
    assert errors(app) == []
    assert texts(app) == texts(opened(page))
