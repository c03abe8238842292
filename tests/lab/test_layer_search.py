"""Somebody's own weights: every naming that is understood gives back the matrices it was written
from, and a layer that cannot be used is refused.
"""

from __future__ import annotations

import io
import math
import struct
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core import FileError, Projections, Trace, attend
from attention_lab.export.trace_files import trace_to_npz
from attention_lab.files.weight_formats import open_weights
from attention_lab.user_data.layer_search import (
    OTHER_ARCHITECTURES,
    find_layers,
    possible_heads,
    read_layer,
    rotary_base,
)
from tests.lab.made_files import Arrays, npz, safetensors, tensor, with_header
from tests.lab.named_weights import (
    MATRICES,
    D,
    H,
    as_bert,
    as_gpt2,
    as_llama,
    as_separate_torch,
    as_torch,
    assert_same_weights,
    opened,
    weights,
)
from tests.lab.refusal import Facts, missing, refused


def as_nano_gpt(p: Projections) -> Arrays:
    """GPT-2 with transposed matrices."""
    return {name: array.T for name, array in as_gpt2(p).items()}


def zeros(*shape: int) -> np.ndarray:
    """Numbers of 32 bits."""
    return np.zeros(shape, np.float32)


TORCH = as_torch(weights())


@pytest.mark.parametrize("write", [safetensors, npz])
@pytest.mark.parametrize(
    ("naming", "title", "groups", "d_memory"),
    [
        (as_torch, "torch.nn.MultiheadAttention", H, D),
        (as_separate_torch, "torch.nn.MultiheadAttention with separate projections", H, 7),
        (as_bert, "BERT", H, 7),
        (as_gpt2, "GPT-2 or nanoGPT", H, D),
        (as_llama, "Llama", 2, D),
        (as_nano_gpt, "GPT-2 or nanoGPT", H, D),
    ],
)
def test_every_naming(naming: Any, title: str, groups: int, d_memory: int, write: Any) -> None:
    p = weights(groups, d_memory)
    file = opened(naming(p) | {"something.else": zeros(2, 2)}, write)
    (layer,) = find_layers(file)
    assert layer.naming.title == title
    assert (layer.d_model, H in layer.heads) == (D, True)
    assert_same_weights(read_layer(file, layer, H), p)


def test_a_download_comes_back() -> None:
    trace: Trace = attend(np.ones((3, D)), weights(2))
    file = open_weights(io.BytesIO(trace_to_npz(trace)), "trace.npz")
    (layer,) = find_layers(file)
    assert (layer.saved_heads, layer.likely_heads) == (H, H)
    assert_same_weights(read_layer(file, layer, H), trace.projections)


def test_layers_are_listed_in_order() -> None:
    arrays: Arrays = {}
    for number in (10, 9, 0):
        arrays |= as_bert(weights(), f"layer.{number}.")
    cross = as_bert(weights(), "layer.9.").items()
    arrays |= {name.replace(".attention", ".crossattention"): array for name, array in cross}
    layers = find_layers(opened(arrays))
    kinds = ("0.attention", "9.attention", "9.crossattention", "10.attention")
    assert [layer.prefix for layer in layers] == [f"layer.{kind}." for kind in kinds]
    assert missing(layers[0].title, "layer.0.attention", "BERT") == []


def test_notes_on_what_the_weights_do_not_hold() -> None:
    for naming, differences in (
        (as_bert, ()),
        (as_gpt2, ("causal", "norm")),
        (as_llama, ("causal", "rotary", "norm")),
    ):
        file = opened(naming(weights()))
        (layer,) = find_layers(file)
        assert layer.naming.differences == differences
        assert (rotary_base(file, layer) is None) == ("rotary" not in differences)
        assert " ".join(layer.notes) == " ".join(OTHER_ARCHITECTURES[key] for key in differences)
    (layer,) = find_layers(opened(TORCH | {"bias_k": zeros(4)}))
    assert missing(layer.notes[-1], "bias_k") == []


def test_the_number_of_heads() -> None:
    file = opened(as_llama(weights(2)))
    (layer,) = find_layers(file)
    assert layer.heads == (3, 6, 15, 30)
    assert [read_layer(file, layer, n_heads).n_heads for n_heads in layer.heads] == [3, 6, 15, 30]


@pytest.mark.parametrize(("width", "heads"), [(768, 12), (1024, 16), (384, 6), (12, 1), (65, 1)])
def test_the_usual_number_of_heads(width: int, heads: int) -> None:
    layer = find_layers(opened(TORCH))[0]
    wide = replace(layer, shapes={"w_q": (width, width)}, heads=possible_heads(*[width] * 4))
    assert wide.likely_heads == heads


def test_half_precision() -> None:
    arrays = as_bert(weights(), "").items()
    exact = {n: np.round(a * 4).astype(np.float16) for n, a in arrays if not n.endswith("bias")}
    file = opened(exact)
    read = read_layer(file, find_layers(file)[0], H)
    assert read.dtype == np.float32
    assert np.array_equal(read.w_q, exact["attention.self.query.weight"].T)
    assert read.b_q is None  # a file without biases
    upper_halves = struct.pack("<3H", 0x3F80, 0xC000, 0x3E80)
    brain = with_header({"a": tensor([3], 0, 6, "BF16")}, upper_halves)
    assert open_weights(io.BytesIO(brain), "b").read("a").tolist() == [1.0, -2.0, 0.25]
    assert opened({"a": np.ones(2)}).read("a").dtype == np.float64


@pytest.mark.parametrize(
    ("arrays", "facts"),
    [
        ({"a": zeros(3)}, ("a",)),
        ({"self.query.weight": zeros(4, 4)}, ("self.query.weight", "self.key.weight")),
        (TORCH | {"in_proj_weight": zeros(31, D)}, ("in_proj_weight", 31)),
        (TORCH | {"out_proj.weight": zeros(D, 7)}, ("(10, 30)", "(7, 10)")),
        (TORCH | {"out_proj.weight": zeros(D)}, ("out_proj.weight", "(10,)")),
        (TORCH | {"out_proj.weight": zeros(1, 32_769)}, (32_768, "(32769, 1)")),
        (
            as_bert(weights(), "x.") | {"x.attention.self.key.weight": zeros(4, 4)},
            ("x.attention.", "(4, 4)"),
        ),
    ],
)
def test_layers_that_cannot_be_used(arrays: Arrays, facts: Facts) -> None:
    with refused(FileError, *facts):
        find_layers(opened(arrays))


def test_an_odd_layer_does_not_hide_the_others() -> None:
    good = as_gpt2(weights(), "a.")
    narrow = as_gpt2(weights(), "b.") | {"b.attn.c_attn.weight": zeros(D, 31)}
    kernels = {f"*c*.{letter}_proj.weight": zeros(4, 4, 1, 1) for letter in "qkvo"}
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
    file = opened(TORCH | {"in_proj_bias": zeros(*shape)})
    with refused(FileError, "third", str(shape)):
        read_layer(file, find_layers(file)[0], H)
