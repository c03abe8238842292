"""A whole model in a picture: chips against models really cut off, arcs against loops."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from attention_core.errors import SettingsError
from attention_lab.scenario import Scenario
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.language_model import LanguageModel, language_model
from attention_lab.trained.lens import cut_decoder
from attention_lab.trained.whole_model import WholeModel, whole_facts, whole_model, whole_run
from attention_lab.trained.writing import written_after
from attention_lab.whose_heads import LANGUAGE, MINILM, heads_on

MODEL = language_model()
FROG = "One day, a little frog was very sad. The"
TEXTS = (FROG, "Tom had a red ball. He lost the red", "Lily was glad, but her dog ran")
OFF = ((4, 4), (1, 6))


@lru_cache
def whole(text: str, off: tuple[tuple[int, int], ...] = (), pieces: bool = False) -> WholeModel:
    return whole_run(MODEL.run(MODEL.encode(text), without=off), pieces)


def cut(layer: int, off: tuple[tuple[int, int], ...] = ()) -> LanguageModel:
    """The language model with its first layers alone."""
    decoder = MODEL.run([1], without=off).decoder
    return replace(MODEL, decoder=cut_decoder(decoder, layer))


@pytest.mark.parametrize(("text", "off"), [(TEXTS[0], ()), (TEXTS[1], OFF), (TEXTS[2], ())])
def test_a_chip_is_what_the_model_says_that_stops_there(text: str, off: tuple) -> None:
    found, ids = whole(text, off), MODEL.encode(text)
    n_words = 0
    for layer, row in enumerate(found.said):
        model = cut(layer, off)
        for said, place in list(zip(row, found.columns, strict=True))[layer % 2 :: 2]:
            run = model.run(ids[: place.stop])
            shares_X = np.exp(run.logits[-1] - run.logits[-1].max())
            shares_X /= shares_X.sum()
            if said.goes_on:
                assert said.piece == shares_X.argmax()
                assert said.share == pytest.approx(shares_X.max(), abs=1e-12)
                continue
            n_words += 1
            assert said.share == pytest.approx(run.word_shares([said.text])[said.text], abs=1e-9)
            if 0.3 < said.share < 0.6:
                assert said.text == run.next_words(1)[0][0]
    assert n_words > len(found.words)


def test_a_chip_of_pieces_is_the_largest_logit_after_the_layer() -> None:
    found = whole(FROG, pieces=True)
    assert len(found.words) == len(found.known.ids)
    for layer, row in enumerate(found.said):
        logits_TX = found.known.logits_after(layer)
        for place, said in enumerate(row):
            weights = [np.exp(one - logits_TX[place].max()) for one in logits_TX[place]]
            assert said.piece == int(np.argmax(weights))
            assert said.share == pytest.approx(max(weights) / sum(weights), abs=1e-12)


@pytest.mark.parametrize("text", TEXTS)
def test_the_last_chip_and_what_comes_next_are_the_words_of_the_whole_model(text: str) -> None:
    found, run = whole(text), MODEL.run(MODEL.encode(text))
    first = run.next_words(5)
    assert (found.answer.text, found.answer.share) == first[0]
    words, shares_LK = found.coming
    assert list(zip(words, shares_LK[-1], strict=True)) == list(first)
    for layer in range(4):
        earlier = cut(layer).run(run.ids).word_shares(words)
        assert shares_LK[layer] == pytest.approx([earlier[word] for word in words], abs=1e-9)


@pytest.mark.parametrize("text", TEXTS)
def test_an_answer_stands_from_the_layer_on_below_which_another_one_is_said(text: str) -> None:
    found = whole(text)
    for place, since in enumerate(found.since):
        texts = [row[place].text for row in found.said]
        assert all(one == texts[-1] for one in texts[since:])
        assert since == 0 or texts[since - 1] != texts[-1]


def test_the_frog_comes_in_the_last_layer_by_head_4_from_the_word_frog() -> None:
    facts = whole_facts(whole(FROG))
    assert (facts.answer, facts.since, facts.earlier[0]) == ("frog", 4, "who")
    assert (facts.carrier.layer, facts.carrier.head, facts.carrier.word) == (4, 4, "frog")
    assert float(facts.carrier.read) == pytest.approx(0.871, abs=5e-4)
    assert float(facts.carrier.added) == pytest.approx(0.2053, abs=5e-5)


def test_without_its_head_one_chip_says_another_word() -> None:
    before, after = whole(FROG), whole(FROG, ((4, 4),))
    pairs = [
        (layer, place)
        for layer in range(5)
        for place in range(len(before.words))
        if before.said[layer][place].text != after.said[layer][place].text
    ]
    assert pairs == [(4, len(before.words) - 1)]
    assert after.with_all_parts.answer == before.answer
    facts = whole_facts(after)
    assert (facts.answer, facts.was[0], facts.since) == ("cat", "frog", None)


@pytest.mark.parametrize("text", TEXTS)
def test_arcs_are_the_shares_of_pieces_added_up(text: str) -> None:
    found = whole(text)
    for layer, trace in enumerate(found.known.traces):
        shares_HTS = trace.probabilities[0]
        for head in (None, 0, 5):
            read_WV = found.read(layer, head)
            for word, of_word in enumerate(found.columns):
                for source, of_source in enumerate(found.columns):
                    rows = [head] if head is not None else range(8)
                    each = [
                        sum(shares_HTS[one, of_word.stop - 1][of_source].tolist()) for one in rows
                    ]
                    assert read_WV[word, source] == pytest.approx(sum(each) / len(each))


@pytest.mark.parametrize("text", TEXTS)
def test_thick_arcs_add_most_and_all_of_them_make_the_parts_of_the_heads(text: str) -> None:
    found = whole(text)
    parts = found.known.contributions(found.answer.piece)
    for layer, head in np.ndindex(5, 8):
        assert found.added[layer, head].sum() == pytest.approx(parts["head", layer, head])
    assert found.total == pytest.approx(sum(parts.values()))
    thick = found.thick
    assert thick
    assert thick[0].added == pytest.approx(found.added.max() / found.total)
    for one in thick:
        assert one.added == pytest.approx(found.added[one.layer, one.head, one.at] / found.total)
        assert one.read == pytest.approx(found.read(one.layer, one.head)[-1, one.at])
        assert one.word == found.words[one.at]


@pytest.mark.parametrize(("layer", "word"), [(4, 11), (3, 11), (0, 6), (2, 3)])
def test_a_sum_is_that_of_the_text_up_to_its_word_in_the_model_cut_there(layer, word) -> None:
    found = whole(FROG)
    run, said = found.cut_at(layer, word), found.said[layer][word]
    own = cut(layer).run(found.known.ids[: found.columns[word].stop])
    assert run.logits[-1] == pytest.approx(own.logits[-1], abs=1e-12)
    total = own.logits[-1][said.piece] - own.logits[-1].mean()
    *parts, last = (float(one.replace("−", "-")) for one in whole_facts(found, (layer, word)).sum)
    assert last == pytest.approx(total, abs=6e-4)
    assert sum(parts) == pytest.approx(last, abs=1e-9)
    assert whole_facts(found, (layer, 40)).sum == ()


def test_a_written_word_adds_a_column_and_changes_no_other() -> None:
    shown = heads_on(Scenario(text=FROG), LANGUAGE, None)
    before = whole_model(shown.maps, shown.run)
    after = whole_model(shown.maps, shown.run, False, before.one_more())
    assert (after.words[-1], after.n_written, before.n_written) == ("frog", 1, 0)
    written = written_after(shown.run.ids, before.one_more())
    assert written == tuple(MODEL.encode(FROG + " frog"))[len(shown.run.ids) :]
    for row, longer in zip(before.said, after.said, strict=True):
        for said, same in zip(row, longer, strict=False):
            assert same.text == said.text
            assert same.share == pytest.approx(said.share, abs=1e-9)


def test_attention_from_one_text_to_another_has_no_columns() -> None:
    maps = AttentionMaps.of(np.full((1, 1, 2, 3), 1 / 3), ("we", "saw"), ("ich", "sah", "."))
    with pytest.raises(SettingsError):
        whole_model(maps, None)


def test_a_model_without_next_words_has_arcs_alone() -> None:
    shown = heads_on(Scenario(text="It was its hallway."), MINILM, None)
    found = whole_model(shown.maps, shown.run)
    assert found.words == ("[CLS]", "it", "was", "its", "hallway", ".", "[SEP]")
    assert (found.said, found.thick, whole_facts(found).answer) == ([], [], "")
    assert found.read(5)[4].sum() == pytest.approx(1, abs=1e-5)
    assert found.n_written == 0


@pytest.mark.parametrize(("n_words", "left"), [(16, None), (17, 1), (30, 14)])
def test_a_window_has_room_for_sixteen_words_and_their_start(n_words: int, left: int) -> None:
    shown = heads_on(Scenario(text="One day" + " a" * (n_words - 2)), LANGUAGE, None)
    assert whole_facts(whole_model(shown.maps, None)).left_out == left


def test_rows_of_a_deep_model_hold_several_layers_and_open() -> None:
    shares = np.ones((1, 1, 1))
    deep = WholeModel(replace(whole(FROG).maps, layers=(shares,) * 19))
    assert [len(one) for one in deep.rows()] == [3] * 6 + [1]
    opened = deep.rows(2)
    assert [len(one) for one in opened] == [3, 3, 1, 1, 1, 3, 3, 3, 1]
    assert [layer for one in opened for layer in one] == list(range(19))
    assert deep.rows(40) == deep.rows()
    assert [len(one) for one in whole(FROG).rows()] == [1] * 5
