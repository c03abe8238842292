"""Random layers for the property tests: Hypothesis chooses sizes and options, a seed the
numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from attention_core import HeadNorm, Projections, Rotary, Trace, attend

TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False)
class Layer:
    """One layer, what it reads, and options to choose from.

    Shapes: x (B, T, D), memory (B, S, M), mask and bias (B, H, T, S).
    """

    x: np.ndarray
    memory: np.ndarray
    projections: Projections
    mask: np.ndarray
    bias: np.ndarray
    rng: np.random.Generator

    def run(self, **options: Any) -> Trace:
        """The layer's record for some options; x and memory may be given too."""
        return attend(
            options.pop("x", self.x), self.projections, **{"memory": self.memory, **options}
        )

    def changed(self, **weights: Any) -> Layer:
        """The same layer with other weights."""
        return replace(self, projections=replace(self.projections, **weights))

    def astype(self, dtype: str) -> Layer:
        """The same layer with every number in another precision."""
        arrays = {name: getattr(self, name).astype(dtype) for name in ("x", "memory", "bias")}
        return replace(self, projections=self.projections.astype(dtype), **arrays)


@st.composite
def layers(
    draw: st.DrawFn, *, longest: int = 5, self_attention: bool = False, grouped: bool = True
) -> Layer:
    """Layers of all small sizes, with biases and cross-attention; about one row of the mask in
    five is empty.
    """
    size = st.integers(1, longest)
    B, T, S, D, M, K, V, G = (draw(size, label=letter) for letter in "BTSDMKVG")
    H = G * draw(st.integers(1, 3 if grouped else 1), label="readers of a key/value head")
    S, M = (T, D) if self_attention else (S, M)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    heights, widths = (D, M, M, H * V), (H * K, G * K, G * V, D)
    matrices = [
        rng.normal(size=shape) / np.sqrt(shape[0]) for shape in zip(heights, widths, strict=True)
    ]
    biases = {
        f"b_{name}": rng.normal(size=width) for name, width in zip("qkvo", widths, strict=True)
    }
    x = rng.normal(size=(B, T, D))
    mask = (rng.random((B, H, T, S)) < 0.6) & (rng.random((B, H, T, 1)) < 0.8)
    return Layer(
        x=x,
        memory=x if self_attention else rng.normal(size=(B, S, M)),
        projections=Projections(*matrices, n_heads=H, n_kv_heads=G, **biases),
        mask=mask,
        bias=rng.normal(size=(B, H, T, S)),
        rng=rng,
    )


@st.composite
def options(draw: st.DrawFn, layer: Layer, modern: bool) -> dict[str, Any]:
    """Some of the options of `attend`, in any combination; modern: also rotary positions, QK-norm
    and a sink.
    """
    choices = {
        "mask": layer.mask,
        "bias": layer.bias,
        "causal": True,
        "scale": 0.7,
        "softcap": 1.5,
        "residual": True,
    }
    if modern:
        gain = layer.rng.normal(size=layer.projections.d_k)
        choices |= {"head_norm": HeadNorm(1.5, gain), "sink": 0.5}
    if modern and layer.projections.d_k % 2 == 0:
        pairs = "halves" if layer.projections.d_k % 4 else "neighbours"
        choices["rotary"] = Rotary(100.0, pairs, start=3)
    chosen = draw(st.sets(st.sampled_from(sorted(choices))), label="options")
    return {name: choices[name] for name in sorted(chosen)}


@st.composite
def calls(draw: st.DrawFn, *, modern: bool = True, **kind: Any) -> tuple[Layer, dict[str, Any]]:
    """A layer together with options to run it with."""
    layer = draw(layers(**kind))
    return layer, draw(options(layer, modern))


def assert_same(actual: Any, expected: Any, tolerance: float = TOLERANCE) -> None:
    """Equal shapes, and equal numbers up to rounding (relative to the largest one)."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    largest = np.abs(expected[np.isfinite(expected)]).max(initial=1.0)
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * largest)
