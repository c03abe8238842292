"""A text that a language model writes by itself, many beginnings at once, and what each head adds
to a token of it on average.

D model feature, H head, L layer, N text, T token.
"""

import numpy as np

from attention_core.checks import Array

from ..heads.weight_blocks import head_contributions
from .branches import Branches
from .byte_pairs import START
from .decoder import Decoder, run_batch
from .generation import KeyValueCache, draw, next_probabilities

N_TEXTS, N_TOKENS = 20, 48  # 960 tokens


def own_writing(decoder: Decoder, n_texts: int = N_TEXTS, n_tokens: int = N_TOKENS) -> Array:
    """Texts that the model writes from the start on, at temperature 1, with the seeds 0, 1, …

    They are those of `generate`, except that a text goes on when another story begins. Shapes:
    (N, T) int.
    """
    cache = KeyValueCache(decoder, 1)
    logits_NX = cache.extend([START]).logits.repeat(n_texts, axis=0)
    every = [cache.kept(layer) for layer in range(len(decoder.layers))]
    kept = [np.array(one) for one in zip(*every, strict=True)]
    branches, parents = Branches(decoder, kept), [-1] * n_texts
    texts = np.full((n_texts, n_tokens), START)
    for place in range(1, n_tokens):
        drawn = [draw(next_probabilities(one), seed, place) for seed, one in enumerate(logits_NX)]
        texts[:, place], first = drawn, len(branches)
        logits_NX = branches.extend(parents, drawn)
        parents = list(range(first, first + n_texts))
    return texts


def mean_parts(decoder: Decoder, texts_NT: Array) -> Array:
    """What each head adds to a token on average over some texts. Shapes: (L, H, D)."""
    traces, _ = run_batch(decoder, texts_NT)
    return np.array([head_contributions(trace).mean(axis=(0, 2)) for trace in traces])
