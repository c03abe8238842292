"""Modules of PyTorch with their inputs and outputs, as arrays that need only NumPy to read.

Run by hand, in an environment of its own, when the PyTorch version or the list of modules changes:

    pip install torch==2.13.0 numpy==2.4.6
    python scripts/make_torch_modules.py

Writes tests/data/torch_modules.npz: for each module its state_dict, num_heads, x, memory and
output.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

TORCH_VERSION = "2.13.0"
FILE = Path(__file__).resolve().parent.parent / "tests" / "data" / "torch_modules.npz"
MODULES = {
    "fused": {"embed_dim": 6, "num_heads": 3},
    "no_bias": {"embed_dim": 6, "num_heads": 2, "bias": False},
    "separate": {"embed_dim": 6, "num_heads": 3, "kdim": 5, "vdim": 5},
    "sequence_first": {"embed_dim": 6, "num_heads": 3, "batch_first": False},
}


def main() -> None:
    """Write the file."""
    if not torch.__version__.startswith(TORCH_VERSION):
        raise SystemExit(f"PyTorch {TORCH_VERSION} is needed, not {torch.__version__}")
    torch.manual_seed(0)
    arrays = {}
    for name, options in MODULES.items():
        options = {"batch_first": True, "dtype": torch.float64} | options
        module = torch.nn.MultiheadAttention(**options).eval()
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.normal_()
        x = torch.randn(2, 7, 6, dtype=torch.float64)
        memory = torch.randn(2, 4, options.get("kdim", 6), dtype=torch.float64)
        given = [x, memory, memory]
        if not options["batch_first"]:
            given = [sequence.transpose(0, 1) for sequence in given]
        output = module(*given)[0].detach()
        if not options["batch_first"]:
            output = output.transpose(0, 1)
        found = {f"state/{key}": value.numpy() for key, value in module.state_dict().items()}
        found |= {"num_heads": np.array(module.num_heads), "x": x.numpy()}
        found |= {"memory": memory.numpy(), "output": output.numpy()}
        arrays |= {f"{name}/{key}": value for key, value in found.items()}
    np.savez_compressed(FILE, **arrays)


if __name__ == "__main__":
    main()
