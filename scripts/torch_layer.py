"""One layer of attention, written forwards in PyTorch, one operation a step, and numbers for it."""

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

Tensors = dict[str, Tensor]


def layer(given: Tensors, options: dict[str, Any], empty: float = 0.0) -> Tensors:
    """Every step of one layer. given: inputs, memory (or key and value), weights and biases,
    gains, sink, mask (True = may attend), bias. empty: what a row without a visible key holds.
    """
    n_heads = options["heads"]
    groups = options.get("groups", n_heads)
    steps = {"inputs": given["inputs"]}
    # A copy of the inputs, so that it has its own gradient: the part through keys and values.
    steps["memory"] = given["memory"] if "memory" in given else given["inputs"] * 1.0
    sources = [given.get(name, steps["memory"]) for name in ("key", "value")]
    cuts = (("query", "queries", n_heads), ("key", "keys", groups), ("value", "values", groups))
    for (_, fused, _), source in zip(cuts, (steps["inputs"], *sources), strict=True):
        rows = source @ given[f"w_{fused[0]}"] + given.get(f"b_{fused[0]}", 0)
        if (more := given.get(f"bias_{fused[0]}")) is not None:
            rows = torch.cat([rows, more.expand(len(rows), 1, -1)], dim=1)
        if options.get("add_zero_attn") and fused != "queries":
            rows = functional.pad(rows, (0, 0, 0, 1))
        steps[fused] = rows
    for one, fused, heads in cuts:
        steps[f"{one}_heads"] = steps[fused].unflatten(-1, (heads, -1)).transpose(1, 2)
    compared = []
    for one, fused, _ in cuts[:2]:
        heads = steps[f"{one}_heads"]
        if "norm" in options:
            gain = given[f"{one}_gain"]
            heads = functional.rms_norm(heads, gain.shape, gain, options["norm"])
            steps[f"normed_{fused}"] = heads
        if "rotary" in options:
            heads = steps[f"turned_{fused}"] = turned(heads, *options["rotary"])
        compared.append(heads)
    steps |= inside_heads(*compared, steps["value_heads"], given, options, empty)
    steps["merged"] = steps["head_outputs"].transpose(1, 2).flatten(2)
    mixed = steps["merged"] @ given["w_o"] if "w_o" in given else steps["merged"] * 1.0
    connection = given["inputs"] if options.get("residual") else 0
    steps["output"] = mixed + given.get("b_o", 0) + connection
    return steps


def turned(heads: Tensor, base: float, pairs: str, start: int) -> Tensor:
    """Every pair of features as a complex number, times e to i times its angle."""
    tokens, width = heads.shape[-2:]
    if pairs == "halves":
        heads = heads.unflatten(-1, (2, -1)).transpose(-1, -2).flatten(-2)
    places = torch.arange(start, start + tokens, dtype=torch.float64)
    angles = torch.outer(places, base ** -(torch.arange(0, width, 2, dtype=torch.float64) / width))
    pairs_of = torch.view_as_complex(heads.unflatten(-1, (-1, 2)).contiguous())
    found = torch.view_as_real(pairs_of * torch.polar(torch.ones_like(angles), angles))
    return found.transpose(-1, -2).flatten(-2) if pairs == "halves" else found.flatten(-2)


def inside_heads(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    given: Tensors,
    options: dict[str, Any],
    empty: float = 0.0,
) -> Tensors:
    """Scores, scaled, masked, probabilities and head outputs from the heads."""
    shared = query.shape[1] // key.shape[1]
    scores = query @ key.repeat_interleave(shared, dim=1).transpose(-1, -2)
    scale, cap = options.get("scale"), options.get("softcap")
    scaled = scores * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    scaled = scaled if cap is None else cap * torch.tanh(scaled / cap)
    allowed = torch.ones_like(scores, dtype=torch.bool)
    allowed = allowed.tril() if options.get("causal") else allowed
    allowed = allowed & given["mask"] if "mask" in given else allowed
    masked = (scaled + given.get("bias", 0)).masked_fill(~allowed, -torch.inf)
    # The scores of an empty row do not enter the softmax, whose gradient would be NaN.
    is_empty = torch.isneginf(masked).all(-1, keepdim=True)
    rows = masked.masked_fill(is_empty, 0)
    if "sink" in given:
        sink = given["sink"][:, None, None].expand(*rows.shape[:3], 1)
        rows = torch.cat([rows, sink], -1)
    shares = torch.softmax(rows, -1)[..., : masked.shape[-1]].masked_fill(is_empty, empty)
    outputs = shares @ value.repeat_interleave(shared, dim=1)
    names = ("scores", "scaled_scores", "masked_scores", "probabilities", "head_outputs")
    return dict(zip(names, (scores, scaled, masked, shares, outputs), strict=True))


def numbers(seed: int, *shape: int) -> Tensor:
    """Normal float64 numbers of one seed."""
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def hidden(seed: int, *shape: int, empty: int | None = None) -> Tensor:
    """True = ignore. The first key stays visible, but not to the query `empty`."""
    mask = torch.rand(*shape, generator=torch.Generator().manual_seed(seed)) < 0.4
    mask[..., 0] = False
    if empty is not None:
        mask[empty] = True
    return mask


def gradients(leaves: Tensors, result: Tensor, arriving: Tensor | None = None) -> Tensors:
    """What autograd gives for each leaf."""
    result.backward(arriving)
    return {name: leaf.grad for name, leaf in leaves.items() if leaf.grad is not None}


def trained(tensors: Tensors) -> Tensors:
    """Copies whose gradients are kept."""
    return {
        name: tensor.clone().requires_grad_(tensor.is_floating_point())
        for name, tensor in tensors.items()
    }
