"""One layer's weights under the names that other programs give them."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np

from attention_core import Projections
from attention_lab.files.weight_formats import WeightFile, open_weights
from tests.lab.made_files import Arrays, safetensors

D, H, K = 10, 6, 5
MATRICES, BIASES = ("w_q", "w_k", "w_v", "w_o"), ("b_q", "b_k", "b_v", "b_o")


def weights(n_kv_heads: int = H, d_memory: int = D) -> Projections:
    """Random float32 weights with biases; the widths are no multiples of each other by accident."""
    return Projections.random(
        D, H, d_k=K, n_kv_heads=n_kv_heads, d_memory=d_memory, bias=True
    ).astype(np.float32)


def side_by_side(p: Projections, kind: str) -> np.ndarray:
    """Queries', keys' and values' matrices (w) or biases (b) as one array."""
    return np.concatenate([getattr(p, f"{kind}_{letter}") for letter in "qkv"], axis=-1)


def as_torch(p: Projections, prefix: str = "") -> Arrays:
    """nn.MultiheadAttention with fused projections."""
    names = {"in_proj_weight": side_by_side(p, "w").T, "in_proj_bias": side_by_side(p, "b")}
    names |= {"out_proj.weight": p.w_o.T, "out_proj.bias": p.b_o}
    return {prefix + name: array for name, array in names.items()}


def as_separate_torch(p: Projections, prefix: str = "") -> Arrays:
    """nn.MultiheadAttention with kdim or vdim: three matrices, one bias."""
    names = {f"{letter}_proj_weight": getattr(p, f"w_{letter}").T for letter in "qkv"}
    names |= {
        "in_proj_bias": side_by_side(p, "b"),
        "out_proj.weight": p.w_o.T,
        "out_proj.bias": p.b_o,
    }
    return {prefix + name: array for name, array in names.items()}


def as_gpt2(p: Projections, prefix: str = "transformer.h.0.") -> Arrays:
    """GPT-2, whose matrices are not transposed."""
    names = {"c_attn.weight": side_by_side(p, "w"), "c_attn.bias": side_by_side(p, "b")}
    names |= {"c_proj.weight": p.w_o, "c_proj.bias": p.b_o}
    return {f"{prefix}attn.{name}": array for name, array in names.items()}


def with_stems(*stems: str) -> Callable[..., Arrays]:
    """A naming with four matrices, each transposed, and their biases."""

    def named(p: Projections, prefix: str = "model.layers.0.") -> Arrays:
        made: Arrays = {}
        for stem, matrix, bias in zip(stems, MATRICES, BIASES, strict=True):
            made |= {
                f"{prefix}{stem}.weight": getattr(p, matrix).T,
                f"{prefix}{stem}.bias": getattr(p, bias),
            }
        return made

    return named


as_bert = with_stems(
    *(f"attention.{part}" for part in ("self.query", "self.key", "self.value", "output.dense"))
)
as_llama = with_stems(
    "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj"
)


def opened(arrays: Arrays, write: Callable[[Arrays], bytes] = safetensors) -> WeightFile:
    """A file with these arrays."""
    return open_weights(io.BytesIO(write(arrays)), "weights")


def assert_same_weights(one: Projections, other: Projections) -> None:
    """Every matrix and bias to the last bit, and the same heads."""
    assert (one.n_heads, one.groups) == (other.n_heads, other.groups)
    for name in MATRICES + BIASES:
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
