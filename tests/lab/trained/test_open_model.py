"""A model from a folder: what transformers computes for one small model of each family, whatever
the folder looks like, and the laws of a run.
"""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from mmap import mmap
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pytest

from attention_core import Projections, SettingsError, TextError, attend
from attention_lab import language_model, open_model
from attention_lab.trained.branches import Branches
from attention_lab.trained.generation import KeyValueCache
from attention_lab.trained.language_model import LanguageModel
from attention_viz import board
from tests.lab.refusal import refused
from tests.lab.trained.small_folders import (
    FAMILIES,
    config_of,
    numbers,
    stories_tokenizer,
    write_folder,
)

GOLDEN = np.load(Path(__file__).parents[2] / "data" / "folder_models.npz", allow_pickle=False)
IDS = GOLDEN["ids"].tolist()
OFF = tuple(GOLDEN["off"].tolist())
CLOSE: dict[str, Any] = {"rtol": 0, "atol": 1e-4}


def arrays_of(name: str) -> dict[str, np.ndarray]:
    shapes = json.loads(str(GOLDEN[f"{name}_shapes"]))
    return {key: numbers(key, shape) for key, shape in shapes.items()}


@cache
def model_of(name: str) -> LanguageModel:
    folder = Path(mkdtemp()) / name
    write_folder(folder, config_of(name), arrays_of(name))
    return open_model(folder, mean_text="the cat sat on a mat.")


@pytest.mark.parametrize("name", FAMILIES)
def test_logits_attention_and_text_are_those_of_transformers(name: str) -> None:
    model = model_of(name)
    run = model.run(IDS)
    assert run.logits.dtype == np.float32
    np.testing.assert_allclose(run.logits, GOLDEN[f"{name}_logits"], **CLOSE)
    shares = np.array([trace.probabilities[0] for trace in run.traces])
    np.testing.assert_allclose(shares, GOLDEN[f"{name}_attentions"], **CLOSE)
    written = GOLDEN[f"{name}_written"].tolist()
    assert list(model.generate(IDS, len(written))) == written
    for off in (model.run(IDS, without=[OFF]), model.rerun(run, without=[OFF]), run.without(OFF)):
        np.testing.assert_allclose(off.logits[-1], GOLDEN[f"{name}_without"], **CLOSE)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("cuts", [[1, 2, 3], [5], [4, 10]])
def test_the_cache_and_the_branches_give_one_run(name: str, cuts: list[int]) -> None:
    model = model_of(name)
    whole = model.run(IDS)
    cache_, places = KeyValueCache(model.decoder, len(IDS)), [0, *cuts, len(IDS)]
    steps = [cache_.extend(IDS[a:b]) for a, b in pairwise(places)]
    np.testing.assert_allclose(np.concatenate([s.logits for s in steps]), whole.logits, **CLOSE)
    begun = KeyValueCache(model.decoder, cuts[0])
    begun.extend(IDS[: cuts[0]])
    layers = [begun.kept(layer) for layer in range(model.n_layers)]
    branches = Branches(model.decoder, [np.array(one) for one in zip(*layers, strict=True)])
    parent = -1
    for place in range(cuts[0], len(IDS)):
        logits = branches.extend([parent, -1], [IDS[place], 7])[0]
        parent = len(branches) - 2
        np.testing.assert_allclose(logits, whole.logits[place], **CLOSE)


@pytest.mark.parametrize("name", FAMILIES)
def test_parts_sources_and_losses_add_up(name: str) -> None:
    model = model_of(name)
    run = model.run(IDS)
    token, other = 9, 30
    for against in ("average", other, None):
        base = {"average": run.logits[-1].mean(), None: 0.0}.get(against, run.logits[-1, other])
        parts = run.contributions(token, against)
        assert sum(parts.values()) == pytest.approx(run.logits[-1, token] - base, abs=1e-4)
        assert run.sources(OFF, token, against).sum() == pytest.approx(
            parts["head", *OFF], abs=1e-4
        )
        off = run.without(OFF)
        after = {"average": off.logits[-1].mean(), None: 0.0}.get(against, off.logits[-1, other])
        lost = (run.logits[-1, token] - base) - (off.logits[-1, token] - after)
        assert run.loss(OFF, token, against).total == pytest.approx(lost, abs=1e-4)
    of_biases = {key for key in parts if key[0] == "bias"}
    assert len(of_biases) == (2 if name in ("gpt2", "qwen3") else 0)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_mean_is_that_of_the_given_text(name: str) -> None:
    model = model_of(name)
    ids = model.encode("the cat sat on a mat.")
    trace, (layer, head) = model.run(ids).traces[OFF[0]], OFF
    width = trace.projections.d_v
    rows = trace.projections.w_o[head * width : (head + 1) * width]
    expected = (trace.head_outputs[0, head] @ rows).mean(axis=0)
    np.testing.assert_allclose(model.head_means[layer, head], expected, **CLOSE)
    off = model.run(IDS, without=[OFF], replaced_by="mean")
    np.testing.assert_allclose(off.parts()[1].sum(axis=0), off.streams[-1, -1], **CLOSE)
    plain = open_model(write_folder(Path(mkdtemp()), config_of(name), arrays_of(name)))
    with refused(SettingsError, "replaced_by", "mean_text"):
        plain.run(IDS, replaced_by="mean")


