"""What a hand-out says of itself: which numbers it shows, and in whose notation."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from attention_core import STEPS
from attention_lab.notation.notation import OURS
from attention_lab.notation.texts import DOSHI
from attention_lab.scenario import Scenario, trace_of
from attention_ui import closer_look
from attention_ui.focus import Focus
from attention_ui.here import Here
from attention_ui.trained.heads_shown import of_model, one_head_here
from tests.ui.app import here, opened
from tests.ui.uploads import OWN_X, WHOLE

BY_HAND = {"weights": "by hand", "d_model": 8, "n_heads": 2, "piece": 3, "positions": "false"}


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({}, "random weights (seed 0)"),
        ({"weights": "tied", "seed": 3}, "tied weights (seed 3)"),
        ({"weights": "weightless"}, "weightless"),
        ({"weights": "trained", "layer": 2}, "trained weights (layer 2)"),
        (BY_HAND, "named features, weights made by hand"),
        ({"weights": "by hand"}, "random weights (seed 0)"),
        ({"own": OWN_X.address()}, "random weights (seed 0), own X"),
        ({"own": WHOLE.address(), "edits": "wq_0_3_9"}, "own X, W_Q, W_K, W_V, W_O, 1 edited cell"),
        (
            {"weights": "weightless", "edits": "wq_0_3_9__x_2_1_-0.5__wo_0_0_1"},
            "weightless, 2 edited cells",
        ),
    ],
)
def test_a_hand_out_names_the_weights_that_were_used(choices: dict[str, Any], said: str) -> None:
    """A seed where numbers were drawn with it, own matrices by name, and how many cells were
    edited.
    """
    sentence = here(opened("scores", **choices)).sentence
    assert re.fullmatch(
        rf"“The animal [^”]*”(, cut to 3 tokens)?: \d+ features, \d+ heads, {re.escape(said)}, mask"
        r" none",
        sentence,
    )


def test_a_hand_out_says_what_is_cut_and_how_its_matrices_lie() -> None:
    """Its board may hold fewer tokens than its sentence, and another text's symbols, of
    transposed matrices.
    """
    sentence = here(opened("scores", n_tokens=5, notation="gml")).sentence
    said = (
        r"“The animal .*”, cut to 5 tokens: .*, mask none\. Symbols of .*; the matrices are shown"
        r" transposed, .*"
    )
    assert re.fullmatch(said, sentence)
    assert here(opened("scores", n_tokens=12, notation="doshi")).sentence.endswith(
        f". Symbols of {DOSHI.title}"
    )


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"mask": "window", "window": 1}, ", mask window of 1 place to each side"),
        ({"scaling": "custom", "scale": -2.5}, ", scale −2.500, mask none"),
        ({"scaling": "off"}, ", scale 1.000, mask none"),
        ({"mask": "causal", "residual": "true"}, ", mask causal, residual"),
        (
            {"d_k": 7, "d_v": 3},
            ": 16 features, 4 heads, d_k 7, d_v 3, random weights (seed 0), mask none",
        ),
        (
            {"embedding": "integers", "init": "normal"},
            ", integers word vectors, random weights (seed 0, normal), mask none",
        ),
        (
            {"positions": "false", "piece": 2},
            ", words in pieces of 2 letters, no positions, random weights (seed 0), mask none",
        ),
        (
            {"n_tokens": 20, "mask": "padding"},
            (
                "”, filled up with 8 [pad]: 16 features, 4 heads, random weights (seed 0), mask"
                " padding"
            ),
        ),
    ],
)
def test_a_hand_out_says_what_became_of_its_scores(choices: dict[str, Any], said: str) -> None:
    """Whatever is not as usual decides its numbers as the mask does."""
    assert here(opened("scores", **choices)).sentence.endswith(said)


def test_a_hand_out_of_a_file_has_no_seed() -> None:
    """The weights of a layer from a file are the user's own: nothing was drawn."""
    of_file = Scenario(weights="your own", layer=1)
    trace = trace_of(Scenario())
    sentence = Here(of_file, Focus(0, 0, 0, 0), OURS, trace).sentence
    assert sentence.endswith(": 16 features, 4 heads, your own weights, mask none")


def test_a_head_of_the_model_has_no_own_numbers() -> None:
    """What the user has put in the place of the sidebar's layer is not in the trained one, nor
    in its hand-outs.
    """
    now = replace(
        here(opened("scores")),
        scenario=Scenario(own=OWN_X.address(), edits="wq_0_3_9", mask="causal"),
    )
    shown = one_head_here(now, of_model(now), 2, Focus(0, 0, 0, 0))
    assert shown.sentence.endswith(
        ": 384 features, 12 heads, trained weights (layer 2), mask none, residual"
    )


@pytest.mark.parametrize(
    ("page", "which", "field"),
    [
        ("projections", "values", "values"),
        ("split", "keys", "key_heads"),
        ("projections", "queries", "queries"),
    ],
)
def test_a_hand_out_is_of_the_matrix_on_the_board(
    monkeypatch: pytest.MonkeyPatch, page: str, which: str, field: str
) -> None:
    """Its name, sentence and code, and the table, are those of the one of three that was chosen."""
    taken: list[str] = []
    monkeypatch.setattr(closer_look, "files", lambda now, of, board: taken.append(of))
    app = opened(page, which=which)
    app.session_state["closer"] = ["code", "numbers", "files"]
    app.run()
    assert [box.value for box in app.selectbox if box.label == "Field"] == [field]
    assert taken == [field]
    firsts = [
        app.code[0].value.index(f"\n{name} = ")
        for name in STEPS
        if f"\n{name} = " in app.code[0].value
    ]
    assert firsts == sorted(firsts)


def test_lines_of_code_come_in_the_order_of_computation() -> None:
    """Merged stands before the output that is made of it, as the lines must run."""
    app = opened("output")
    app.session_state["closer"] = ["code"]
    app.run()
    lines = app.code[0].value
    assert lines.index("merged = ") < lines.index("output = ")
