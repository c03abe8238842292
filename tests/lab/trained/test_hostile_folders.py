"""Folders that are damaged, that lie, or that lead elsewhere: each is refused by a sentence, before
memory is taken for what it claims.
"""

from __future__ import annotations

import builtins
import json
import os
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_core import FileError
from attention_lab import open_model
from attention_lab.trained.model_config import model_config
from attention_lab.trained.model_weights import weight_shapes
from tests.lab.refusal import refused
from tests.lab.trained.small_folders import FAMILIES, config_of, numbers, safetensors, write_folder

INDEX = "model.safetensors.index.json"


def arrays_of(name: str) -> dict[str, np.ndarray]:
    shapes = weight_shapes(model_config(config_of(name)))
    prefix = "transformer." if name == "gpt2" else "model."
    return {
        key if key == "lm_head.weight" else prefix + key: numbers(key, shape)
        for key, shape in shapes.items()
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "model", config_of("llama"), arrays_of("llama"))


@pytest.fixture
def in_parts(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "parts", config_of("llama"), arrays_of("llama"), parts=2)


def rewrite(folder: Path, name: str, change: Callable[[dict[str, Any]], None]) -> None:
    entries = json.loads((folder / name).read_text(encoding="utf-8"))
    change(entries)
    (folder / name).write_text(json.dumps(entries), encoding="utf-8")


def assert_refused(folder: Path, *facts: str | float) -> None:
    """Also without taking memory: what these folders really hold is less than a megabyte."""
    tracemalloc.start()
    try:
        with refused(FileError, *facts):
            open_model(folder)
        assert tracemalloc.get_traced_memory()[1] < 20 * 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("entries", "facts"),
    [
        ({"model_type": "bert"}, ("model_type", "bert")),
        ({"model_type": "mixtral", "num_local_experts": 8}, ("mixtral", "mixture of experts")),
        ({"model_type": "qwen3_moe", "num_experts": 4}, ("qwen3_moe", "mixture of experts")),
        ({"model_type": ["llama"]}, ("model_type",)),
        ({"rope_scaling": {"rope_type": "yarn", "factor": 4.0}}, ("rope_scaling", "yarn")),
        ({"rope_scaling": {"type": "linear", "factor": 2.0}}, ("rope_scaling", "linear")),
        ({"rope_parameters": {"rope_type": "llama3"}}, ("rope_parameters", "llama3")),
        ({"rope_scaling": "yarn"}, ("rope_scaling", "yarn")),
        ({"rope_parameters": {"partial_rotary_factor": 0.5}}, ("partial_rotary_factor", 0.5)),
        ({"rope_interleaved": True}, ("rope_interleaved",)),
        ({"rope_theta": "big"}, ("rope_theta", "big")),
        ({"rope_theta": 1e300}, ("base",)),
        ({"hidden_act": "quick_gelu"}, ("hidden_act", "quick_gelu")),
        ({"quantization_config": {"bits": 4}}, ("quantization_config",)),
        ({"num_attention_heads": 5}, ("num_attention_heads", 5, 2)),
        ({"num_key_value_heads": 3}, ("num_attention_heads", 4, 3)),
        ({"head_dim": 7}, (7,)),
        ({"vocab_size": 10**12}, ("vocab_size", 10**12)),
        ({"vocab_size": 2**20, "hidden_size": 2**15, "head_dim": 8}, (2**31,)),
        ({"num_hidden_layers": 10**9}, ("num_hidden_layers", 10**9)),
        ({"num_hidden_layers": True}, ("num_hidden_layers", "True")),
        ({"num_hidden_layers": 2.5}, ("num_hidden_layers", 2.5)),
        ({"hidden_size": None}, ("hidden_size", "None")),
        ({"rms_norm_eps": -1}, ("rms_norm_eps", -1)),
        ({"tie_word_embeddings": "yes"}, ("tie_word_embeddings", "yes")),
        ({"eos_token_id": "end"}, ("eos_token_id", "end")),
        ({"attention_bias": True}, ("model.layers.0.self_attn.q_proj.bias",)),
        ({"head_dim": 6}, ("model.layers.0.self_attn.q_proj.weight",)),
        ({"num_hidden_layers": 3}, ("model.layers.2.input_layernorm.weight",)),
        ({"num_hidden_layers": 1}, ("model.layers.1.input_layernorm.weight", "llama")),
        ({"max_position_embeddings": 0}, ("max_position_embeddings", 0)),
    ],
)
def test_a_config_that_does_not_fit(
    folder: Path, entries: dict[str, Any], facts: tuple[str | float, ...]
) -> None:
    rewrite(folder, "config.json", lambda config: config.update(entries))
    assert_refused(folder, *facts)


