"""The language model: what its author published, the same model in PyTorch, and its laws."""

from __future__ import annotations

import itertools
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attention_core import FileError, SettingsError, TextError
from attention_lab.trained import generation
from attention_lab.trained.generation import KeyValueCache, next_probabilities
from attention_lab.trained.heads_off import logits_without
from attention_lab.trained.language_model import FILES, MODEL_FOLDER, language_model
from tests.lab.refusal import refused
from tests.lab.trained.plain_decoder import PlainRun

MODEL = language_model()
FROG = "One day, a little frog was very sad. The"
RUN = MODEL.run(MODEL.encode(FROG))
F = MODEL.encode("f")[-1]  # " f"
# What its author printed: doc/stories260K.md of karpathy/llama2.c.
PUBLISHED = (
    "Once upon a time, there was a little girl named Lily. She loved to play outside in the park."
    " One day, she saw a big, red ball. She wanted to play with it, but it was too high.\n"
    "Lily's mom said, \"Lily, let's go to the park.\" Lily was sad and didn't know what to do. She"
    ' said, "I want to play with your ball, but I can\'t find it."\n'
    "Lily was sad and didn't know what to do. She said, \"I'm sorry, Lily. I didn't know what to"
    ' do."\n'
    "Lily didn't want to help her mom, so she said, \"I'm sorry, mom. I didn't know what to do.\""
    " Her mom said, \"Don't worry, Lily. We can help you."
)
GOLDEN = np.load(Path(__file__).parents[2] / "data" / "language_model.npz", allow_pickle=False)


def test_it_writes_what_its_author_published() -> None:
    written = list(MODEL.generate(MODEL.encode(""), 256))
    assert len(written) == 256
    assert MODEL.decode(MODEL.encode("") + written).lstrip() == PUBLISHED


@pytest.mark.parametrize("prompt", ["frog", "bytes"])
def test_every_layer_and_head_is_that_of_pytorch(prompt: str) -> None:
    run = MODEL.run(GOLDEN[f"{prompt}_ids"].tolist())
    ours = {"streams": run.streams, "logits": run.logits}
    for name in ("probabilities", "head_outputs"):
        ours[name] = np.array([getattr(trace, name)[0] for trace in run.traces])
    for name, numbers in ours.items():
        np.testing.assert_allclose(numbers, GOLDEN[f"{prompt}_{name}"], rtol=0, atol=1e-10)


def test_the_traces_are_labelled_with_the_pieces() -> None:
    pieces = ["<s>", " One", " day", ",", " a", " little", " f", "r", "o", "g", " was", " very"]
    assert list(RUN.traces[0].tokens) == [*pieces, " sa", "d", ".", " The"]
    assert {trace.tokens for trace in RUN.traces} == {tuple(MODEL.pieces(RUN.ids))}


@settings(max_examples=50)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
@example("")
@example("  two")
@example("<0x41>\x00 žluť 🐸\n\n")
def test_any_text_is_read_back_as_it_was(text: str) -> None:
    assert MODEL.decode(MODEL.encode(text)) == text


def slow_pieces(text: str) -> list[str]:
    """The rule of encoding word by word: search for the best pair, join the first one, again."""
    known = MODEL.tokenizer.ids
    parts = list(" " + text)
    while True:
        pairs = [a + b for a, b in itertools.pairwise(parts)]
        found = [
            (MODEL.tokenizer.scores[known[one]], -n) for n, one in enumerate(pairs) if one in known
        ]
        if not found:
            return parts
        at = -max(found)[1]
        parts[at : at + 2] = [pairs[at]]


