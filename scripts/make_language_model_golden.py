"""Makes tests/data/language_model.npz: every layer and head of the language model in PyTorch, for
two prompts.

Run by hand with PyTorch 2.13 (CPU) and NumPy; it reads assets/stories260k alone and uses nothing of
the product:

    python scripts/make_language_model_golden.py
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

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
    heads, groups, width = config["heads"], config["kv_heads"], config["dim"] // config["heads"]
    n_tokens, x = len(ids), w["embedding"][ids]
    probabilities, outputs, streams = [], [], [x]
    for n in range(config["layers"]):
        z = functional.rms_norm(x, (x.shape[-1],), w["attention_gain"][n], config["norm_epsilon"])
        q, k, v = ((z @ w[m][n]).view(n_tokens, -1, width).transpose(0, 1) for m in MATRICES)
        q, k = (turned(one, config["rotary_base"]) for one in (q, k))
        k, v = (one.repeat_interleave(heads // groups, dim=0) for one in (k, v))
        scores = q @ k.transpose(1, 2) / width**0.5
        hidden = torch.ones(n_tokens, n_tokens, dtype=torch.bool).triu(1)
        shares = scores.masked_fill(hidden, -torch.inf).softmax(dim=-1)
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        torch.testing.assert_close(mixed, shares @ v)
        probabilities.append(shares)
        outputs.append(mixed)
        x = x + mixed.transpose(0, 1).reshape(n_tokens, -1) @ w["w_o"][n]
        z = functional.rms_norm(
            x, (x.shape[-1],), w["feed_forward_gain"][n], config["norm_epsilon"]
        )
        x = x + (functional.silu(z @ w["w_1"][n]) * (z @ w["w_3"][n])) @ w["w_2"][n]
        streams.append(x)
    last = functional.rms_norm(x, (x.shape[-1],), w["last_gain"], config["norm_epsilon"])
    return {
        "probabilities": torch.stack(probabilities),
        "head_outputs": torch.stack(outputs),
        "streams": torch.stack(streams),
        "logits": last @ w["embedding"].T,
    }


MATRICES = ("w_q", "w_k", "w_v")


def turned(x: torch.Tensor, base: float) -> torch.Tensor:
    """Rotary positions on pairs of neighbours. Shapes: (heads, T, width), kept."""
    n_tokens, width = x.shape[-2:]
    angle = (
        torch.arange(n_tokens).double().outer(base ** -(torch.arange(0, width, 2).double() / width))
    )
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angle), angle)).flatten(-2)


if __name__ == "__main__":
    main()
