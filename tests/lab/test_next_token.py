"""The story on the language model: its layers as scenarios, and what it says next."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_lab.choices import options_on, resolve
from attention_lab.control_list import effects_of
from attention_lab.mask_kinds import MASKS
from attention_lab.next_token import next_token_of
from attention_lab.presets import cell_worth_a_look, in_model
from attention_lab.scenario import Scenario, sequence_of, trace_of
from attention_lab.sentences import tokens_of
from attention_lab.trained.language_model import (
    D_MODEL,
    HEAD_WIDTH,
    N_HEADS,
    N_KV_HEADS,
    N_LAYERS,
    language_model,
)
from attention_lab.trained.language_text import changes_without
from attention_lab.user_data.edits import Edit, Edits
from attention_lab.user_data.painted_masks import mask_to_text
from attention_lab.weight_kinds import LANGUAGE_MODEL

MODEL = language_model()
TEXT = "One day, a little frog was very sad. The"
FROG = Scenario(TEXT, weights=LANGUAGE_MODEL.name, layer=4)
RUN = MODEL.run(MODEL.encode(TEXT))
F = 272  # " f"


@pytest.mark.parametrize("layer", range(N_LAYERS))
def test_every_step_is_that_of_the_model(layer: int) -> None:
    trace, expected = trace_of(replace(FROG, layer=layer)), RUN.traces[layer]
    assert trace.tokens == expected.tokens
    assert all(np.array_equal(getattr(trace, f), getattr(expected, f)) for f in trace.steps)


def test_the_declared_sizes_are_those_of_the_model() -> None:
    p = MODEL.decoder.layers[0].attention
    assert (p.d_model, p.n_heads, p.groups, p.d_k) == (D_MODEL, N_HEADS, N_KV_HEADS, HEAD_WIDTH)
    assert (len(MODEL.decoder.layers), MODEL.decoder.rotary.base) == (N_LAYERS, 10_000.0)
    values = {**vars(FROG)}
    values.pop("edits"), values.pop("own")
    assert effects_of(Scenario(**values)).decided["d_model"] == D_MODEL
    assert options_on(FROG) == ("rotary", LANGUAGE_MODEL.name)
    assert LANGUAGE_MODEL.decides["rotary"] == MODEL.decoder.rotary.pairs


def test_a_layer_beyond_the_last_is_the_last_and_no_token_looks_ahead() -> None:
    assert resolve(replace(FROG, layer=5)).chosen.layer == 4
    for mask in MASKS:
        trace = trace_of(replace(FROG, mask=mask))
        assert not np.triu(trace.probabilities[0, 0], 1).any()


def test_a_length_cuts_or_fills_and_a_batch_is_filled_up() -> None:
    assert trace_of(replace(FROG, text="")).tokens == ("<s>",)
    assert next_token_of(replace(FROG, text="")).position == 0
    half, whole = (tokens_of(replace(FROG, text=text)).tokens for text in ("a\ud800b", "ab"))
    assert half == whole
    kept = trace_of(replace(FROG, n_tokens=20)).probabilities[:, :, :16, :16]
    np.testing.assert_allclose(kept, RUN.traces[4].probabilities, rtol=0, atol=1e-12)
    assert tokens_of(replace(FROG, n_tokens=5)).n_left_out == 11
    long = tokens_of(replace(FROG, text="a b c d e f g h " * 20))
    assert len(long.tokens) == 64
    assert "64" in long.notes[0]
    batch = replace(FROG, batch="A cat")
    assert sequence_of(batch, 1).tokens == (*MODEL.pieces(MODEL.encode("A cat")), *["[pad]"] * 11)
    found = next_token_of(batch)
    assert found.shares(found.run)[F] == pytest.approx(0.82469, abs=5e-6)


def test_the_head_that_the_next_token_needs_is_looked_at() -> None:
    assert cell_worth_a_look(FROG) == (4, 15, 6, 0)
    assert changes_without(TEXT, 4).argmax() == 4
    for layer, head in ((1, 6), (3, 0), (4, 4)):
        moved = MODEL.run(RUN.ids, without=[(layer, head)]).probabilities() - RUN.probabilities()
        found = changes_without(TEXT, layer)[head]
        assert found == pytest.approx(np.abs(moved).sum() / 2, abs=1e-12)
    there, cell = in_model(Scenario(TEXT), LANGUAGE_MODEL.name)
    assert (there.weights, there.layer, cell.head) == (LANGUAGE_MODEL.name, 4, 4)


HIDES_F = np.ones((16, 16), bool)
HIDES_F[15, 6] = False
TOUCHES = {
    "a head switched off": replace(FROG, without="4"),
    "a number of X": replace(FROG, edits=Edits((Edit("x", 15, 3, 9.0),)).url_value()),
    "a number of W_Q": replace(FROG, edits=Edits((Edit("w_q", 3, 34, 9.0),)).url_value()),
    "a number of W_O": replace(FROG, edits=Edits((Edit("w_o", 34, 3, 9.0),)).url_value()),
    "a painted mask": replace(FROG, mask="painted", painted=mask_to_text(HIDES_F)),
}


@pytest.mark.parametrize("name", TOUCHES)
@pytest.mark.parametrize("layer", [2, 4])
def test_what_is_touched_changes_what_the_model_says(name: str, layer: int) -> None:
    """The rest of the model is computed again with the output of the layer, by hand here."""
    touched = replace(TOUCHES[name], layer=layer)
    found = next_token_of(touched)
    assert found.is_touched
    decoder = MODEL.decoder
    stream = RUN.streams[layer] + trace_of(touched).output[0]
    stream = stream + decoder.feed_forward(stream, layer)
    for later in range(layer + 1, N_LAYERS):
        stream = stream + decoder.attend(stream, later).output[0]
        stream = stream + decoder.feed_forward(stream, later)
    np.testing.assert_allclose(found.run.logits, decoder.logits(stream), rtol=0, atol=1e-11)
    assert np.array_equal(found.plain.logits, RUN.logits)


def test_the_published_numbers_before_and_after() -> None:
    found = next_token_of(TOUCHES["a head switched off"])
    assert found.shares(found.plain)[F] == pytest.approx(0.82469, abs=5e-6)
    assert found.shares(found.run)[F] == pytest.approx(0.08356, abs=5e-6)
    assert not next_token_of(FROG).is_touched
    hidden = next_token_of(TOUCHES["a painted mask"])
    assert hidden.shares(hidden.run)[F] < 0.3


@pytest.mark.parametrize("layer", range(N_LAYERS))
def test_the_parts_add_up_to_the_logits(layer: int) -> None:
    found = next_token_of(replace(FROG, layer=layer, without="2"))
    logits = found.parts.sum(axis=0) @ MODEL.decoder.embedding.T
    np.testing.assert_allclose(logits, found.run.logits[found.position], rtol=0, atol=1e-10)
    assert len(found.parts) == len(found.part_names) == 10 + (layer < 4)
    assert not found.parts[3].any()  # head 2 is off
