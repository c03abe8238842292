"""The picture of a block shows the numbers of the block, and each opens as a sum of what the scene
holds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_lab.block import Block, BlockChoices, block_facts, block_of
from attention_lab.focus import Focus
from attention_lab.notation.texts import NOTATIONS
from attention_lab.presets import presets
from attention_lab.scenario import Scenario
from attention_lab.user_data.edits import Edit, Edits
from attention_lab.words.numbers import format_number
from attention_viz.story.block import SHOWN, block_sentences, shown_hidden
from attention_viz.story.stages import stage_of
from attention_viz.story.story_view import StoryView
from tests.viz.reading_scenes import sent, worked_out, written_and_read

FROG = "One day, a little frog was very sad. The"
LANGUAGE = Scenario(FROG, weights="language model", layer=2)
FIRST = presets()[0].scenario
PRE = BlockChoices("pre-norm", "gelu")
VIEWS = {
    "made by hand": StoryView(FIRST, Focus(0, 8, 1, 1)),
    "made by hand, pre-norm": StoryView(FIRST, Focus(0, 8, 1, 1), block=PRE),
    "random": StoryView(Scenario(seed=3), Focus(1, 5, 2, 11)),
    "random, nothing added": StoryView(
        Scenario(), Focus(1, 5, 2, 3), block=BlockChoices("post-norm", "tanh", "off")
    ),
    "narrow output": StoryView(Scenario(d_o=6), Focus(0, 4, 1, 5), block=PRE),
    "no W_O": StoryView(Scenario(output_matrix="none"), Focus(0, 4, 1, 5)),
    "residual layer": StoryView(Scenario(residual=True, seed=2), Focus(0, 4, 1, 5)),
    "language model": StoryView(LANGUAGE, Focus(4, 15, 6, 40)),
    "MiniLM": StoryView(Scenario(weights="trained", layer=3), Focus(1, 9, 1, 300)),
    "second of a batch": StoryView(
        Scenario("we saw the cat", batch="It slept", n_heads=2), Focus(1, 1, 0, 4), sequence=1
    ),
}


def block_in(view: StoryView) -> Block:
    """The block that a view shows."""
    return block_of(view.scenario, view.block, view.sequence)


def drawn(scene: dict[str, Any]) -> list[str]:
    """The arrays with a panel, without the small pictures of a batch."""
    return [panel["array"] for panel in scene["panels"] if panel["size"] == "full"]


def arrays_of(block: Block, feature: int, token: int) -> dict[str, np.ndarray]:
    """What each row of the picture must hold for a token."""
    fed, shown = block.fed, shown_hidden(block, token, feature)
    hidden = {"hidden": fed.hidden, "up": fed.up, "activated": fed.activated, "gated": fed.gated}
    rows = {
        "inputs": block.inputs,
        "attention": block.attention,
        "first_sum": block.first_sum,
        "first_norm": block.first_norm,
        "feed_forward": fed.output,
        "second_sum": block.second_sum,
        "second_norm": block.second_norm,
    }
    cut = {name: array[:, shown] for name, array in hidden.items() if array is not None}
    return {name: array[token] for name, array in (rows | cut).items()}


@pytest.mark.parametrize("name", VIEWS)
def test_each_number_is_that_of_the_block_and_follows_from_the_scene(name: str) -> None:
    view = VIEWS[name]
    scene, block = written_and_read(stage_of(view, "block")), block_in(view)
    token, feature = view.focus.query, view.focus.feature
    rows = arrays_of(block, feature, token)
    # A pre-norm block ends with a sum, a post-norm block with a norm.
    assert drawn(scene)[-1] == ("second_sum" if block.is_pre_norm else "second_norm")
    assert set(drawn(scene)) == rows.keys()
    rng = np.random.default_rng(0)
    for array in drawn(scene):
        about = scene["arrays"][array]
        start, (n_rows, width) = about.get("start", [0, 0]), about["shape"]
        assert (start[0], n_rows) == (token, 1)
        expected = rows[array]
        limit = 1e-5 * max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(sent(scene, array)[0], expected, rtol=0, atol=limit)
        if array == "inputs":
            assert array not in scene["rules"]
            continue
        for column in rng.permutation(width)[:9]:
            found = worked_out(scene, array, (token, int(column)))
            assert found == pytest.approx(expected[column], abs=5 * limit), (array, column)


def test_pinned_is_the_feature_in_focus_of_what_comes_out() -> None:
    scene = stage_of(VIEWS["language model"], "block")
    assert scene["cell"] == {"array": "second_sum", "index": [15, 40]}
    narrow = stage_of(replace(VIEWS["narrow output"], focus=Focus(0, 4, 1, 15)), "block")
    assert narrow["cell"]["index"] == [4, 5]


def test_of_many_hidden_features_those_are_shown_that_add_most() -> None:
    view = VIEWS["language model"]
    block = block_in(view)
    gated, w_out = block.fed.gated, block.weights.feed_forward.w_out
    assert gated is not None
    added = [abs(float(gated[15, f] * w_out[f, 40])) for f in range(172)]
    best = sorted(sorted(range(172), key=lambda f: -added[f])[:SHOWN])
    assert shown_hidden(block, 15, 40).tolist() == best
    scene = stage_of(view, "block")
    letter = scene["arrays"]["hidden"]["axes"][1]
    assert scene["axes"][letter]["labels"] == [str(f) for f in best]


def test_hidden_features_made_by_hand_have_names() -> None:
    scene = stage_of(VIEWS["made by hand"], "block")
    letter = scene["arrays"]["hidden"]["axes"][1]
    assert scene["axes"][letter]["labels"] == ["lives?", "a thing?", "who acts?"]
    assert scene["axes"]["D"]["labels"][:3] == ["noun", "animate", "pronoun"]


def test_a_model_has_decided_all_but_its_layer_and_the_residual_connections() -> None:
    choices = {
        name: [one["name"] for one in stage_of(VIEWS[name], "block")["stage"]["choices"]]
        for name in ("made by hand", "language model", "MiniLM")
    }
    assert choices["made by hand"] == ["order", "activation", "skip"]
    assert choices["language model"] == choices["MiniLM"] == ["layer", "skip"]


def test_a_number_of_x_that_the_user_typed_is_given() -> None:
    """The heads of the language model read it in the place of the norm, so no norm gives it."""
    edits = Edits((Edit("x", 15, 3, 9.0),)).url_value()
    view = replace(VIEWS["language model"], scenario=replace(LANGUAGE, edits=edits))
    scene = written_and_read(stage_of(view, "block"))
    assert "first_norm" not in scene["rules"]
    assert sent(scene, "first_norm")[0, 3] == 9
    assert "first_norm" in stage_of(VIEWS["language model"], "block")["rules"]


def test_tokens_as_columns_turn_the_picture() -> None:
    view = replace(VIEWS["random"], notation=NOTATIONS["gml"])
    assert stage_of(view, "block")["transposed"]


@pytest.mark.parametrize("name", ["made by hand", "random, nothing added", "language model"])
def test_the_sentences_have_the_facts(name: str) -> None:
    view = VIEWS[name]
    block, token = block_in(view), view.focus.query
    facts = block_facts(view.scenario, view.block, view.sequence, token)
    said = " ".join(text for _, text in block_sentences(block, facts, "“it”"))
    on, off = facts.kept, facts.kept_other
    if name == "random, nothing added":
        on, off = off, on
    assert f"{format_number(on)} with them, {format_number(off)} without" in said
    numbers = (facts.spread, *block.n_weights)
    for number in (format_number(facts.spread), *(f"{n:,}" for n in numbers[1:])):
        assert number in said
    assert (format_number(facts.mean) in said) or not block.weights.centred
    assert f"{facts.n_active:,} of {facts.n_hidden:,}" in said
