"""Layers in a file of weights that cannot be used, and why."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from attention_core import FileError
from attention_lab.user_data.layer_search import MAX_LAYER_WIDTH, find_layers, read_layer
from tests.lab.made_weight_files import Arrays
from tests.lab.named_weights import MATRICES, D, H, as_bert, as_gpt2, as_torch, opened, weights
from tests.lab.refusal import Facts, missing, refused


@pytest.mark.parametrize(
    ("arrays", "facts"),
    [
        (
            {"a": np.zeros(3, np.float32)},
            ("a",),
        ),
        (
            {"self.query.weight": np.zeros((4, 4), np.float32)},
            ("self.query.weight", "self.key.weight"),
        ),
        (
            as_torch(weights()) | {"in_proj_weight": np.zeros((31, D), np.float32)},
            ("in_proj_weight", 31),
        ),
        (
            as_torch(weights()) | {"out_proj.weight": np.zeros((D, 7), np.float32)},
            ("(10, 30)", "(7, 10)"),
        ),
        (
            as_torch(weights()) | {"out_proj.weight": np.zeros((D,), np.float32)},
            ("out_proj.weight", "(10,)"),
        ),
        (
            as_torch(weights())
            | {"out_proj.weight": np.zeros((1, MAX_LAYER_WIDTH + 1), np.float32)},
            (32_768, "(32769, 1)"),
        ),
        (
            as_bert(weights(), "x.")
            | {"x.attention.self.key.weight": np.zeros((4, 4), np.float32)},
            ("x.attention.", "(4, 4)"),
        ),
    ],
)
def test_layers_that_cannot_be_used(arrays: Arrays, facts: Facts) -> None:
    with refused(FileError, *facts):
        find_layers(opened(arrays))


def test_an_odd_layer_does_not_hide_the_others() -> None:
    good = as_gpt2(weights(), "a.")
    narrow = as_gpt2(weights(), "b.") | {"b.attn.c_attn.weight": np.zeros((D, 31), np.float32)}
    kernels = {f"*c*.{letter}_proj.weight": np.zeros((4, 4, 1, 1), np.float32) for letter in "qkvo"}
    (layer,) = find_layers(opened(kernels | good))
    assert layer.prefix == "a."
    assert missing(layer.notes[-1], 1, "'*c*.q_proj.weight'", "(4, 4, 1, 1)") == []
    (layer,) = find_layers(opened(narrow | good | kernels))
    assert missing(layer.notes[-1], 2, "b.attn.c_attn.weight", 31) == []
    with refused(FileError, "b.attn.c_attn.weight", 31):
        find_layers(opened(narrow | kernels))


def of_shape(rows: int, columns: int, **itemsizes: int) -> Any:
    """A file that says it holds a layer of these sizes, four bytes a number; none of its
    numbers can be read.
    """
    shapes = {name: (columns, rows) if name == "w_o" else (rows, columns) for name in MATRICES}
    n_bytes = {name: math.prod(shape) * itemsizes.get(name, 4) for name, shape in shapes.items()}
    return type(
        "Said", (), {"shapes": shapes, "labels": (), "n_bytes": lambda self, name: n_bytes[name]}
    )()


def test_more_memory_than_there_is_for_a_file() -> None:
    (layer,) = find_layers(of_shape(4096, 4096))
    assert layer.d_model == 4096
    for said, n_bytes in (
        (of_shape(4097, 4096), 268_500_992),
        (of_shape(32_768, 2270), 1_190_133_760),
        (of_shape(4096, 4096, w_v=8), 536_870_912),
    ):
        with refused(FileError, n_bytes, 268_435_456):
            find_layers(said)


@pytest.mark.parametrize("shape", [(31,), (), (0, 1)])
def test_a_joint_bias_that_cannot_be_cut(shape: tuple[int, ...]) -> None:
    file = opened(as_torch(weights()) | {"in_proj_bias": np.zeros(shape, np.float32)})
    with refused(FileError, "third", str(shape)):
        read_layer(file, find_layers(file)[0], H)
