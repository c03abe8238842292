"""The reach of windows over layers, against walks from token to token."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import SettingsError
from attention_lab.masks.reach import FULL_EVERY, layer_masks, layers_until, reach


@given(st.integers(1, 20), st.integers(1, 6), st.integers(1, 8), st.booleans())
def test_a_token_reaches_as_far_as_a_walk(
    n_tokens: int, window: int, n_layers: int, mixed: bool
) -> None:
    found = layers_until(layer_masks(n_tokens, window, n_layers, mixed))
    for query in range(n_tokens):
        first = {query: 0}  # key -> the layer after which it is reached
        for layer in range(1, n_layers + 1):
            sees_all = mixed and layer % FULL_EVERY == 0
            for place in list(first):
                for key in range(0 if sees_all else max(0, place - window + 1), place + 1):
                    first.setdefault(key, layer)
        first[query] = 1
        expected = [first.get(key, 0) for key in range(n_tokens)]
        assert found[query].tolist() == expected


@given(st.integers(1, 6), st.integers(1, 8))
def test_the_last_token_reaches_the_formula(window: int, n_layers: int) -> None:
    n_tokens = 60
    found = layers_until(layer_masks(n_tokens, window, n_layers))
    assert np.count_nonzero(found[-1]) == min(n_tokens, reach(window, n_layers))


@pytest.mark.parametrize(("window", "n_layers"), [(0, 1), (1, 0), (1, 13), (1.5, 1)])
def test_what_is_no_window_is_refused(window: float, n_layers: float) -> None:
    with pytest.raises(SettingsError):
        layer_masks(3, window, n_layers)
