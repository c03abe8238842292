"""What the pages of the story say and draw of small, steep and unusual layers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from attention_lab.block import block_facts, block_of
from attention_lab.heads.layout_mistakes import find_misplaced
from attention_lab.page_list import page_of
from attention_lab.user_data.user_matrices import UserMatrices
from attention_lab.words.numbers import format_number
from attention_ui import frame
from attention_viz.story.misplaced import short_quote
from tests.ui.app import gone_to, letters, opened, page_context, scenes, stage, texts
from tests.ui.uploads import OWN_X, WHOLE
from tests.viz.reading_words import missing

ONE = {"text": "a", "d_model": 1, "n_heads": 1}


def own(**matrices: np.ndarray) -> dict[str, Any]:
    """The user's own matrices, as a choice."""
    return {"own": UserMatrices(**matrices).url_value()}


BIASED = own(**{f"b_{name}": np.arange(1.0, 17) for name in "qkvo"})


def plain(text: str) -> str:
    """A text without the escapes."""
    return text.replace("\\", "")


def test_a_word_that_stands_twice_is_named_with_its_place() -> None:
    text = "the cat and the dog and the bird"
    app = opened("overview", text=text, head=3, key=3, mask="causal", query=4)
    for page in ("overview", "scores", "softmax", "merge", "mask", "mixing"):
        said = texts(gone_to(app, page))
        assert re.findall("“(?:the|and)”(?! \\()", said) == []
        assert "“dog”" in said


def test_negative_numbers_have_a_minus_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame, "show_foot", lambda page: None)
    app = opened("overview", scaling="custom", scale=-0.5)
    for page in ("overview", "scale"):
        lines = plain(texts(gone_to(app, page))).splitlines()
        said = "\n".join(line for line in lines if not line.startswith("|"))  # no table
        assert not re.search(r"(?<![\w)\]-])-\d", said)
        assert "−0.5" in said + "".join(letters(stage(app).get("formula")))


def test_tables_name_axes_and_head_as_the_notation_does() -> None:
    app = opened("scores", notation="note", head=1)
    for page, named in (("scores", "of head 1: axes n × n;"), ("split", "n × d;"), ("output", "")):
        gone_to(app, page).session_state["closer"] = "numbers"
        (caption,) = [one.value for one in app.run().caption if "CSV" in one.value]
        assert named in plain(caption)
        assert ("of head" in caption) == (page != "output")
        assert len(app.dataframe) == 1


@pytest.mark.parametrize("notation", ["ours", "note", "mql5"])
def test_what_keys_are_made_from_is_written_as_in_the_formula(notation: str) -> None:
    app = opened("projections", notation=notation, which="keys", weights="weightless")
    written, memory = letters(stage(app)["formula"]), page_context(app).symbol("memory")
    assert memory in written[written.index("=") :]
    assert scenes(app)[0]["panels"][0]["title"].split()[0] == memory
    inputs = page_context(app).symbol("inputs")
    assert (f"({memory} = {inputs})" in texts(gone_to(app, "tokens"))) == (memory != inputs)


EQUAL = {"text": "row row your boat", "positions": "false", "scaling": "custom", "scale": 0}
LUCKY = {"text": "a b c d e f g h i j k l m", "head": 1, "query": 4, "feature": 2}
WIDE = {"feature": 64, "whole": "true"} | own(w_o=np.ones((16, 65)))


@pytest.mark.parametrize(
    ("page", "choices", "says"),
    [
        ("overview", EQUAL, "equally to each of 4 tokens"),
        ("mixing", EQUAL, "the values of 4 tokens"),
        ("projections", {}, "(16 of 16)"),
        ("projections", {"weights": "weightless"}, "is the identity"),
        ("projections", {"weights": "weightless", "edits": "wq_9_0_1"}, "reads 5 of 16 features"),
        ("projections", own(w_q=np.zeros((16, 16))), "reads 0 of 16 features"),
        ("projections", own(w_q=np.eye(16)), "is the identity"),
        ("output", WIDE, "Shown: column 64 of 65"),
        ("merge", LUCKY, "happens to be its right place"),
        ("merge", {"feature": 9}, "Feature 9 does not exist here"),
        ("mixing", {"feature": 9}, "Feature 9 does not exist here"),
        ("merge", {"notation": "note"}, "W₀ mixes them"),
        ("merge", {"weights": "weightless"}, "has no W_O"),
    ],
)
def test_a_page_tells_of_the_layer_as_it_is(page: str, choices: dict[str, Any], says: str) -> None:
    assert says in plain(texts(opened(page, **choices)))


