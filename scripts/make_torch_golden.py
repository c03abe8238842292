"""Golden values of every intermediate of attention, computed by PyTorch, as arrays that need only
NumPy to read.

Run by hand, in an environment of its own, when the PyTorch version or the list of cases changes:

    pip install torch==2.13.0 numpy==2.4.6
    python scripts/make_torch_golden.py

The inner steps are computed here with torch operations, one per step, and each case is checked
against PyTorch's own module: its output and its weights, in both precisions, with `need_weights` on
and off, averaged or per head, in evaluation and in training mode. The cases keep PyTorch's
arguments as they are (True in a mask of nn.MultiheadAttention means "ignore"); the test translates
them.

Writes tests/data/torch_golden.npz (every distinct array once) and tests/data/torch_golden.json
(which array is which).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from array_store import ArrayStore
from torch import Tensor
from torch_golden_cases import mha_cases, sdpa_cases

TORCH_VERSION = "2.13.0"
DATA = Path(__file__).resolve().parent.parent / "tests" / "data"
TOLERANCE = {torch.float64: 1e-13, torch.float32: 5e-6}
Tensors = dict[str, Tensor]


def cast(tensors: Tensors, dtype: torch.dtype) -> Tensors:
    """The floating-point tensors in one precision; masks of booleans stay."""
    return {
        name: tensor.to(dtype) if tensor.is_floating_point() else tensor
        for name, tensor in tensors.items()
    }


def as_bias(mask: Tensor, dtype: torch.dtype, true_means_attend: bool) -> Tensor:
    """A boolean or float mask as numbers to add: minus infinity where the query may not look."""
    if mask.dtype != torch.bool:
        return mask.to(dtype)
    hidden = ~mask if true_means_attend else mask
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(hidden, -torch.inf)


def head_steps(
    query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None, scale: float
) -> Tensors:
    """Scores, scaled, masked, probabilities and mixed values, one torch operation each."""
    group = query.shape[1] // key.shape[1]
    key, value = key.repeat_interleave(group, dim=1), value.repeat_interleave(group, dim=1)
    scores = query @ key.transpose(-1, -2)
    scaled = scores * scale
    masked = scaled if bias is None else scaled + bias
    probabilities = torch.softmax(masked, dim=-1)
    return {
        "scores": scores,
        "scaled_scores": scaled,
        "masked_scores": masked,
        "probabilities": probabilities,
        "head_outputs": probabilities @ value,
    }


def close(actual: Tensor, expected: Tensor, name: str) -> None:
    """Stop unless two tensors agree; NaN must meet NaN."""
    limit = TOLERANCE[expected.dtype] * max(1.0, float(expected.nan_to_num().abs().max()))
    torch.testing.assert_close(
        actual, expected, rtol=0, atol=limit, equal_nan=True, msg=lambda text: f"{name}: {text}"
    )


def mha_module(case: dict[str, Any], dtype: torch.dtype) -> torch.nn.MultiheadAttention:
    """PyTorch's module with the case's options and weights, in evaluation mode."""
    module = torch.nn.MultiheadAttention(**case["options"], dtype=dtype).eval()
    module.load_state_dict(cast(case["state"], dtype))
    return module


def mha_projections(case: dict[str, Any], state: Tensors, arguments: Tensors) -> Tensors:
    """Queries, keys and values before the split, batch first."""
    names = ("query", "key", "value")
    tokens = [arguments[name] for name in names]
    if tokens[0].ndim == 2:
        tokens = [token[None] for token in tokens]
    elif not case["options"].get("batch_first", True):
        tokens = [token.transpose(0, 1) for token in tokens]
    own_sizes = [state.get(f"{letter}_proj_weight") for letter in "qkv"]
    weights = state["in_proj_weight"].chunk(3) if "in_proj_weight" in state else own_sizes
    biases = state["in_proj_bias"].chunk(3) if "in_proj_bias" in state else [None] * 3
    projected = [
        torch.nn.functional.linear(*item) for item in zip(tokens, weights, biases, strict=True)
    ]
    if "bias_k" in state:
        projected[1:] = [
            torch.cat([rows, state[name].expand(len(rows), 1, -1)], dim=1)
            for rows, name in zip(projected[1:], ("bias_k", "bias_v"), strict=True)
        ]
    if case["options"].get("add_zero_attn"):
        projected[1:] = [torch.nn.functional.pad(rows, (0, 0, 0, 1)) for rows in projected[1:]]
    return {"inputs": tokens[0], **dict(zip(("queries", "keys", "values"), projected, strict=True))}


def mha_bias(case: dict[str, Any], arguments: Tensors, shape: tuple[int, ...]) -> Tensor | None:
    """attn_mask (T, S) or (B*H, T, S) and key_padding_mask (B, S) as one bias; appended keys
    are always visible.
    """
    dtype, parts = arguments["query"].dtype, []
    if "attn_mask" in arguments:
        mask = as_bias(arguments["attn_mask"], dtype, true_means_attend=False)
        parts.append(mask if mask.ndim == 2 else mask.unflatten(0, shape[:2]))
    if "key_padding_mask" in arguments:
        mask = as_bias(arguments["key_padding_mask"], dtype, true_means_attend=False)
        parts.append(mask.reshape(-1, 1, 1, mask.shape[-1]))
    if not parts:
        return None
    total = parts[0] if len(parts) == 1 else parts[0] + parts[1]
    return torch.nn.functional.pad(total, (0, shape[3] - total.shape[-1]))


def mha_fields(case: dict[str, Any], dtype: torch.dtype) -> Tensors:
    """Every intermediate of nn.MultiheadAttention, checked against the module."""
    n_heads = case["options"]["num_heads"]
    state, arguments = cast(case["state"], dtype), cast(case["arguments"], dtype)
    fields = mha_projections(case, state, arguments)
    heads = {
        f"{name}_heads": fields[fused].unflatten(-1, (n_heads, -1)).transpose(1, 2)
        for name, fused in (("query", "queries"), ("key", "keys"), ("value", "values"))
    }
    query, key, value = heads.values()
    bias = mha_bias(case, arguments, (len(query), n_heads, query.shape[2], key.shape[2]))
    fields |= heads | head_steps(query, key, value, bias, query.shape[-1] ** -0.5)
    fields["merged"] = fields["head_outputs"].transpose(1, 2).flatten(2)
    weight, offset = state["out_proj.weight"], state.get("out_proj.bias")
    fields["output"] = torch.nn.functional.linear(fields["merged"], weight, offset)
    check_mha(case, arguments, fields, dtype)
    return fields


def check_mha(
    case: dict[str, Any], arguments: Tensors, fields: Tensors, dtype: torch.dtype
) -> None:
    """The module's output and weights, per head, averaged and not asked for, in evaluation and
    in training mode.
    """
    module = mha_module(case, dtype)
    # average_attn_weights, need_weights, training
    for average, need_weights, training in ((0, 1, 0), (1, 1, 0), (0, 0, 0), (0, 1, 1)):
        module.train(bool(training))
        with torch.inference_mode():
            output, weights = module(
                **arguments,
                average_attn_weights=bool(average),
                need_weights=bool(need_weights),
                is_causal=case["is_causal"],
            )
        if output.ndim == 2:
            output, weights = output[None], None if weights is None else weights[None]
        elif not case["options"].get("batch_first", True):
            output = output.transpose(0, 1)
        # Without weights PyTorch takes scaled_dot_product_attention, which gives zeros, not NaN, to
        # empty rows.
        if need_weights or case["empty_rows"] == "zero":
            close(fields["output"], output, f"{case['name']} output")
        if weights is not None:
            own = fields["probabilities"].mean(1) if average else fields["probabilities"]
            close(own, weights, f"{case['name']} weights")


def sdpa_fields(case: dict[str, Any], dtype: torch.dtype) -> Tensors:
    """Every intermediate of scaled_dot_product_attention, checked against its output."""
    arguments = cast(case["arguments"], dtype)
    query, key, value = (arguments[name] for name in ("query", "key", "value"))
    scale = query.shape[-1] ** -0.5 if case["scale"] is None else case["scale"]
    mask = arguments.get("attn_mask")
    if case["is_causal"]:
        mask = torch.ones(query.shape[2], key.shape[2], dtype=torch.bool).tril()
    bias = None if mask is None else as_bias(mask, dtype, true_means_attend=True)
    fields = head_steps(query, key, value, bias, scale)
    output = torch.nn.functional.scaled_dot_product_attention(
        **arguments,
        is_causal=case["is_causal"],
        scale=case["scale"],
        enable_gqa=query.shape[1] != key.shape[1],
    )
    for name in ("probabilities", "head_outputs"):
        fields[name] = fields[name].nan_to_num(nan=0.0)
    close(fields["head_outputs"], output, case["name"])
    return fields


def freeze(case: dict[str, Any], fields_of: Any, store: ArrayStore) -> dict[str, Any]:
    """One case as plain values and array keys: arguments in float64, expected fields in both
    precisions.
    """
    plain = {key: value for key, value in case.items() if key not in ("state", "arguments")}
    for group in ("state", "arguments"):
        plain[group] = {
            name: store.add(tensor.numpy()) for name, tensor in case.get(group, {}).items()
        }
    for dtype in (torch.float64, torch.float32):
        label = str(dtype).removeprefix("torch.")
        plain[label] = {
            name: store.add(tensor.numpy()) for name, tensor in fields_of(case, dtype).items()
        }
    return plain


def main() -> None:
    """Build, check, freeze and write."""
    if torch.__version__.split("+")[0] != TORCH_VERSION:
        raise SystemExit(f"this needs torch {TORCH_VERSION}, found {torch.__version__}")
    torch.set_num_threads(1)
    store = ArrayStore()
    record = {
        "MultiheadAttention": [freeze(case, mha_fields, store) for case in mha_cases()],
        "scaled_dot_product_attention": [freeze(case, sdpa_fields, store) for case in sdpa_cases()],
    }
    store.write(DATA / "torch_golden.npz")
    groups = [
        f' "{name}": [\n' + ",\n".join("  " + json.dumps(case) for case in cases) + "\n ]"
        for name, cases in record.items()
    ]
    text = f'{{\n "torch": "{TORCH_VERSION}",\n' + ",\n".join(groups) + "\n}\n"
    (DATA / "torch_golden.json").write_text(text, encoding="utf-8")
    print({name: len(cases) for name, cases in record.items()}, len(store.arrays), "arrays")


if __name__ == "__main__":
    main()
