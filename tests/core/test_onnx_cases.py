"""The engine against all node test cases of the ONNX Attention operator (opset 23 to 25), read from
frozen arrays; at the end, against the specification of RotaryEmbedding.

Made by scripts/make_onnx_cases.py; see tests/data/ONNX-LICENSE-NOTICE.md. What the operator has and
the engine has not is translated here: a cache of past keys and values is joined in front, lengths
of valid keys become a padding mask, a causal frontier that starts later and a sliding window become
slices of a larger mask.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_core import (
    Rotary,
    causal_mask,
    merge_heads,
    padding_mask,
    scaled_dot_product_attention,
    split_heads,
    window_mask,
)
from attention_core.positions import turn as turned

DATA = Path(__file__).resolve().parent.parent / "data"
CASES: dict[str, dict[str, Any]] = {
    case["name"]: case
    for case in json.loads((DATA / "onnx_attention.json").read_text(encoding="utf-8"))["cases"]
}
# qk_matmul_output_mode 0 to 3: which stage of the computation the operator also returns.
STAGE = ("scaled_scores", "scaled_scores", "masked_scores", "probabilities")
# ONNX's reference rounds every step of its bfloat16 cases to 8 bits of mantissa; the engine rounds
# none.
BFLOAT16_TOLERANCE = 2e-2


@cache
def stored_arrays() -> dict[str, np.ndarray]:
    """All frozen arrays by key."""
    with np.load(DATA / "onnx_attention.npz", allow_pickle=False) as archive:
        return dict(archive)


def tensors(case: dict[str, Any], side: str) -> dict[str, np.ndarray]:
    """The inputs or the outputs of a case by their names in the operator."""
    return {name: stored_arrays()[entry["array"]] for name, entry in case[side].items()}


def head_tensors(
    case: dict[str, Any], inputs: dict[str, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Query, key and value heads: fused 3-D inputs split, cached keys and values joined in
    front of the new ones.
    """
    query, key, value = inputs["Q"], inputs["K"], inputs["V"]
    if query.ndim == 3:
        n_heads, n_kv_heads = case["attributes"]["q_num_heads"], case["attributes"]["kv_num_heads"]
        query = split_heads(query, n_heads)
        key, value = split_heads(key, n_kv_heads), split_heads(value, n_kv_heads)
    if "past_key" in inputs:
        key = np.concatenate([inputs["past_key"], key], axis=2)
        value = np.concatenate([inputs["past_value"], value], axis=2)
    return query, key, value


def frontier(attributes: dict[str, Any], offset: int, n_queries: int, n_keys: int) -> np.ndarray:
    """The causal and the window mask for queries at positions offset, offset + 1, ...: a corner
    of a larger mask.
    """
    left, right = (attributes.get(f"{side}_window_size", -1) for side in ("left", "right"))
    rows, columns = max(offset, 0), max(-offset, 0)
    sizes = (n_queries + rows, n_keys + columns)
    allowed = window_mask(
        *sizes, left=None if left < 0 else left, right=None if right < 0 else right
    )
    if attributes.get("is_causal"):
        allowed = allowed & causal_mask(*sizes)
    return allowed[rows:, columns:]


def fill_keys(mask: np.ndarray, n_keys: int) -> np.ndarray:
    """A mask that is shorter than the keys hides the rest of them."""
    hidden = False if mask.dtype == bool else -np.inf
    width = [(0, 0)] * (mask.ndim - 1) + [(0, n_keys - mask.shape[-1])]
    return np.pad(mask, width, constant_values=hidden)