# --- projections, inputs and output ---


def test_a_wide_projection_is_shown_around_the_head_in_focus() -> None:
    app = opened("projections", d_k=64, n_heads=16, which="queries", head=9, whole="true")
    (caption,) = [one.value for one in app.caption if "1024" in one.value]
    first, end = map(int, re.findall(r"columns (\d+) to (\d+)", caption)[0])
    assert first <= 9 * 64 < 10 * 64 - 1 <= end
    assert scenes(app)[0]["arrays"]["queries"]["shape"][-1] == end + 1 - first < 1024
    assert "Shown:" not in texts(opened("output", whole="true"))


@pytest.mark.parametrize(
    ("choices", "made"),
    [
        ({}, True),
        ({"edits": "wq_0_3_9"}, True),
        ({"own": OWN_X.url_value()}, False),
        ({"own": WHOLE.url_value()}, True),
        ({"weights": "trained", "layer": 5}, False),
    ],
)
def test_inputs_are_told_as_they_were_made(choices: dict[str, Any], made: bool) -> None:
    app = opened("tokens", **choices)
    assert ("words" in scenes(app)[0]["arrays"]) == made
    assert ("E" in letters(stage(app)["formula"])) == made
    assert ("word + position" in texts(app)) == made
    assert ("Layers since: 5" in texts(app)) == ("layer" in choices)
    sentence = page_context(app).trace.sentence("inputs")
    assert sentence in texts(app)
    assert sentence in texts(gone_to(app, "overview"))


def test_an_edited_input_stands_beside_its_word() -> None:
    edited = opened("tokens", edits="x_2_1_-0.5", query=2, feature=1)
    scene = scenes(edited)[0]
    assert {"words", "positions", "inputs"} <= set(scene["arrays"])
    assert "changed" in scene["arrays"]["inputs"]
    assert "inputs" not in scene["rules"]
    assert "E" not in letters(stage(edited)["formula"])
    assert "word + position" not in texts(edited)
    edited.session_state["feature"] = 0
    assert "word + position" in texts(edited.run())


@pytest.mark.parametrize(
    ("choices", "bias", "residual"),
    [({}, False, False), ({"residual": "true"}, False, True), (BIASED, True, False)],
)
def test_what_the_output_is_made_of(choices: dict[str, Any], bias: bool, residual: bool) -> None:
    for weights, multiplied in (("random", True), ("weightless", False)):
        app = opened("output", **choices, weights=weights)
        description = str(scenes(app)[0]["description"])
        assert ("W_O" in description, "b_O" in description) == (multiplied, bias)
        said = plain("".join([texts(app), *(box.value for box in app.info)]))
        assert ("Then b_O" in said, "(residual)" in said) == (bias, residual)
        assert len(app.main.expander) == multiplied


@pytest.mark.parametrize(("notation", "w_q"), [("ours", "W_Q"), ("gml", "(P^Q)ᵀ")])
def test_a_projected_number_is_told_with_its_bias(notation: str, w_q: str) -> None:
    app = opened("projections", **BIASED, which="queries", head=1, notation=notation)
    assert letters(stage(app)["formula"])[-3:] == ["+", "b", "Q"]
    assert all(name in str(scenes(app)[0]["description"]) for name in (w_q, "b_Q"))
    assert f"of {w_q}, plus number" in plain(texts(app))
    assert "b_Q, b_K, b_V" in plain(texts(gone_to(app, "overview")))
    assert "b_" not in plain(texts(opened("projections")))


