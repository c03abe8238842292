"""Makes tests/data/folder_models.npz: logits, attentions and greedy text of one small model of each
family in transformers, with the weights of tests/lab/trained/small_folders.py.

Run by hand with PyTorch 2.13 (CPU), transformers and NumPy; it uses nothing of the product:

    pip install torch==2.13.0 transformers==5.24.0
    PYTHONPATH=. python scripts/make_folder_models_golden.py
"""

import json
from pathlib import Path

import numpy as np
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from tests.lab.trained.small_folders import FAMILIES, config_of, numbers

TARGET = Path(__file__).resolve().parent.parent / "tests" / "data" / "folder_models.npz"
IDS = [3, 17, 60, 0, 8, 8, 41, 22, 5, 33, 12]
N_NEW = 9
OFF = (1, 2)  # layer, head


def main() -> None:
    """Run every family and store what it gives."""
    arrays: dict[str, np.ndarray] = {}
    for name in FAMILIES:
        arrays |= {f"{name}_{part}": value for part, value in run(name).items()}
    np.savez_compressed(TARGET, ids=np.array(IDS), off=np.array(OFF), **arrays)
    print(f"{TARGET.name}: {TARGET.stat().st_size:,} bytes")


def run(name: str) -> dict[str, np.ndarray]:
    """The shapes of the weights, and what the model gives, also without a head."""
    entries = config_of(name)
    config = AutoConfig.for_model(**entries, attn_implementation="eager")
    model = AutoModelForCausalLM.from_config(config).eval()
    shapes = {}
    with torch.no_grad():
        for key, tensor in model.named_parameters():
            shapes[key] = list(tensor.shape)
            tensor.copy_(torch.from_numpy(numbers(key, tensor.shape)))
        ids = torch.tensor([IDS])
        made = model(ids, output_attentions=True)
        written = model.generate(ids, max_new_tokens=N_NEW, do_sample=False)[0, len(IDS) :]
        switch_off(model, name)
        without = model(ids)
    return {
        "shapes": np.array(json.dumps(shapes)),
        "logits": made.logits[0].numpy(),
        "attentions": torch.cat(made.attentions).numpy(),
        "written": written.numpy(),
        "without": without.logits[0, -1].numpy(),
    }


def switch_off(model: torch.nn.Module, name: str) -> None:
    """The rows of W_O of one head become 0."""
    layer, head = OFF
    if name == "gpt2":
        rows = model.transformer.h[layer].attn.c_proj.weight
    else:
        rows = model.model.layers[layer].self_attn.o_proj.weight.T
    width = rows.shape[0] // model.config.num_attention_heads
    rows[head * width : (head + 1) * width] = 0


if __name__ == "__main__":
    main()
