"""The pages about trained heads: the model's own numbers, and plain words where there is no
model.
"""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import attention_lab.trained.encoded_text as core
from attention_core import FileError
from attention_lab.scenario import Scenario, trace_of
from attention_lab.trained.changed_word import change_word
from attention_lab.trained.encoded_text import attention_of, weightless
from attention_lab.trained.minilm import load_minilm
from attention_ui.trained import head_place
from tests.lab.made_weight_files import npz
from tests.ui.app import errors, figures, gone_to, here, opened, said, scenes, sent, texts, title
from tests.ui.uploads import ANIMAL, SHARES, uploaded

SECTION = ["trained-heads", "one-head", "find-a-head", "change-a-word", "layers"]


def test_all_heads_of_all_layers() -> None:
    """Every probability of the 72 heads on the sentence is on the board, in its layer."""
    board = scenes(opened("trained-heads", text=ANIMAL))[0]
    for layer, shares in enumerate(attention_of(ANIMAL).layers):
        assert np.array_equal(sent(board["arrays"][f"layer {layer}"]), shares)


def test_one_head_shows_the_layers_own_trace() -> None:
    """Heatmap, scores and weights are those of the layer in the model; the cell of the address
    is pinned.
    """
    app = opened("one-head", text=ANIMAL, th_layer=3, th_head=1, th_cell="9-2-0", oh_step="W_Q")
    heat, weights = scenes(app)
    assert heat["cell"] == {"array": "probabilities", "index": [0, 1, 9, 2]}
    assert sent(heat["arrays"]["probabilities"])[0, 1, 9, 2] == pytest.approx(0.688, abs=1e-3)
    w_q = load_minilm().layers[3].attention.w_q
    first = weights["arrays"]["w_q"]["start"][1]
    assert first <= 32 < first + 64
    assert np.array_equal(sent(weights["arrays"]["w_q"]), w_q[:, first : first + 64].astype("f4"))
    assert "“it”" in texts(app)
    assert "68.8 %" in texts(app)


@pytest.mark.parametrize("step", ["scores", "W_Q", "W_K", "W_V", "mixing", "W_O"])
def test_every_step_of_a_head(step: str) -> None:
    """Each of the six views of the head's numbers draws its own board."""
    app = opened("one-head", text="we like tea", oh_step=step, th_cell="1-2-40")
    assert not app.exception
    assert not app.error
    assert len(scenes(app)) == 2
    places = {
        "scores": [1, 2],
        "mixing": [1, 31],
        "W_Q": [1, 63],
        "W_K": [2, 63],
        "W_V": [2, 63],
        "W_O": [1, 40],
    }
    assert scenes(app)[1]["cell"]["index"][-2:] == places[step]


def test_the_page_and_the_story_agree() -> None:
    """The walk through the layer starts at the same cell with the same number."""
    app = opened("one-head", text=ANIMAL, th_layer=3, th_head=1, th_cell="9-2-0")
    next(button for button in app.button if button.label.startswith("Walk through")).click().run()
    assert title(app) == "Scores"
    now = here(app)
    assert (now.scenario.weights, now.scenario.layer) == ("trained", 3)
    assert (now.focus.head, now.focus.query, now.focus.key) == (1, 9, 2)
    assert now.trace.probabilities[0, 1, 9, 2] == attention_of(ANIMAL).layers[3][1, 9, 2]


def test_find_a_head_ranks() -> None:
    """The previous-token head comes first, and word to word finds the head that joins "it" and
    "animal".
    """
    assert "Layer 0, head 2 does it most" in texts(opened("find-a-head", text=ANIMAL))
    app = opened("find-a-head", text=ANIMAL, fh_rule="word to word", fh_from=9, fh_to=2)
    assert "Layer 3, head 1 does it most" in texts(app)
    assert "not explanation" in app.warning[0].value


