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


def in_bfloat16(numbers: Array) -> Array:
    """Numbers with the 8 bits of precision of bfloat16."""
    found: Array = (numbers.astype(np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32)
    return found


def found_base(saved: Array) -> RotaryBase | None:
    """What a checkpoint of a Llama with these angles tells of its base."""
    file = opened(checkpoint("Llama") | {"model.rotary_emb.inv_freq": saved})
    return rotary_base(file, find_layers(file)[0])


@pytest.mark.parametrize("base", [500.0, 10_000.0, 150_000.0, 12_345.6, 1e6, 1.0])
@pytest.mark.parametrize("n_pairs", [2, 64])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_the_base_of_the_file_counts(base: float, n_pairs: int, kind: Any) -> None:
    assert found_base(angles(base, n_pairs).astype(kind)) == RotaryBase(base, "")


@pytest.mark.parametrize("base", [500.0, 10_000.0, 150_000.0, 1e6])
def test_angles_of_bfloat16_tell_two_digits_of_the_base(base: float) -> None:
    assert found_base(in_bfloat16(angles(base, 64))) == RotaryBase(base, "")


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


def test_an_odd_head_width_has_no_pairs() -> None:
    file = opened({name: np.ones((9, 9)) for name in (f"{PREFIX}{p}_proj.weight" for p in "qkvo")})
    (layer,) = find_layers(file)
    with pytest.raises(FileError, match="9"):
        read_options(file, layer, 1, 1e4)


@pytest.mark.parametrize(
    ("name", "array"), [("q_norm.weight", np.ones(5)), ("sinks", np.ones((H, 1)))]
)
def test_what_does_not_fit_the_heads_is_refused(name: str, array: Array) -> None:
    file = opened(checkpoint("Qwen3") | {PREFIX + name: array})
    (layer,) = find_layers(file)
    with pytest.raises(FileError, match="heads"):
        read_options(file, layer, H, 1e4)


def test_other_namings_turn_nothing() -> None:
    plain = {"in_proj_weight": np.ones((3 * 4, 4)), "out_proj.weight": np.ones((4, 4))}
    file = opened(plain)
    (layer,) = find_layers(file)
    assert rotary_base(file, layer) is None
    assert read_options(file, layer, 2, None) == {}


def test_a_gain_that_fits_no_head_is_refused() -> None:
    own = UserMatrices(g_q=[1.0, 2.0, 3.0])
    with pytest.raises(ShapeError, match="gain"):
        trace_of(Scenario(own=own.url_value(), qk_norm=True))
    sinks = UserMatrices(sinks=[1.0, 2.0, 3.0])
    with pytest.raises(ShapeError, match="sink"):
        trace_of(Scenario(own=sinks.url_value(), sink=True))
    assert trace_of(Scenario(own=sinks.url_value())) is not None  # off: not read
