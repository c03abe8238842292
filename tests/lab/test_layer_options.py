"""Rotary positions, QK-norm and sinks of checkpoints of four kinds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core import FileError, HeadNorm, Projections, Rotary, ShapeError, attend
from attention_core.checks import Array
from attention_lab.choices import Scenario, choices_of_options, without_modern
from attention_lab.scenario import trace_of
from attention_lab.user_data.layer_import import import_layer
from attention_lab.user_data.layer_search import (
    USUAL_BASES,
    RotaryBase,
    find_layers,
    read_layer,
    read_options,
    rotary_base,
)
from attention_lab.user_data.matrix_files import write_npz
from attention_lab.user_data.user_matrices import UserMatrices, read_matrices
from tests.lab.named_weights import opened
from tests.lab.refusal import Facts, refused

D, H, G, K, T = 12, 3, 1, 4, 5
PREFIX = "model.layers.0.self_attn."
RNG = np.random.default_rng(5)
X = RNG.normal(size=(T, D))


def checkpoint(kind: str) -> dict[str, Array]:
    """A layer as a kind of model saves it, with numbers of 64 bits."""
    widths = {"q": H * K, "k": G * K, "v": G * K}
    arrays = {f"{PREFIX}{one}_proj.weight": RNG.normal(size=(n, D)) for one, n in widths.items()}
    arrays[f"{PREFIX}o_proj.weight"] = RNG.normal(size=(D, H * K))
    if kind in ("Qwen3", "Gemma 3"):
        arrays |= {f"{PREFIX}{one}_norm.weight": RNG.normal(size=K) for one in "qk"}
    if kind == "Gemma 3":
        arrays["model.layers.0.pre_feedforward_layernorm.weight"] = np.ones(D)
    if kind == "gpt-oss":
        arrays[f"{PREFIX}sinks"] = RNG.normal(size=H)
    return arrays


def expected(kind: str, arrays: dict[str, Array], base: float) -> Array:
    """The output with the options that a kind of model has, written out."""
    w = [arrays[f"{PREFIX}{one}_proj.weight"].T for one in "qkvo"]
    options: dict[str, Any] = {"rotary": Rotary(base, "halves")}
    if kind in ("Qwen3", "Gemma 3"):
        gains = [arrays[f"{PREFIX}{one}_norm.weight"] + (kind == "Gemma 3") for one in "qk"]
        options["head_norm"] = HeadNorm(*gains, epsilon=1e-6)
    if kind == "gpt-oss":
        options["sink"] = arrays[f"{PREFIX}sinks"]
    result: Array = attend(X, Projections(*w, n_heads=H, n_kv_heads=G), **options).output[0]
    return result


@pytest.mark.parametrize(
    ("kind", "own_options"),
    [("Llama", set()), ("Qwen3", {"head_norm"}), ("Gemma 3", {"head_norm"}), ("gpt-oss", {"sink"})],
)
def test_a_checkpoint_runs_as_it_is(kind: str, own_options: set[str]) -> None:
    """The layer alone, and in the story, also from the file that it gives."""
    arrays = checkpoint(kind)
    file = opened(arrays)
    (layer,) = find_layers(file)
    assert layer.saved_heads == (None if kind == "Llama" else H)
    assert rotary_base(file, layer) == RotaryBase(USUAL_BASES[kind], kind)
    projections = read_layer(file, layer, H)
    for base in (50.0, USUAL_BASES[kind]):
        options = read_options(file, layer, H, base)
        assert set(options) == {"rotary"} | own_options
        output = attend(X, projections, **options).output[0]
        np.testing.assert_allclose(output, expected(kind, arrays, base), atol=1e-12)
    own = import_layer(projections, X, options)
    again = read_matrices(write_npz(own.arrays), "own.npz")
    scenario = Scenario(n_heads=H, own=own.url_value(), **choices_of_options(options))
    story, from_file = (trace_of(replace(scenario, own=one.url_value())) for one in (own, again))
    np.testing.assert_allclose(story.output[0], output, atol=1e-12)
    assert from_file.output.tolist() == story.output.tolist()
    plain = trace_of(without_modern(scenario)).output
    assert kind == "Llama" or not np.allclose(plain, story.output)


def angles(base: float, n_pairs: int) -> Array:
    """By how much each pair of features turns."""
    result: Array = base ** (-np.arange(n_pairs) / n_pairs)
    return result


def found_base(saved: Array) -> RotaryBase | None:
    """What a checkpoint of a Llama with these angles tells of its base."""
    file = opened(checkpoint("Llama") | {"model.rotary_emb.inv_freq": saved})
    return rotary_base(file, find_layers(file)[0])


@pytest.mark.parametrize("base", [500.0, 10_000.0, 150_000.0, 12_345.6, 1e6, 1.0])
@pytest.mark.parametrize("n_pairs", [2, 64])
def test_the_base_of_the_file_counts(base: float, n_pairs: int) -> None:
    """Angles of bfloat16, whose 8 bits of precision are the upper ones, tell two digits of it."""
    exact = angles(base, n_pairs)
    assert found_base(exact) == found_base(exact.astype("f4")) == RotaryBase(base, "")
    if n_pairs == 64 and base > 1 and base != 12_345.6:
        upper = (exact.astype("f4").view("u4") & 0xFFFF0000).view("f4")
        assert found_base(upper) == RotaryBase(base, "")


@pytest.mark.parametrize(
    "saved",
    [
        angles(5e5, 64) / np.linspace(1, 8, 64),  # stretched, as in Llama 3.1
        np.array([1.0, 5e-324]),
        np.array([1.0, np.nan]),
        np.array([1.0, -1.0]),
        np.array([2.0, 2.0]),
        np.array([1, 0]),
        np.ones((2, 2)),
        np.ones(1),
    ],
)
def test_angles_that_no_base_gives_leave_that_of_the_kind(saved: Array) -> None:
    assert found_base(saved) == RotaryBase(USUAL_BASES["Llama"], "Llama")


SQUARE = {f"{PREFIX}{part}_proj.weight": np.ones((9, 9)) for part in "qkvo"}


@pytest.mark.parametrize(
    ("arrays", "n_heads", "facts"),
    [
        (SQUARE, 1, (9,)),  # an odd width has no pairs
        (checkpoint("Qwen3") | {f"{PREFIX}q_norm.weight": np.ones(5)}, H, ("heads",)),
        (checkpoint("Qwen3") | {f"{PREFIX}sinks": np.ones((H, 1))}, H, ("heads",)),
    ],
)
def test_what_does_not_fit_the_heads_is_refused(
    arrays: dict[str, Array], n_heads: int, facts: Facts
) -> None:
    file = opened(arrays)
    with refused(FileError, *facts):
        read_options(file, find_layers(file)[0], n_heads, 1e4)


def test_a_gain_that_fits_no_head_is_refused() -> None:
    own = UserMatrices(g_q=[1.0, 2.0, 3.0], sinks=[1.0, 2.0, 3.0]).url_value()
    with pytest.raises(ShapeError, match="gain"):
        trace_of(Scenario(own=own, qk_norm=True))
    with pytest.raises(ShapeError, match="sink"):
        trace_of(Scenario(own=own, sink=True))
    assert trace_of(Scenario(own=own)) is not None  # off: not read
