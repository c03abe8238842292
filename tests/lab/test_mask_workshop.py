"""Masks together, in either order and with several numbers for "hidden", on the batch of the mask
workshop and in its experiments.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from attention_core import attend, softmax
from attention_lab.masks.encoder_decoder import other_sentence
from attention_lab.masks.hiding import (
    compare_orders,
    hidden_by,
    hide_with,
    leaked_share,
)
from attention_lab.masks.mask_experiments import (
    hide_all_keys,
    hiding_effects,
    hiding_values,
    replace_padding,
)
from attention_lab.masks.mask_workshop import WORKSHOP_MASKS, MaskedBatch, hide_row, masked_batch
from attention_lab.scenario import Scenario, trace_of
from attention_lab.user_data.painted_masks import mask_to_text
from tests.core.random_layers import Layer, assert_same, layers

B, H, T, S = 2, 3, 5, 7


def scores() -> np.ndarray:
    """Raw scores of very different sizes."""
    return np.random.default_rng(0).normal(scale=3, size=(B, H, T, S))


@settings(max_examples=40)
@given(layers())
def test_infinity_is_the_mask_of_the_engine(layer: Layer) -> None:
    trace = layer.run(mask=layer.mask)
    found = hide_with(-np.inf, trace.scaled_scores, layer.mask)
    assert_same(found, trace.probabilities)
    assert not leaked_share(found, layer.mask).any()


def test_a_billion_hides_like_infinity_if_a_key_is_visible() -> None:
    allowed = np.tri(T, S, dtype=bool)
    for dtype in (np.float32, np.float64):
        numbers = scores().astype(dtype)
        assert_same(
            *(hide_with(value, numbers, allowed) for value in (-1e9, -np.inf)), tolerance=2**-22
        )
        assert not leaked_share(hide_with(-1e9, numbers, allowed), allowed).any()


def test_a_billion_in_an_empty_row() -> None:
    nothing = np.zeros((T, S), dtype=bool)
    assert_same(hide_with(-1e9, scores(), nothing), softmax(scores()), 1e-6)
    assert_same(
        hide_with(-1e9, scores().astype(np.float32), nothing), np.full((B, H, T, S), 1 / S), 1e-6
    )
    assert not hide_with(-np.inf, scores(), nothing).any()


@pytest.mark.parametrize("value", [-4.0, -1.0, 2.5])
def test_a_finite_bias_hides_nothing(value: float) -> None:
    allowed = np.tri(T, S, dtype=bool)
    free, biased = softmax(scores()), hide_with(value, scores(), allowed)
    weights = np.where(allowed, free, free * math.exp(value))
    assert_same(biased, weights / weights.sum(axis=-1, keepdims=True))
    assert_same(leaked_share(biased, allowed), np.where(allowed, 0, biased).sum(axis=-1))
    assert (leaked_share(biased, allowed)[..., 0] > 0).all()


@pytest.mark.parametrize("value", [-np.inf, -1e9])
def test_the_order_does_not_matter_for_a_mask(value: float) -> None:
    addend = np.where(np.tri(T, S, dtype=bool), 0.0, value)
    order = compare_orders(scores(), 0.3, addend)
    assert order.gap <= 1e-15
    assert_same(order.scale_first, hide_with(-np.inf, scores() * 0.3, np.tri(T, S, dtype=bool)))


SCENARIO = Scenario(text="we like tea and cake", d_model=6, n_heads=2)
SEEDED = replace(SCENARIO, seed=3)
EDITED = replace(SCENARIO, edits="x_0_1_9")
OTHERS = ("they slept", "one two three four five six seven")


def test_the_batch_is_as_long_as_the_scenarios_sequence() -> None:
    made = masked_batch(SCENARIO, OTHERS)
    assert made.trace.scores.shape == (3, 2, 5, 5)
    assert [one.n_real for one in made.sentences] == [5, 2, 5]
    assert made.sentences[1].tokens == ("they", "slept", "[pad]", "[pad]", "[pad]")
    assert made.sentences[2].tokens[-1] == "five"


@pytest.mark.parametrize(
    ("weights", "n_tokens"), [("random", 0), ("random", 4), ("trained", 0), ("trained", 5)]
)
def test_what_is_cut_off_is_counted(weights: str, n_tokens: int) -> None:
    scenario = replace(SCENARIO, weights=weights, n_tokens=n_tokens)
    sentences = masked_batch(scenario, OTHERS).sentences
    whole = [other_sentence(scenario, text).n_real for text in (SCENARIO.text, *OTHERS)]
    assert [one.n_real + one.n_left_out for one in sentences] == whole
    assert sentences[2].n_left_out == whole[2] - len(sentences[2].tokens) > 0


def test_the_scenarios_own_sentence_comes_first() -> None:
    for scenario in (SCENARIO, EDITED, replace(SCENARIO, residual=True)):
        batch = masked_batch(scenario, OTHERS)
        assert_same(batch.trace.output[:1], trace_of(scenario).output)


OPTIONS = {
    "rotary": {"rotary": "halves"},
    "QK-norm": {"qk_norm": True, "gain": 3.0},
    "ALiBi": {"alibi": True},
    "sink": {"sink": True, "sink_logit": 1.5},
    "soft cap": {"softcap": True, "cap": 0.5},
    "language model": {"weights": "language model", "layer": 3, "mask": "causal"},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_the_batch_has_the_options_of_the_layer(name: str) -> None:
    scenario = replace(SEEDED, d_k=4, **OPTIONS[name])
    masks = ("causal",) * (scenario.mask == "causal")
    batch, own = masked_batch(scenario, OTHERS, masks), trace_of(scenario)
    assert_same(batch.trace.probabilities[:1], own.probabilities)
    bare = attend(own.inputs, own.projections, scale=own.scale, causal=bool(masks))
    assert np.abs(bare.probabilities - own.probabilities).max() > 0.01
    effect, *_ = hiding_effects(batch, 0, 1, 3, -4.0)
    assert_same(effect.shares, own.probabilities[0, 1])


def test_a_sink_takes_all_where_a_billion_hides_every_key() -> None:
    batch = masked_batch(replace(SEEDED, sink=True), ("they slept",), ("causal",))
    for effect, total in zip(hiding_effects(batch, 1, 0, 3, -4.0), (0, 0, None), strict=True):
        for row in effect.empty_row:
            scores = batch.trace.scaled_scores[1, 0, 3]
            lowered = np.exp(scores - 4)
            expected = lowered / (1 + lowered.sum()) if total is None else 0 * scores
            assert_same(row, expected.astype(row.dtype), 1e-6)
    assert hide_all_keys(batch, 1, 0, 3).nan_shares == 0


@pytest.mark.parametrize("place", [0, 1])
def test_a_sequence_under_a_padding_mask_is_the_sentence_alone(place: int) -> None:
    made = masked_batch(SCENARIO, OTHERS, ("padding",))
    alone = other_sentence(SCENARIO, (SCENARIO.text, *OTHERS)[place])
    expected = attend(alone.vectors, made.trace.projections, scale=made.trace.scale)
    assert_same(made.trace.output[place, : alone.n_real], expected.output[0])


def test_all_masks_together() -> None:
    """By loops: what each mask hides, and which of them hide a cell."""
    painted = np.ones((5, 5), dtype=bool)
    painted[4, 3] = False
    scenario = replace(SCENARIO, window=1, prefix=2, painted=mask_to_text(painted))
    for names in ((), ("causal",), ("window", "padding"), WORKSHOP_MASKS):
        made = masked_batch(scenario, OTHERS, names)
        for b, t, s in np.ndindex(3, 5, 5):
            hides = {
                "causal": s > t,
                "padding": s >= (5, 2, 5)[b],
                "window": abs(t - s) > 1,
                "prefix": s > t and s >= 2,
                "painted": (t, s) == (4, 3),
            }
            hiding = [name for name in WORKSHOP_MASKS if name in names and hides[name]]
            assert list(hidden_by(made.masks, t, s, b)) == hiding
            assert made.allowed[b, t, s] == (not hiding)
        assert (made.allowed[:, np.newaxis] != np.isneginf(made.trace.masked_scores)).all()


def made(*masks: str) -> MaskedBatch:
    """A batch of a sentence with 5 tokens and one with 2."""
    return masked_batch(SEEDED, ("they slept",), masks)


def test_what_each_way_of_hiding_leaks() -> None:
    batch = made("padding")
    effects = hiding_effects(batch, 1, 0, 3, -4.0)
    for effect, value in zip(effects, (-np.inf, -1e9, -4.0), strict=True):
        shares = hide_with(value, batch.trace.scaled_scores[1, 0], batch.allowed[1])
        np.testing.assert_array_equal(effect.leaked, leaked_share(shares, batch.allowed[1]))
        assert effect.largest_leak == effect.leaked.max()
        for kind, found in zip((np.float64, np.float32), effect.empty_row, strict=True):
            row = batch.trace.scaled_scores[1, 0, 3].astype(kind)
            np.testing.assert_array_equal(found, hide_with(value, row, np.zeros(5, bool)))


@pytest.mark.parametrize(
    ("bias", "name"), [(-4.0, "−4.0"), (0.0, "0.0"), (-0.0, "0.0"), (-12.5, "−12.5")]
)
def test_the_finite_bias_has_its_own_name(bias: float, name: str) -> None:
    assert list(hiding_values(bias).items())[2] == (name, bias)


def test_an_empty_row() -> None:
    found = hide_all_keys(made("padding"), 1, 0, 3)
    assert (found.zero.probabilities[:, :, 3] == 0).all()
    assert (found.nan_here, found.nan_shares, found.nan_outputs) == (0, 5, 6)


def test_every_empty_row_counts() -> None:
    emptied = mask_to_text(hide_row(np.ones((5, 5), dtype=bool), 0))
    batch = masked_batch(replace(SEEDED, painted=emptied), ("they slept",), ("painted",))
    one, two = (hide_all_keys(some, 1, 0, 3) for some in (made(), batch))
    assert [(found.nan_tokens, found.nan_outputs) for found in (one, two)] == [(1, 6), (2, 12)]


def test_other_padding() -> None:
    masked, bare = replace_padding(made("padding"), 1), replace_padding(made(), 1)
    assert masked.real == 0.0
    assert bare.real > 0.01
    assert min(masked.padded, bare.padded) > 0.01
    assert replace_padding(made(), 0).padded == 0.0
    seeing = [(), ("padding",), ("causal",), ("window",)]
    assert [replace_padding(made(*one), 1).n_seeing for one in seeing] == [2, 0, 0, 2]
    narrow = masked_batch(replace(SEEDED, window=1), ("they slept",), ("window",))
    assert replace_padding(narrow, 1).n_seeing == 1