@pytest.mark.parametrize(("kind", "parts"), [("F32", 3), ("F16", 1), ("BF16", 2)])
def test_types_and_parts(kind: str, parts: int, tmp_path: Path) -> None:
    exact = {key: np.round(one * 64) / 64 for key, one in arrays_of("llama").items()}
    folder = write_folder(tmp_path / "a", config_of("llama"), exact)
    other = write_folder(tmp_path / "b", config_of("llama"), exact, kind, parts)
    # Numbers of at most 8 bits are the same in all types.
    assert max(np.abs(one).max() for one in exact.values()) < 4
    np.testing.assert_array_equal(
        open_model(folder).run(IDS).logits, open_model(other).run(IDS).logits
    )


def test_the_beginning_of_names_may_be_missing(tmp_path: Path) -> None:
    for name, prefix in (("gpt2", "transformer."), ("qwen2", "model.")):
        short = {key.removeprefix(prefix): one for key, one in arrays_of(name).items()}
        short |= {"h.0.attn.bias": np.ones((1, 1, 4, 4))} if name == "gpt2" else {}
        folder = write_folder(tmp_path / name, config_of(name), short)
        np.testing.assert_allclose(
            open_model(folder).run(IDS).logits, GOLDEN[f"{name}_logits"], **CLOSE
        )


def test_weights_of_float32_stay_in_the_file() -> None:
    decoder = model_of("llama").decoder
    for array in (decoder.embedding, decoder.output, decoder.layers[1].feed_forward.w_out):
        assert not array.flags.writeable
        while isinstance(array, np.ndarray):
            array = array.base
        assert isinstance(array.obj, mmap)


def stories_folder(folder: Path) -> Path:
    """stories260K with the names and the layout of Llama: halves in place of neighbours."""
    decoder = language_model().decoder
    order = np.array([0, 2, 4, 6, 1, 3, 5, 7])  # of the features of a head
    arrays = {
        "model.embed_tokens.weight": decoder.embedding,
        "model.norm.weight": decoder.last_norm.gain,
    }
    for number, layer in enumerate(decoder.layers):
        at, p, fed = f"model.layers.{number}.", layer.attention, layer.feed_forward
        arrays[f"{at}input_layernorm.weight"] = layer.attention_norm.gain
        arrays[f"{at}post_attention_layernorm.weight"] = layer.feed_forward_norm.gain
        for letter, matrix, heads in (("q", p.w_q, 8), ("k", p.w_k, 4)):
            turned = matrix.reshape(64, heads, 8)[:, :, order].reshape(64, -1)
            arrays[f"{at}self_attn.{letter}_proj.weight"] = turned.T
        arrays |= {f"{at}self_attn.{n}_proj.weight": m.T for n, m in (("v", p.w_v), ("o", p.w_o))}
        arrays |= {
            f"{at}mlp.{n}_proj.weight": m.T
            for n, m in (("gate", fed.w_in), ("down", fed.w_out), ("up", fed.w_up))
        }
    config = {
        "model_type": "llama",
        "hidden_size": 64,
        "intermediate_size": decoder.layers[0].feed_forward.w_in.shape[1],
        "num_hidden_layers": 5,
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
        "vocab_size": 512,
        "max_position_embeddings": 512,
        "rms_norm_eps": decoder.last_norm.epsilon,
        "rope_parameters": {"rope_theta": decoder.rotary.base, "rope_type": "default"},
        "tie_word_embeddings": True,
        "eos_token_id": [1],
    }
    own = language_model().tokenizer
    return write_folder(folder, config, arrays, pieces=stories_tokenizer(own.pieces, own.scores))


