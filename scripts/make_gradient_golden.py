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
from pathlib import Path
from typing import Any

import torch
from array_store import ArrayStore
from gradient_golden_layers import (
    D_OUT,
    LAYERS,
    B,
    D,
    K,
    T,
    Tensors,
    V,
    layer_arguments,
    layer_gradients,
    numbers,
)

TORCH_VERSION = "2.13.0"
DATA = Path(__file__).resolve().parent.parent / "tests" / "data"


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
    """Six steps of torch.optim.Adam on a layer of two heads."""
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
        raise SystemExit(f"this needs PyTorch {TORCH_VERSION}, found {torch.__version__}")
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
