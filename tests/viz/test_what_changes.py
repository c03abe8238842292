"""The page *What changes?*: a control, the order, a mistake, and the game."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core import SettingsError
from attention_lab.compare import largest_change
from attention_lab.focus import Focus
from attention_lab.masks.mistakes import MISTAKES, hidden_mistake
from attention_lab.masks.shuffles import run_shuffled
from attention_lab.scenario import Scenario, trace_of
from attention_viz import blocks as b
from attention_viz.masks.changes_page import AGAINST, CHANGE, ROUND, WHAT_CHANGES
from attention_viz.page_choices import Number, Select, Words
from attention_viz.story.story_view import StoryView
from tests.lab.refusal import refused
from tests.viz.reading_blocks import all_of, blocks_of, the_one, words_of
from tests.viz.reading_scenes import numbers
from tests.viz.reading_words import missing

USUAL, NEEDS = Scenario(), {mistake.key: mistake.needs for mistake in MISTAKES}


def page(layer: Scenario = USUAL, head: int = 0, **chosen: Any) -> list[b.Block]:
    """The blocks of the page of a layer."""
    return list(blocks_of(WHAT_CHANGES, StoryView(layer, Focus(head, 0, 0, 0)), **chosen))


def tones(blocks: list[b.Block]) -> list[str]:
    """The boxes of a page."""
    return [note.tone for note in all_of(blocks, b.Note)]


def description(blocks: list[b.Block]) -> str:
    """What the board says that it shows."""
    (board,) = all_of(blocks, b.Board)
    return str(board.scene["description"])


@pytest.mark.parametrize(
    "layer",
    [
        Scenario("a", n_heads=1, d_model=1),
        Scenario(scaling="custom", scale=-100, edits="x_0_1_9"),
        Scenario(n_tokens=16, mask="padding", residual=True),
    ],
)
@pytest.mark.parametrize("change", CHANGE.options)
def test_every_change_has_a_board(change: str, layer: Scenario) -> None:
    (board,) = all_of(page(layer, change=change), b.Board)
    assert board.fits


def test_a_url_names_the_changed_control_and_its_value() -> None:
    found = page(head=2, against="mask", value="causal")
    before, after = (trace_of(one).probabilities[0, 2] for one in (USUAL, Scenario(mask="causal")))
    (board,) = all_of(found, b.Board)
    shown = [board.scene["arrays"][panel["array"]] for panel in board.scene["panels"]]
    for array, expected in zip(shown, (before, after, after - before), strict=True):
        np.testing.assert_allclose(numbers(array), expected, atol=1e-6)
    moved = largest_change(before, after)
    assert moved is not None
    places = the_one(found, b.Button, "Show it").sets
    assert places == {"query": moved.row, "key": moved.column}


def test_the_value_is_chosen_as_its_control_is() -> None:
    for name, kind in (("seed", Number), ("mask", Select), ("text", Words)):
        value = all_of(page(against=name), b.Field)[2]
        assert (value.choice.key, type(value.choice)) == ("value", kind)
    assert set(AGAINST.resets) == {"value", "shown"}


def test_a_control_without_effect() -> None:
    for layer, has_none in ((USUAL, True), (Scenario(scaling="custom"), False)):
        says = words_of(page(layer, against="scale", value="3"))
        assert ("has no effect" in says) == has_none
        assert ("**Largest difference**" in says) == (not has_none)


def test_what_cannot_be_compared_is_named() -> None:
    with refused(SettingsError, "16"):
        page(against="n_heads", value="3")
    with refused(SettingsError, "12"):
        page(against="text", value="a b")
    for chosen, named in (({"value": "banana"}, "banana"), ({"value": "-1"}, "-1")):
        found = page(against="mask" if named == "banana" else "seed", **chosen)
        assert tones(found)[0] == "wrong"
        assert missing(all_of(found, b.Note)[0].text.replace("\\", ""), named) == []


def test_a_single_token_cannot_be_shuffled() -> None:
    layers = [replace(USUAL, n_tokens=n) for n in (1, 2)]
    assert [tones(page(layer, change="order")) for layer in layers] == [["info"], []]


@pytest.mark.parametrize("positions", [False, True])
def test_buttons_give_the_layer_an_order(positions: bool) -> None:
    found = page(Scenario(positions=positions), change="order")
    assert ("**The output stays the same**" in words_of(found)) == (not positions)
    label = "Without positions" if positions else "With positions"
    assert the_one(found, b.Button, label).sets == {"positions": not positions}
    assert the_one(found, b.Button, "Causal mask").sets == {"mask": "causal"}


@pytest.mark.parametrize(
    ("layer", "change", "offers"),
    [
        (USUAL, "mask", True),
        (Scenario("a"), "mask", False),
        (Scenario(mask="window", window=0), "axis", False),
    ],
)
def test_a_mistake_that_changes_nothing_says_what_it_needs(
    layer: Scenario, change: str, offers: bool
) -> None:
    found = page(layer, change=change)
    assert NEEDS[change] in all_of(found, b.Note)[0].text
    buttons = [one.sets for one in all_of(found, b.Button) if one.label != "Show it"]
    assert buttons == [{"mask": "causal"}] * offers
    assert tones(page(Scenario(mask="causal"), change=change)) == []


def test_spot_the_mistake() -> None:
    hidden = hidden_mistake(1)
    wrong = next(mistake for mistake in MISTAKES if mistake is not hidden)
    asked = page(change="hidden")
    assert hidden.name not in words_of(asked)
    assert not all_of(asked, b.Code)
    for chosen, tone, named in (
        ({"bi_guess": wrong.key}, "wrong", wrong),
        ({"bi_guess": hidden.key}, "right", hidden),
        ({"bi_answer": True}, "info", hidden),
    ):
        found = page(change="hidden", **chosen)
        assert tones(found) == [tone]
        assert named.name in all_of(found, b.Note)[0].text
        following = [one.sets for one in all_of(found, b.Button) if one.label == "Next round"]
        assert following == [{"bi_round": 2}] * (tone != "wrong")
    assert {"bi_guess", "bi_answer"} <= {*ROUND.resets}


def test_a_round_that_cannot_be_won() -> None:
    place = next(n for n in range(1, 99) if hidden_mistake(n).key == "split")
    assert tones(page(Scenario(n_heads=1), change="hidden", bi_round=place)) == ["info"]
    assert tones(page(change="hidden", bi_round=place)) == []


def test_the_first_field_with_other_numbers_is_shown() -> None:
    assert missing(description(page(head=1, change="merge")), "merged", 1) == []
    assert "No visible number" in words_of(page(change="merge", shown="scores"))
    assert missing(description(page(Scenario(n_heads=1), change="split")), "output") == []


@pytest.mark.parametrize("change", ["scale", "merge"])
def test_two_numbers_stand_with_their_difference(change: str) -> None:
    says = words_of(page(change=change, shown="output")).replace("−", "-")
    before, after, between = re.search(r"(\S+) → (\S+), \*\*([+-]\S+)\*\*", says).groups()
    assert float(after) - float(before) == pytest.approx(float(between), abs=2e-3)


def test_checks_have_true_minus_signs() -> None:
    says = words_of(page(Scenario(init="small"), change="scale"))
    assert re.search(r"\d\.\d+e−05\b", says)
    assert not re.search(r"\de-\d", says)


@pytest.mark.parametrize("seed", [1, 4])
def test_a_shuffled_token_is_named_where_it_stands_now(seed: int) -> None:
    """Rows of the board are in the new order; the focus moves to the token in the old one."""
    layer = Scenario("we like hot tea", positions=True)
    two = run_shuffled(layer, seed)
    found = page(layer, change="order", inv_shuffle=seed, shown="probabilities")
    before, after = two.before.probabilities[0, 0], two.after.probabilities[0, 0]
    gaps = np.abs(after - before[np.ix_(two.order, two.order)])
    row, column = np.unravel_index(gaps.argmax(), gaps.shape)
    words = layer.text.split()
    said = next(one.text for one in all_of(found, b.Text) if "Largest difference" in one.text)
    asks, reads = words[two.order[row]], words[two.order[column]]
    assert re.findall("“(.*?)”", said) == [asks, reads]
    assert the_one(found, b.Button, "Show it").sets == {
        "query": two.order[row],
        "key": two.order[column],
    }
    assert missing(said, f"{100 * before[two.order[row], two.order[column]]:.1f} %") == []
    ends = said.rindex("→")
    assert f"{100 * after[row, column]:.1f} %" in said[ends:]


def test_the_widths_of_an_output_of_another_size() -> None:
    said = all_of(page(Scenario(d_o=0), against="d_o", value="6"), b.Text)[0].text
    assert re.findall(r"\d+", said)[:2] == ["6", "16"]