@pytest.mark.parametrize(
    ("name", "entries", "facts"),
    [
        ("gpt2", {"scale_attn_weights": False}, ("scale_attn_weights",)),
        ("gpt2", {"scale_attn_by_inverse_layer_idx": True}, ("scale_attn_by_inverse_layer_idx",)),
        ("gpt2", {"add_cross_attention": True}, ("add_cross_attention",)),
        ("gpt2", {"activation_function": "mish"}, ("mish",)),
        ("gpt2", {"n_positions": 16}, ("transformer.wpe.weight",)),
        ("gpt2", {"n_inner": 50}, ("transformer.h.0.mlp.c_fc.weight",)),
        ("qwen2", {"layer_types": ["full_attention"]}, ("layer_types",)),
        ("qwen2", {"layer_types": ["full_attention", "linear"]}, ("layer_types", "linear")),
        ("qwen3", {"layer_types": ["sliding_attention"] * 2}, ("layer_types",)),
        ("mistral", {"sliding_window": 0}, ("sliding_window", 0)),
    ],
)
def test_a_config_of_another_family(
    name: str, entries: dict[str, Any], facts: tuple[str | float, ...], tmp_path: Path
) -> None:
    write_folder(tmp_path, config_of(name) | entries, arrays_of(name))
    assert_refused(tmp_path, *facts)


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe not text",
        b"",
        b"[]",
        b"[" * 10_000,
        b'{"a":' * 60_000,
        b'{"model_type": "llama", "model_type": "gpt2"}',
        b'{"rms_norm_eps": NaN}',
        b'{"n": ' + b"9" * 5000 + b"}",
        b" " * (2**20 + 1),
        b"{" + b",".join(b'"k%d":0' % n for n in range(40_000)) + b"}",
    ],
)
@pytest.mark.parametrize("name", ["config.json", INDEX])
def test_damaged_json(in_parts: Path, name: str, data: bytes) -> None:
    (in_parts / name).write_bytes(data if name != INDEX else data * 1)
    assert_refused(in_parts)


def test_a_damaged_tokenizer(folder: Path) -> None:
    whole = (folder / "tokenizer.json").read_bytes()
    for data in (b"", b"{}", b"\xff", whole[:-9], b"[" * 100_000, b'{"model": {"type": "Own"}}'):
        (folder / "tokenizer.json").write_bytes(data)
        assert_refused(folder, "tokenizer.json")
    (folder / "tokenizer.json").write_bytes(whole.replace(b'"vocab": {', b'"vocab": {"zz": 61, '))
    assert_refused(folder, "tokenizer.json", 61)
    os.truncate(folder / "tokenizer.json", 2**26 + 1)  # a hole, which takes no room on the disk
    assert_refused(folder, "tokenizer.json", 2**26)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_missing_file_and_one_of_another_kind(folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert_refused(folder, name)
    (folder / name).mkdir()
    assert_refused(folder, name)
    (folder / name).rmdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / name)  # opening it would wait for ever
        assert_refused(folder, name)


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right of their own there")
@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_link_out_of_the_folder(folder: Path, name: str, tmp_path: Path) -> None:
    (folder / name).rename(tmp_path / "outside")
    (folder / name).symlink_to(tmp_path / "outside")
    assert_refused(folder, name)
    (folder / name).unlink()
    (folder / name).symlink_to(folder / name)  # to itself
    assert_refused(folder, name)
    (folder / name).unlink()
    (tmp_path / "outside").rename(folder / "inside")
    (folder / name).symlink_to(folder / "inside")
    open_model(folder)


