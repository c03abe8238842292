"""A batch of sentences: filled up to the longest, masked, and each as if it were alone."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core import TextError
from attention_lab.choices import edits_of
from attention_lab.compare import gap_alone
from attention_lab.export.script import notebook, script
from attention_lab.export.trace_files import trace_to_npz
from attention_lab.scenario import Scenario, sequence_of, trace_of
from attention_lab.sentences import (
    MAX_SENTENCES,
    alone,
    batch_notes,
    in_batch,
    sentences_of,
    tokens_of,
)
from attention_lab.user_data.edits import Edit, Edits
from attention_lab.user_data.painted_masks import mask_to_text
from attention_lab.user_data.user_matrices import UserMatrices
from tests.lab.refusal import missing, refused
from tests.lab.test_script import run

BATCH = Scenario("we like green tea today", d_model=6, n_heads=2, batch="it slept\nthe dog ran")
LENGTHS = (5, 2, 3)
LABELS = tuple(tokens_of(in_batch(BATCH, place)).tokens for place in range(3))
PAINTED = mask_to_text(np.tri(5, dtype=bool)[::-1] | np.eye(5, dtype=bool))
KINDS: dict[str, dict[str, Any]] = {
    "no mask": {},
    "causal": {"mask": "causal"},
    "padding": {"mask": "padding"},
    "window": {"mask": "window", "window": 1},
    "painted": {"mask": "painted", "painted": PAINTED},
    "longer": {"n_tokens": 7},
    "cut": {"n_tokens": 2},
    "residual": {"residual": True, "scaling": "off"},
    "by hand": {"weights": "by hand", "d_model": 8},
    "trained": {"weights": "trained", "layer": 4},
}


def test_all_are_filled_up_to_the_longest() -> None:
    pads = ["[pad]"] * 3
    assert (
        ("we", "like", "green", "tea", "today"),
        ("it", "slept", *pads),
        ("the", "dog", "ran", *pads[:2]),
    ) == LABELS
    assert tuple(tokens_of(in_batch(BATCH, place)).n_real for place in range(3)) == LENGTHS
    assert trace_of(BATCH).scores.shape == (3, 2, 5, 5)


@pytest.mark.parametrize("name", KINDS)
def test_a_sentence_in_the_batch_is_as_it_is_alone(name: str) -> None:
    scenario = replace(BATCH, **KINDS[name])
    whole = trace_of(scenario)
    for place in range(3):
        real = tokens_of(in_batch(scenario, place)).n_real
        one = trace_of(replace(alone(scenario, place), n_tokens=real))
        near = 1e-5 if name == "trained" else 1e-12
        inside = whole.output[place, :real]
        np.testing.assert_allclose(inside, one.output[0], rtol=0, atol=near)
        gap = gap_alone(scenario, place)
        assert gap.rows == real
        assert gap.largest <= gap.rounding


@pytest.mark.parametrize("name", ["no mask", "causal", "padding", "window", "painted"])
def test_the_chosen_mask_and_the_padding_mask_hide_together(name: str) -> None:
    scenario = replace(BATCH, **KINDS[name])
    hidden = trace_of(scenario).hidden
    for place, query, key in np.ndindex(3, 5, 5):
        by_mask = {
            "causal": key > query,
            "window": abs(key - query) > 1,
            "painted": key > 4 - query and key != query,
        }.get(name, False)
        expected = key >= LENGTHS[place] or by_mask
        assert hidden[place, :, query, key].tolist() == [expected] * 2


@pytest.mark.parametrize("name", ["no mask", "causal", "trained"])
def test_one_sequence_is_a_part_of_the_batch(name: str) -> None:
    scenario = replace(BATCH, seed=77, **KINDS[name])
    whole = trace_of(scenario)
    for place in range(3):
        one = sequence_of(scenario, place)
        assert one.tokens == tokens_of(in_batch(scenario, place)).tokens
        assert one.memory is one.inputs
        assert np.array_equal(one.mask[0], whole.mask[place])
        for field in whole.steps:
            assert np.array_equal(getattr(one, field)[0], getattr(whole, field)[place])
            assert np.shares_memory(getattr(one, field), getattr(whole, field))


def test_without_further_sentences_nothing_changes() -> None:
    usual = trace_of(replace(BATCH, batch=""))
    blank = trace_of(replace(BATCH, batch=" \n\r\n\t"))
    assert usual.mask is None
    assert blank.mask is None
    assert np.array_equal(usual.output, blank.output)
    assert sequence_of(replace(BATCH, batch=""), 0) is usual


def test_what_is_left_out_is_told() -> None:
    many = replace(BATCH, batch="\n".join(["a b"] * 9))
    assert len(sentences_of(many)) == MAX_SENTENCES == trace_of(many).sizes["B"]
    assert missing("".join(batch_notes(many)), 6) == []
    assert batch_notes(replace(BATCH, batch="\n".join(["a b"] * 3))) == ()
    with refused(TextError, 2):
        trace_of(replace(BATCH, batch="it slept\n\x07\x08"))
    own = replace(BATCH, own=UserMatrices(x=np.ones((5, 6))).encode())  # one sequence
    assert trace_of(own).sizes["B"] == 1
    assert len(batch_notes(own)) == 1


def test_edits_of_x_belong_to_the_first_sentence() -> None:
    of_x, of_w = (Edits((Edit(name, 0, 1, 9.0),)).url_value() for name in ("x", "w_v"))
    before, x, w = (trace_of(replace(BATCH, edits=edits)) for edits in ("", of_x, of_w))
    assert x.inputs[0, 0, 1] == 9
    changed = [(now.output != before.output).any(axis=(1, 2)).tolist() for now in (x, w)]
    assert changed == [[True, False, False], [True] * 3]
    assert not edits_of(alone(replace(BATCH, edits=of_x), 1)).items
    assert gap_alone(replace(BATCH, edits=of_x), 1).largest < 1e-12


def test_script_and_npz_hold_the_whole_batch() -> None:
    whole = trace_of(replace(BATCH, mask="causal"))
    names = run(script(whole, LABELS))
    assert (names["tokens"], names["B"]) == (LABELS, 3)
    assert repr(LABELS[2]).replace('"', '\\"') in notebook(whole, LABELS)
    with np.load(io.BytesIO(trace_to_npz(whole, LABELS)), allow_pickle=False) as file:
        assert file["tokens"].tolist() == [list(tokens) for tokens in LABELS]
        assert np.array_equal(file["mask"], whole.mask)
        assert np.array_equal(file["scores"], whole.scores)
