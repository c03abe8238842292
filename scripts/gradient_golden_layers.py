"""The layers of make_gradient_golden.py, written forwards; autograd does the rest."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

B, T, S, D, M, K, V, H, G = 2, 3, 5, 7, 11, 5, 3, 4, 2
D_OUT = 13
Tensors = dict[str, Tensor]
NO_GRADIENT = ("mask", "bias", "output_gradient")

# Each layer: what differs from plain self-attention without biases.
LAYERS: dict[str, dict[str, Any]] = {
    "plain": {},
    "biases": {"biases": True},
    "causal": {"biases": True, "causal": True},
    "masked": {"biases": True, "mask": True},
    "empty row": {"mask": True, "empty_row": True},
    "additive bias": {"bias": True, "scale": 0.7},
    "cross": {"cross": True, "biases": True},
    "shared keys": {"cross": True, "groups": G, "biases": True},
    "one key head": {"groups": 1},
    "soft cap": {"softcap": 1.3, "biases": True},
    "residual": {"residual": True, "biases": True},
    "heads not mixed": {"mixed": False},
    "rotary": {"rotary": (10_000.0, "neighbours", 0), "width": 6, "biases": True},
    "rotary by halves": {"rotary": (50.0, "halves", 9), "width": 4, "groups": G, "causal": True},
    "head norm": {"norm": 0.01, "biases": True},
    "head norm, rotary, sink": {
        "norm": 0.1,
        "rotary": (10.0, "halves", 3),
        "width": 6,
        "sink": True,
        "mask": True,
        "empty_row": True,
        "cross": True,
        "groups": G,
    },
    "one head, one token": {"heads": 1, "tokens": 1},
}


def numbers(seed: int, *shape: int) -> Tensor:
    """Normal numbers of one seed."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def layer_arguments(options: dict[str, Any]) -> Tensors:
    """Inputs, weights, masks and the gradient that arrives at the output."""
    n_heads, tokens = options.get("heads", H), options.get("tokens", T)
    groups, cross = options.get("groups", n_heads), options.get("cross", False)
    n_keys, d_memory = (S, M) if cross else (tokens, D)
    d_out = (
        n_heads * V if not options.get("mixed", True) else D if options.get("residual") else D_OUT
    )
    given = {"inputs": numbers(1, B, tokens, D)}
    given |= {"memory": numbers(2, B, S, M)} if cross else {}
    d_k = options.get("width", K)
    shapes = {"w_q": (D, n_heads * d_k), "w_k": (d_memory, groups * d_k)}
    shapes |= {"w_v": (d_memory, groups * V)}
    shapes |= {"w_o": (n_heads * V, d_out)} if options.get("mixed", True) else {}
    given |= {
        name: numbers(seed, *shape) for seed, (name, shape) in enumerate(shapes.items(), start=3)
    }
    if options.get("biases"):
        given |= {
            f"b_{name[2:]}": numbers(seed, shape[1])
            for seed, (name, shape) in enumerate(shapes.items(), start=7)
        }
    if options.get("mask"):
        given["mask"] = numbers(11, B, 1, tokens, n_keys) < 0.5
        given["mask"][..., 0] = True
        if options.get("empty_row"):
            given["mask"][0, 0, 1] = False
    if options.get("bias"):
        given["bias"] = numbers(12, n_heads, tokens, n_keys)
    if options.get("norm"):
        given |= {"query_gain": numbers(14, d_k), "key_gain": numbers(15, d_k)}
    if options.get("sink"):
        given["sink"] = numbers(16, n_heads)
    return given | {"output_gradient": numbers(13, B, tokens, d_out)}


def layer_gradients(options: dict[str, Any], given: Tensors) -> Tensors:
    """The gradient of every array of the layer: forwards step by step, then autograd."""
    leaves = {
        name: tensor.clone().requires_grad_()
        for name, tensor in given.items()
        if name not in NO_GRADIENT
    }
    steps = projected(options, leaves)
    steps |= normed_and_turned(options, leaves, steps)
    steps |= inside_heads(options, given | leaves, steps)
    steps["merged"] = steps["head_outputs"].transpose(1, 2).flatten(2)
    mixed = steps["merged"] @ leaves["w_o"] if "w_o" in leaves else steps["merged"] * 1.0
    connection = leaves["inputs"] if options.get("residual") else 0
    steps["output"] = mixed + leaves.get("b_o", 0) + connection
    for tensor in steps.values():
        tensor.retain_grad()
    steps["output"].backward(given["output_gradient"])
    return {name: tensor.grad for name, tensor in (leaves | steps).items()}


