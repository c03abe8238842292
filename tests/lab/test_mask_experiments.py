"""The experiments of the mask workshop against numbers that can be worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_core.formulas import softmax
from attention_lab.masks.mask_experiments import (
    compare_all_orders,
    hide_all_keys,
    hiding_effects,
    hiding_values,
    replace_padding,
)
from attention_lab.masks.mask_workshop import MaskedBatch, WorkshopChoices, hide_row, masked_batch
from attention_lab.scenario import Scenario
from attention_lab.user_data.painted_masks import mask_to_text

SCENARIO = Scenario(text="we like tea and cake", d_model=6, n_heads=2, seed=3)


def made(*masks: str) -> MaskedBatch:
    """A batch of a sentence with 5 tokens and one with 2."""
    return masked_batch(SCENARIO, WorkshopChoices(("they slept",), masks))


def test_only_minus_infinity_and_a_large_number_hide() -> None:
    batch = made("padding")
    infinite, billion, finite = hiding_effects(batch, 1, 0, 3, -4.0)
    assert (infinite.largest_leak, billion.largest_leak) == (0.0, 0.0)
    scores = batch.trace.scaled_scores[1, 0, 3] + np.array([0, 0, -4, -4, -4])
    np.testing.assert_allclose(finite.leaked[3], softmax(scores)[2:].sum(), rtol=1e-12)
    assert finite.largest_leak == finite.leaked.max()


def test_an_empty_row_reads_hidden_keys() -> None:
    batch = made("causal")
    infinite, billion, _ = hiding_effects(batch, 0, 1, 2, -4.0)
    assert all((shares == 0).all() for shares in infinite.empty_row)
    double, single = billion.empty_row
    np.testing.assert_allclose(double, softmax(batch.trace.scaled_scores[0, 1, 2]), atol=1e-6)
    assert (single == np.float32(0.2)).all()


def test_the_order_matters_for_a_finite_bias_only() -> None:
    infinite, billion, finite = compare_all_orders(made("causal"), 0, 0, -4.0).values()
    assert (infinite.gap, billion.gap) == (0.0, 0.0)
    assert finite.gap > 0.01


@pytest.mark.parametrize(
    ("bias", "name"), [(-4.0, "−4.0"), (0.0, "0.0"), (-0.0, "0.0"), (-12.5, "−12.5")]
)
def test_the_finite_bias_has_its_own_name(bias: float, name: str) -> None:
    assert list(hiding_values(bias).items())[2] == (name, bias)


def test_an_empty_row() -> None:
    found = hide_all_keys(made("padding"), 1, 0, 3)
    assert (found.zero.probabilities[:, :, 3] == 0).all()
    assert (found.nan_here, found.nan_shares, found.nan_outputs) == (0, 5, 6)
    others = [0, 1, 2, 4]
    assert (
        found.zero.probabilities[1, :, others] == made("padding").trace.probabilities[1, :, others]
    ).all()


def test_every_empty_row_counts() -> None:
    emptied = mask_to_text(hide_row(np.ones((5, 5), dtype=bool), 0))
    batch = masked_batch(SCENARIO, WorkshopChoices(("they slept",), ("painted",), painted=emptied))
    one, two = (hide_all_keys(some, 1, 0, 3) for some in (made(), batch))
    assert [(found.nan_tokens, found.nan_outputs) for found in (one, two)] == [(1, 6), (2, 12)]


@pytest.mark.parametrize("residual", [False, True])
def test_experiments_are_runs_of_the_same_layer(residual: bool) -> None:
    scenario = replace(SCENARIO, residual=residual, scaling="custom", scale=0.3)
    batch = masked_batch(scenario, WorkshopChoices(("they slept",), ("padding",)))
    others = [0, 1, 2, 4]
    np.testing.assert_array_equal(
        hide_all_keys(batch, 1, 0, 3).zero.output[:, others], batch.trace.output[:, others]
    )
    np.testing.assert_array_equal(
        replace_padding(batch, 0).changed.output[0], batch.trace.output[0]
    )


def test_other_padding() -> None:
    masked, bare = replace_padding(made("padding"), 1), replace_padding(made(), 1)
    assert masked.real == 0.0
    assert bare.real > 0.01
    assert min(masked.padded, bare.padded) > 0.01
    assert replace_padding(made(), 0).padded == 0.0