@settings(max_examples=50)
@given(st.text("aehinorstw dTO.", min_size=1, max_size=30))
def test_joining_follows_the_rule(text: str) -> None:
    assert MODEL.pieces(MODEL.encode(text))[1:] == slow_pieces(text)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.integers(0, 511), min_size=2, max_size=12), st.lists(st.integers(1, 11), max_size=4)
)
def test_the_cache_gives_one_run_however_the_text_is_cut(ids: list[int], cuts: list[int]) -> None:
    cache = KeyValueCache(MODEL.decoder, len(ids))
    places = sorted({0, len(ids), *(cut for cut in cuts if cut < len(ids))})
    steps = [cache.extend(ids[a:b]) for a, b in itertools.pairwise(places)]
    whole = MODEL.run(ids)
    logits = np.concatenate([step.logits for step in steps])
    np.testing.assert_allclose(
        logits, whole.logits, rtol=0, atol=1e-12 * np.abs(whole.logits).max()
    )
    last = steps[-1].probabilities
    shares = np.array([trace.probabilities[0] for trace in whole.traces])
    np.testing.assert_allclose(last, shares[:, :, places[-2] :], rtol=0, atol=1e-12)


def test_wrong_caches_differ() -> None:
    for wrong in ({"align": "top-left"}, {"restarts": True}):
        cache = KeyValueCache(MODEL.decoder, len(RUN.ids), **wrong)
        cache.extend(RUN.ids[:-1])
        assert np.abs(cache.extend(RUN.ids[-1:]).logits[-1] - RUN.logits[-1]).max() > 1


def test_contributions_are_the_published_ones() -> None:
    parts = RUN.contributions(F, against=None)
    assert sum(parts.values()) == pytest.approx(RUN.logits[-1, F], abs=1e-10)
    named = [parts["embedding"], *(parts["feed-forward", layer] for layer in range(5))]
    named += [parts["head", 4, 4], parts["head", 3, 5]]
    expected = [0.8225, 1.9166, 1.3193, 0.7387, 0.9993, 1.2648, 3.1307, 0.5264]
    assert np.round(named, 4).tolist() == expected


def test_a_head_switched_off() -> None:
    off = MODEL.run(RUN.ids, without=[(4, 4)])

    again = MODEL.rerun(RUN, without=[(4, 4)])
    assert np.array_equal(again.logits, off.logits)
    assert again.traces[3] is RUN.traces[3]


@pytest.mark.parametrize("others", [(), ((1, 3),), ((3, 0),)])
def test_a_feed_forward_part_switched_off_adds_nothing_and_all_others_read_that(others) -> None:
    off = MODEL.run(RUN.ids, without=[("feed-forward", 2), *others])
    plain = MODEL.run(RUN.ids, without=others)
    assert not off.feed_forwards[2].any()
    assert np.array_equal(off.streams[2], plain.streams[2])
    assert off.streams[3] == pytest.approx(plain.streams[3] - plain.feed_forwards[2], abs=1e-12)
    decoder, stream_TD = plain.decoder, off.streams[3]
    for layer in (3, 4):
        stream_TD = stream_TD + decoder.attend(stream_TD, layer).output[0]
        stream_TD = stream_TD + decoder.feed_forward(stream_TD, layer)
    assert off.logits == pytest.approx(decoder.logits(stream_TD), abs=1e-10)
    assert off.contributions(F)["feed-forward", 2] == 0
    again = RUN.without(("feed-forward", 2), *others)
    assert np.array_equal(again.logits, off.logits)
    assert again.traces[2].output == pytest.approx(off.traces[2].output, abs=0)


@pytest.mark.parametrize("heads", [(), ((1, 3), (4, 4))])
@pytest.mark.parametrize("layer", [0, 2, 4])
def test_a_feed_forward_part_off_is_that_of_a_model_whose_matrix_is_zero(layer, heads) -> None:
    layers = list(MODEL.decoder.layers)
    fed, filling = layers[layer].feed_forward, np.zeros(MODEL.decoder.embedding.shape[1])
    fed = replace(fed, w_out=0 * fed.w_out, b_out=filling)
    layers[layer] = replace(layers[layer], feed_forward=fed)
    plain = PlainRun(
        replace(MODEL.decoder, layers=tuple(layers)), RUN.ids, dict.fromkeys(heads, filling)
    )
    off = MODEL.run(RUN.ids, without=[*heads, ("feed-forward", layer)])
    assert off.logits[-1] == pytest.approx(plain.logits, abs=1e-9)
    parts = off.contributions(F, against=None)
    assert parts["feed-forward", layer] == 0
    assert sum(parts.values()) == pytest.approx(plain.logits[F], abs=1e-9)