def test_stories260k_as_a_folder_is_stories260k(tmp_path: Path) -> None:
    ours, theirs = language_model(), open_model(stories_folder(tmp_path))
    text = "One day, a little frog (naïve 日) was very sad.\n The"
    ids = ours.encode(text)
    assert theirs.encode(text) == ids
    assert theirs.decode(ids) == text
    assert theirs.pieces(ids) == ours.pieces(ids)
    run, other = ours.run(ids), theirs.run(ids)
    np.testing.assert_allclose(other.logits, run.logits, **CLOSE)
    assert list(theirs.generate(ids, 60)) == list(ours.generate(ids, 60))
    sampled = {"temperature": 0.9, "top_p": 0.9, "seed": 4}
    assert list(theirs.generate(ids, 40, **sampled)) == list(ours.generate(ids, 40, **sampled))
    parts, token = run.contributions(ids[6]), ids[6]
    for part, value in other.contributions(token).items():
        assert value == pytest.approx(parts[part], abs=1e-4)


def test_words_and_pieces() -> None:
    model = model_of("gpt2")
    ids = model.encode("the cat sat. é\n")
    assert model.decode(ids) == "the cat sat. é\n"
    pieces = ["t", "h", "e", " cat", " sat", ".", " ", "<0xC3>", "<0xA9>", "\n"]
    assert model.pieces(ids) == pieces
    words = ["the", " cat", " sat", ".", " é", "\n"]
    assert [model.decode(ids[one]) for one in model.words(ids)] == words
    assert model.pieces([0, 60]) == ["<|endoftext|>", "<unused 60>"]
    run = model.run(model.encode("the cat"))
    found = run.next_words(5)
    assert run.word_shares([word for word, _ in found]) == pytest.approx(dict(found), rel=1e-5)
    # Of pieces, by runs of their own: “sat” is spelled in three ways, and ends before a letter.
    shares = run.probabilities()
    letters = [n for n, piece in enumerate(model.tokenizer.pieces) if piece.isalpha()]
    total = 0.0
    for spelling in ([" sat"], [" sa", "t"], [" s", "a", "t"], [" ", "s", "a", "t"]):
        text, share = model.encode("the cat"), 1.0
        for one in map(model.tokenizer.pieces.index, spelling):
            share *= model.run(text).probabilities()[one]
            text = [*text, one]
        total += share * (1 - model.run(text).probabilities()[letters].sum())
    assert run.word_shares(["sat"])["sat"] == pytest.approx(total, rel=1e-4)
    assert run.word_shares(["end of the text"])["end of the text"] == pytest.approx(
        shares[0], rel=1e-4
    )
    with refused(TextError, "text"):
        model.encode("a\ud800")


def test_a_board_of_a_layer() -> None:
    run = model_of("qwen3").run(IDS)
    assert "<iframe" in board(run.traces[1], "scores")._repr_html_()
    wide = Projections.random(768, 12).astype(np.float32)  # as wide as GPT-2
    trace = attend(np.ones((3, 768), np.float32), wide, causal=True)
    assert "<iframe" in board(trace, "scores", head=11)._repr_html_()
    assert [trace.tokens for trace in run.traces] == [tuple(model_of("qwen3").pieces(IDS))] * 2


def test_a_text_ends_where_the_positions_do() -> None:
    model = model_of("gpt2")
    assert model.run([4] * 32).logits.shape == (32, 61)
    with refused(SettingsError, "ids", 33, 32):
        model.run([4] * 33)
    with refused(SettingsError, 33, 32):
        model.run([4] * 32).next_words(2)
    assert len(list(model.generate([4] * 30, 2))) == 2
    with refused(SettingsError, "n_tokens", 3, 2):
        model.generate([4] * 30, 3)


def test_a_text_ends_at_each_of_its_end_pieces(tmp_path: Path) -> None:
    written = GOLDEN["llama_written"].tolist()
    for place in (2, 5):
        ends = [written[place], next(one for one in range(61) if one not in written)]
        config = config_of("llama") | {"eos_token_id": ends}
        model = open_model(write_folder(tmp_path / str(place), config, arrays_of("llama")))
        expected = written[: written.index(written[place])]
        assert list(model.generate(IDS, len(written))) == expected


def test_what_a_run_and_a_search_take_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of("mistral")
    room = 4 * 2 * 4 * 11 * 11 * 4  # arrays, layers, heads, queries, keys, bytes
    monkeypatch.setattr("attention_lab.trained.language_model.MOST_TRACE_BYTES", room)
    run = model.run(IDS)
    with refused(SettingsError, "ids", 12):
        model.run([*IDS, 3])
    monkeypatch.setattr("attention_lab.trained.next_words.MOST_STEPS", 10**6)
    wide = run.next_words(8)
    monkeypatch.setattr("attention_lab.trained.next_words.MOST_SHARES", 61 * 2 * 4)
    few = run.next_words(8)
    # At most 4 of each kind, those of the last batch of 16, and one for the space.
    assert few.n_steps <= 4 + 16 + 4 + 1 < wide.n_steps
