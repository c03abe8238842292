"""Sentences of different lengths in one batch: the shorter ones are filled up, and a mask hides what was filled in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..checks import Array, as_list
from ..embeddings import embed
from ..errors import TextError
from ..own.matrix_names import MAX_TOKENS
from ..text import tokenize
from . import padding_mask


@dataclass(frozen=True, eq=False)
class Batch:
    """Padded sentences. Shapes: inputs (B, T, D); tokens B tuples of T; lengths, the real tokens of each, B."""

    inputs: Array
    tokens: tuple[tuple[str, ...], ...]
    lengths: tuple[int, ...]

    @property
    def mask(self) -> Array:
        """Which keys are real tokens. Shapes: (B, 1, 1, T) bool."""
        return padding_mask(self.lengths, self.inputs.shape[1])


def batch_of(
    texts: Sequence[str], d_model: int, *, kind: str = "normal", positions: bool = True, piece: int = 0
) -> Batch:
    """One sequence per text, all as long as the longest, at most 64 tokens. Raises: TextError, SettingsError.

    >>> batch_of(["one two", "three"], d_model=4).tokens
    (('one', 'two'), ('three', '[pad]'))
    """
    if not (texts := as_list("texts", texts)):
        raise TextError("A batch needs at least one sentence: type one")
    longest = max(len(tokenize(text, piece=piece).tokens) for text in texts)
    sequences = [tokenize(text, piece=piece, n_tokens=min(longest, MAX_TOKENS)) for text in texts]
    inputs_BTD = np.stack([embed(s.tokens, d_model, kind=kind, positions=positions).inputs for s in sequences])
    return Batch(inputs_BTD, tuple(s.tokens for s in sequences), tuple(s.n_real for s in sequences))
