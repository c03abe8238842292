"""Weights of other programs' modules and state dictionaries: each naming gives the same layer."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from attention_core import Projections, SettingsError, ShapeError, attend
from attention_core.layer_names import NAMINGS, Naming

D, H, G, K = 14, 6, 3, 5
RNG = np.random.default_rng(2)
X = RNG.normal(size=(7, D))


class Tensor:
    """Stands for a tensor with a gradient: NumPy reads it only after `detach`."""

    def __init__(self, array: np.ndarray, steps: tuple[str, ...] = ()) -> None:
        self.array, self.steps, self.shape = array, steps, array.shape

    dtype = "torch.bfloat16"

    def __getattr__(self, name: str) -> Callable[[], Tensor]:
        if name not in ("detach", "cpu", "float"):
            raise AttributeError(name)
        return lambda: Tensor(self.array, (*self.steps, name))

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        if self.steps != ("detach", "cpu", "float"):
            raise RuntimeError("requires grad")
        return self.array


def weights(groups: int) -> Projections:
    """A layer of six heads with all biases."""
    return Projections.random(D, H, d_k=K, d_v=K, n_kv_heads=groups, bias=True, seed=groups)


def state(p: Projections, naming: Naming, prefix: str = "") -> dict[str, Any]:
    """The arrays of a layer as a program with this naming keeps them."""
    found: dict[str, Any] = {}
    for part, suffix in naming.parts.items():
        kind, letters = part.split("_")
        arrays = [getattr(p, f"{kind}_{letter}") for letter in letters]
        if any(array is None for array in arrays):
            continue
        array = np.concatenate(arrays, axis=-1)
        if kind == "w" and naming.transposed is not False and "c_attn" not in str(naming.parts):
            array = array.T
        found[prefix + suffix] = Tensor(array)
    return found


@pytest.mark.parametrize("naming", NAMINGS, ids=lambda naming: naming.title)
@pytest.mark.parametrize("groups", [H, G])
def test_a_layer_comes_back_from_every_naming(naming: Naming, groups: int) -> None:
    joint = any("qkv" in part for part in naming.parts)
    made = weights(H if joint else groups)
    found = Projections.from_state_dict(state(made, naming), n_heads=H)
    assert found.groups == made.groups
    np.testing.assert_array_equal(attend(X, found).output, attend(X, made).output)


def test_a_layer_is_chosen_by_its_place_or_its_name() -> None:
    bert = next(naming for naming in NAMINGS if naming.title == "BERT")
    both = state(weights(H), bert, "layer.10.") | state(weights(G), bert, "layer.9.")
    for layer, groups in ((0, G), (1, H), ("layer.9", G), ("layer.10.", H)):
        assert Projections.from_state_dict(both, n_heads=H, layer=layer).groups == groups
    for wrong in (2, -1, "layer.1"):
        with pytest.raises(SettingsError, match=r"2 layers"):
            Projections.from_state_dict(both, n_heads=H, layer=wrong)


@pytest.mark.parametrize("config", [False, True])
def test_a_module_says_its_number_of_heads(config: bool) -> None:
    made, count = weights(H), SimpleNamespace(num_attention_heads=H)
    module = SimpleNamespace(state_dict=lambda: state(made, NAMINGS[0]))
    setattr(module, *(("config", count) if config else ("num_heads", H)))
    found = Projections.from_torch(module)
    np.testing.assert_array_equal(attend(X, found).output, attend(X, made).output)


def test_heads_that_the_widths_do_not_say_are_asked_for() -> None:
    made = Projections.random(7, 1, d_k=1, d_v=1)
    assert Projections.from_state_dict(state(made, NAMINGS[2])).n_heads == 1
    with pytest.raises(SettingsError, match=r"n_heads .*allow 1, 2, 3, 5, 6, 10, 15, 30"):
        Projections.from_state_dict(state(weights(H), NAMINGS[0]))


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("layer", "module"),
        (SimpleNamespace(state_dict=lambda: {"a": np.ones(3)}, num_heads=1), "no whole attention"),
        (SimpleNamespace(state_dict=dict, add_zero_attn=True, num_heads=1), "add_zero_attn"),
        (SimpleNamespace(state_dict=dict, bias_k=np.ones(3), num_heads=1), "bias_k"),
        (SimpleNamespace(state_dict=list, num_heads=1), "mapping"),
    ],
)
def test_what_is_no_layer_is_told(module: Any, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        Projections.from_torch(module)


def test_a_joint_matrix_that_cannot_be_cut_is_told() -> None:
    broken = {"in_proj_weight": np.ones((7, 3)), "out_proj.weight": np.ones((3, 3))}
    with pytest.raises(ShapeError, match="a third each"):
        Projections.from_state_dict(broken, n_heads=1)
