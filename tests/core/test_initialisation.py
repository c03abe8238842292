"""Random streams: one table, whose numbers stand behind addresses."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core.initialisation import Stream, generator

KNOWN = {
    "W_Q": 0,
    "W_K": 1,
    "W_V": 2,
    "W_O": 3,
    "B_Q": 4,
    "B_K": 5,
    "B_V": 6,
    "B_O": 7,
    "BASES": 8,
    "CHANGES": 9,
    "SPREADS": 10,
    "DROPOUT": 11,
    "PROBES": 12,
    "PADDING": 13,
    "TIMED_HEADS": 14,
    "TOKENS": 16,
    "LENGTHS": 17,
    "MEASURED_TOKENS": 18,
    "MEASURED_WEIGHTS": 19,
    "QUESTIONS": 20,
    "SEQUENCES": 22,
}


def test_a_stream_keeps_its_number() -> None:
    """Another number would draw other weights for a URL that is already in somebody's
    notes.
    """
    assert {name: int(stream) for name, stream in Stream.__members__.items()} == KNOWN


@pytest.mark.parametrize("seed", [0, 5, 2**64 - 1])
def test_streams_differ(seed: int) -> None:
    first = [int(generator(seed, stream).bit_generator.random_raw()) for stream in Stream]
    assert len(set(first)) == len(Stream)
    assert first[0] == int(np.random.default_rng(seed).bit_generator.random_raw())