@pytest.mark.parametrize(
    ("page", "choices", "name"),
    [
        ("output", {"notation": "note"}, "W₀"),
        ("output", {"notation": "gml"}, "W_Oᵀ"),
        ("projections", {"notation": "gml", "which": "values"}, "(P^V)ᵀ"),
    ],
)
def test_a_board_names_the_matrix_as_the_notation_does(
    page: str, choices: dict[str, Any], name: str
) -> None:
    app = opened(page, **choices)
    assert name in str(scenes(app)[0]["description"])
    said, untransposed = plain(texts(app)), name.removesuffix("ᵀ").strip("()")
    assert untransposed in said
    assert name in said  # whose rows and columns are named
    if page == "output":
        assert page_of("output").question.replace("W_O", untransposed) in said


# --- split and merge ---


@pytest.mark.parametrize(
    ("page", "choices", "boxes"),
    [
        ("split", {}, (1, 0)),
        ("split", {"n_heads": 1}, (0, 1)),
        ("split", ONE, (0, 1)),
        ("merge", {}, (0, 0)),
        ("merge", {"n_heads": 1}, (0, 1)),
        ("merge", {"text": "a", "head": 0}, (0, 1)),
        ("merge", own(w_v=np.zeros((16, 16))), (0, 1)),
    ],
)
def test_when_the_swap_matters(page: str, choices: dict[str, Any], boxes: tuple[int, int]) -> None:
    app = opened(page, **choices)
    assert (len(app.warning), len(app.info)) == boxes


@pytest.mark.parametrize(("page", "field"), [("split", "query_heads"), ("merge", "head_outputs")])
def test_a_misplaced_number_is_named(page: str, field: str) -> None:
    app = opened(page, head=1, query=2)
    trace = page_context(app).trace
    heads = getattr(trace, field)[0]
    astray = find_misplaced(heads, 1, 2, 0, split=page == "split")
    assert short_quote(trace.tokens, astray.row) in stage(app)["says"]
    assert "Without the swap" not in stage(opened(page, **ONE))["says"]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("the queen sees her sons because they call her", [("sees", "queen"), ("call", "they")]),
        ("the queen see her sons", [("see", "queen", "plural", "singular", "masc")]),
        ("the queen saw her sons", []),
    ],
)
def test_verbs_are_told_to_agree_or_not(text: str, facts: list[tuple[str, ...]]) -> None:
    layer = {"text": text, "weights": "by hand", "d_model": 12, "n_heads": 3}
    shown = [note["text"] for note in stage(opened("overview", **layer))["notes"]]
    notes = shown if facts else []  # without a verb that has a number, the line is about the word
    assert all(missing(note, *names) == [] for note, names in zip(notes, facts, strict=True))
    for page in ("scores", "softmax"):
        of_query = [note["text"] for note in stage(opened(page, query=2, **layer))["notes"]]
        assert of_query[: len(facts)] == notes[:1]
    (of_noun,) = [note["text"] for note in stage(opened("softmax", query=1, **layer))["notes"]]
    assert "“queen”" in of_noun
    assert of_noun not in notes
    other = stage(opened("softmax", weights="by hand", d_model=8, n_heads=2))["notes"]
    assert not {note["text"] for note in other} & {*notes}


@pytest.mark.parametrize(
    "choices",
    [
        {"order": "pre-norm", "activation": "gelu", "skip": "off"},
        {"weights": "language model", "layer": 3},
    ],
)
def test_a_block_says_its_numbers(choices: dict[str, Any]) -> None:
    app = opened("block", head=1, query=5, key=2, feature=3, **choices)
    now, said = page_context(app), plain(texts(app))
    facts = block_facts(now.scenario, now.block, 0, 5)
    n_attention, n_fed = block_of(now.scenario, now.block).n_weights
    numbers = [format_number(one) for one in (facts.kept, facts.kept_other, facts.spread)]
    counts = (f"{facts.n_active:,} of {facts.n_hidden:,}", f"{n_attention:,}", f"{n_fed:,}")
    for shown in (*numbers, *counts, "StandardTransformerIntegrator"):
        assert shown in said
