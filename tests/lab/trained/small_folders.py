"""Small folders as Hugging Face saves models, made of numbers that a name and a place decide."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
WORDS = ("the", "cat", "sat", "on", "a", "mat")
FAMILIES: dict[str, dict[str, Any]] = {
    "gpt2": {"n_embd": 24, "n_head": 4, "n_layer": 2, "n_positions": 32, "vocab_size": 61},
    "llama": {"num_key_value_heads": 2, "head_dim": 8, "rope_theta": 500.0, "mlp_bias": True},
    "mistral": {
        "num_key_value_heads": 1,
        "head_dim": 6,
        "sliding_window": 5,
        "rope_parameters": {"rope_theta": 70.0, "rope_type": "default"},
    },
    "qwen2": {
        "num_key_value_heads": 2,
        "use_sliding_window": True,
        "sliding_window": 4,
        "max_window_layers": 1,
        "tie_word_embeddings": True,
    },
    "qwen3": {"num_key_value_heads": 2, "head_dim": 10, "attention_bias": True},
}
_OF_LLAMA = {
    "hidden_size": 24,
    "intermediate_size": 28,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 61,
    "max_position_embeddings": 64,
    "rms_norm_eps": 1e-5,
}


def config_of(name: str) -> dict[str, Any]:
    """What the config.json of a family says."""
    common = {} if name == "gpt2" else _OF_LLAMA
    return {"model_type": name, "eos_token_id": None} | common | FAMILIES[name]


def numbers(name: str, shape: Sequence[int]) -> Array:
    """Weights that look random, of whole-number arithmetic alone: around 1 for gains, else around 0
    and smaller for wider matrices. Shapes: as given, float32.
    """
    count = np.arange(math.prod(shape), dtype=np.uint64)
    mixed = (count + np.uint64(crc32(name.encode()))) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    uniform = (mixed >> np.uint64(40)).astype(np.float64) / 2**24 - 0.5
    is_gain = len(shape) == 1 and name.endswith("weight")
    scaled = 1 + uniform if is_gain else uniform * (4 / math.sqrt(shape[-1]) if shape[1:] else 1)
    return scaled.reshape(shape).astype(np.float32)


def safetensors(arrays: Mapping[str, Array], kind: str = "F32") -> bytes:
    """A file of these arrays, as numbers of one type: F32, F16, BF16 or F64."""
    header: dict[str, Any] = {}
    body = b""
    for name, array in arrays.items():
        data = _as_kind(array, kind).tobytes()
        offsets = [len(body), len(body) + len(data)]
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": offsets}
        body += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)  # as its library writes it
    return len(text).to_bytes(8, "little") + text + body


def _as_kind(array: Array, kind: str) -> Array:
    if kind == "BF16":
        return (np.ascontiguousarray(array, np.float32).view(np.uint32) >> 16).astype("<u2")
    return np.asarray(array).astype({"F32": "<f4", "F16": "<f2", "F64": "<f8"}[kind])


def tokenizer(n_pieces: int) -> dict[str, Any]:
    """A tokenizer.json of words and single bytes, as GPT-2's are: the bytes of letters first."""
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    # A space, a full stop, a new line, and the two bytes of é.
    pieces = ["<|endoftext|>", *letters, "\u0120", ".", "\u010a", "\u00c3", "\u00a9"]
    merges, known = [], set(pieces)
    for word in WORDS:
        left = "\u0120"
        for letter in word:
            if left + letter not in known:
                merges.append(f"{left} {letter}")
                pieces.append(left + letter)
                known.add(left + letter)
            left += letter
    assert len(pieces) <= n_pieces
    special = {"id": 0, "content": "<|endoftext|>", "special": True}
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    bytes_ = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": True,
    }
    model = {"type": "BPE", "vocab": {one: n for n, one in enumerate(pieces)}, "merges": merges}
    return {
        "version": "1.0",
        "added_tokens": [special | flags],
        "pre_tokenizer": bytes_,
        "decoder": bytes_,
        "model": model,
    }


def stories_tokenizer(pieces: Sequence[str], scores: Sequence[float]) -> dict[str, Any]:
    """The pieces of stories260K as a tokenizer.json: neighbours are joined in the order of the
    scores, characters without a piece become bytes, <s> stands first.
    """
    named = {piece.replace(" ", "\u2581"): number for number, piece in enumerate(pieces)}
    joins = [
        (-scores[number], number, f"{piece[:cut]} {piece[cut:]}")
        for piece, number in named.items()
        for cut in range(1, len(piece))
        if number > 258 and {piece[:cut], piece[cut:]} <= named.keys()
    ]
    space = {"pattern": {"String": " "}, "content": "\u2581", "type": "Replace"}
    first = {"normalizers": [{"type": "Prepend", "prepend": "\u2581"}, space], "type": "Sequence"}
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    special = [
        {"id": number, "content": pieces[number], "special": True} | flags for number in (0, 1, 2)
    ]
    start, text = (
        {"SpecialToken": {"id": "<s>", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
    )
    around = {
        "type": "TemplateProcessing",
        "single": [start, text],
        "pair": [start, text],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}},
    }
    model = {"type": "BPE", "vocab": named, "merges": [join for *_, join in sorted(joins)]}
    decoders = [space | {"pattern": {"String": "\u2581"}, "content": " "}, {"type": "ByteFallback"}]
    decoders += [{"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]
    return {
        "version": "1.0",
        "added_tokens": special,
        "normalizer": first,
        "post_processor": around,
        "decoder": {"type": "Sequence", "decoders": decoders},
        "model": model | {"byte_fallback": True, "unk_token": "<unk>"},
    }


def write_folder(
    folder: Path,
    config: Mapping[str, Any],
    arrays: Mapping[str, Array],
    kind: str = "F32",
    parts: int = 1,
    pieces: Mapping[str, Any] | None = None,
) -> Path:
    """All files of a model, its weights in one file or in parts with their index."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    words = json.dumps(pieces or tokenizer(config["vocab_size"]), ensure_ascii=False)
    (folder / "tokenizer.json").write_text(words, encoding="utf-8")
    if parts == 1:
        (folder / "model.safetensors").write_bytes(safetensors(arrays, kind))
        return folder
    places = {}
    for part in range(parts):
        name = f"model-{part + 1:05}-of-{parts:05}.safetensors"
        own = dict(list(arrays.items())[part::parts])
        (folder / name).write_bytes(safetensors(own, kind))
        places |= dict.fromkeys(own, name)
    index = {"metadata": {"total_size": 1}, "weight_map": places}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    return folder
