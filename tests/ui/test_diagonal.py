"""The diagonal section: its pages, its laboratory, and the sentence that its pages read."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from attention_lab.diagonal.measures import diagonal_margins, pair_violations
from attention_lab.diagonal.presets import DIAGONAL_PRESETS
from attention_lab.diagonal.settings import DiagonalSettings, trace_of_settings
from attention_lab.words.text import tokenize_at_most
from attention_ui.markdown import escape_markdown
from attention_ui.registry import PAGES
from tests.ui.app import facts, numbers_of_scene, opened, page_context, scenes, texts

DIAGONAL = [page.url_path for page in PAGES if page.section == "diagonal"]
LAB = "self-attention-mass"


def test_the_pages_of_the_section() -> None:
    assert DIAGONAL[0] == LAB
    assert set(DIAGONAL) == {LAB, "propositions", "growth", "geometry", "depth", "claims"}


@pytest.mark.parametrize("preset", DIAGONAL_PRESETS, ids=lambda preset: preset.name)
def test_examples_set_the_laboratory(preset: Any) -> None:
    app = opened(LAB, lab_weights="free", lab_temperature="3.0")
    app.button(key=f"lab example {preset.name}").click().run()
    expected = trace_of_settings(preset.settings).probabilities[0, 0].astype("f4").ravel()
    assert np.isin(expected, numbers_of_scene(scenes(app)[0])).all()
    assert preset.hint in texts(app)
    parameters = {f"lab_{name}": value for name, value in asdict(preset.settings).items()}
    assert preset.hint in texts(opened("propositions", **parameters))


CHOICES: list[dict[str, Any]] = [
    {"tokens": "drawn", "n_tokens": 7, "d_model": 5, "seed": 3},
    {"weights": "angle", "angle": 120.0, "d_k": 4},
    {"weights": "tied orthonormal", "d_k": 8},
    {"spread": 1.5, "layer_norm": True},
    {"positions": "concatenated"},
    {"temperature": 0.5, "scaled": False, "causal": True},
    {"tokens": "numbers", "numbers": "3,3; 10,0; 11,-20"},
]


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_an_address_sets_the_laboratory(choice: dict[str, Any]) -> None:
    app = opened(LAB, **{f"lab_{name}": value for name, value in choice.items()})
    assert not app.exception
    expected = (
        trace_of_settings(DiagonalSettings(**choice)).probabilities[0, 0].astype("f4").ravel()
    )
    assert np.isin(expected, numbers_of_scene(scenes(app)[0])).all()


@pytest.mark.parametrize(
    "parameters",
    [
        {
            "lab_tokens": "banana",
            "lab_weights": "",
            "lab_temperature": "nan",
            "lab_d_k": "9999",
            "lab_cell": "x",
        },
        {"lab_tokens": "numbers", "lab_numbers": "1; banana"},
        {"lab_tokens": "numbers", "lab_numbers": ""},
        {"lab_cell": "999-999"},
        {"lab_cell": "1-2-3"},
        {"lab_weights": "orthonormal", "lab_d_k": "64"},
    ],
)
@pytest.mark.parametrize("page", [LAB, "propositions"])
def test_nonsense_in_the_url(page: str, parameters: dict[str, str]) -> None:
    assert not opened(page, **parameters).exception


@pytest.mark.parametrize(
    ("parameters", "n_first", "n_tied"),
    [
        ({"lab_weights": "tied"}, 8, 0),  # a tendency: of 12
        ({"text": "the the the"}, 3, 3),
        ({"lab_tokens": "numbers", "lab_numbers": "1,0; 1,0; 0,1", "lab_spread": 0}, 3, 2),
        ({"text": "a"}, 1, 0),
    ],
)
def test_how_many_tokens_prefer_themselves(
    parameters: dict[str, Any], n_first: int, n_tied: int
) -> None:
    page_facts = facts(opened(LAB, **parameters))
    assert (page_facts["tokens_that_prefer_themselves"], page_facts["tokens_that_tie"]) == (
        n_first,
        n_tied,
    )


def test_the_verdict_is_that_of_the_matrix() -> None:
    page_facts = facts(opened(LAB, lab_weights="free"))
    text = "The animal did not cross the street because it was too tired"
    trace = trace_of_settings(DiagonalSettings(weights="free", text=text))
    shares = trace.probabilities[0, 0]
    n_first = int((diagonal_margins(trace.masked_scores[0, 0]) >= 0).sum())
    assert page_facts["tokens_that_prefer_themselves"] == n_first
    assert page_facts["cells_that_break_the_bound"] == pair_violations(shares).sum()
    assert page_facts["self_mass"] == pytest.approx(np.trace(shares) / len(shares))


def test_the_cell_that_is_explained_first() -> None:
    held, broken, asked = (
        opened(LAB, **parameters)
        for parameters in ({}, {"lab_weights": "free"}, {"lab_cell": "1-2"})
    )
    trace = trace_of_settings(DiagonalSettings(text=page_context(held).scenario.text))
    least = int(np.diagonal(trace.probabilities[0, 0]).argmin())
    assert scenes(held)[0]["cell"]["index"][-2:] == [least, least]
    assert facts(held)["looks_most_at"] != least
    assert facts(broken)["pair_breaks_the_bound"]
    assert scenes(asked)[0]["cell"]["index"][-2:] == [1, 2]


@pytest.mark.parametrize(("parameters", "is_open"), [({}, False), ({"lab_weights": "tied"}, True)])
def test_the_controls_stand_behind_the_picture(parameters: dict[str, str], is_open: bool) -> None:
    app = opened(LAB, **parameters)
    (group,) = [box for box in app.expander if app.selectbox(key="lab_weights") in box.selectbox]
    assert group.proto.expanded == is_open


def test_a_bound_that_is_met_has_nothing_to_spare() -> None:
    page_facts = facts(opened(LAB, text="the the the", lab_cell="0-1"))
    assert (page_facts["pair_breaks_the_bound"], page_facts["excess_over_the_bound"]) == (False, 0)


@pytest.mark.parametrize("page", [LAB, "propositions"])
def test_one_token_has_no_pair(page: str) -> None:
    one = opened(page, lab_tokens="numbers", lab_numbers="3")
    two = opened(page, lab_tokens="numbers", lab_numbers="3; 4", lab_cell="1-1")
    assert [facts(app)["has_pairs"] for app in (one, two)] == [False, True]


READ: list[tuple[str, dict[str, str], dict[str, str]]] = [
    (LAB, {}, {"lab_tokens": "drawn"}),
    ("propositions", {}, {"lab_tokens": "numbers"}),
    ("geometry", {"plane_of": "free"}, {}),
    ("depth", {"depth_tokens": "sentence"}, {}),
]


@pytest.mark.parametrize(("page", "with_words", "without"), READ, ids=[page for page, *_ in READ])
def test_a_sentence_that_is_cut_is_said_to_be(
    page: str, with_words: dict[str, str], without: dict[str, str]
) -> None:
    text = " ".join(["tea"] * 100)
    (cut,) = tokenize_at_most(text, 64).notes
    assert texts(opened(page, text=text, **with_words)).count(escape_markdown(cut)) == 1
    assert escape_markdown(cut) not in texts(opened(page, text=text, **without))
    assert tokenize_at_most("tea", 64).notes == ()