def test_a_word_of_several_pieces_is_named_as_a_whole() -> None:
    """The share is that of the whole words, the mean over the pieces that ask of the sum over
    those that are read.
    """
    app = opened(
        "find-a-head",
        text="unbelievably strange hallway",
        fh_rule="word to word",
        fh_from=2,
        fh_to=6,
    )
    maps = attention_of("unbelievably strange hallway")
    assert maps.tokens[1:7] == ("un", "##bel", "##ie", "##va", "##bly", "strange")
    most = max(float(layer[head, 1:6, 6].mean()) for layer in maps.layers for head in range(12))
    assert (
        f"{100 * most:.1f} % is what a piece of “unbelievably” gives “strange”, on average."
        in texts(app)
    )
    back = opened(
        "find-a-head",
        text="unbelievably strange hallway",
        fh_rule="word to word",
        fh_from=6,
        fh_to=3,
    )
    assert "is what “strange” gives “unbelievably”." in texts(back)


def test_change_one_word() -> None:
    """The preset sets sentence, words, head and cell, and says what the animal lost."""
    app = opened("change-a-word", text="something else entirely")
    assert "its last word is replaced" in app.info[0].value
    next(button for button in app.button if button.label == "tired / wide").click().run()
    assert here(app).scenario.text == ANIMAL
    assert "68.8 %, and gives 32.3 %" in texts(app)
    board = scenes(app)[0]
    assert np.array_equal(
        sent(board["arrays"]["layer 3"]), change_word(ANIMAL, "tired", "wide").differences[3]
    )


def test_whose_share_a_strongest_change_is() -> None:
    """The arrow between the two words is not taken for the one from a query to a key."""
    app = opened("change-a-word", text=ANIMAL)
    moves = [button for button in app.button if button.label.startswith("layer")]
    last = moves[-1]
    layer, head = (int(found) for found in re.findall(r"\d+", last.label)[:2])
    last.click().run()
    assert (app.session_state["th_layer"], app.session_state["th_head"]) == (layer, head)
    helps = [button.help for button in app.button if button.label.startswith("layer")]
    assert helps[:2] == ["“tired → wide” to itself", "“tired → wide” to “\\[CLS\\]”"]


def test_layers_say_why() -> None:
    """The measures are one dot for each head; without weights the words are even and normed
    ones keep themselves.
    """
    app = opened("layers", text=ANIMAL, ly_measure="Mean distance")
    assert len(figures(app)[0]["data"][1]["customdata"]) == 72
    assert "How many positions away" in texts(app)
    _, placed, normed = weightless(ANIMAL)
    assert f"{(normed.length / placed.length) ** 0.5:.1f} times" in texts(app)
    shares = sent(scenes(app)[1]["arrays"]["after LayerNorm"])
    assert np.trace(shares) / 15 > 0.7


def test_layers_say_why_only_where_it_is_so() -> None:
    """One token has no scores with others; words that are all the same do not point elsewhere."""
    app = opened("layers", text=ANIMAL, n_tokens=1)
    assert "One token has no others to look at" in texts(app)
    assert "point elsewhere" not in texts(app)
    assert set(app.table[0].value["mean score with others"]) == {"–"}
    said = texts(opened("layers", text="a " * 40))
    assert "the less the more they point elsewhere" in said
    assert "because they point elsewhere" not in said


def test_layers_show_the_head_of_the_address() -> None:
    """Beside attention without weights stands the head that the address names, and the address
    keeps it.
    """
    app = opened("layers", text=ANIMAL, th_layer=4, th_head=5)
    assert np.array_equal(
        sent(scenes(app)[1]["arrays"]["trained"]), attention_of(ANIMAL).layers[0][5]
    )
    assert gone_to(app, "one-head").session_state["th_layer"] == 4


def test_the_sequence_length_counts() -> None:
    """A shorter sequence is cut on these pages as in the story; filling up adds nothing here."""
    short = scenes(opened("trained-heads", text=ANIMAL, n_tokens=6))[0]["arrays"]["layer 0"][
        "shape"
    ]
    long = scenes(opened("trained-heads", text=ANIMAL, n_tokens=40))[0]["arrays"]["layer 0"][
        "shape"
    ]
    assert (short, long) == ([12, 6, 6], [12, 15, 15])


@pytest.mark.parametrize("page", SECTION)
def test_what_the_model_reads_is_said_in_its_own_tokens(page: str) -> None:
    """A cut sentence is told of by the count of the model's pieces, once; nothing is filled up,
    nor said to be.
    """
    cut = "With [CLS] and [SEP] there are 15 tokens; the first 4 of the text are used."
    said = texts(opened(page, text=ANIMAL, n_tokens=6)).replace("\\", "")
    assert said.count("are used") == said.count(cut) == 1
    assert "[pad]" not in texts(opened(page, text=ANIMAL, n_tokens=40)).replace("\\", "")