def test_heads_off_in_turn_beside_a_feed_forward_part() -> None:
    off = (("feed-forward", 2), (3, 1))
    each = logits_without(tuple(RUN.ids), off)
    for head in ((0, 5), (2, 6), (3, 1), (4, 4)):
        expected = MODEL.run(RUN.ids, without=[*{*off, head}]).logits[-1]
        assert each[head] == pytest.approx(expected, abs=1e-9)


def test_with_a_feed_forward_part_off_words_and_writing_are_those_of_that_model() -> None:
    off = MODEL.run(RUN.ids, without=[("feed-forward", 4)])
    assert off.next_words(1) != RUN.next_words(1)
    written = list(MODEL.generate(RUN.ids, 3, without=[("feed-forward", 4)]))
    expected = list(RUN.ids)
    for _ in written:
        run = MODEL.run(expected, without=[("feed-forward", 4)])
        expected.append(int(run.logits[-1].argmax()))
    assert [*RUN.ids, *written] == expected
    word, share = off.next_words(1)[0]
    shares = off.word_shares([word])
    assert shares[word] == pytest.approx(share, abs=1e-9)


@pytest.mark.parametrize("wrong", [("feed-forward", 5), ("feed", 1), ("feed-forward",), (5, 0)])
def test_a_part_that_is_not_there_cannot_be_switched_off(wrong) -> None:
    with pytest.raises(SettingsError, match="without"):
        MODEL.run(RUN.ids, without=[wrong])


def test_another_trace_in_the_place_of_a_layer() -> None:
    off = MODEL.run(RUN.ids, without=[(2, 6)])
    replaced = MODEL.rerun(RUN, replaced=(2, off.traces[2]))
    assert np.array_equal(replaced.logits, off.logits)


def test_top_p_keeps_the_fewest_pieces_that_reach_it() -> None:
    shares, kept = RUN.probabilities(), RUN.probabilities(top_p=0.86)
    assert (kept > 0).sum() == 3  # .82469 + .03052 < .86
    assert kept[F] == pytest.approx(shares[F] / np.sort(shares)[-3:].sum())
    assert (RUN.probabilities(top_p=0.5) > 0).sum() == 1
    assert np.array_equal(RUN.probabilities(top_p=1.0), shares)


def test_a_small_temperature_is_no_warning() -> None:
    assert next_probabilities(np.array([3.0, 1.0]), temperature=1e-300).tolist() == [1.0, 0.0]


def test_a_seed_gives_the_same_text_also_continued() -> None:
    ids = MODEL.encode("Once upon a time")
    text = list(MODEL.generate(ids, 12, temperature=1.0, top_p=0.9, seed=7))
    again = list(MODEL.generate(ids + text[:5], 7, temperature=1.0, top_p=0.9, seed=7))
    assert text[5:] == again
    assert text != list(MODEL.generate(ids, 12, temperature=1.0, top_p=0.9, seed=8))


def test_the_start_alone_is_a_prompt_and_512_tokens_are_the_most() -> None:
    assert MODEL.run(MODEL.encode("")).logits.shape == (1, 512)
    with refused(SettingsError, "ids", 513, 512):
        MODEL.run([1] * 513)
    with refused(SettingsError, "n_tokens", 510):
        MODEL.generate([1, 2], 511)
    with refused(TextError, "text"):
        MODEL.encode("a\ud800")


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_folder_is_refused(name: str, tmp_path: Path) -> None:
    shutil.copytree(MODEL_FOLDER, tmp_path, dirs_exist_ok=True)
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(whole[:-9])
    with refused(FileError, tmp_path.name):
        language_model(tmp_path)
    (tmp_path / name).unlink()
    with refused(FileError, tmp_path.name):
        language_model(tmp_path)


