"""The lexicon and its four heads set by hand: every number of the page; refused words and
sentences.
"""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import Projections, TextError, Trace, attend
from attention_lab.labs.lexicon import (
    FEATURE_SECTIONS,
    LEXICON,
    LEXICON_FEATURES,
    LEXICON_SENTENCES,
    MAX_LEXICON_TOKENS,
    compose_sentence,
    section_slices,
)
from attention_lab.labs.lexicon_heads import (
    CONJUNCTION_HEAD,
    LEXICON_HEADS,
    comparison_matrix,
    lexicon_projections,
    received_features,
    run_lexicon,
    section_blocks,
)
from tests.lab.refusal import Facts, refused

QUEEN, KING, DOGS, WOMEN = (compose_sentence(sentence) for sentence in LEXICON_SENTENCES)
GENDER, NUMBER, PREVIOUS, SUBJECT = range(4)


def weight_of(trace: Trace, head: int, query: int, key: int) -> float:
    """The attention weight of a query for a key, to three digits."""
    return round(float(trace.probabilities[0, head, query, key]), 3)


def test_the_scores_of_her() -> None:
    trace = run_lexicon(QUEEN)
    assert QUEEN.tokens[9] == "her"
    np.testing.assert_allclose(
        trace.scaled_scores[0, GENDER, 9], [5, 0, 8, 0, 4, 2, 0, -2, 0, 4], atol=1e-12
    )
    np.testing.assert_allclose(
        trace.scaled_scores[0, NUMBER, 7, [5, 0, 7, 2]], [8, 5, 4, 2], atol=1e-12
    )


def test_the_queen() -> None:
    trace = run_lexicon(QUEEN)
    assert trace.tokens == QUEEN.tokens
    assert [weight_of(trace, GENDER, query, 2) for query in (4, 9)] == [0.917, 0.917]
    assert [weight_of(trace, GENDER, query, 0) for query in (7, 1, 6)] == [0.886] * 3
    assert (weight_of(trace, NUMBER, 7, 5), weight_of(trace, NUMBER, 9, 2)) == (0.934, 0.918)
    assert all(0.98 <= weight_of(trace, PREVIOUS, query, query - 1) <= 1 for query in range(1, 10))
    assert (weight_of(trace, SUBJECT, 3, 2), weight_of(trace, SUBJECT, 8, 7)) == (1, 1)
    assert [weight_of(trace, SUBJECT, query, 0) for query in (0, 1, 2, 4, 5, 6, 7, 9)] == [1] * 8


def test_received_features() -> None:
    features = received_features(run_lexicon(QUEEN), 7)
    assert (round(features["masc"], 2), round(features["anim"], 2)) == (0.93, 1.04)
    assert next(iter(features)) == "anim"
    assert "past" not in features


def test_other_sentences() -> None:
    king = run_lexicon(KING)
    assert (weight_of(king, GENDER, 7, 5), weight_of(king, GENDER, 9, 2)) == (0.93, 0.93)
    assert [weight_of(king, NUMBER, 7, key) for key in (2, 5, 10)] == [0.324] * 3
    women = run_lexicon(WOMEN)
    assert (
        weight_of(women, NUMBER, 7, 2),
        weight_of(women, GENDER, 10, 5),
        weight_of(women, SUBJECT, 9, 8),
    ) == (0.931, 0.93, 0.907)


def test_one_head_for_a_conjunction() -> None:
    apart, together = run_lexicon(DOGS), run_lexicon(DOGS, (CONJUNCTION_HEAD,))
    assert [weight_of(apart, GENDER, 10, key) for key in (2, 5)] == [0.482] * 2
    assert [weight_of(apart, NUMBER, 10, key) for key in (5, 8)] == [0.483] * 2
    assert weight_of(together, 0, 10, 5) == 0.975
    assert together.sizes["K"] == 6
    assert weight_of(run_lexicon(QUEEN, (CONJUNCTION_HEAD,)), 0, 7, 0) == 0.952


