"""A layer taken to the story: the pages compute with its own matrices and biases, in its own heads;
layers that cannot be shown are refused, and the advice helps.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core import (
    AttentionError,
    FileError,
    Projections,
    SettingsError,
    ShapeError,
    Trace,
    attend,
)
from attention_core.projections import BIASES, MATRICES
from attention_lab.files.weight_formats import open_weights
from attention_lab.scenario import Scenario, trace_of
from attention_lab.trained.minilm import load_minilm
from attention_lab.user_data.layer_import import import_layer
from attention_lab.user_data.layer_search import find_layers, read_layer
from attention_lab.user_data.user_matrices import UserMatrices, read_matrices, template
from attention_lab.whose_heads import trace_of_layer
from tests.lab.made_files import Arrays, npz, safetensors
from tests.lab.named_weights import D, H, as_bert, as_gpt2, as_torch, assert_same_weights, weights
from tests.lab.refusal import Facts, refused

TEXT = "one two three four five"
SMALL = Projections.random(8, 2)


DRAWN = {"weights": "random"}


def ones(**shapes: tuple[int, ...]) -> dict[str, str]:
    """The choice of own matrices of these shapes."""
    given: dict[str, Any] = {name: np.ones(shape) for name, shape in shapes.items()}
    return {"own": UserMatrices(**given).encode()}


def story_of(layer: Projections, **choices: Any) -> Trace:
    """The story of a layer: a sentence, the layer's matrices, its number of heads."""
    return trace_of(
        Scenario(text=TEXT, own=import_layer(layer).url_value(), n_heads=layer.n_heads, **choices)
    )


@pytest.mark.parametrize("pack", [npz, safetensors])
@pytest.mark.parametrize(
    "names",
    [
        as_torch,
        as_gpt2,
        lambda p: as_bert(weights(), "bert.encoder.layer.0.") | as_bert(p, "bert.encoder.layer.1."),
    ],
)
def test_a_layer_of_a_checkpoint_is_imported(
    names: Callable[[Projections], Arrays], pack: Callable[[Arrays], bytes]
) -> None:
    layer = replace(weights(), b_o=np.linspace(-1, 1, D, dtype=np.float32))
    file = open_weights(io.BytesIO(pack(names(layer))), "file")
    trace = story_of(read_layer(file, find_layers(file)[-1], H))
    expected = attend(trace.inputs, layer.astype(np.float64))
    assert trace.sizes | {"B": 1} == expected.sizes
    np.testing.assert_array_equal(trace.output, expected.output)
    assert_same_weights(trace.projections, layer)
    read = read_matrices(template(trace), "a.npz")
    assert read.arrays.keys() == {"x", *MATRICES, *BIASES}
    again = trace_of(Scenario(text=TEXT, own=read.url_value(), n_heads=H))
    np.testing.assert_array_equal(again.output, trace.output)


@pytest.mark.parametrize("groups", [1, 2, 3])
def test_shared_heads_are_written_out(groups: int) -> None:
    layer = weights(n_kv_heads=groups)
    trace = story_of(layer)
    expected = attend(trace.inputs, layer.astype(np.float64))
    assert trace.sizes["G"] == H
    np.testing.assert_allclose(trace.scores, expected.scores, atol=1e-12)
    np.testing.assert_allclose(trace.output, expected.output, atol=1e-12)


def test_a_layer_of_the_trained_model_fits() -> None:
    layer = load_minilm().layers[2].attention
    trace = story_of(layer, weights="trained")
    np.testing.assert_allclose(trace.output, attend(trace.inputs, layer).output, atol=1e-5)
    plain = story_of(replace(layer, **dict.fromkeys(BIASES)))
    assert plain.projections.b_q is None


def test_biases_beside_other_weights() -> None:
    b_q, b_o = np.arange(16.0), np.arange(16.0) / 7
    trace = trace_of(Scenario(text=TEXT, own=UserMatrices(b_q=b_q, b_o=b_o).url_value()))
    plain = trace_of(Scenario(text=TEXT))
    np.testing.assert_allclose(trace.queries, plain.queries + b_q, atol=1e-12)
    np.testing.assert_array_equal(trace.projections.w_q, plain.projections.w_q)
    beside = trace_of(
        Scenario(text=TEXT, weights="trained", own=UserMatrices(b_o=np.ones(384)).url_value())
    )
    assert (np.asarray(beside.projections.b_o) == 1).all()
    with refused(ShapeError, "b_Q", 16, 384):
        trace_of(Scenario(text=TEXT, weights="trained", own=UserMatrices(b_q=b_q).url_value()))


@pytest.mark.parametrize(
    ("layer", "kind", "facts"),
    [
        (Projections.random(544, 17), SettingsError, ("features", 544, 512, "heads", 17, 16)),
        (Projections.random(8, 2, d_k=129), SettingsError, ("head", 129, 128)),
        (Projections.random(8, 1, d_v=129), SettingsError, ("head", 129, 128)),
        (replace(SMALL, w_o=np.ones((8, 513))), SettingsError, ("features", 513, 512)),
        (Projections.random(8, 2, d_memory=6), ShapeError, (8, 6)),
        (Projections.weightless(8, 2), ShapeError, ("W_O",)),
        (
            replace(Projections.random(8, 2), w_k=np.full((8, 8), 1e7)),
            FileError,
            ("W_K", "10000000.0"),
        ),
    ],
)
def test_layers_that_are_refused(
    layer: Projections, kind: type[AttentionError], facts: Facts
) -> None:
    with refused(kind, *facts):
        import_layer(layer)


def test_the_largest_layer_fits() -> None:
    layer = Projections.random(512, 16, bias=True).astype(np.float32)
    own = UserMatrices.from_url(import_layer(layer).url_value())
    assert own.sizes(16) == {"d_model": 512, "d_k": 32, "d_v": 32}


@pytest.mark.parametrize(
    ("changes", "own", "facts", "remedy"),
    [
        ({"weights": "orthonormal"}, ones(w_q=(4, 64)), ("W_Q", 64, "d_k", 32, 2, 4, 8), DRAWN),
        ({"weights": "orthonormal"}, ones(w_q=(4, 64)), ("W_Q",), ones(w_q=(4, 8))),
        ({"weights": "orthonormal"}, ones(w_q=(4, 64)), ("W_Q",), {"own": ""}),
        ({"weights": "orthonormal"}, ones(b_v=(14,)), ("b_V", 14, "d_v", 7, 2), DRAWN),
        ({"weights": "orthonormal"}, ones(b_v=(14,)), ("b_V",), ones(b_v=(12,))),
        ({"residual": True}, ones(w_o=(6, 5)), ("Residual", 6, 5, "W_O"), {"residual": False}),
        ({"residual": True}, ones(w_o=(6, 5)), ("Residual",), ones(w_o=(6, 6))),
    ],
)
def test_what_is_advised_beside_own_matrices_helps(
    changes: dict[str, Any], own: dict[str, str], facts: Facts, remedy: dict[str, Any]
) -> None:
    scenario = replace(Scenario(text=TEXT, d_model=6, n_heads=2), **own, **changes)
    with refused(ShapeError, *facts):
        trace_of(scenario)
    assert trace_of(replace(scenario, **remedy))


def test_mask_and_scale_of_the_scenario_act_on_a_layer() -> None:
    scenario = Scenario(text=TEXT, mask="causal", scaling="custom", scale=0.5)
    layer = Projections.random(16, 2)
    expected = attend(trace_of(scenario).inputs, layer, causal=True, scale=0.5)
    np.testing.assert_array_equal(trace_of_layer(scenario, layer).output, expected.output)
