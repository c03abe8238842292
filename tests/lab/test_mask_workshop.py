"""The mask workshop: the layer of the scenario on a batch, under all masks together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_core import SettingsError, attend
from attention_lab.masks.encoder_decoder import other_sentence
from attention_lab.masks.mask_workshop import WorkshopChoices, hide_row, masked_batch
from attention_lab.scenario import Scenario, trace_of
from attention_lab.user_data.painted_masks import mask_to_text, painted_mask
from tests.core.random_layers import assert_same

SCENARIO = Scenario(text="we like tea and cake", d_model=6, n_heads=2)
OTHERS = ("they slept", "one two three four five six seven")


def test_the_batch_is_as_long_as_the_scenarios_sequence() -> None:
    made = masked_batch(SCENARIO, WorkshopChoices(OTHERS))
    assert made.trace.scores.shape == (3, 2, 5, 5)
    assert made.batch.lengths == (5, 2, 5)
    assert made.batch.tokens[1] == ("they", "slept", "[pad]", "[pad]", "[pad]")
    assert made.batch.tokens[2][-1] == "five"


@pytest.mark.parametrize(
    ("weights", "n_tokens"), [("random", 0), ("random", 4), ("trained", 0), ("trained", 5)]
)
def test_what_is_cut_off_is_counted(weights: str, n_tokens: int) -> None:
    scenario = Scenario(
        text=SCENARIO.text, d_model=6, n_heads=2, weights=weights, n_tokens=n_tokens
    )
    batch = masked_batch(scenario, WorkshopChoices(OTHERS)).batch
    whole = [other_sentence(scenario, text).n_real for text in (SCENARIO.text, *OTHERS)]
    assert [read + cut for read, cut in zip(batch.lengths, batch.left_out, strict=True)] == whole
    assert batch.left_out[2] == whole[2] - len(batch.tokens[2]) > 0


def test_the_scenarios_own_sentence_comes_first() -> None:
    edited = Scenario(text="we like tea and cake", d_model=6, n_heads=2, edits="x_0_1_9")
    for scenario in (SCENARIO, edited, replace(SCENARIO, residual=True)):
        assert_same(
            masked_batch(scenario, WorkshopChoices(OTHERS)).trace.output[:1],
            trace_of(scenario).output,
        )


@pytest.mark.parametrize("place", [0, 1])
def test_a_sequence_under_a_padding_mask_is_the_sentence_alone(place: int) -> None:
    made = masked_batch(SCENARIO, WorkshopChoices(OTHERS, ("padding",)))
    alone = other_sentence(SCENARIO, (SCENARIO.text, *OTHERS)[place])
    expected = attend(alone.vectors, made.trace.projections, scale=made.trace.scale)
    assert_same(made.trace.output[place, : alone.n_real], expected.output[0])


def test_padded_queries_have_shares() -> None:
    trace = masked_batch(SCENARIO, WorkshopChoices(OTHERS, ("padding",))).trace
    rows = trace.probabilities[1, :, 2:]
    assert_same(rows.sum(axis=-1), np.ones((2, 3)))
    assert not rows[..., 2:].any()
    assert np.abs(trace.output[1, 2:]).min() > 0


def test_all_masks_together() -> None:
    painted = np.ones((5, 5), dtype=bool)
    painted[4, 3] = False
    workshop = WorkshopChoices(
        OTHERS, ("causal", "padding", "window", "painted"), 1, mask_to_text(painted)
    )
    made = masked_batch(SCENARIO, workshop)
    for b, n_real in enumerate((5, 2, 5)):
        for t in range(5):
            for s in range(5):
                assert made.allowed[b, t, s] == (
                    s <= t and s < n_real and t - s <= 1 and (t, s) != (4, 3)
                )
    assert (made.allowed[:, np.newaxis] != np.isneginf(made.trace.masked_scores)).all()
    assert list(made.masks) == ["causal", "window", "padding", "painted"]


def test_no_mask_allows_everything() -> None:
    hidden = mask_to_text(np.zeros((5, 5), dtype=bool))
    made = masked_batch(SCENARIO, WorkshopChoices(OTHERS, (), 2, hidden))
    assert made.allowed.all()
    assert made.allowed.shape == (3, 5, 5)


def test_painted_masks() -> None:
    blank = painted_mask("", 3)
    assert blank.all()
    assert hide_row(blank, 1).tolist() == [[True] * 3, [False] * 3, [True] * 3]
    assert blank.all()
    with pytest.raises(SettingsError):
        painted_mask("banana", 3)
