"""The NumPy engine against plain Python loops, every intermediate, every option, every axis a
different prime.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attention_core import (
    STEPS,
    HeadNorm,
    Projections,
    Rotary,
    attend,
    scaled_dot_product_attention,
)
from tests.core.reference_loops import attend_heads, attend_loops

B, T, S, D, D_MEM, K, V, D_OUT = 2, 5, 7, 11, 19, 13, 17, 23
H = 3
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}
# fixture names: how the layer is built ("weights") and how it is called ("call"); see build().
CASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "unbatched": {"call": {"unbatched"}},
    "unbatched_cross": {"call": {"unbatched", "memory"}},
    "cross": {"call": {"memory"}},
    "cross_of_equal_shape": {"call": {"memory"}, "sizes": (7, 7), "d_memory": D},
    "biases": {"weights": {"b_q", "b_k", "b_v", "b_o"}},
    "query_bias_only": {"weights": {"b_q"}},
    "value_bias_only": {"weights": {"b_v"}},
    "no_output_matrix": {"weights": {"no_w_o"}},
    "wide_output": {"weights": {"wide_w_o"}},
    "residual": {"residual": True},
    "residual_cross": {"residual": True, "call": {"memory"}},
    "causal": {"causal": True},
    "causal_more_keys_than_queries": {"causal": True, "call": {"memory"}},
    "causal_more_queries_than_keys": {"causal": True, "call": {"memory"}, "sizes": (7, 5)},
    "mask_TS": {"call": {"memory"}, "mask": (T, S)},
    "mask_11TS": {"call": {"memory"}, "mask": (1, 1, T, S)},
    "mask_keys": {"call": {"memory"}, "mask": (B, 1, 1, S)},
    "mask_per_head": {"call": {"memory"}, "mask": (1, H, T, S)},
    "mask_full": {"call": {"memory"}, "mask": (B, H, T, S)},
    "mask_self_causal": {"causal": True, "mask": (T, T)},
    "bias_TS": {"call": {"memory"}, "bias": (T, S)},
    "bias_full": {"call": {"memory"}, "bias": (B, H, T, S)},
    "bias_hiding_cells": {"call": {"memory", "hide_in_bias"}, "bias": (B, 1, T, S)},
    "bias_mask_causal": {
        "causal": True,
        "call": {"memory"},
        "mask": (B, 1, 1, S),
        "bias": (H, T, S),
    },
    "scale_given": {"scale": 0.3},
    "scale_zero": {"scale": 0.0},
    "scale_negative": {"scale": -0.7},
    "unscaled": {"scale": 1.0},
    "softcap": {"softcap": 1.5},
    "softcap_scale_mask_bias": {"softcap": 2.0, "scale": 0.9, "mask": (T, T), "bias": (H, T, T)},
    "empty_rows": {"call": {"memory", "empty_rows"}, "mask": (B, H, T, S)},
    "empty_rows_with_biases": {"call": {"empty_rows"}, "mask": (T, T), "weights": {"b_v", "b_o"}},
    "rotary": {"rotary": Rotary(), "width": 6},
    "rotary_by_halves": {"rotary": Rotary(50.0, "halves", 1000), "width": 6, "call": {"memory"}},
    "head_norm": {"head_norm": HeadNorm(2.0, np.linspace(-1, 3, K))},
    "head_norm_then_rotary": {
        "head_norm": HeadNorm(np.arange(6.0), 0.5, epsilon=0.1),
        "rotary": Rotary(start=-7),
        "width": 6,
        "heads": (6, 2),
        "causal": True,
    },
    "sink": {"sink": np.array([-1.0, 0.0, 4.0])},
    "sink_and_empty_rows": {
        "sink": np.array([-1.0, 0.0, 90.0]),
        "mask": (B, H, T, S),
        "call": {"memory", "empty_rows"},
    },
    "one_head": {"heads": (1, 1)},
    "grouped_heads": {"heads": (6, 3), "call": {"memory"}},
    "grouped_heads_masked": {
        "heads": (6, 2),
        "causal": True,
        "mask": (1, 6, T, T),
        "weights": {"b_k", "b_v"},
    },
    "one_shared_head": {"heads": (6, 1)},
    "everything": {
        "heads": (6, 3),
        "weights": {"b_q", "b_k", "b_v", "b_o"},
        "call": {"memory", "empty_rows"},
        "mask": (B, 6, T, S),
        "bias": (6, T, S),
        "causal": True,
        "scale": 0.4,
        "softcap": 3.0,
        "residual": True,
        "width": 4,
        "rotary": Rotary(start=2),
        "head_norm": HeadNorm(1.5, [1.0, 2.0, 3.0, 4.0]),
        "sink": np.linspace(-1, 1, 6),
    },
}
OPTIONS = ("causal", "scale", "softcap", "residual", "rotary", "head_norm", "sink")


def random_mask(rng: np.random.Generator, shape: tuple[int, ...], empty_rows: bool) -> np.ndarray:
    """A bool mask that leaves every row the first key, or hides the first query's whole row."""
    mask = rng.random(shape) < 0.6
    mask[..., 0] = True
    if empty_rows:
        mask[..., 0, :] = False
    return mask


