"""The folder of the trained model: complete, shared through memory, and refused with a sentence
when damaged.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from attention_core import FileError
from attention_lab.trained.minilm import CHECKSUMS, MODEL_FOLDER, load_minilm, word_vectors
from tests.lab.refusal import refused

D, F, LAYERS, WORDS = 6, 7, 2, 11
LARGE = {
    "words": (WORDS, D),
    "attention": (LAYERS, 4, D, D),
    "feed_forward_in": (LAYERS, D, F),
    "feed_forward_out": (LAYERS, F, D),
}
SMALL = {
    "words_factors": (1, D),
    "attention_factors": (LAYERS, 4, 1, D),
    "feed_forward_in_factors": (LAYERS, 1, F),
    "feed_forward_out_factors": (LAYERS, 1, D),
    "attention_biases": (LAYERS, 4, D),
    "feed_forward_in_biases": (LAYERS, F),
    "feed_forward_out_biases": (LAYERS, D),
    "attention_norms": (LAYERS, 2, D),
    "output_norms": (LAYERS, 2, D),
    "positions": (5, D),
    "segment": (D,),
    "word_norm": (2, D),
}
CONFIG = {"layer_norm_eps": 1e-12, "num_attention_heads": 3, "num_hidden_layers": LAYERS}


def small_folder(folder: Path) -> Path:
    """A model of the same form with a few random numbers."""
    rng = np.random.default_rng(3)
    for name, shape in LARGE.items():
        np.save(folder / f"{name}.npy", rng.integers(-9, 10, shape).astype(np.int16))
    vectors = {name: rng.normal(size=shape).astype(np.float32) for name, shape in SMALL.items()}
    np.savez(folder / "vectors.npz", **vectors)
    (folder / "vocab.txt").write_text(
        "\n".join(f"w{n}" for n in range(WORDS)) + "\n", encoding="utf-8"
    )
    (folder / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    shutil.copy(MODEL_FOLDER / "characters.json", folder)
    return write_sums(folder)


def write_sums(folder: Path) -> Path:
    """Checksums for what the folder holds now."""
    files = [path for path in folder.iterdir() if path.name != CHECKSUMS]
    sums = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    (folder / CHECKSUMS).write_text(json.dumps(sums), encoding="utf-8")
    return folder


def test_the_folder_is_complete() -> None:
    listed = set(json.loads((MODEL_FOLDER / CHECKSUMS).read_text(encoding="utf-8")))
    present = {path.name for path in MODEL_FOLDER.iterdir()}
    assert listed == present - {CHECKSUMS, "LICENSE", "NOTICE"}
    assert "Apache License" in (MODEL_FOLDER / "LICENSE").read_text(encoding="utf-8")
    assert "all-MiniLM-L6-v2" in (MODEL_FOLDER / "NOTICE").read_text(encoding="utf-8")
    assert sum(path.stat().st_size for path in MODEL_FOLDER.iterdir()) < 50_000_000


def test_sessions_share_one_model() -> None:
    model = load_minilm()
    assert load_minilm() is model
    assert isinstance(model.words, np.memmap)
    assert model.words.shape == (30522, 384)
    assert [layer.attention.n_heads for layer in model.layers] == [12] * 6
    assert {layer.attention.dtype for layer in model.layers} == {np.dtype(np.float32)}
    assert not any(layer.feed_forward.w_in.flags.writeable for layer in model.layers)


def test_whole_numbers_times_their_factors(tmp_path: Path) -> None:
    folder = small_folder(tmp_path)
    model = load_minilm(folder)
    stored, small = np.load(folder / "attention.npy"), np.load(folder / "vectors.npz")
    p = model.layers[1].attention
    for place, matrix in enumerate((p.w_q, p.w_k, p.w_v, p.w_o)):
        assert matrix[4, 5] == stored[1, place, 4, 5] * small["attention_factors"][1, place, 0, 5]
    assert (p.b_v == small["attention_biases"][1, 2]).all()
    assert model.layers[1].feed_forward.w_in.shape == (D, F)
    words = np.load(folder / "words.npy")[[7, 3]] * small["words_factors"][0]
    summed = words + small["positions"][:2] + small["segment"]
    np.testing.assert_allclose(word_vectors(model, [7, 3]), model.word_norm.of(summed), rtol=1e-5)
    assert model.wordpiece.vocabulary["w7"] == 7


def test_no_folder(tmp_path: Path) -> None:
    with refused(FileError, "nowhere", "./weights"):
        load_minilm(tmp_path / "nowhere")


@pytest.mark.parametrize("with_sums", [False, True])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("words.npy", None),
        ("characters.json", None),
        ("config.json", b"{"),
        ("characters.json", b"{}"),
        ("words.npy", b"none"),
        ("vectors.npz", b"PK\x03\x04"),
        ("vocab.txt", b"\xff"),
        (CHECKSUMS, b"\xff"),
        (CHECKSUMS, b"[]"),  # sums that name no file would let anything pass
        (CHECKSUMS, b"{}"),
    ],
)
def test_a_damaged_folder_is_refused(
    tmp_path: Path, name: str, content: bytes | None, with_sums: bool
) -> None:
    """With the sum of the damaged file or without; the sentence names the folder, but not its path
    on a server.
    """
    path = small_folder(tmp_path) / name
    path.unlink() if content is None else path.write_bytes(content)
    if with_sums and name != CHECKSUMS:
        write_sums(tmp_path)
    facts = [] if with_sums or content == b"\xff" else [name]
    with refused(FileError, tmp_path.name, *facts) as caught:
        load_minilm(tmp_path)
    assert str(tmp_path.parent) not in str(caught.value)
