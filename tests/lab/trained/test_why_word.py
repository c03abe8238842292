"""Why the model says a piece: the sum, the heads switched off, the layers left out."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.trained.generation import next_probabilities
from attention_lab.trained.language_model import N_HEADS, N_LAYERS, language_model
from attention_lab.trained.why_word import WhyWord, logits_without

MODEL = language_model()
FROG = tuple(MODEL.encode("One day, a little frog was very sad. The"))
F, S = (MODEL.encode(letter)[-1] for letter in ("f", "s"))


def test_the_parts_add_up_to_the_logit() -> None:
    for why in (WhyWord(FROG, F), WhyWord(FROG, F, S)):
        assert why.of_embedding + why.of_layers.sum() == pytest.approx(why.total, abs=1e-10)
    logits = MODEL.run(FROG).logits[-1]
    assert WhyWord(FROG, F).total == logits[F]
    assert WhyWord(FROG, F, S).total == logits[F] - logits[S]


def test_a_part_is_its_product_with_the_direction() -> None:
    why = WhyWord(FROG, F, S)
    parts = why.run.parts()[1] @ why.direction
    np.testing.assert_allclose(parts[0], why.of_embedding, atol=1e-12)
    np.testing.assert_allclose(parts[1:].reshape(N_LAYERS, -1), why.of_layers, atol=1e-12)


@pytest.mark.parametrize(("layer", "head"), [(0, 0), (2, 6), (3, 7), (4, 4)])
def test_heads_are_switched_off_as_one_by_one(layer: int, head: int) -> None:
    alone = MODEL.run(FROG, without=[(layer, head)]).logits[-1]
    np.testing.assert_allclose(logits_without(FROG)[layer, head], alone, atol=1e-11)


def test_the_frog_loses_its_head() -> None:
    why = WhyWord(FROG, F)
    assert why.of_layers[4, 4] == pytest.approx(3.1307, abs=5e-5)
    assert divmod(int(np.abs(why.lost_without).argmax()), N_HEADS) == (4, 4)


def test_after_the_last_layer_stand_the_shares_of_the_model() -> None:
    why = WhyWord(FROG, F)
    np.testing.assert_allclose(why.shares_after(N_LAYERS - 1), MODEL.run(FROG).probabilities())
    decoder = MODEL.decoder
    first = next_probabilities(decoder.logits(decoder.embedding[list(FROG[-1:])])[0])
    np.testing.assert_allclose(why.shares_after(-1), first)
