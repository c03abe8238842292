"""The pictures of a batch: their numbers are those of every sequence of the layer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_core import STEPS
from attention_core.trace import USUAL_STEPS
from attention_lab.scenario import Scenario, sequence_of, trace_of
from attention_lab.sentences import in_batch, tokens_of
from attention_viz.payload import Stage, pack_bits
from attention_viz.story.batch import BatchField, batch_board, with_sequence_pictures
from attention_viz.story.per_head import scores_board
from tests.viz.reading_scenes import numbers

BATCH = Scenario("we like green tea today", n_heads=2, batch="it slept\nthe dog ran", mask="causal")
TOKENS = [tokens_of(in_batch(BATCH, place)) for place in range(3)]
FIELDS = [name for name in USUAL_STEPS if name != "memory"]


def batch(field: str, scenario: Scenario = BATCH) -> BatchField:
    """A field of the batch, its second sentence shown."""
    index = [1, 0, 1] if STEPS[field].per_head else [0, 1]
    return BatchField(trace_of(scenario), field, TOKENS, 1, index)


@pytest.mark.parametrize("field", FIELDS)
def test_the_pictures_hold_the_numbers_of_every_sequence(field: str) -> None:
    board = batch_board(batch(field))
    for place in range(3):
        array = board["arrays"][f"sentence {place}"]
        expected = getattr(trace_of(BATCH), field)[place].astype("f4")
        assert np.array_equal(numbers(array), expected)
        labels = [board["axes"][letter]["labels"] for letter in array["axes"]]
        assert list(TOKENS[place].tokens) in labels
    assert board["cell"]["array"] == "sentence 1"
    assert len(board["panels"]) == 3


def test_what_belongs_to_padding_is_hatched() -> None:
    board = batch_board(batch("scores"))
    for place, real in enumerate((5, 2, 3)):
        padded = np.ones((2, 5, 5), bool)
        padded[:, :real, :real] = False
        hatched = board["arrays"][f"sentence {place}"].get("hatched")
        assert hatched == (pack_bits(padded) if padded.any() else None)


def test_the_stage_shows_one_head_of_every_sequence() -> None:
    trace = sequence_of(BATCH, 1)
    step = scores_board(Stage(trace, n_real=2), (1, 0, 1))
    board = with_sequence_pictures(step, batch("scores"), head=1)
    pictures = board["panels"][len(step["panels"]) :]
    assert [panel.get("link") for panel in pictures] == ["sentence 0", None, "sentence 2"]
    assert [panel["title"][-1:] for panel in pictures] == ["0", "1", "2"]
    for place, panel in enumerate(pictures):
        shown = numbers(board["arrays"][panel["array"]])
        assert np.array_equal(shown, trace_of(BATCH).scores[place, 1].astype("f4"))
    assert board["arrays"]["scores"] == step["arrays"]["scores"]
    scores = numbers(step["arrays"]["scores"])[0]
    assert np.array_equal(scores, trace_of(BATCH).scores[1].astype("f4"))


def test_padded_places_are_marked_on_the_axes() -> None:
    trace = sequence_of(BATCH, 1)
    marked, plain = (scores_board(Stage(trace, n_real=n), (0, 0, 0)) for n in (2, None))
    assert [marked["axes"][letter]["real"] for letter in "TS"] == [2, 2]
    assert not any("real" in axis for axis in plain["axes"].values())


def test_of_long_sequences_a_part_is_sent() -> None:
    long = replace(BATCH, d_model=160, n_heads=2)
    wide = BatchField(trace_of(long), "queries", TOKENS, 1, [1, 100])
    array = batch_board(wide)["arrays"]["sentence 2"]
    assert (array["start"], array["whole"], array["shape"]) == ([0, 64], [5, 160], [5, 64])
    assert np.array_equal(numbers(array), trace_of(long).queries[2][:, 64:128].astype("f4"))
