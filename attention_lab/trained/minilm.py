"""The trained encoder that comes with the app: all-MiniLM-L6-v2, 6 layers of 12 heads, width 384.

Its files are in assets/minilm, with its licence (Apache-2.0) and origin; scripts/make_minilm.py
makes them. Source: Wang et al. 2020 (MiniLM); Reimers and Gurevych 2019 (Sentence-BERT).
"""

import hashlib
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.errors import FileError
from attention_core.projections import BIASES, Projections

from ..home import weights_folder
from ..layer_norm import Norm
from .encoder import EncoderLayer
from .feed_forward import FeedForward
from .wordpiece import Characters, CodePoints, WordPiece

MODEL_FOLDER = weights_folder()
CHECKSUMS = "checksums.json"
_READ_ERRORS = (OSError, ValueError, LookupError, TypeError, EOFError, zipfile.BadZipFile)
_MODEL_REMEDY = (
    "install it with `pip install ./weights` in the folder of the repository, or take assets/minilm"
    " from there again"
)


@dataclass(frozen=True, eq=False)
class MiniLM:
    """The parts of the model. The word vectors stay in the file, with 16 bits a number, for all
    sessions.

    Shapes: words (V, D) whole numbers, word_factors (1, D), positions (512, D), segment (D,).
    """

    wordpiece: WordPiece
    words: Array
    word_factors: Array
    positions: Array
    segment: Array
    word_norm: Norm
    layers: tuple[EncoderLayer, ...]


def word_vectors(model: MiniLM, ids: Sequence[int]) -> Array:
    """The inputs of the first layer: words + positions + segment, then LayerNorm. ids: the numbers
    of the tokens in the vocabulary. Shapes: (T, D).
    """
    words_TD = model.words[list(ids)] * model.word_factors
    summed_TD = words_TD + model.positions[: len(ids)] + model.segment
    return model.word_norm.of(summed_TD)


@lru_cache(maxsize=1)
def load_minilm(folder: Path = MODEL_FOLDER) -> MiniLM:
    """The model from its folder, loaded once per process. The checksum of every file is compared.

    Raises: FileError when the folder is missing or damaged.
    """
    try:
        if fault := _fault(folder):
            raise FileError(f"The trained model is {fault}; {_MODEL_REMEDY}")
        config = json.loads((folder / "config.json").read_bytes())
        wordpiece = WordPiece(_vocabulary(folder), _characters(folder))
        return assemble(_arrays(folder), config, wordpiece)
    except FileError:
        raise
    except _READ_ERRORS as error:
        raise FileError(
            f"The trained model in {folder.name} cannot be read; {_MODEL_REMEDY}"
        ) from error


def assemble(
    arrays: Mapping[str, Array], config: Mapping[str, Any], wordpiece: WordPiece
) -> MiniLM:
    """The model from its stacked arrays. Arrays of 16 bits have factors that turn them into
    float32.
    """
    epsilon, n_heads = float(config["layer_norm_eps"]), int(config["num_attention_heads"])
    numbers = range(config["num_hidden_layers"])
    return MiniLM(
        wordpiece,
        arrays["words"],
        arrays.get("words_factors", np.ones((1, 1), np.float32)),
        arrays["positions"],
        arrays["segment"],
        _norm(arrays["word_norm"], epsilon),
        tuple(_layer(arrays, number, n_heads, epsilon) for number in numbers),
    )


def _norm(stacked: Array, epsilon: float) -> Norm:
    gain_D, offset_D = stacked
    return Norm(gain_D, offset_D, epsilon)


def _layer(arrays: Mapping[str, Array], number: int, n_heads: int, epsilon: float) -> EncoderLayer:
    """One layer; arrays of 16 bits become float32 here, once."""

    def weights(name: str) -> Array:
        stored, factors = arrays[name][number], arrays.get(f"{name}_factors")
        weights_DF: Array = np.array(stored if factors is None else stored * factors[number])
        weights_DF.setflags(write=False)
        return weights_DF

    biases = dict(zip(BIASES, arrays["attention_biases"][number], strict=True))
    b_in, b_out = (arrays[f"feed_forward_{side}_biases"][number] for side in ("in", "out"))
    return EncoderLayer(
        Projections(*weights("attention"), n_heads=n_heads, **biases),
        _norm(arrays["attention_norms"][number], epsilon),
        FeedForward(weights("feed_forward_in"), b_in, weights("feed_forward_out"), b_out),
        _norm(arrays["output_norms"][number], epsilon),
    )


def _fault(folder: Path) -> str:
    """What is wrong with the files; "" if every one is there and unchanged."""
    if not (folder / CHECKSUMS).is_file():
        return f"not there: {folder.name} has no {CHECKSUMS}"
    sums = json.loads((folder / CHECKSUMS).read_bytes())
    if not isinstance(sums, dict) or not sums:
        return f"damaged: {CHECKSUMS} in {folder.name} lists no file"
    for name, expected in sums.items():
        if not (folder / name).is_file():
            return f"not complete: {folder.name} has no {name}"
        with (folder / name).open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != expected:
                return f"damaged: {name} in {folder.name} is not what it should be"
    return ""


def _arrays(folder: Path) -> dict[str, Array]:
    """The large arrays, which stay in their files until they are used, and the small ones."""
    large = {
        path.stem: np.load(path, mmap_mode="r", allow_pickle=False) for path in folder.glob("*.npy")
    }
    with (folder / "vectors.npz").open("rb") as file, np.load(file, allow_pickle=False) as small:
        return large | {name: small[name] for name in small.files}


def _vocabulary(folder: Path) -> dict[str, int]:
    lines = (folder / "vocab.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    return {token: number for number, token in enumerate(lines)}


def _characters(folder: Path) -> Characters:
    roles = json.loads((folder / "characters.json").read_bytes())
    return Characters(**{role: CodePoints(ranges) for role, ranges in roles.items()})
