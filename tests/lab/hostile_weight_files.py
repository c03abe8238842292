"""Every file that must be refused, with its name and the facts that refusing it must name."""

from __future__ import annotations

import pickle
from collections.abc import Callable

from tests.lab.hostile_npz import HOSTILE_NPZ
from tests.lab.hostile_safetensors import HOSTILE_SAFETENSORS
from tests.lab.made_weight_files import archive
from tests.lab.refusal import Facts

HOSTILE: dict[str, tuple[str, Callable[[], bytes], Facts]] = {
    "a PyTorch file": (
        "model.pt",
        lambda: archive({"archive/data.pkl": b""}),
        ("model.pt", "torch.load"),
    ),
    "a PyTorch file renamed": (
        "model.npz",
        lambda: archive({"x/data.pkl": b"", "x/data/0": b""}),
        ("model.npz", "torch.load"),
    ),
    "a .bin": (
        "pytorch_model.bin",
        lambda: pickle.dumps([1], protocol=0),
        ("pytorch_model.bin", "safetensors.torch.save_file", "pytorch_model.safetensors"),
    ),
    "a bare pickle": (
        "model.safetensors",
        lambda: pickle.dumps({"w": [1]}),
        ("model.safetensors", "torch.load"),
    ),
    "nothing": ("model.safetensors", lambda: b"", ("model.safetensors",)),
    "wrong magic": ("model.npz", lambda: b"GGUF" + bytes(100), ("model.npz", ".safetensors")),
}
HOSTILE |= {fault: ("m.safetensors", *case) for fault, case in HOSTILE_SAFETENSORS.items()}
HOSTILE |= {fault: ("m.npz", *case) for fault, case in HOSTILE_NPZ.items()}