def random_bias(rng: np.random.Generator, shape: tuple[int, ...], hide: bool) -> np.ndarray:
    """A float bias, with some cells at minus infinity if wanted."""
    bias = rng.normal(size=shape)
    if hide:
        bias[..., 1:][rng.random(bias[..., 1:].shape) < 0.4] = -np.inf
    return bias


def random_weights(rng: np.random.Generator, case: dict[str, Any], d_memory: int) -> dict[str, Any]:
    """The arguments of Projections for one case."""
    n_heads, n_kv_heads = case.get("heads", (H, H))
    wanted = case.get("weights", set())
    d_out, d_k = D_OUT if "wide_w_o" in wanted else D, case.get("width", K)
    shapes = {
        "w_q": (D, n_heads * d_k),
        "w_k": (d_memory, n_kv_heads * d_k),
        "w_v": (d_memory, n_kv_heads * V),
        "w_o": (n_heads * V, d_out),
    }
    weights: dict[str, Any] = {
        name: rng.normal(size=shape) / shape[0] ** 0.5 for name, shape in shapes.items()
    }
    biases = {name.replace("w", "b"): rng.normal(size=shape[1]) for name, shape in shapes.items()}
    weights |= {name: bias for name, bias in biases.items() if name in wanted}
    if "no_w_o" in wanted:
        del weights["w_o"]
    return weights | {"n_heads": n_heads, "n_kv_heads": n_kv_heads}


def build(name: str, dtype: str) -> tuple[np.ndarray, dict[str, Any], dict[str, Any]]:
    """Inputs, weights and call arguments of a case, all arrays of one dtype."""
    case = CASES[name]
    rng = np.random.default_rng(sorted(CASES).index(name))
    wanted = case.get("call", set())
    n_queries, n_keys = case.get("sizes", (T, S))
    d_memory = case.get("d_memory", D_MEM) if "memory" in wanted else D
    weights = random_weights(rng, case, d_memory)
    inputs = rng.normal(size=(B, n_queries, D))
    call: dict[str, Any] = {key: case[key] for key in OPTIONS if key in case}
    if "memory" in wanted:
        call["memory"] = rng.normal(size=(B, n_keys, d_memory))
    if "bias" in case:
        call["bias"] = random_bias(rng, case["bias"], "hide_in_bias" in wanted)
    if "unbatched" in wanted:
        inputs = inputs[0]
        call |= {"memory": call["memory"][0]} if "memory" in call else {}
    cast = {
        k: v.astype(dtype) if isinstance(v, np.ndarray) else v
        for k, v in (weights | call | {"x": inputs}).items()
    }
    weights = {key: cast[key] for key in weights}
    call = {key: cast[key] for key in call}
    if "mask" in case:
        call["mask"] = random_mask(rng, case["mask"], "empty_rows" in wanted)
    return cast["x"], weights, call


def as_lists(values: dict[str, Any]) -> dict[str, Any]:
    """Arrays as nested lists of Python floats; everything else as it is."""
    return {
        key: value.tolist() if isinstance(value, np.ndarray) else value
        for key, value in values.items()
    }


