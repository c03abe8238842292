"""Makes tests/data/language_model.npz: every layer and head of the language model in PyTorch, for
two prompts.

Run by hand with PyTorch 2.13 (CPU) and NumPy; it reads assets/stories260k alone and uses nothing of
the product:

    python scripts/make_language_model_golden.py
"""

import json
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional
from torch_layer import inside_heads, turned

HOME = Path(__file__).resolve().parent.parent
MODEL = HOME / "assets" / "stories260k"
PROMPTS = {
    "frog": [1, 385, 328, 432, 261, 376, 272, 420, 414, 428, 286, 399, 296, 418, 426, 291],
    "bytes": [1, 35, 403, 230, 133, 172, 13, 444],  # with bytes and a rare piece
}


def main() -> None:
    """Run both prompts and store what they give."""
    config = json.loads((MODEL / "config.json").read_text())
    with np.load(MODEL / "weights.npz") as file:
        weights = {name: torch.tensor(file[name]).double() for name in file.files}
    arrays: dict[str, np.ndarray] = {}
    for name, ids in PROMPTS.items():
        arrays[f"{name}_ids"] = np.array(ids)
        made = run(torch.tensor(ids), weights, config)
        arrays |= {f"{name}_{part}": value.numpy() for part, value in made.items()}
    np.savez_compressed(HOME / "tests" / "data" / "language_model.npz", **arrays)


def run(ids: torch.Tensor, w: dict[str, torch.Tensor], config: dict) -> dict[str, torch.Tensor]:
    """Probabilities and outputs of all heads, the vectors after each layer, and the logits."""
    x, norm = w["embedding"][ids], config["norm_epsilon"]
    width, base = config["dim"] // config["heads"], config["rotary_base"]
    made, streams = [], [x]
    for n in range(config["layers"]):
        z = functional.rms_norm(x, x.shape[-1:], w["attention_gain"][n], norm)
        q, k, v = (
            (z @ w[name][n])[None].unflatten(-1, (-1, width)).transpose(1, 2)
            for name in ("w_q", "w_k", "w_v")
        )
        q, k = (turned(one, base, "neighbours", 0) for one in (q, k))
        made.append(inside_heads(q, k, v, {}, {"causal": True}))
        own = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        torch.testing.assert_close(own, made[-1]["head_outputs"])
        x = x + made[-1]["head_outputs"][0].transpose(0, 1).flatten(1) @ w["w_o"][n]
        z = functional.rms_norm(x, x.shape[-1:], w["feed_forward_gain"][n], norm)
        x = x + (functional.silu(z @ w["w_1"][n]) * (z @ w["w_3"][n])) @ w["w_2"][n]
        streams.append(x)
    last = functional.rms_norm(x, x.shape[-1:], w["last_gain"], norm)
    kept = {
        part: torch.cat([one[part] for one in made]) for part in ("probabilities", "head_outputs")
    }
    return kept | {"streams": torch.stack(streams), "logits": last @ w["embedding"].T}


if __name__ == "__main__":
    main()
