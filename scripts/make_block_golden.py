"""Golden values of a whole block, computed by nn.TransformerEncoderLayer of PyTorch, with the norms
before and after its two parts.

Run by hand as make_torch_golden.py. What each part of the module gives is caught on its way. Writes
tests/data/block_golden.
"""

from typing import Any

import torch
from array_store import need_version, write
from make_torch_golden import TORCH_VERSION, close
from torch import Tensor
from torch_layer import numbers

D_MODEL, N_HEADS, N_HIDDEN, N_TOKENS = 6, 2, 11, 5
# Norms first, activation, causal.
CASES = (
    (False, "relu", False),
    (True, "relu", True),
    (False, "gelu", True),
    (True, "gelu", False),
)
# What a part of the module gives, by our names.
PARTS = {
    "self_attn": "attention",
    "norm1": "first_norm",
    "linear1": "hidden",
    "linear2": "feed_forward",
    "norm2": "second_norm",
}


def block_case(norm_first: bool, activation: str, causal: bool) -> dict[str, Any]:
    """Weights, inputs, what each part gives, and the output."""
    module = torch.nn.TransformerEncoderLayer(
        D_MODEL,
        N_HEADS,
        N_HIDDEN,
        dropout=0.0,
        activation=activation,
        layer_norm_eps=1e-5,
        batch_first=True,
        norm_first=norm_first,
        dtype=torch.float64,
    )
    with torch.no_grad():
        for seed, (name, part) in enumerate(module.named_parameters(), start=70):
            drawn = numbers(seed, *part.shape)
            part.copy_(1 + 0.3 * drawn if name.startswith("norm") else 0.5 * drawn)
    given_by: dict[str, Tensor] = {}

    def caught(name: str) -> Any:
        def keep(_: Any, __: Any, given: Any) -> None:
            given_by[name] = (given[0] if isinstance(given, tuple) else given)[0].detach()

        return keep

    for part_name, name in PARTS.items():
        getattr(module, part_name).register_forward_hook(caught(name))
    x = numbers(90, 1, N_TOKENS, D_MODEL)
    mask = torch.ones(N_TOKENS, N_TOKENS, dtype=torch.bool).triu(1) if causal else None
    given_by["output"] = module(x, src_mask=mask)[0].detach()  # not in the mode with a fast path
    close(module.eval()(x, src_mask=mask)[0].detach(), given_by["output"], "with the fast path")
    settings = {"norm_first": norm_first, "activation": activation, "causal": causal}
    return settings | {"state": dict(module.state_dict()), "inputs": x[0], "expected": given_by}


def main() -> None:
    """Build, freeze and write."""
    need_version(torch, TORCH_VERSION)
    cases = [block_case(*settings) for settings in CASES]
    write("block_golden", {"torch": TORCH_VERSION, "cases": cases})


if __name__ == "__main__":
    main()