def projected(options: dict[str, Any], leaves: Tensors) -> Tensors:
    """Inputs, memory, queries, keys and values, and the last three split into heads."""
    n_heads = options.get("heads", H)
    groups = options.get("groups", n_heads)
    steps: Tensors = {"inputs": leaves["inputs"]}
    # A copy of the inputs, so that it has its own gradient: the part through keys and values.
    steps["memory"] = leaves["memory"] if "memory" in leaves else leaves["inputs"] * 1.0
    sources = {"queries": "inputs", "keys": "memory", "values": "memory"}
    for fused, source in sources.items():
        letter = fused[0]
        steps[fused] = steps[source] @ leaves[f"w_{letter}"] + leaves.get(f"b_{letter}", 0)
    cut = {"query": ("queries", n_heads), "key": ("keys", groups), "value": ("values", groups)}
    for name, (fused, heads) in cut.items():
        steps[f"{name}_heads"] = steps[fused].unflatten(-1, (heads, -1)).transpose(1, 2)
    return steps


def normed_and_turned(options: dict[str, Any], leaves: Tensors, steps: Tensors) -> Tensors:
    """Queries and keys after QK-norm and rotary positions, where there are any."""
    made: Tensors = {}
    for role, plural in (("query", "queries"), ("key", "keys")):
        heads = steps[f"{role}_heads"]
        if "norm" in options:
            gain, width = leaves[f"{role}_gain"], heads.shape[-1:]
            heads = functional.rms_norm(heads, width, gain, options["norm"])
            made[f"normed_{plural}"] = heads
        if "rotary" in options:
            heads = made[f"turned_{plural}"] = turned(heads, *options["rotary"])
    return made


def turned(heads: Tensor, base: float, pairs: str, start: int) -> Tensor:
    """Every pair of features as a complex number, times e to i times its angle."""
    tokens, width = heads.shape[-2:]
    if pairs == "halves":
        heads = heads.unflatten(-1, (2, -1)).transpose(-1, -2).flatten(-2)
    places = torch.arange(start, start + tokens, dtype=torch.float64)
    angles = torch.outer(places, base ** -(torch.arange(0, width, 2, dtype=torch.float64) / width))
    numbers_of = torch.view_as_complex(heads.unflatten(-1, (-1, 2)).contiguous())
    found = torch.view_as_real(numbers_of * torch.polar(torch.ones_like(angles), angles))
    return found.transpose(-1, -2).flatten(-2) if pairs == "halves" else found.flatten(-2)


def inside_heads(options: dict[str, Any], given: Tensors, steps: Tensors) -> Tensors:
    """Scores, scaled, masked, probabilities and head outputs from the heads."""
    query, key, value = (
        steps.get(f"turned_{many}", steps.get(f"normed_{many}", steps[f"{one}_heads"]))
        for one, many in (("query", "queries"), ("key", "keys"), ("value", "values"))
    )
    shared = query.shape[1] // key.shape[1]
    scores = query @ key.repeat_interleave(shared, dim=1).transpose(-1, -2)
    scaled = scores * options.get("scale", 1 / math.sqrt(query.shape[-1]))
    cap = options.get("softcap")
    scaled = scaled if cap is None else cap * torch.tanh(scaled / cap)
    hidden = masked(options, given, scaled + given.get("bias", 0))
    # An empty row gives zeros. Its scores do not enter the softmax, whose gradient would be NaN.
    empty = torch.isneginf(hidden).all(-1, keepdim=True)
    rows = hidden.masked_fill(empty, 0)
    if "sink" in given:
        sink = given["sink"][:, None, None].expand(*rows.shape[:3], 1)
        rows = torch.cat([rows, sink], -1)
    shares = torch.softmax(rows, -1)[..., : hidden.shape[-1]].masked_fill(empty, 0)
    return {
        "scores": scores,
        "scaled_scores": scaled,
        "masked_scores": hidden,
        "probabilities": shares,
        "head_outputs": shares @ value.repeat_interleave(shared, dim=1),
    }


def masked(options: dict[str, Any], given: Tensors, scores: Tensor) -> Tensor:
    """Hidden scores become minus infinity."""
    allowed = torch.ones_like(scores, dtype=torch.bool)
    if options.get("causal"):
        allowed = allowed.tril()
    if "mask" in given:
        allowed = allowed & given["mask"]
    return scores.masked_fill(~allowed, -torch.inf)
