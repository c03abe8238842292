"""Golden gradients from PyTorch's autograd, as arrays that need only NumPy to read.

Run by hand, in an environment of its own, when the PyTorch version or the list of cases changes:

    pip install torch==2.13.0 numpy==2.4.6
    python scripts/make_gradient_golden.py

Writes tests/data/gradient_golden.npz (every distinct array once) and
tests/data/gradient_golden.json (which array is which). Nothing here is derived by hand: the layer
is written forwards and autograd does the rest.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import torch
from array_store import ArrayStore
from torch import Tensor

TORCH_VERSION = "2.13.0"
DATA = Path(__file__).resolve().parent.parent / "tests" / "data"
B, T, S, D, M, K, V, H, G = 2, 3, 5, 7, 11, 5, 3, 4, 2
D_OUT = 13
Tensors = dict[str, Tensor]

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
    shapes = {"w_q": (D, n_heads * K), "w_k": (d_memory, groups * K), "w_v": (d_memory, groups * V)}
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
    return given | {"output_gradient": numbers(13, B, tokens, d_out)}


def layer_gradients(options: dict[str, Any], given: Tensors) -> Tensors:
    """The gradient of every array of the layer: forwards step by step, then autograd."""
    leaves = {
        name: tensor.clone().requires_grad_()
        for name, tensor in given.items()
        if name not in NO_GRADIENT
    }
    n_heads = options.get("heads", H)
    groups = options.get("groups", n_heads)
    steps: Tensors = {"inputs": leaves["inputs"]}
    # A copy of the inputs, so that what comes back through keys and values can be told from the
    # rest.
    steps["memory"] = leaves["memory"] if "memory" in leaves else leaves["inputs"] * 1.0
    for fused, letter, source in (
        ("queries", "q", "inputs"),
        ("keys", "k", "memory"),
        ("values", "v", "memory"),
    ):
        steps[fused] = steps[source] @ leaves[f"w_{letter}"] + leaves.get(f"b_{letter}", 0)
    for name, fused, heads in (
        ("query", "queries", n_heads),
        ("key", "keys", groups),
        ("value", "values", groups),
    ):
        steps[f"{name}_heads"] = steps[fused].unflatten(-1, (heads, -1)).transpose(1, 2)
    key, value = (
        steps[f"{n}_heads"].repeat_interleave(n_heads // groups, dim=1) for n in ("key", "value")
    )
    steps["scores"] = steps["query_heads"] @ key.transpose(-1, -2)
    scaled = steps["scores"] * options.get("scale", 1 / math.sqrt(K))
    cap = options.get("softcap")
    steps["scaled_scores"] = scaled if cap is None else cap * torch.tanh(scaled / cap)
    steps["masked_scores"] = masked(options, given, steps["scaled_scores"] + given.get("bias", 0))
    # An empty row gives zeros; its scores are kept away from the softmax, whose gradient would be
    # NaN.
    empty = torch.isneginf(steps["masked_scores"]).all(-1, keepdim=True)
    steps["probabilities"] = torch.softmax(
        steps["masked_scores"].masked_fill(empty, 0), -1
    ).masked_fill(empty, 0)
    steps["head_outputs"] = steps["probabilities"] @ value
    steps["merged"] = steps["head_outputs"].transpose(1, 2).flatten(2)
    mixed = steps["merged"] @ leaves["w_o"] if "w_o" in leaves else steps["merged"] * 1.0
    steps["output"] = (
        mixed + leaves.get("b_o", 0) + (leaves["inputs"] if options.get("residual") else 0)
    )
    for tensor in steps.values():
        tensor.retain_grad()
    steps["output"].backward(given["output_gradient"])
    return {name: tensor.grad for name, tensor in (leaves | steps).items()}


NO_GRADIENT = ("mask", "bias", "output_gradient")


def masked(options: dict[str, Any], given: Tensors, scores: Tensor) -> Tensor:
    """Hidden scores become minus infinity."""
    allowed = torch.ones_like(scores, dtype=torch.bool)
    if options.get("causal"):
        allowed = allowed.tril()
    if "mask" in given:
        allowed = allowed & given["mask"]
    return scores.masked_fill(~allowed, -torch.inf)


def loss_cases() -> dict[str, tuple[Tensors, Tensors]]:
    """The three losses of the laboratories on a small output: value and gradient."""
    classes = torch.nn.functional.one_hot(torch.tensor([[[0, 2], [1, 1], [2, 0]]] * B), 3).double()
    plain = numbers(21, B, T, 2, 3)
    cases = {}
    for name, target in (
        ("squared error", plain),
        ("cross-entropy", classes),
        ("relative error", classes),
    ):
        output = numbers(20, B, T, 6).requires_grad_()
        parts = output.unflatten(-1, (2, 3))
        if name == "squared error":
            loss = torch.nn.functional.mse_loss(parts, target)
        elif name == "cross-entropy":
            loss = torch.nn.functional.cross_entropy(
                parts.flatten(0, 2), target.flatten(0, 2).argmax(-1)
            )
        else:
            loss = (parts.softmax(-1) - target).norm() / target.norm()
        loss.backward()
        cases[name] = (
            {"output": output.detach(), "target": target},
            {"loss": loss.detach(), "gradient": output.grad},
        )
    return cases


def adam_run() -> tuple[Tensors, Tensors]:
    """Six steps of torch.optim.Adam on a layer of two heads that brings back its left and right
    neighbour.
    """
    shapes = {
        "w_q": (D, 2 * K),
        "w_k": (D, 2 * K),
        "w_v": (D, 2 * V),
        "w_o": (2 * V, D_OUT),
        "b_o": (D_OUT,),
    }
    start = {name: 0.4 * numbers(30 + i, *shape) for i, (name, shape) in enumerate(shapes.items())}
    leaves = {name: tensor.clone().requires_grad_() for name, tensor in start.items()}
    optimiser = torch.optim.Adam(leaves.values(), lr=0.03)
    inputs, targets = numbers(40, 6, B, T, D), numbers(41, 6, B, T, D_OUT)
    for x, target in zip(inputs, targets, strict=True):
        heads = [
            (x @ leaves[name]).unflatten(-1, (2, -1)).transpose(1, 2)
            for name in ("w_q", "w_k", "w_v")
        ]
        mixed = torch.nn.functional.scaled_dot_product_attention(*heads).transpose(1, 2).flatten(2)
        optimiser.zero_grad()
        torch.nn.functional.mse_loss(mixed @ leaves["w_o"] + leaves["b_o"], target).backward()
        optimiser.step()
    ended = {name: tensor.detach() for name, tensor in leaves.items()}
    return {**start, "inputs": inputs, "targets": targets}, ended


def stack_run() -> tuple[Tensors, Tensors]:
    """Two layers of attention without W_O and x + tanh(x W + b), a classifier of the last
    token, cross-entropy.
    """
    shapes = {f"w_{letter}": (2, 4, 16, 4) for letter in "qkv"}
    shapes |= {"w_r": (2, 16, 16), "b_r": (2, 16), "w_c": (16, 10)}
    leaves = {
        name: (0.3 * numbers(50 + i, *shape)).requires_grad_()
        for i, (name, shape) in enumerate(shapes.items())
    }
    x = inputs = numbers(60, B, T, 16)
    target = torch.nn.functional.one_hot(torch.tensor([3, 8]), 10).double()
    for layer in range(2):
        query, key, value = (x[:, None] @ leaves[f"w_{letter}"][layer] for letter in "qkv")
        shares = torch.softmax(query @ key.transpose(-1, -2) / 4, dim=-1)
        heads = (shares @ value).transpose(1, 2).flatten(2)
        x = heads + torch.tanh(heads @ leaves["w_r"][layer] + leaves["b_r"][layer])
    loss = torch.nn.functional.cross_entropy(x[:, -1] @ leaves["w_c"], target.argmax(-1))
    loss.backward()
    given = {name: tensor.detach() for name, tensor in leaves.items()}
    return {**given, "inputs": inputs, "target": target}, {
        name: tensor.grad for name, tensor in leaves.items()
    }


def main() -> None:
    """Compute everything and write both files."""
    if not torch.__version__.startswith(TORCH_VERSION):
        raise SystemExit(f"PyTorch {TORCH_VERSION} is wanted, {torch.__version__} is here")
    store = ArrayStore()

    def stored(given: Tensors, expected: Tensors) -> dict[str, Any]:
        pairs = (("given", given), ("expected", expected))
        return {
            group: {name: store.add(t.detach().numpy()) for name, t in part.items()}
            for group, part in pairs
        }

    layers = {}
    for name, options in LAYERS.items():
        given = layer_arguments(options)
        layers[name] = {"options": options, **stored(given, layer_gradients(options, given))}
    record = {
        "torch": TORCH_VERSION,
        "layers": layers,
        "losses": {name: stored(*case) for name, case in loss_cases().items()},
        "adam": stored(*adam_run()),
        "stack": stored(*stack_run()),
    }
    store.write(DATA / "gradient_golden.npz")
    (DATA / "gradient_golden.json").write_text(
        json.dumps(record, indent=1) + "\n", encoding="utf-8"
    )
    print(f"{len(layers)} layers, {len(store.arrays)} arrays")


if __name__ == "__main__":
    main()
