"""Two layers that differ in one control: the possible values, and the largest difference."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from attention_core import AttentionError, SettingsError
from attention_lab.choices import DECLARED
from attention_lab.compare import (
    COMPARABLE,
    TwoLayers,
    compare_with,
    largest_change,
)
from attention_lab.scenario import Scenario, trace_of

USUAL = Scenario()


def test_every_control_but_the_length_can_be_changed() -> None:
    left_out = {"n_tokens", "piece", "batch", "edits", "own", "painted", "model"}
    assert {*COMPARABLE} == {field.name for field in fields(Scenario)} - left_out


@pytest.mark.parametrize("name", COMPARABLE)
def test_the_other_value_is_another_and_comes_back_from_its_text(name: str) -> None:
    control = DECLARED[name]
    value = control.other_value(getattr(USUAL, name))
    assert value != getattr(USUAL, name)
    text = str(value).lower() if isinstance(value, bool) else str(value)
    assert control.read(text) == value
    assert control.other_value(value) != value
    changed = trace_of(replace(USUAL, **{name: value}))
    assert compare_with(USUAL, name, value).after is changed


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mask", "banana"),
        ("n_heads", "17"),
        ("n_heads", "2.5"),
        ("n_heads", ""),
        ("residual", "on"),
        ("scale", "inf"),
        ("scale", "1e400"),
        ("seed", "9" * 30),
    ],
)
def test_invalid_values_are_refused(name: str, text: str) -> None:
    with pytest.raises(AttentionError):
        DECLARED[name].read(text)


def test_a_head_that_the_changed_layer_lacks_is_clipped() -> None:
    """If the changed layer lacks the head, its last head is shown; otherwise the same head."""
    assert [compare_with(USUAL, "n_heads", n).head_beside(3) for n in (1, 2, 8)] == [0, 1, 3]


def test_what_moved_most_is_the_largest_difference_of_visible_cells() -> None:
    before = np.array([[1.0, -np.inf, 3.0], [4.0, 5.0, -np.inf]])
    after = np.array([[1.0, 9.0, 2.0], [4.0, 7.5, -np.inf]])
    moved = largest_change(before, after)
    assert moved is not None
    assert (moved.row, moved.column, moved.before, moved.after) == (1, 1, 5.0, 7.5)
    assert largest_change(before, before) is None
    assert largest_change(np.ones((2, 2)), np.ones((2, 2)) + 1e-12, 1e-9) is None


def test_the_moved_attention_is_half_of_all_changes() -> None:
    two = compare_with(USUAL, "mask", "causal")
    rows = [two.matrices("probabilities", 0)[place][0] for place in (0, 1)]
    assert 0.5 * np.abs(rows[1] - rows[0]).sum() == pytest.approx(1 - rows[0][0])
    before, after = (trace.probabilities[0, 2] for trace in (two.before, two.after))
    moved = [0.5 * sum(map(abs, row)) for row in (after - before).tolist()]
    assert two.moved_share(2) == pytest.approx(sum(moved) / len(moved))
    assert compare_with(USUAL, "residual", True).moved_share(0) == 0


def test_only_matrices_of_one_shape_are_compared() -> None:
    with pytest.raises(SettingsError, match="12 and 2"):
        compare_with(USUAL, "text", "two words")
    wider = compare_with(USUAL, "d_model", 32)
    assert wider.fields(0) == ("scores", "scaled_scores", "masked_scores", "probabilities")
    assert wider.differs("output")
    fewer = compare_with(USUAL, "n_heads", 2)
    assert {"inputs", "queries"} & set(fewer.fields(3)) == {"inputs"}
    rotary = compare_with(USUAL, "rotary", "halves")
    assert "turned_queries" not in rotary.fields(0)


def test_the_first_difference_and_the_largest() -> None:
    seed = compare_with(USUAL, "seed", 5)
    assert seed.first_difference == "queries"
    assert seed.gap("output") == np.abs(seed.after.output - seed.before.output).max()
    mask = compare_with(USUAL, "mask", "causal")
    assert (mask.first_difference, mask.gap("masked_scores")) == ("masked_scores", 0)
    assert compare_with(USUAL, "scale", 3.0).first_difference is None


def test_another_order_is_compared_token_by_token() -> None:
    order = (2, 0, 3, 1)
    before, after = (trace_of(Scenario("a b c d", positions=False, seed=n)) for n in (0, 1))
    two = TwoLayers(before, after, order)
    for field, expected in (
        ("keys", before.keys[0, order, 4:8]),
        ("output", before.output[0, order]),
        ("probabilities", before.probabilities[0, 1][np.ix_(order, order)]),
    ):
        np.testing.assert_array_equal(two.matrices(field, 1)[0], expected)
    moved = after.output[:, :] - before.output[:, order]
    assert two.gap("output") == np.abs(moved).max()


def test_labels_name_both_words_where_they_differ() -> None:
    two = compare_with(Scenario("the cat sat"), "text", "the dog sat")
    assert two.tokens == ("the", "cat → dog", "sat")
