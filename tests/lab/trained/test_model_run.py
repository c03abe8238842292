"""Words, parts, losses and sources of a run, against a second program in plain loops."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from attention_core import SettingsError
from attention_core.positions import Rotary
from attention_core.projections import Projections
from attention_lab.layer_norm import Norm
from attention_lab.trained.byte_pairs import BytePairs
from attention_lab.trained.decoder import Decoder, DecoderLayer
from attention_lab.trained.feed_forward import FeedForward
from attention_lab.trained.generation import draw
from attention_lab.trained.language_model import LanguageModel, language_model
from attention_lab.trained.own_writing import mean_parts, own_writing
from tests.lab.refusal import refused
from tests.lab.trained.plain_decoder import PlainRun, word_probability

MODEL = language_model()
FROG = MODEL.encode("One day, a little frog was very sad. The")
F, S = (MODEL.encode(letter)[-1] for letter in ("f", "s"))
HELD_OUT = MODEL.encode("Tom had a big red ball. He gave the b")
PIECES = (
    "<unk>",
    "<s>",
    "</s>",
    "<0x0A>",
    "<0xE6>",
    " a",
    " ab",
    "a",
    "b",
    "ab",
    " ",
    ".",
    ' "',
    "3",
)


def small_model(seed: int = 3) -> LanguageModel:
    """Two layers, 3 query heads of width 4 that share one key head, 14 pieces, random weights."""
    rng = np.random.default_rng(seed)

    def layer() -> DecoderLayer:
        p = Projections(
            *(rng.normal(size=(7, width)) for width in (12, 4, 4)),
            rng.normal(size=(12, 7)),
            n_heads=3,
            n_kv_heads=1,
        )
        w_1, w_3 = rng.normal(size=(2, 7, 5))
        first, second = (Norm(rng.random(7), None, 1e-5) for _ in range(2))
        fed = FeedForward(w_1, None, rng.normal(size=(5, 7)), None, w_3, "silu")
        return DecoderLayer(first, p, second, fed)

    embedding = rng.normal(size=(len(PIECES), 7))
    layers, last_norm = (layer(), layer()), Norm(rng.random(7), None, 1e-5)
    decoder = Decoder(embedding, layers, last_norm, Rotary(100.0))
    return LanguageModel(BytePairs(PIECES, (0.0,) * len(PIECES)), decoder)


SMALL = small_model()
SMALL_IDS = [1, 5, 8, 11]  # " ab."
RUNS = {
    "small": (SMALL, SMALL_IDS, 7, 5, (0, 2)),
    "small, the last head": (SMALL, SMALL_IDS, 6, 12, (1, 2)),
    "frog": (MODEL, FROG, F, S, (4, 4)),
    "held out": (MODEL, HELD_OUT, MODEL.encode("oy")[-1], F, (2, 6)),
}


@pytest.mark.parametrize(
    ("name", "replaced_by"), [*((name, "zero") for name in RUNS), ("small", "mean")]
)
def test_all_numbers_are_those_of_plain_loops(name: str, replaced_by: str) -> None:
    model, ids, token, other, head = RUNS[name]
    first = (0, 1)  # off in both runs
    nothing = np.zeros(model.decoder.embedding.shape[1])
    filling = model.head_means[head] if replaced_by == "mean" else nothing
    off = {first: model.head_means[first] if replaced_by == "mean" else nothing}
    run = model.run(ids, without=[first], replaced_by=replaced_by)
    plain = PlainRun(model.decoder, ids, off)
    without = PlainRun(model.decoder, ids, off | {head: filling})
    np.testing.assert_allclose(run.logits[-1], plain.logits, rtol=0, atol=1e-9)
    for against in ("average", other, None):
        along = plain.direction(token, against)
        parts = run.contributions(token, against)
        assert list(parts) == list(run.parts()[0])
        for part, vector in plain.parts.items():
            assert parts[part] == pytest.approx(float(vector @ along) / plain.divisor, abs=1e-9)
        total = float(plain.last @ along) / plain.divisor
        assert sum(parts.values()) == pytest.approx(total, abs=1e-9)

        direct = float((plain.parts["head", *head] - filling) @ along) / plain.divisor
        response = sum(
            float((vector - without.parts[part]) @ along) / plain.divisor
            for part, vector in plain.parts.items()
            if part != ("head", *head)
        )
        norm = float(without.last @ along) * (1 / plain.divisor - 1 / without.divisor)
        assert tuple(run.loss(head, token, against)) == pytest.approx(
            (direct, response, norm), abs=1e-9
        )
        lost = total - float(without.last @ along) / without.divisor
        assert run.loss(head, token, against).total == pytest.approx(lost, abs=1e-9)

        sources = run.sources(head, token, against)
        expected = [float(one @ along) / plain.divisor for one in plain.by_source[head]]
        np.testing.assert_allclose(sources, expected, rtol=0, atol=1e-9)
        assert sources.sum() == pytest.approx(parts["head", *head], abs=1e-9)


@pytest.mark.parametrize(
    ("off", "by"), [((), "zero"), (((1, 0), (0, 2)), "zero"), (((0, 1),), "mean")]
)
@pytest.mark.parametrize("ids", [[1], SMALL_IDS, [1, 5, 8]])
def test_a_word_counts_all_its_spellings(
    ids: list[int], off: tuple[tuple[int, int], ...], by: str
) -> None:
    run = SMALL.run(ids, without=off, replaced_by=by)
    found = dict(run.next_words(40))
    means = SMALL.head_means if by == "mean" else np.zeros((2, 3, 7))
    fills = {head: means[head] for head in off}
    shares = PlainRun(SMALL.decoder, ids, fills).shares()
    after_space = PlainRun(SMALL.decoder, [*ids, 10], fills).shares()
    begun = "ab" if ids[-1] == 8 else ""  # the text ends in a word that can go on
    for word in sorted(word for word in found if set(word) <= {"a", "b"})[:4]:
        expected = word_probability(SMALL.decoder, PIECES, ids, f" {word}", fills)
        if word.startswith(begun) and word != begun:
            rest = word.removeprefix(begun)
            expected += word_probability(SMALL.decoder, PIECES, ids, rest, fills)
        assert found[word] == pytest.approx(expected, abs=1e-9)
    signs = {
        ".": shares[11] + shares[10] * after_space[11],
        '"': shares[12],
        "3": shares[13] + shares[10] * after_space[13],
        "new line": shares[3] + shares[10] * after_space[3],
        "a sign this model does not know": sum(
            shares[one] + shares[10] * after_space[one] for one in (0, 4)
        ),
        "end of the text": shares[1] + shares[2],
        "white space": shares[10] * sum(after_space[one] for one in (1, 2, 5, 6, 10, 12)),
    }
    least = min(found.values())  # of the words that are shown
    for sign, expected in signs.items():
        assert found.get(sign, expected) == pytest.approx(expected, abs=1e-9)
        assert sign in found or expected < least


@pytest.mark.parametrize("settings", [(0.6, 0.9), (1.7, 1.0), (1.0, 0.6)])
def test_words_are_drawn_piece_by_piece(settings: tuple[float, float]) -> None:
    run, words = SMALL.run([1, 5, 8]), ["a", "ab", "abb", "ba", "aba"]
    found = run.word_shares(words, *settings)
    for word in words:
        expected = word_probability(SMALL.decoder, PIECES, [1, 5, 8], f" {word}", {}, settings)
        if word.startswith("ab") and word != "ab":  # goes on with the last word of the text
            rest = word.removeprefix("ab")
            expected += word_probability(SMALL.decoder, PIECES, [1, 5, 8], rest, {}, settings)
        assert found[word] == pytest.approx(expected, abs=1e-9)
    assert sum(found.values()) > 0


def test_drawn_words_are_the_next_words_without_settings() -> None:
    run = MODEL.run(FROG)
    words = run.next_words(10)
    found = run.word_shares([word for word, _ in words])
    for word, share in words:
        assert found[word] == pytest.approx(share, rel=1e-9)
        text = MODEL.decode(words.spellings[word]).strip()
        assert word in (text, f"The{text}")
    certain = run.word_shares([word for word, _ in words], temperature=0)
    assert certain == {word: float(word == "frog") for word, _ in words}
    with refused(SettingsError):
        run.word_shares(["frog"], top_p=0)


def test_the_search_misses_no_probable_word() -> None:
    run = SMALL.run(SMALL_IDS)
    few, many = run.next_words(3), run.next_words(20)
    assert many[:3] == few
    assert few.rest == pytest.approx(1 - sum(share for _, share in few))
    assert many.n_steps > few.n_steps > 0
    assert [share for _, share in many] == sorted((one for _, one in many), reverse=True)
    # Every word of at most three letters, whatever pieces spell it.
    words = ["".join(one) for n in (1, 2, 3) for one in itertools.product("ab", repeat=n)]
    for word in words:
        share = word_probability(SMALL.decoder, PIECES, SMALL_IDS, f" {word}", {})
        share += word_probability(SMALL.decoder, PIECES, SMALL_IDS, word, {})
        assert word in dict(few) or share <= few[-1][1]
        assert word in dict(many) or share <= many[-1][1]


@pytest.mark.parametrize(
    ("text", "off", "words"),
    [
        (FROG, [], {"frog": 0.767, "big": 0.016, "little": 0.014, "fruit": 0.010}),
        (FROG, [(4, 4)], {"cat": 0.079, "frog": 0.077, "dog": 0.056, "boy": 0.048}),
        (
            MODEL.encode("The cat sat on the"),
            [],
            {"ground": 0.222, "floor": 0.171, "grass": 0.048, "swings": 0.041},
        ),
        (
            MODEL.encode("Once upon a time, there was a little"),
            [],
            {"girl": 0.637, "boy": 0.217, "bird": 0.030},
        ),
    ],
)
def test_words_of_the_model(
    text: list[int], off: list[tuple[int, int]], words: dict[str, float]
) -> None:
    found = MODEL.run(text, without=off).next_words(len(words))
    assert {word: round(share, 3) for word, share in found} == words


def test_words_after_a_held_out_text_are_those_of_plain_loops() -> None:
    ids, off = MODEL.encode("I see a"), {(2, 1): np.zeros(64)}
    pieces = MODEL.tokenizer.pieces
    found = dict(MODEL.run(ids, without=list(off)).next_words(3))
    for word in ("big", "an"):
        expected = word_probability(MODEL.decoder, pieces, ids, f" {word}", off)
        going_on = word.removeprefix("a")  # the text ends in a word that may go on
        if going_on != word:
            expected += word_probability(MODEL.decoder, pieces, ids, going_on, off)
        assert found[word] == pytest.approx(expected, abs=1e-9)


def test_letters_go_on_with_the_last_word() -> None:
    you = MODEL.run(MODEL.encode("I want to play with you")).next_words(1)
    assert [word for word, _ in you] == ["your"]
    said = dict(MODEL.run(MODEL.encode("She didn'")).next_words(1))
    assert list(said) == ["didn't"]


def test_the_sum_of_the_frog_against_the_average() -> None:
    parts = MODEL.run(FROG).contributions(F)
    kinds = [sum(v for k, v in parts.items() if k[0] == kind) for kind in ("head", "feed-forward")]
    assert [round(one, 2) for one in (*kinds, parts["feed-forward", 4])] == [10.95, 8.03, -0.31]
    raw = MODEL.run(FROG).loss((4, 4), F, against=None)
    assert [round(one, 3) for one in (*raw, raw.total)] == [3.131, -0.837, -0.334, 1.960]
    sources = MODEL.run(FROG).sources((4, 4), F, against=None)
    assert (round(sources[6], 3), round(sources.sum(), 3)) == (3.198, 3.131)


def test_a_mean_is_that_of_the_models_own_writing() -> None:
    texts = own_writing(SMALL.decoder, n_texts=3, n_tokens=5)
    for seed, text in enumerate(texts.tolist()):
        written = list(SMALL.generate([1], 4, temperature=1.0, seed=seed))
        assert text[1 : 1 + len(written)] == written  # up to the beginning of another story
    every = [PlainRun(SMALL.decoder, text).added for text in texts.tolist()]
    for layer, head in every[0]:
        expected = np.mean([one[layer, head] for one in every], axis=(0, 1))
        found = mean_parts(SMALL.decoder, texts)[layer, head]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    off = MODEL.run(FROG, without=[(4, 4)], replaced_by="mean")
    assert round(off.probabilities()[F], 3) == 0.092


@pytest.mark.parametrize("by", ["zero", "mean"])
def test_what_is_written_without_a_head_follows_from_its_runs(by: str) -> None:
    """Drawn, so that each share counts, not only which one is largest."""
    for seed in range(6):
        text = list(SMALL_IDS)
        settings = {"temperature": 1.0, "seed": seed, "without": [(1, 1)], "replaced_by": by}
        for one in SMALL.generate(SMALL_IDS, 6, **settings):
            run = SMALL.run(text, without=[(1, 1)], replaced_by=by)
            assert one == draw(run.probabilities(), seed, len(text))
            text.append(one)


def test_more_heads_are_switched_off_in_a_run() -> None:
    run = SMALL.run(SMALL_IDS, without=[(0, 1)], replaced_by="mean")
    both = SMALL.run(SMALL_IDS, without=[(0, 1), (1, 0)], replaced_by="mean")
    np.testing.assert_allclose(run.without((1, 0)).logits, both.logits, atol=1e-12)
    assert run.without((1, 0)).traces[0] is run.traces[0]


def test_a_head_that_is_off_has_no_loss() -> None:
    run = SMALL.run(SMALL_IDS, without=[(0, 1)])
    for ask in (run.loss, run.sources):
        with refused(SettingsError, "head", 1, 0):
            ask((0, 1), 5)
        with refused(SettingsError, "head", 3):
            ask((1, 3), 5)
    with refused(SettingsError, "against", "mean"):
        run.contributions(5, "mean")
    with refused(SettingsError, "replaced_by"):
        SMALL.run(SMALL_IDS, replaced_by="one")


def test_a_vocabulary_without_a_space_alone_has_words() -> None:
    pieces = tuple("_" if one == " " else one for one in PIECES)
    model = replace(SMALL, tokenizer=BytePairs(pieces, (0.0,) * len(pieces)))
    found = dict(model.run(SMALL_IDS).next_words(20))
    expected = word_probability(model.decoder, pieces, SMALL_IDS, " ab", {})
    assert found["ab"] >= expected - 1e-9