@pytest.mark.parametrize(
    "place", ["../outside.safetensors", "/etc/passwd", "sub/x.safetensors", "..", "", ".", "a\nb"]
)
def test_an_index_that_leads_elsewhere(in_parts: Path, place: str) -> None:
    (in_parts / "sub").mkdir()
    for file in (in_parts.parent / "outside.safetensors", in_parts / "sub" / "x.safetensors"):
        file.write_bytes(safetensors(arrays_of("llama")))
    rewrite(in_parts, INDEX, lambda index: index["weight_map"].update({"model.norm.weight": place}))
    assert_refused(in_parts)


def test_an_index_that_does_not_fit(in_parts: Path) -> None:
    whole = (in_parts / INDEX).read_bytes()
    for change in (
        {"weight_map": []},
        {"weight_map": {"model.norm.weight": 3}},
        {"weight_map": {f"n{one}": f"{one}.safetensors" for one in range(65)}},
        {"weight_map": {}},
    ):
        rewrite(in_parts, INDEX, lambda index, change=change: index.update(change))
        assert_refused(in_parts)
    (in_parts / INDEX).write_bytes(whole)
    rewrite(in_parts, INDEX, lambda index: index["weight_map"].pop("model.norm.weight"))
    assert_refused(in_parts, "model.norm.weight")
    (in_parts / INDEX).write_bytes(whole)
    other = "model-00002-of-00002.safetensors"
    (in_parts / other).unlink()
    assert_refused(in_parts, other)


def test_weights_that_do_not_fit(folder: Path) -> None:
    arrays, file = arrays_of("llama"), folder / "model.safetensors"
    whole = safetensors(arrays)
    file.write_bytes(whole[:-4])
    assert_refused(folder)
    file.write_bytes(safetensors(arrays, "F64"))
    assert_refused(folder, "F64")
    file.write_bytes(safetensors(arrays | {"model.layers.0.lora.weight": np.ones(3)}))
    assert_refused(folder, "model.layers.0.lora.weight")
    for name in ("model.norm.weight", "model.layers.1.self_attn.k_proj.weight"):
        bad = arrays[name].copy()
        bad.flat[3] = np.nan
        file.write_bytes(safetensors(arrays | {name: bad}))
        assert_refused(folder, name.removeprefix("model."))
    # A header that claims more than there is.
    claim = json.dumps({"a": {"dtype": "F32", "shape": [2**40], "data_offsets": [0, 2**42]}})
    file.write_bytes(len(claim).to_bytes(8, "little") + claim.encode())
    assert_refused(folder)


def test_a_pickle_is_named(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    assert_refused(folder, "pytorch_model.bin", "pickle")


@pytest.mark.parametrize("path", ["", "no such folder", "\0", 3, None])
def test_no_folder(path: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    with refused(FileError):
        open_model(path)
    (tmp_path / "file").touch()
    with refused(FileError, "file"):
        open_model(tmp_path / "file")


def test_without_the_library_an_error_says_what_to_install(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "tokenizers":
            raise ImportError(name)
        return usual(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with refused(FileError, "tokenizers") as caught:
        open_model(folder)
    assert 'pip install ".[models]"' in str(caught.value)


def test_every_family_opens(tmp_path: Path) -> None:
    for name in FAMILIES:
        model = open_model(write_folder(tmp_path / name, config_of(name), arrays_of(name)))
        assert model.n_layers == 2