@pytest.mark.parametrize(
    "address",
    [
        {"th_cell": "x"},
        {"th_cell": "1-2"},
        {"th_cell": "99999-0-0"},
        {"th_layer": "77"},
        {"th_head": "-1"},
        {"fh_from": "zz", "fh_rule": "word to word"},
        {"ly_measure": "size"},
        {"oh_step": "no"},
        {"cw_old": "$<b>"},
    ],
)
@pytest.mark.parametrize("page", SECTION)
def test_nonsense_in_the_address(page: str, address: dict[str, str]) -> None:
    """A hand-made address gives the nearest thing there is, never a traceback or an error."""
    app = opened(page, text="a b c", **address)
    assert not app.exception
    assert not app.error
    assert scenes(app)


def test_clicks_open_the_head_that_was_clicked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of a board's array and the index say layer, head and cell."""
    state: dict[str, Any] = {}
    monkeypatch.setattr(head_place.st, "session_state", state)
    places = []
    for array, index in (("layer 4", [7, 1, 2]), ("head 5 11", [3, 0]), ("ranking", [2, 9])):
        head_place.open_pinned(array, index)
        places.append((state["th_layer"], state["th_head"], state["th_cell"]))
    assert places == [(4, 7, "1-2-0"), (5, 11, "3-0-0"), (2, 9, "")]
    head_place.pin_change("after minus before", [6, 5])
    assert (state["th_layer"], state["th_head"], state["th_cell"]) == (2, 9, "6-5-0")


@pytest.mark.parametrize("page", SECTION)
def test_without_the_model(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the folder is missing the page says so in one sentence; one's own file and the
    story still work.
    """

    def missing(folder: Path = Path("/nowhere")) -> None:
        raise FileError("The trained model is not there: take the folder from the repository again")

    monkeypatch.setattr(core, "load_minilm", missing)
    text = f"nobody has read this on {page} before {sys.maxsize}"
    app = opened(page, text=text)
    assert not app.exception
    assert [error.value.replace("\\", "")[:34] for error in app.error] == [
        "The trained model is not there: ta"
    ]
    assert scenes(gone_to(app, "scores"))
    app = uploaded("a.npz", npz({"attention": SHARES}), gone_to(app, "your-weights"))
    assert not app.error


def test_trained_weights_in_the_story() -> None:
    """A deep link to a story page with trained weights shows the layer of the model, and the
    sizes are the model's.
    """
    app = opened("softmax", text=ANIMAL, weights="trained", layer=3, head=1, query=9, key=2)
    assert here(app).trace is trace_of(replace(Scenario(), text=ANIMAL, weights="trained", layer=3))
    assert here(app).trace.sizes["H"] == 12
    assert app.get_by_key("d_model").disabled
    assert app.get_by_key("n_heads").disabled


@pytest.mark.parametrize(
    ("page", "name", "label", "last"),
    [
        ("one-head", "th_layer", "Layer", 5),
        ("change-a-word", "th_head", "Head", 11),
        ("find-a-head", "fh_from", "From the word", 14),
    ],
)
def test_a_place_that_the_model_does_not_have(page: str, name: str, label: str, last: int) -> None:
    """A layer, head or word beyond the last one becomes the last, and a notice says so."""
    more = {"fh_rule": "word to word"} if name == "fh_from" else {}
    app = opened(page, text=ANIMAL, **more, **{name: 77})
    assert app.session_state[name] == last
    assert said(app) == [
        f"The address asks for “77” under “{label}”; the last one, {last}, is shown."
    ]


@pytest.mark.parametrize(
    "page", ["trained-heads", "one-head", "find-a-head", "change-a-word", "layers"]
)
def test_sizes_of_the_story_that_do_not_divide_leave_the_trained_heads(page: str) -> None:
    """A layer that the sidebar's sizes cannot make is of no concern to pages about the model."""
    app = opened(page, d_model=5, n_heads=4)
    assert errors(app) == []
    assert texts(app) == texts(opened(page))
