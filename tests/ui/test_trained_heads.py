"""The section on trained models: its pages, their places in the URL, files of weights, no model."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import attention_lab.trained.encoded_text as core
from attention_core import FileError
from attention_lab.trained.change_a_word import changed_word
from attention_lab.trained.encoded_text import pieces_of
from attention_lab.trained.head_finder import rank_heads, targets_of
from attention_lab.trained.language_text import language_run
from attention_lab.trained.minilm import load_minilm
from attention_lab.words.numbers import format_percent
from attention_viz.markdown import escape_markdown
from tests.lab.made_files import npz
from tests.lab.trained.minilm_maps import attention_of
from tests.ui.app import (
    errors,
    figures,
    gone_to,
    named_in,
    opened,
    page_context,
    page_shown,
    pressed,
    refused,
    scenes,
    sent,
    texts,
    unescaped,
)
from tests.ui.uploads import ANIMAL, SHARES, rng, uploaded

SECTION = ["trained-heads", "find-a-head", "change-a-word"]
MINILM, OPEN = {"th_model": "MiniLM"}, {"th_open": "true"}
FROG = "One day, a little frog was very sad. The"
MISSING = "The trained model is not there"


@pytest.mark.parametrize("page", SECTION)
def test_nonsense_in_the_url_and_sizes_of_the_story(page: str) -> None:
    junk = {"th_layer": "77", "th_head": "-1", "fh_from": "zz", "fh_rule": "word to word"}
    more = {"oh_step": "no", "cw_old": "$<b>", "d_model": 5, "n_heads": 4, "th_open": "true"}
    for cell in ("x", "1-2", "99999-0-0"):
        app = opened(page, text="a b c", th_cell=cell, **junk, **more)
        assert not app.exception
        assert not app.error
        assert scenes(app)


def test_a_place_that_the_model_does_not_have() -> None:
    asked_for = {"fh_rule": "word to word", "fh_from": 77, "fh_to": 3}
    (word,) = refused(opened("find-a-head", text=ANIMAL, **asked_for))
    assert word[:2] == ("From the word", "77")
    app = opened("trained-heads", **OPEN, text=ANIMAL, th_layer=77, th_head=77)
    assert [one[:2] for one in refused(app)] == [("Layer", "77"), ("Head", "77")]
    assert scenes(app)[0]["cell"]["index"][1] == 1  # MiniLM's first head


def test_without_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(folder: Path = Path("/nowhere")) -> None:
        raise FileError(MISSING)

    monkeypatch.setattr(core, "load_minilm", missing)
    app = opened(SECTION[0], text=f"nobody has read this before {sys.maxsize}", **MINILM)
    for page in SECTION:
        app = gone_to(app, page)
        assert [MISSING in error for error in errors(app)] == [True]
        assert app.segmented_control(key="choose th_model").value == "MiniLM"
    app.segmented_control(key="choose th_model").set_value("language model").run()
    assert not app.error
    assert scenes(app)
    assert scenes(gone_to(app, "scores"))
    app = gone_to(app, SECTION[0])
    app.segmented_control(key="choose th_model").set_value("your own").run()
    assert scenes(uploaded("a.npz", npz({"attention": SHARES}), app))


def test_one_head_shows_the_layers_own_trace() -> None:
    app = opened(
        "trained-heads",
        th_open="true",
        text=ANIMAL,
        th_layer=3,
        th_head=1,
        th_cell="9-2-0",
        oh_step="W_Q",
    )
    heat, _, weights = scenes(app)
    share = attention_of(ANIMAL).layers[3][1, 9, 2]
    assert heat["cell"] == {"array": "probabilities", "index": [0, 1, 9, 2]}
    assert sent(heat["arrays"]["probabilities"])[0, 1, 9, 2] == np.float32(share)
    w_q = load_minilm().layers[3].attention.w_q
    first = weights["arrays"]["w_q"]["start"][1]
    assert first <= 32 < first + 64
    assert np.array_equal(sent(weights["arrays"]["w_q"]), w_q[:, first : first + 64].astype("f4"))
    assert f"**{format_percent(float(share))}**" in texts(app)
    app = pressed(app, "Walk through this layer step by step")
    assert page_shown(app).url_path == "scores"
    now = page_context(app)
    assert (now.scenario.weights, now.scenario.layer) == ("trained", 3)
    assert (now.focus.head, now.focus.query, now.focus.key) == (1, 9, 2)
    assert now.trace.probabilities[0, 1, 9, 2] == share


def test_every_step_of_a_head() -> None:
    app = opened(
        "trained-heads", th_open="true", text="we like tea", th_cell="1-2-40"
    )  # MiniLM, as before
    ends = {"scores": [1, 2], "mixing": [1, 31], "W_O": [1, 40]}
    for step, end in (ends | {"W_Q": [1, 63], "W_K": [2, 63], "W_V": [2, 63]}).items():
        app.segmented_control(key="choose oh_step").set_value(step).run()
        assert len(scenes(app)) == 3
        assert scenes(app)[2]["cell"]["index"][-2:] == end


@pytest.mark.parametrize("rule", ["previous token", "repeated words"])
def test_the_head_that_does_it_most(rule: str) -> None:
    maps = attention_of(ANIMAL)
    ranking = rank_heads(maps, targets_of(maps, rule))
    app = opened("find-a-head", text=ANIMAL, fh_rule=rule)
    layer, head, most = ranking.best(1)[0]
    said = texts(app)
    assert f"**Layer {layer}, head {head} does it most.**" in said
    assert f"{format_percent(most)} of its attention" in said
    assert f"would give {format_percent(ranking.even)}" in said
    found = [(panel["title"], panel["badge"]) for panel in scenes(app)[1]["panels"]]
    best = [(f"layer {one}, head {of}", format_percent(share)) for one, of, share in ranking.best()]
    assert found == best
    assert len(figures(app)[0]["data"][1]["customdata"]) == 72
    assert len(app.warning) == 1  # attention is not explanation
    assert {"W_O"} <= named_in(unescaped(app.warning[0].value))
    assert "W₀" in opened("find-a-head", notation="mql5").warning[0].value


def test_a_word_of_several_pieces_is_named_as_a_whole() -> None:
    text, rule = "unbelievably strange hallway", "word to word"
    maps = attention_of(text)
    assert maps.tokens[1:7] == ("un", "##bel", "##ie", "##va", "##bly", "strange")
    most = max(float(layer[head, 1:6, 6].mean()) for layer in maps.layers for head in range(12))
    said = texts(opened("find-a-head", text=text, fh_rule=rule, fh_from=2, fh_to=6))
    assert f"a piece of “unbelievably” gives “strange” {format_percent(most)}" in said
    said = texts(opened("find-a-head", text=ANIMAL, fh_rule=rule, fh_from=9, fh_to=2))
    assert "**Layer 3, head 1 does it most.** In it, “it” gives “animal”" in said


def test_cross_attention_from_elsewhere() -> None:
    for n_queries in (1, 3):
        shares = rng.dirichlet(np.ones(5), size=(2, 2, n_queries)).astype("f4")
        app = gone_to(uploaded("a.npz", npz({"attention": shares})), "find-a-head")
        rules = app.selectbox(key="choose fh_rule").options
        assert rules[:3] == ["first token", "last token", "word to word"]
        ranking = sent(scenes(app)[0]["arrays"]["ranking"])
        assert np.allclose(ranking, shares[..., 0].mean(axis=-1))
        assert scenes(app)[1]["cell"]["index"] == [min(1, n_queries - 1), 0]
    app.selectbox(key="choose fh_rule").set_value("word to word").run()
    app.selectbox(key="choose fh_to").set_value("4").run()
    asking = int(app.selectbox(key="choose fh_from").value)
    assert np.allclose(sent(scenes(app)[0]["arrays"]["ranking"]), shares[:, :, asking, 4])
    app.segmented_control(key="choose th_model").set_value("MiniLM").run()
    assert "repeated words" in app.selectbox(key="choose fh_rule").options
    app.selectbox(key="choose fh_rule").set_value("itself").run()
    app.segmented_control(key="choose th_model").set_value("your own").run()
    assert not app.error
    assert app.selectbox(key="choose fh_rule").value == "first token"


def test_a_rule_that_no_head_follows() -> None:
    shares = np.tril(np.ones((1, 2, 4, 4), "f4"))
    app = uploaded("a.npz", npz({"attention": shares / shares.sum(axis=-1, keepdims=True)}))
    app = gone_to(app, "find-a-head")
    assert len(app.header) == 1
    app.selectbox(key="choose fh_rule").set_value("next token").run()
    assert len(app.header) == 0


def test_change_one_word() -> None:
    app = opened("change-a-word", text="something else entirely", **MINILM)
    assert len(app.info) == 1  # for “tired” is not there
    assert "“entirely”" in app.info[0].value
    app = pressed(app, "tired / wide")
    assert (page_context(app).scenario.text, len(app.info)) == (ANIMAL, 0)
    change = changed_word(attention_of(ANIMAL), attention_of(ANIMAL.replace("tired", "wide")))
    for shares in (change.before, change.after):
        assert f"**{format_percent(float(shares[3][1, 9, 2]))}**" in texts(app)
    assert np.array_equal(sent(scenes(app)[1]["arrays"]["layer 3"]), change.differences[3])
    moves = change.largest(5)
    assert [move.query == move.key for move in moves[:2]] == [True, False]
    heads = [f"layer {move.layer}, head {move.head}: " for move in moves]
    buttons = [next(b for b in app.button if b.label.startswith(head)) for head in heads]
    assert all("“tired → wide” to “" in button.help for button in buttons[:2])
    buttons[-1].click().run()
    held = [app.query_params[name] for name in ("th_layer", "th_head")]
    assert held == [str(moves[-1].layer), str(moves[-1].head)]


def test_old_urls_open_minilm() -> None:
    """Those that name a choice of these pages; *Layer by layer* has joined *Find a head*."""
    app = opened("trained-heads", **OPEN, text=ANIMAL, th_layer=5)
    assert app.segmented_control(key="choose th_model").value == "MiniLM"
    assert scenes(app)[0]["arrays"]["probabilities"]["shape"] == [1, 12, 15, 15]
    for was, now in (("Effective tokens", "effective tokens"), ("Self-mass", "itself")):
        app = opened("layers", text=ANIMAL, ly_measure=was)
        assert page_shown(app).url_path == "find-a-head"
        assert app.selectbox(key="choose fh_rule").value == now
    app = opened("your-weights", head=0)
    assert page_shown(app).url_path == "trained-heads"
    assert app.segmented_control(key="choose th_model").value == "your own"
    assert app.file_uploader
    app = opened(
        "trained-heads", th_open="true", text=FROG, th_model="language model", th_layer=2, th_head=6
    )
    app.query_params["th_model"] = "MiniLM"  # in the same tab
    del app.query_params["th_layer"]
    app.run()
    assert (app.session_state["th_layer"], app.session_state["th_head"]) == ("3", "6")


@pytest.mark.parametrize("page", SECTION)
def test_a_cut_sentence_is_counted_in_the_models_tokens(page: str) -> None:
    (cut,) = pieces_of(ANIMAL, 6).notes
    assert texts(opened(page, text=ANIMAL, n_tokens=6, **MINILM)).count(escape_markdown(cut)) == 1
    filled = opened(page, text=ANIMAL, n_tokens=40, **MINILM)
    assert "40" not in named_in(unescaped(texts(filled)))  # no [PAD] is shown here


def test_one_choice_for_all_pages() -> None:
    app = opened("trained-heads", **OPEN, bare=True)
    assert page_context(app).scenario.text == FROG
    board = scenes(app)[0]
    assert board["cell"]["index"] == [0, 4, 15, 6]
    assert format_percent(float(sent(board["arrays"]["probabilities"])[0, 4, 15, 6])) == "86.2 %"
    app.segmented_control(key="choose th_model").set_value("MiniLM").run()
    assert (app.session_state["th_layer"], app.session_state["th_head"]) == ("3", "1")
    assert app.query_params["th_model"] == "MiniLM"
    app = pressed(app, "All heads")
    layers = {"MiniLM": attention_of(FROG).layers}
    layers["language model"] = tuple(one.probabilities[0] for one in language_run(FROG).traces)
    for model, shares in layers.items():
        app.segmented_control(key="choose th_model").set_value(model).run()
        for layer, shares_HTS in enumerate(shares):
            shown = sent(scenes(app)[0]["arrays"][f"layer {layer}"])
            np.testing.assert_allclose(shown, shares_HTS, rtol=1e-6)
    now = page_context(gone_to(app, "softmax"))
    assert (now.scenario.text, now.scenario.weights) == (FROG, "language model")
    assert (now.focus.head, now.focus.query, now.focus.key) == (4, 15, 6)


def test_frog_becomes_bird() -> None:
    app = opened("change-a-word", bare=True)
    before, after = (language_run(text) for text in (FROG, FROG.replace("frog", "bird")))
    assert scenes(app)[0]["cell"]["index"] == [11, 6]
    for run in (before, after):
        assert f"**{format_percent(run.next_words(1)[0][1])}**" in texts(app)
    whole = before.traces[4].probabilities[0, 4, 15, 6:10].sum()
    head = sent(scenes(app)[0]["arrays"]["before"])
    assert head[11, 6] == pytest.approx(whole, rel=1e-6)
    app.segmented_control(key="choose th_model").set_value("MiniLM").run()
    assert app.text_input(key="choose cw_old").value == "frog"  # the same in both models


def test_the_start_alone_and_one_token_have_heads() -> None:
    for page, is_open in (("trained-heads", ""), ("trained-heads", "true"), ("find-a-head", "")):
        app = opened(page, text="", th_open=is_open)
        assert not app.error
        assert scenes(app)
    assert app.selectbox(key="choose fh_rule").value == "copies what it reads"
    assert "masked" in scenes(app)[0]["arrays"]["ranking"]  # nothing to copy
    app = gone_to(uploaded("a.npz", npz({"attention": np.ones((1, 1, 1, 1), "f4")})), "find-a-head")
    app.selectbox(key="choose fh_rule").set_value("itself").run()
    means, dots, even = figures(app)[0]["data"]
    assert means["y"] == even["y"]
    assert dots["y"] == [1]
