"""Somebody's own weights: every naming that is understood gives back the matrices it was
written from.
"""

from __future__ import annotations

import io
import math
import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core import FileError, Projections, SettingsError, Trace, attend
from attention_lab.export.trace_files import trace_to_npz
from attention_lab.files.weight_file import WeightFile
from attention_lab.files.weight_formats import open_weights
from attention_lab.user_data.layer_numbers import read_layer
from attention_lab.user_data.own_weights import MAX_WIDTH, FoundLayer, find_layers, possible_heads
from tests.lab.made_weight_files import Arrays, npz, safetensors, tensor, with_header
from tests.lab.refusal import Facts, missing, refused

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


@pytest.mark.parametrize("write", [safetensors, npz])
@pytest.mark.parametrize(
    ("naming", "title", "groups", "d_memory"),
    [
        (as_torch, "torch.nn.MultiheadAttention", H, D),
        (as_separate_torch, "torch.nn.MultiheadAttention with separate projections", H, 7),
        (as_bert, "BERT", H, 7),
        (as_gpt2, "GPT-2 or nanoGPT", H, D),
        (as_llama, "Llama", 2, D),
        (
            lambda p: {name: array.T for name, array in as_gpt2(p).items()},
            "GPT-2 or nanoGPT",
            H,
            D,
        ),  # nanoGPT's layers
    ],
)
def test_every_naming(naming: Any, title: str, groups: int, d_memory: int, write: Any) -> None:
    """Written under a naming, in either format, the weights come back as they were; fewer key
    heads are recognised.
    """
    p = weights(groups, d_memory)
    file = opened(naming(p) | {"something.else": np.zeros((2, 2), np.float32)}, write)
    (layer,) = find_layers(file)
    assert layer.naming.title == title
    assert (layer.d_model, H in layer.heads) == (D, True)
    assert_same_weights(read_layer(file, layer, H), p)


def test_weights_without_biases() -> None:
    """Biases may be absent."""
    file = opened(
        {name: array for name, array in as_bert(weights()).items() if not name.endswith("bias")}
    )
    read = read_layer(file, find_layers(file)[0], H)
    assert read.b_q is None
    assert np.array_equal(read.w_o, weights().w_o)


def test_a_download_comes_back() -> None:
    """The NPZ file that the app lets you download is a file of own weights, and it says how
    many heads it has.
    """
    trace: Trace = attend(np.ones((3, D)), weights(2))
    file = open_weights(io.BytesIO(trace_to_npz(trace)), "trace.npz")
    (layer,) = find_layers(file)
    assert (layer.saved_heads, layer.likely_heads) == (H, H)
    assert_same_weights(read_layer(file, layer, H), trace.projections)


def test_layers_are_listed_in_order() -> None:
    """Layer 10 comes after layer 9, cross-attention is its own layer, and titles say where each
    was found.
    """
    arrays: Arrays = {}
    for number in (10, 9, 0):
        arrays |= as_bert(weights(), f"encoder.layer.{number}.")
    cross = as_bert(weights(), "encoder.layer.9.")
    arrays |= {
        name.replace(".attention", ".crossattention"): array for name, array in cross.items()
    }
    layers = find_layers(opened(arrays))
    assert [layer.prefix for layer in layers] == [
        "encoder.layer.0.attention.",
        "encoder.layer.9.attention.",
        "encoder.layer.9.crossattention.",
        "encoder.layer.10.attention.",
    ]
    assert layers[0].title == "encoder.layer.0.attention (BERT)"


def test_what_the_weights_do_not_say() -> None:
    """A causal model, rotary positions and what stands beside the matrices are pointed out."""
    notes = {
        naming: find_layers(opened(naming(weights())))[0].notes
        for naming in (as_bert, as_gpt2, as_llama)
    }
    assert not notes[as_bert]
    assert "causal mask" in notes[as_gpt2][0]
    assert "position" in notes[as_llama][0]
    for naming, beside in (
        (as_torch, "bias_k"),
        (as_llama, "self_attn.q_norm.weight"),
        (as_llama, "self_attn.sinks"),
    ):
        extra = naming(weights(), prefix="") | {beside: np.zeros(4, np.float32)}
        assert "left out" in find_layers(opened(extra))[0].notes[-1]


@pytest.mark.parametrize(
    ("n_heads", "fits"), [(6, True), (3, True), (1, False), (4, False), (15, True), (30, True)]
)
def test_the_number_of_heads(n_heads: int, fits: bool) -> None:
    """30 query columns and 10 key columns can be cut into 3, 6, 15 or 30 heads; anything else
    lists these.
    """
    file = opened(as_llama(weights(2)))
    (layer,) = find_layers(file)
    assert layer.heads == (3, 6, 15, 30)
    if fits:
        assert read_layer(file, layer, n_heads).n_heads == n_heads
    else:
        with refused(SettingsError, "n_heads", n_heads, 3, 6, 15, 30):
            read_layer(file, layer, n_heads)


@pytest.mark.parametrize(("width", "heads"), [(768, 12), (1024, 16), (384, 6), (12, 1), (65, 1)])
def test_the_usual_number_of_heads(width: int, heads: int) -> None:
    """Where nothing says how many, heads of width 64 or a little more are proposed."""
    layer = find_layers(opened(as_torch(weights())))[0]
    wide = replace(layer, shapes={"w_q": (width, width)}, heads=possible_heads(*[width] * 4))
    assert isinstance(wide, FoundLayer)
    assert wide.likely_heads == heads


def test_half_precision() -> None:
    """float16 and bfloat16 weights become float32 with the numbers they hold; float64 stays."""
    exact = {
        name: np.round(array * 4).astype(np.float16) for name, array in as_bert(weights()).items()
    }
    file = opened(exact)
    read = read_layer(file, find_layers(file)[0], H)
    assert read.dtype == np.float32
    assert np.array_equal(
        read.w_q, exact["model.layers.0.attention.self.query.weight"].T.astype(np.float32)
    )
    upper_halves = struct.pack("<3H", 0x3F80, 0xC000, 0x3E80)
    brain = with_header({"a": tensor([3], 0, 6, "BF16")}, upper_halves)
    assert open_weights(io.BytesIO(brain), "b").read("a").tolist() == [1.0, -2.0, 0.25]
    assert (
        open_weights(io.BytesIO(safetensors({"a": np.ones(2)})), "d").read("a").dtype == np.float64
    )


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
            as_torch(weights()) | {"out_proj.weight": np.zeros((1, MAX_WIDTH + 1), np.float32)},
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
    """No layer, half a layer, or matrices that fit nothing: a sentence says which and why."""
    with refused(FileError, *facts):
        find_layers(opened(arrays))


def test_an_odd_layer_does_not_hide_the_others() -> None:
    """What cannot be used is left out of the list, and a note on every other layer says how
    many and why.
    """
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
    """A layer is refused from its shapes: one of Llama 2 7B is read, larger ones and it in
    double precision are not.
    """
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
    """A fused bias of another width than three times the heads' is a sentence, too."""
    file = opened(as_torch(weights()) | {"in_proj_bias": np.zeros(shape, np.float32)})
    with refused(FileError, "third", str(shape)):
        read_layer(file, find_layers(file)[0], H)
