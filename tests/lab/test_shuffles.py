"""Shuffled tokens: what a layer without an order does, and what positions and a causal mask
change.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_lab.masks.shuffles import has_given_inputs, outcome_of, run_shuffled, word_vectors_of
from attention_lab.rounding import tolerance
from attention_lab.scenario import Scenario, trace_of
from attention_lab.user_data.user_matrices import UserMatrices

SCENARIO = Scenario(text="we like tea and cake", d_model=6, n_heads=2)
LARGE = UserMatrices(x=(1e5 * np.cos(np.arange(32.0).reshape(4, 8) ** 2)).round(3)).encode()


@pytest.mark.parametrize("seed", range(3))
def test_words_alone_have_no_order(seed: int) -> None:
    made = run_shuffled(SCENARIO, "words alone", seed)
    assert made.gaps.output <= tolerance(made.straight, "output")
    for place, token in enumerate(made.order):
        np.testing.assert_allclose(
            made.shuffled.output[0, place], made.straight.output[0, token], atol=1e-12
        )
    a, b = made.order.index(1), made.order.index(4)
    before, after = made.straight.probabilities[0, :, 1, 4], made.shuffled.probabilities[0, :, a, b]
    np.testing.assert_allclose(after, before, atol=1e-12)


@pytest.mark.parametrize("key", ["with positions", "causal mask"])
def test_positions_and_a_causal_mask_show_the_order(key: str) -> None:
    assert run_shuffled(SCENARIO, key).gaps.output > 0.01


def test_the_tokens_move_along() -> None:
    made = run_shuffled(SCENARIO, "words alone", 1)
    assert made.shuffled.tokens == tuple(made.straight.tokens[place] for place in made.order)
    assert all(place != token for place, token in enumerate(made.order))


def test_the_words_are_those_of_the_scenario() -> None:
    words = word_vectors_of(SCENARIO)
    assert (words != trace_of(SCENARIO).inputs[0]).any()
    words[0, 1] = 9
    assert (word_vectors_of(replace(SCENARIO, edits="x_0_1_9")) == words).all()


def test_given_inputs_stay_as_they_are() -> None:
    own = replace(SCENARIO, own=UserMatrices(x=np.arange(30.0).reshape(5, 6)).encode())
    for scenario in (own, Scenario(weights="trained", layer=2)):
        assert has_given_inputs(scenario)
        assert (word_vectors_of(scenario) == trace_of(scenario).inputs[0]).all()
    assert not has_given_inputs(SCENARIO)


def test_positions_are_added() -> None:
    for scenario in (SCENARIO, replace(SCENARIO, residual=True)):
        found = run_shuffled(scenario, "with positions").straight
        np.testing.assert_allclose(found.output, trace_of(scenario).output, atol=1e-12)


def test_positions_of_weights_by_hand() -> None:
    by_hand = Scenario("the cat saw it", weights="by hand", d_model=8, n_heads=2)
    made = run_shuffled(by_hand, "with positions")
    assert (made.straight.inputs == trace_of(by_hand).inputs).all()
    assert made.gaps.output > 0.01
    assert run_shuffled(by_hand, "words alone").gaps.output < 1e-12


@pytest.mark.parametrize(
    ("scenario", "key", "shows", "unclear", "only_rounding"),
    [
        (SCENARIO, "words alone", False, False, True),
        (SCENARIO, "with positions", True, False, False),
        (SCENARIO, "causal mask", True, False, False),
        # equal words are equal wherever they stand
        (replace(SCENARIO, text="the the the"), "causal mask", False, False, True),
        (Scenario(weights="trained", layer=3), "words alone", False, False, True),
        (Scenario(weights="trained", layer=3), "causal mask", True, False, False),
        # with large numbers, rounding hides what positions do
        (Scenario(own=LARGE), "with positions", False, True, False),
    ],
)
def test_what_a_shuffle_shows(
    scenario: Scenario, key: str, shows: bool, unclear: bool, only_rounding: bool
) -> None:
    shuffle = run_shuffled(scenario, key)
    found = outcome_of(shuffle, key, "output", 1)
    assert (found.shows, found.unclear, found.only_rounding) == (shows, unclear, only_rounding)
    assert (found.gap, shuffle.order[found.place]) == (shuffle.gaps.output, 1)