def test_the_folder_says_where_it_comes_from() -> None:
    assert "2023 Andrej" in (MODEL_FOLDER / "LICENSE").read_text(encoding="utf-8")
    assert sum(path.stat().st_size for path in MODEL_FOLDER.iterdir()) < 1.1 * 2**20
    config = json.loads((MODEL_FOLDER / "config.json").read_text(encoding="utf-8"))
    with np.load(MODEL_FOLDER / "weights.npz", allow_pickle=False) as file:
        assert sum(file[name].size for name in file.files) == 260_032
    assert config["vocabulary"] == len(MODEL.tokenizer.pieces)


@pytest.mark.parametrize("heads", [[(3, 1), (1, 2)], [(1, 2), (3, 1)], [(4, 0), (0, 7)]])
def test_heads_of_two_layers_change_all_layers_after_the_first_of_them(
    heads: list[tuple[int, int]],
) -> None:
    again = MODEL.rerun(RUN, without=heads)
    np.testing.assert_array_equal(again.logits, MODEL.run(RUN.ids, without=heads).logits)
    first = min(layer for layer, _ in heads)
    kept = [again.traces[layer] is RUN.traces[layer] for layer in range(5)]
    assert kept == [layer < first for layer in range(5)]
    back = MODEL.rerun(again)  # all heads on again
    np.testing.assert_array_equal(back.logits, RUN.logits)


def test_a_folder_with_other_numbers_is_refused(tmp_path: Path) -> None:
    """Of the same length and form, with one number changed."""
    shutil.copytree(MODEL_FOLDER, tmp_path, dirs_exist_ok=True)
    with np.load(tmp_path / "weights.npz", allow_pickle=False) as file:
        arrays = {name: file[name].copy() for name in file.files}
    first = next(iter(arrays.values()))
    first.flat[3] += 1
    np.savez(tmp_path / "weights.npz", **arrays)
    with refused(FileError, tmp_path.name):
        language_model(tmp_path)
    tokens = (MODEL_FOLDER / "tokens.json").read_text(encoding="utf-8")
    shutil.copytree(MODEL_FOLDER, tmp_path, dirs_exist_ok=True)
    other = tokens.replace('"!"', '"?"') if '"!"' in tokens else f"{tokens} "
    (tmp_path / "tokens.json").write_text(other, encoding="utf-8")
    with refused(FileError, tmp_path.name):
        language_model(tmp_path)


@pytest.mark.parametrize(
    ("drawn", "piece"), [(0.0, 1), (0.25, 2), (0.24999, 1), (0.5, 2), (0.75, 4), (0.9999, 4)]
)
def test_a_piece_is_drawn_whose_sum_is_above_the_number(
    drawn: float, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At an exact tie it is the next piece, and never one without a share."""
    monkeypatch.setattr(generation, "drawn_number", lambda *_: drawn)
    assert generation.draw(np.array([0, 0.25, 0.5, 0, 0.25]), 0, 0) == piece


def test_equal_pieces_are_kept_in_the_order_of_the_vocabulary() -> None:
    four = np.log([0.25, 0.25, 0.25, 0.25])
    assert next_probabilities(four, top_p=0.5).tolist() == [0.5, 0.5, 0, 0]  # reached exactly
    assert next_probabilities(four, top_p=0.51).astype(bool).tolist() == [True] * 3 + [False]
    assert next_probabilities(np.array([1.0, 2.0, 2.0]), temperature=0).tolist() == [0, 1, 0]


def test_bytes_that_are_no_character_are_shown_as_one_sign() -> None:
    start, *rest = MODEL.encode("日")
    assert len(rest) == 4  # the space, three bytes
    assert MODEL.decode([start, *rest]) == "日"
    assert MODEL.decode([start, *rest[:-1]]) == " \ufffd".strip(" ")
    for half in ("\ud800", "a\udfffb"):
        with refused(TextError, "text"):
            MODEL.encode(half)