def loops(inputs: np.ndarray, weights: dict[str, Any], call: dict[str, Any]) -> dict[str, Any]:
    """The reference's record for the same arguments."""
    arguments = {key: value for key, value in call.items() if key not in ("mask", "bias")}
    if inputs.ndim == 2:
        inputs = inputs[None]
        arguments |= {"memory": arguments["memory"][None]} if "memory" in arguments else {}
    n_keys = arguments.get("memory", inputs).shape[1]
    full = (len(inputs), weights["n_heads"], inputs.shape[1], n_keys)
    arguments |= {key: np.broadcast_to(call[key], full) for key in ("mask", "bias") if key in call}
    arguments |= {key: dict(vars(call[key])) for key in ("rotary", "head_norm") if key in call}
    if norm := arguments.get("head_norm"):
        width = weights["w_q"].shape[1] // weights["n_heads"]
        norm |= {key: np.broadcast_to(norm[key], width).tolist() for key in list(norm)[:2]}
    return attend_loops(inputs.tolist(), as_lists(weights), **as_lists(arguments))


def assert_agrees(record: object, reference: dict[str, Any], dtype: str) -> None:
    """Every field has the reference's shape and values, in the dtype of the inputs."""
    for field, nested in reference.items():
        actual, expected = getattr(record, field), np.array(nested)
        assert actual.shape == expected.shape, field
        assert actual.dtype == dtype, field
        finite = np.abs(expected[np.isfinite(expected)])
        tolerance = TOLERANCE[dtype] * max(1.0, finite.max(initial=0.0))
        np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance, err_msg=field)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", CASES)
def test_every_field_equals_the_loops(name: str, dtype: str) -> None:
    inputs, weights, call = build(name, dtype)
    trace = attend(inputs, Projections(**weights), **call)
    assert_agrees(trace, loops(inputs, weights, call), dtype)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(
    ("n_heads", "n_kv_heads", "call"),
    [
        (3, 3, {}),
        (6, 3, {"causal": True}),
        (6, 1, {"scale": 0.2, "softcap": 0.8}),
        (6, 2, {"mask": True, "bias": True}),
        (6, 2, {"mask": True, "sink": np.linspace(-3, 3, 6)}),
    ],
)
def test_heads_alone_equal_the_loops(
    n_heads: int, n_kv_heads: int, call: dict[str, Any], dtype: str
) -> None:
    rng = np.random.default_rng(n_heads * 10 + n_kv_heads)
    shapes = [(B, n_heads, T, K), (B, n_kv_heads, S, K), (B, n_kv_heads, S, V)]
    heads = [rng.normal(size=shape).astype(dtype) for shape in shapes]
    full = (B, n_heads, T, S)
    arrays = {"mask": random_mask(rng, full, True), "bias": rng.normal(size=full).astype(dtype)}
    call = {key: arrays.get(key, value) for key, value in call.items()}
    record = scaled_dot_product_attention(*heads, **call)
    items = []
    for item in range(B):
        per_item = {key: value[item] if key in arrays else value for key, value in call.items()}
        items.append(attend_heads(*(head[item].tolist() for head in heads), **as_lists(per_item)))
    assert_agrees(record, {field: [item[field] for item in items] for field in items[0]}, dtype)


def test_empty_rows_as_nan_touch_only_those_rows() -> None:
    inputs, weights, call = build("empty_rows", "float64")
    reference = loops(inputs, weights, call)
    empty = ~np.broadcast_to(call["mask"], (B, H, T, S)).any(axis=-1)
    trace = attend(inputs, Projections(**weights), empty_rows="nan", **call)
    assert empty.any()
    for field in ("probabilities", "head_outputs"):
        actual = getattr(trace, field)
        assert np.isnan(actual[empty]).all(), field
        np.testing.assert_allclose(
            actual[~empty], np.array(reference[field])[~empty], rtol=0, atol=1e-12
        )


def test_every_step_has_a_reference() -> None:
    assert list(loops(*build("everything", "float64"))) == list(STEPS)
