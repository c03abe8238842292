"""What each field of a scenario may be: the choices, the bounds, and what the weights decide."""

from __future__ import annotations

from collections.abc import Mapping

from attention_core.embeddings import EMBEDDINGS
from attention_core.initialisation import INITIALISATIONS

from .trained.encoded_text import D_MODEL, N_HEADS, N_LAYERS
from .user_data.matrix_names import MAX_HEAD_WIDTH, MAX_HEADS, MAX_MATRIX_WIDTH, MAX_TOKENS

WEIGHT_KINDS = ("random", "weightless", "tied", "opposite", "orthonormal", "trained", "by hand")
DRAWN = ("random", "tied", "opposite", "orthonormal")  # weights that a seed decides
# What a trained layer decides in place of the controls: its sizes, its own cutting of words, its
# own vectors.
TRAINED = {
    "d_model": D_MODEL,
    "n_heads": N_HEADS,
    "d_k": D_MODEL // N_HEADS,
    "d_v": D_MODEL // N_HEADS,
    "d_o": 0,
    "piece": 0,
}
# What weights made by hand decide: they read whole words and have places of their own.
BY_HAND = {"piece": 0, "embedding": "normal", "positions": True}
OUTPUT_MATRICES = ("W_O", "none")  # none: the heads are joined and not mixed
SCALINGS = ("on", "off", "custom")
MASK_KINDS = ("none", "causal", "padding", "window", "painted")
# What each field may be, besides switches and texts that stand for numbers.
CHOICES: Mapping[str, tuple[str, ...]] = {
    "embedding": EMBEDDINGS,
    "weights": WEIGHT_KINDS,
    "init": tuple(INITIALISATIONS),
    "output_matrix": OUTPUT_MATRICES,
    "scaling": SCALINGS,
    "mask": MASK_KINDS,
}
FIELD_BOUNDS: Mapping[str, tuple[float, float]] = {
    "n_tokens": (0, MAX_TOKENS),
    "piece": (0, 12),
    "d_model": (1, MAX_MATRIX_WIDTH),
    "n_heads": (1, MAX_HEADS),
    "d_k": (0, MAX_HEAD_WIDTH),
    "d_v": (0, MAX_HEAD_WIDTH),
    "d_o": (0, MAX_HEAD_WIDTH),
    "layer": (0, N_LAYERS - 1),
    "seed": (0, 2**53 - 1),  # the largest whole number a browser holds exactly
    "scale": (-100.0, 100.0),
    "window": (0, MAX_TOKENS),
}
MAX_TEXT = 1000  # characters