def test_temperature_mask_and_start() -> None:
    assert [
        weight_of(run_lexicon(QUEEN, temperature=2.0), h, q, k)
        for h, q, k in ((0, 9, 2), (1, 7, 5))
    ] == [0.616, 0.685]
    assert weight_of(run_lexicon(QUEEN, temperature=0.5), GENDER, 9, 2) == 0.997
    assert weight_of(run_lexicon(QUEEN, causal=True), GENDER, 9, 2) == 0.917
    bare = run_lexicon(compose_sentence(LEXICON_SENTENCES[0], start=False))
    assert (weight_of(bare, GENDER, 8, 1), weight_of(bare, NUMBER, 6, 4)) == (0.961, 0.979)
    assert [weight_of(bare, GENDER, 6, key) for key in (1, 4)] == [0.385] * 2


def test_without_weights() -> None:
    trace = attend(QUEEN.vectors, Projections.weightless(16))
    shares = trace.probabilities[0, 0]
    assert (shares.argmax(axis=1) == np.arange(10)).all()
    assert (
        round(float(shares.trace() / 10), 3),
        weight_of(trace, 0, 9, 2),
        weight_of(trace, 0, 7, 5),
    ) == (0.185, 0.107, 0.133)


def test_the_blocks_of_the_comparison() -> None:
    trace, names = run_lexicon(QUEEN), list(FEATURE_SECTIONS)
    filled = []
    for head in range(4):
        matrix = comparison_matrix(trace, head)
        scores = QUEEN.vectors @ matrix @ QUEEN.vectors.T
        np.testing.assert_allclose(scores, trace.scaled_scores[0, head], atol=1e-12)
        blocks = section_blocks(matrix)
        assert np.square(blocks).sum() == pytest.approx(np.square(matrix).sum())
        filled.append({(names[q], names[k]) for q, k in np.argwhere(blocks > 0)})
    word_class = ("part of speech", "part of speech")
    assert filled[GENDER] == {("gender", "gender"), word_class}
    assert filled[NUMBER] == {("number", "number"), word_class}
    assert filled[PREVIOUS] == {("position", "position")}
    assert filled[SUBJECT] == {("part of speech", "animacy"), ("position", "position"), word_class}


def test_values_come_back_in_their_own_dimensions() -> None:
    p = lexicon_projections()
    assert set(np.unique(p.w_o)) == {0.0, 1.0}
    for number, head in enumerate(LEXICON_HEADS):
        block = slice(4 * number, 4 * number + 4)
        copied = p.w_v[:, block] @ p.w_o[block]
        assert [LEXICON_FEATURES[i] for i in np.flatnonzero(copied.diagonal())] == sorted(
            head.copies, key=LEXICON_FEATURES.index
        )
        assert (copied == np.diag(copied.diagonal())).all()


def test_the_lexicon() -> None:
    assert len(LEXICON) == 51
    assert len(LEXICON_FEATURES) == 16
    assert section_slices()["part of speech"] == slice(6, 12)
    for word, features in LEXICON.items():
        assert set(features) <= set(LEXICON_FEATURES), word
        assert len(set(features) & set(FEATURE_SECTIONS["part of speech"])) == 1, word
        assert len(set(features) & set(FEATURE_SECTIONS["gender"])) <= 1, word
        assert len(set(features) & set(FEATURE_SECTIONS["number"])) <= 1, word


def test_a_vector() -> None:
    vector = compose_sentence("the the the queen").vectors[4]
    assert vector[:12].tolist() == [0, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0]
    np.testing.assert_allclose(vector[12:], [0, 0, 0, 1], atol=1e-15)
    assert compose_sentence("a book").vectors[0, 14:].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("The queen saw her cat", ("cat",)),
        ("the " + "x" * 10**4, ("x" * 24,)),
        ("the <b>queen</b>", ("'<'",)),
        ("...", ("word",)),
        ("", ("word",)),
        ("the " * MAX_LEXICON_TOKENS, (17, 16)),
    ],
)
def test_bad_sentences(text: str, facts: Facts) -> None:
    with refused(TextError, *facts):
        compose_sentence(text)
    assert len(compose_sentence("the " * (MAX_LEXICON_TOKENS - 1)).tokens) == MAX_LEXICON_TOKENS
