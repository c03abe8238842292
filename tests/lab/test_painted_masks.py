"""A painted mask travels in a link and comes back; any other text is refused with a sentence."""

from __future__ import annotations

import re
import tracemalloc
from functools import partial

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attention_core import SettingsError
from attention_lab.files.packed_text import HEADLESS, packed
from attention_lab.user_data.matrix_names import MAX_TOKENS
from attention_lab.user_data.painted_masks import (
    mask_from_text,
    mask_to_text,
    resize_mask,
)
from tests.lab.refusal import refused

ALL = np.ones((3, 5), dtype=bool)
SIDES = st.integers(1, MAX_TOKENS)


headless = partial(packed, wbits=HEADLESS)


@given(SIDES, SIDES, st.floats(0, 1), st.integers(0, 2**32 - 1))
@example(1, 1, 1.0, 0)
@example(64, 64, 0.5, 0)
def test_there_and_back(n_queries: int, n_keys: int, share: float, seed: int) -> None:
    mask = np.random.default_rng(seed).random((n_queries, n_keys)) < share
    text = mask_to_text(mask)
    assert (mask_from_text(text) == mask).all()
    assert mask_from_text(text).shape == mask.shape
    assert re.fullmatch(r"[0-9A-Za-z._-]{1,720}", text)


def test_a_few_strokes_are_a_short_text() -> None:
    few = np.ones((64, 64), dtype=bool)
    few.flat[np.random.default_rng(0).integers(4096, size=10)] = False
    for mask in (few, np.tri(64, dtype=bool), np.zeros((64, 64), dtype=bool)):
        assert len(mask_to_text(mask)) < 140


GOOD = mask_to_text(ALL)
HOSTILE = {
    "empty": "",
    "no size": "x.AAAA",
    "size only": "3x5.",
    "no rows": "0x5." + GOOD[4:],
    "leading zero": "03x5." + GOOD[4:],
    "minus": "-3x5." + GOOD[4:],
    "too wide": "3x65." + headless(bytes(25)),
    "too high": "99x1." + headless(bytes(13)),
    "digits of another script": "３x5." + GOOD[4:],
    "another size": "4x5." + GOOD[4:],
    "cut off": GOOD[:-2],
    "longer": GOOD + "AAAA",
    "line break": GOOD + "\n",
    "white space": " " + GOOD,
    "standard alphabet": "3x5.+/+/",
    "one letter": "3x5.A",
    "padding": GOOD + "=",
    "too few bytes": "3x5." + headless(bytes(1)),
    "too many bytes": "3x5." + headless(bytes(3)),
    "zlib with header": "3x5." + packed(bytes(2)),
    "null": "3x5.\0\0\0\0",
    "surrogate": "3x5.\ud800AAA",
    "very long": "3x5." + "A" * 1_000_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts(name: str) -> None:
    with refused(SettingsError, "painted mask"):
        mask_from_text(HOSTILE[name])


@settings(max_examples=80)
@given(
    st.one_of(
        st.text(max_size=40),
        st.from_regex(r"[1-9]{1,2}x[1-9]\.[A-Za-z0-9_-]{0,30}", fullmatch=True),
    )
)
def test_any_text_gives_a_mask_or_a_sentence(text: str) -> None:
    try:
        mask = mask_from_text(text)
    except SettingsError:
        return
    assert mask.dtype == np.bool_
    assert text.startswith("{}x{}.".format(*mask.shape))


@pytest.mark.parametrize(
    "text", ["64x64." + headless(bytes(400_000)), HOSTILE["very long"]], ids=["bomb", "long"]
)
def test_refusing_takes_no_memory(text: str) -> None:
    tracemalloc.start()
    try:
        with refused(SettingsError, "painted mask"):
            mask_from_text(text)
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


@given(SIDES, SIDES)
def test_a_painting_on_other_tokens(n_queries: int, n_keys: int) -> None:
    mask = np.random.default_rng(1).random((7, 11)) < 0.5
    found = resize_mask(mask, n_queries, n_keys)
    assert found.shape == (n_queries, n_keys)
    kept = (slice(min(7, n_queries)), slice(min(11, n_keys)))
    assert (found[kept] == mask[kept]).all()
    assert found.sum() - found[kept].sum() == n_queries * n_keys - mask[kept].size
