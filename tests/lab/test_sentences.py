"""Other sentences for the same layer: read with the same word vectors, filled up, and in an
encoder-decoder.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attention_lab.masks.encoder_decoder import (
    other_sentence,
    own_sentence,
    padded_sentence,
    run_three_uses,
)
from attention_lab.scenario import Scenario, trace_of
from attention_lab.user_data.user_matrices import UserMatrices

SCENARIO = Scenario(text="we like tea and cake", d_model=6, n_heads=2)
TARGET = "wir mögen Tee"


def test_the_own_sentence_holds_the_users_numbers() -> None:
    edited = Scenario(text="we like tea and cake", d_model=6, n_heads=2, edits="x_0_1_9")
    assert own_sentence(edited).vectors[0, 1] == 9
    given = replace(SCENARIO, own=UserMatrices(x=np.arange(30.0).reshape(5, 6)).encode())
    assert own_sentence(given).vectors[4, 5] == 29
    for scenario in (edited, given):
        assert (
            other_sentence(scenario, SCENARIO.text).vectors == own_sentence(SCENARIO).vectors
        ).all()


def test_padding_comes_after_the_sentence() -> None:
    padded = padded_sentence(SCENARIO, 2)
    assert padded.tokens[4:] == ("cake", "[pad]", "[pad]")
    assert padded.n_real == 5
    assert (padded.vectors[:5] == trace_of(SCENARIO).inputs[0]).all()
    assert (padded.vectors == other_sentence(SCENARIO, SCENARIO.text, 7).vectors).all()
    fixed = Scenario(text="we like tea and cake", d_model=6, n_heads=2, n_tokens=3)
    assert padded_sentence(fixed, 2).tokens == ("we", "like", "tea")
    edited = replace(SCENARIO, edits="x_0_1_9")
    assert (padded_sentence(edited, 2).vectors[:5] == trace_of(edited).inputs[0]).all()


def test_a_trained_layer_reads_other_sentences() -> None:
    scenario = Scenario(weights="trained", layer=1)
    other = other_sentence(scenario, "It slept", 6)
    assert other.vectors.shape == (6, 384)
    one_pad = run_three_uses(scenario, "It slept", 1)["cross"]
    assert one_pad.sizes["T"] == len(other_sentence(scenario, "It slept").tokens) + 1
