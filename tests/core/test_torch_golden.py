"""The engine against golden values of every intermediate computed by PyTorch 2.13, read from frozen
arrays.

Made by scripts/make_torch_golden.py, which checks them against nn.MultiheadAttention and
scaled_dot_product_attention themselves. PyTorch's arguments are stored as they are: weights are
read as `Projections.from_torch` reads a module, and True in a mask of nn.MultiheadAttention means
"ignore". Dropout (random, only in training) has no golden value.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_core import (
    Projections,
    attend,
    merge_heads,
    scaled_dot_product_attention,
    split_heads,
)
from attention_core.layer_names import state_arguments

DATA = Path(__file__).resolve().parent.parent / "data"
RECORD = json.loads((DATA / "torch_golden.json").read_text(encoding="utf-8"))
MHA: dict[str, dict[str, Any]] = {case["name"]: case for case in RECORD["MultiheadAttention"]}
SDPA: dict[str, dict[str, Any]] = {
    case["name"]: case for case in RECORD["scaled_dot_product_attention"]
}
# These two options put a key and a value into the sequence that no token of it made.
APPENDED = [
    name for name, case in MHA.items() if case["options"].keys() & {"add_bias_kv", "add_zero_attn"}
]
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}
HEAD_FIELDS = ["scores", "scaled_scores", "masked_scores", "probabilities", "head_outputs"]
Arrays = dict[str, np.ndarray]


@cache
def stored_arrays() -> Arrays:
    """All frozen arrays by key."""
    with np.load(DATA / "torch_golden.npz", allow_pickle=False) as archive:
        return dict(archive)


def tensors(case: dict[str, Any], group: str, dtype: str) -> Arrays:
    """The arguments, weights or expected fields of a case; floats rounded to the wanted
    precision as PyTorch does.
    """
    arrays = {name: stored_arrays()[key] for name, key in case[group].items()}
    return {
        name: array.astype(dtype) if array.dtype.kind == "f" else array
        for name, array in arrays.items()
    }


def assert_agrees(record: object, expected: Arrays, fields: list[str], dtype: str) -> None:
    """The fields agree, relative to the largest number in each; NaN only where PyTorch has NaN."""
    for field in fields:
        actual = getattr(record, field)
        assert actual.dtype == dtype, field
        assert actual.shape == expected[field].shape, field
        largest = np.abs(expected[field][np.isfinite(expected[field])]).max(initial=0.0)
        tolerance = TOLERANCE[dtype] * max(1.0, largest)
        np.testing.assert_allclose(actual, expected[field], rtol=0, atol=tolerance, err_msg=field)


def batch_first(case: dict[str, Any], token: np.ndarray) -> np.ndarray:
    """(tokens, batch, features) as (batch, tokens, features), if the module was told so."""
    return token if case["options"]["batch_first"] or token.ndim == 2 else token.swapaxes(0, 1)


def weights_of(case: dict[str, Any], dtype: str) -> dict[str, Any]:
    """The arguments of `Projections` that the weights of a module give."""
    return state_arguments(tensors(case, "state", dtype), case["options"]["num_heads"], 0)


def mask_arguments(case: dict[str, Any], arguments: Arrays, n_appended: int = 0) -> dict[str, Any]:
    """attn_mask (T, S) or (B*H, T, S) and key_padding_mask (B, S) as mask= (True = may attend)
    and bias=.
    """
    given = []
    if "attn_mask" in arguments and not case["is_causal"]:
        mask = arguments["attn_mask"]
        n_heads = case["options"]["num_heads"]
        given.append(mask if mask.ndim == 2 else mask.reshape(-1, n_heads, *mask.shape[1:]))
    if "key_padding_mask" in arguments:
        given.append(arguments["key_padding_mask"][:, np.newaxis, np.newaxis, :])
    translated: dict[str, Any] = {"causal": case["is_causal"]}
    for mask in given:
        padded = np.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(0, n_appended)])
        if mask.dtype == bool:
            translated["mask"] = ~padded & translated.get("mask", True)
        else:
            translated["bias"] = padded + translated.get("bias", mask.dtype.type(0))
    return translated


def memory_arguments(
    arguments: Arrays, weights: dict[str, Any]
) -> tuple[np.ndarray | None, dict[str, Any]]:
    """One memory for keys and values: two inputs stand side by side, and zero weights skip the
    other one.
    """
    query, key, value = (arguments[name] for name in ("query", "key", "value"))
    if key is value or np.array_equal(key, value):
        return (None if np.array_equal(query, key) else key), weights
    w_k = np.concatenate(
        [weights["w_k"], np.zeros((value.shape[-1], weights["w_k"].shape[1]), query.dtype)]
    )
    w_v = np.concatenate(
        [np.zeros((key.shape[-1], weights["w_v"].shape[1]), query.dtype), weights["w_v"]]
    )
    return np.concatenate([key, value], axis=-1), weights | {"w_k": w_k, "w_v": w_v}


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", [name for name in MHA if name not in APPENDED])
def test_multihead_attention(name: str, dtype: str) -> None:
    case = MHA[name]
    arguments = tensors(case, "arguments", dtype)
    arguments |= {key: batch_first(case, arguments[key]) for key in ("query", "key", "value")}
    memory, weights = memory_arguments(arguments, weights_of(case, dtype))
    trace = attend(
        arguments["query"],
        Projections(**weights),
        memory=memory,
        empty_rows=case["empty_rows"],
        **mask_arguments(case, arguments),
    )
    expected = tensors(case, dtype, dtype)
    assert_agrees(trace, expected, list(expected), dtype)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", APPENDED)
def test_appended_keys_and_values(name: str, dtype: str) -> None:
    case = MHA[name]
    expected = tensors(case, dtype, dtype)
    n_heads = case["options"]["num_heads"]
    arguments, state = tensors(case, "arguments", dtype), tensors(case, "state", dtype)
    weights = weights_of(case, dtype)
    heads = []
    for letter, source in (("q", "query"), ("k", "key"), ("v", "value")):
        fused = arguments[source] @ weights[f"w_{letter}"] + weights.get(f"b_{letter}", 0)
        rows = [fused]
        if f"bias_{letter}" in state:
            rows.append(np.broadcast_to(state[f"bias_{letter}"], (len(fused), 1, fused.shape[-1])))
        if letter != "q" and case["options"].get("add_zero_attn"):
            rows.append(np.zeros((len(fused), 1, fused.shape[-1]), dtype))
        heads.append(split_heads(np.concatenate(rows, axis=1), n_heads))
    n_appended = heads[1].shape[2] - arguments["key"].shape[1]
    record = scaled_dot_product_attention(*heads, **mask_arguments(case, arguments, n_appended))
    assert_agrees(record, expected, HEAD_FIELDS, dtype)
    output = merge_heads(record.head_outputs) @ weights["w_o"] + weights.get("b_o", 0)
    np.testing.assert_allclose(output, expected["output"], rtol=0, atol=TOLERANCE[dtype] * 10)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", SDPA)
def test_scaled_dot_product_attention(name: str, dtype: str) -> None:
    case = SDPA[name]
    arguments = tensors(case, "arguments", dtype)
    mask = arguments.get("attn_mask")
    kind = {} if mask is None else {"mask" if mask.dtype == bool else "bias": mask}
    heads = (arguments[name] for name in ("query", "key", "value"))
    options = {"scale": case["scale"], "causal": case["is_causal"]} | kind
    record = scaled_dot_product_attention(*heads, **options)
    assert_agrees(record, tensors(case, dtype, dtype), HEAD_FIELDS, dtype)
