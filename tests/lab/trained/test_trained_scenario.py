"""The story with trained weights: the model's tokens, sizes and vectors; all other choices still
count.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_core import SettingsError, ShapeError, attend
from attention_lab.choices import resolve
from attention_lab.masks.mistake_checks import run_checks
from attention_lab.masks.mistakes import MISTAKES
from attention_lab.rounding import tolerance
from attention_lab.scenario import Scenario, projections_of, trace_of
from attention_lab.sentences import tokens_of
from attention_lab.trained.encoded_text import encoded
from attention_lab.user_data.edits import Edit, Edits
from attention_lab.user_data.user_matrices import UserMatrices
from tests.lab.refusal import Facts, missing, refused

ANIMAL = "The animal did not cross the street because it was too tired."
TRAINED = Scenario(text=ANIMAL, weights="trained", layer=3)


def test_the_layer_is_the_models_own() -> None:
    sizes = {"d_model": 17, "n_heads": 5, "d_k": 3, "d_v": 2, "piece": 2}
    other = replace(TRAINED, **sizes, seed=9, init="small", embedding="integers")
    layer = encoded(ANIMAL).traces[3]
    for scenario in (TRAINED, other):
        trace = trace_of(scenario)
        assert trace.tokens == layer.tokens
        assert [trace.sizes[axis] for axis in "HTDKVO"] == [12, 15, 384, 32, 32, 384]
        assert np.array_equal(trace.probabilities, layer.probabilities)
        assert np.array_equal(trace.inputs, layer.inputs)
    run = resolve(other).chosen
    assert (run.d_model, run.n_heads, run.d_k) == (384, 12, 0)  # 0: 384 / 12


def test_mask_scale_and_residual_are_this_layers_alone() -> None:
    plain = trace_of(TRAINED)
    x, weights = plain.inputs[0], projections_of(TRAINED)
    causal = trace_of(replace(TRAINED, mask="causal", scaling="custom", scale=0.5, residual=True))
    assert np.array_equal(causal.inputs, plain.inputs)
    expected = attend(x, weights, causal=True, scale=0.5, residual=True)
    assert np.array_equal(causal.output, expected.output)
    assert (causal.hidden_keys[0, 0] == np.arange(15)[::-1]).all()


def test_padding_changes_no_real_token() -> None:
    for layer in (0, 4):
        short = trace_of(replace(TRAINED, layer=layer))
        long = trace_of(replace(TRAINED, layer=layer, n_tokens=19, mask="padding"))
        assert long.tokens[15:] == ("[PAD]",) * 4
        np.testing.assert_allclose(
            long.probabilities[0, :, :15, :15], short.probabilities[0], atol=1e-6
        )
        assert not long.probabilities[..., 15:].any()
    assert tokens_of(replace(TRAINED, n_tokens=19)).n_real == 15
    assert missing(tokens_of(replace(TRAINED, n_tokens=19)).notes[0], "[PAD]", 4, 19) == []


def test_edits_and_own_matrices_work_on_top() -> None:
    plain = trace_of(TRAINED)
    edited = trace_of(replace(TRAINED, edits=Edits((Edit("w_q", 3, 37, 2.5),)).url_value()))
    assert np.argwhere(edited.projections.w_q != plain.projections.w_q).tolist() == [[3, 37]]
    own = UserMatrices(w_v=np.eye(384))
    trace = trace_of(replace(TRAINED, own=own.url_value()))
    np.testing.assert_allclose(trace.values, trace.inputs + trace.projections.b_v, atol=1e-6)
    np.testing.assert_allclose(trace.probabilities, plain.probabilities, atol=1e-5)


@pytest.mark.parametrize(
    ("own", "facts"),
    [
        (UserMatrices(w_q=np.ones((16, 16))), ("W_Q", 16, 384)),
        (UserMatrices(x=np.ones((5, 16))), ("X", 5, 16, 384)),
    ],
)
def test_a_matrix_of_another_shape_does_not_fit(own: UserMatrices, facts: Facts) -> None:
    with refused(ShapeError, *facts):
        trace_of(replace(TRAINED, own=own.url_value()))


def test_own_inputs_go_through_the_trained_weights() -> None:
    x = np.random.default_rng(2).normal(size=(7, 384))
    trace = trace_of(replace(TRAINED, own=UserMatrices(x=x).url_value()))
    assert np.array_equal(trace.inputs[0], x)
    assert len(trace.tokens) == 7


@pytest.mark.parametrize("layer", [6, -1])
def test_layers_that_there_are_not(layer: int) -> None:
    with refused(SettingsError, "layer", 0, 5):
        trace_of(replace(TRAINED, layer=layer))


@pytest.mark.parametrize("layer", [0, 5])
def test_checks_of_trained_layers_are_strict(layer: int) -> None:
    trace = trace_of(replace(TRAINED, layer=layer, mask="causal"))
    assert all(
        tolerance(trace, field) < 0.05 * np.abs(getattr(trace, field)).max()
        for field in ("probabilities", "output")
    )
    for fault in MISTAKES:
        assert not run_checks(trace, fault.steps)["reference"].passed, fault.key