def mask_arguments(
    case: dict[str, Any], inputs: dict[str, np.ndarray], n_queries: int, n_keys: int
) -> dict[str, Any]:
    """The operator's masks as mask=, bias= and causal= of the engine; True means "may attend"
    in both.
    """
    attributes = case["attributes"]
    lengths = inputs.get("nonpad_kv_seqlen")
    past = inputs["past_key"].shape[2] if "past_key" in inputs else 0
    arguments: dict[str, Any] = {}
    masks = []
    if "attn_mask" in inputs:
        given = fill_keys(inputs["attn_mask"], n_keys)
        if given.dtype == bool:
            masks.append(given)
        else:
            arguments["bias"] = given
    if lengths is not None:
        masks.append(padding_mask(lengths, n_keys))
    if attributes.keys() & {"left_window_size", "right_window_size"} or past or lengths is not None:
        offsets = [past] if lengths is None else [int(length) - n_queries for length in lengths]
        masks.append(
            np.stack([frontier(attributes, offset, n_queries, n_keys) for offset in offsets])[
                :, np.newaxis
            ]
        )
    else:
        arguments["causal"] = bool(attributes.get("is_causal"))
    for mask in masks:
        arguments["mask"] = arguments["mask"] & mask if "mask" in arguments else mask
    return arguments


def run(case: dict[str, Any], dtype: str) -> dict[str, np.ndarray]:
    """What the engine gives for a case, under the operator's names."""
    attributes = case["attributes"]
    inputs = {
        name: array.astype(dtype) if array.dtype.kind == "f" else array
        for name, array in tensors(case, "inputs").items()
    }
    query, key, value = head_tensors(case, inputs)
    record = scaled_dot_product_attention(
        query,
        key,
        value,
        scale=attributes.get("scale"),
        softcap=attributes.get("softcap"),
        **mask_arguments(case, inputs, query.shape[2], key.shape[2]),
    )
    output = record.head_outputs
    stage = getattr(record, STAGE[attributes.get("qk_matmul_output_mode", 0)])
    return {
        "Y": merge_heads(output) if inputs["Q"].ndim == 3 else output,
        "present_key": key,
        "present_value": value,
        "qk_matmul_output": stage,
    }


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", CASES)
def test_engine_gives_the_operator_s_outputs(name: str, dtype: str) -> None:
    case = CASES[name]
    actual = run(case, dtype)
    for output, expected in tensors(case, "outputs").items():
        original = case["outputs"][output]["dtype"]
        rtol, atol = (
            (0.0, BFLOAT16_TOLERANCE) if original == "bfloat16" else (case["rtol"], case["atol"])
        )
        assert actual[output].shape == expected.shape, output
        rounded = actual[output].astype(expected.dtype)
        np.testing.assert_allclose(
            rounded, expected, rtol=rtol, atol=atol, err_msg=f"{name}: {output}"
        )


def test_no_case_is_forgotten() -> None:
    assert len(CASES) == 93


def onnx_rotary(x_BHTK: np.ndarray, base: float, start: int, interleaved: bool) -> np.ndarray:
    """ONNX RotaryEmbedding (opset 23) as its specification says it. Its rotary_embedding_dim, which
    turns only some features, is not in the engine.
    """
    n_tokens, width = x_BHTK.shape[2:]
    position_ids = np.arange(start, start + n_tokens)
    angles = position_ids[:, np.newaxis] * base ** (-np.arange(0, width, 2) / width)
    cos, sin = np.cos(angles), np.sin(angles)
    x1, x2 = (x_BHTK[..., 0::2], x_BHTK[..., 1::2]) if interleaved else np.split(x_BHTK, 2, axis=-1)
    real, imag = cos * x1 - sin * x2, sin * x1 + cos * x2
    if interleaved:
        return np.stack([real, imag], axis=-1).reshape(x_BHTK.shape)
    return np.concatenate([real, imag], axis=-1)


@pytest.mark.parametrize("interleaved", [True, False])
@pytest.mark.parametrize(
    ("width", "base", "start"), [(2, 10_000.0, 0), (8, 500.0, 3), (6, 1e6, 90)]
)
def test_rotary_positions_are_those_of_onnx(
    width: int, base: float, start: int, interleaved: bool
) -> None:
    x_BHTK = np.random.default_rng(width).normal(size=(2, 3, 5, width))
    rotary = Rotary(base, "neighbours" if interleaved else "halves", start)
    expected = onnx_rotary(x_BHTK, base, start, interleaved)
    np.testing.assert_allclose(turned(x_BHTK, rotary), expected, rtol=1e-12, atol=1e-14)
