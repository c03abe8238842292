"""Sentences that hold in one state of the app and would be false in another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attention_lab.user_data.own_matrices import OwnMatrices
from tests.ui.app import opened, texts


@pytest.mark.parametrize(
    ("page", "choices", "said", "unsaid"),
    [
        ("softmax", {}, "from “animal”, the rest from 9 others. The shares", ""),
        ("softmax", {"mask": "causal", "query": 2}, "from “animal”. The shares", "the rest"),
        ("softmax", {"text": "a"}, "**100.0 %** from “a”. The shares", "the rest"),
        (
            "projections",
            {"weights": "weightless", "n_heads": 1},
            "one head alone has the whole embedding",
            "Only so do",
        ),
        (
            "projections",
            {"weights": "weightless"},
            "Only so do heads cut up the embedding",
            "one head alone",
        ),
        ("mask", {"mask": "causal"}, "a token sees itself and those before it", ""),
        (
            "mask-workshop",
            {"mw_try": "nothing left", "text": "a"},
            "| 1 share, sum 0.0 |",
            "1 shares",
        ),
        (
            "mask-workshop",
            {"mw_try": "nothing left", "n_tokens": 1},
            "of NaN spoils the only token",
            "all others",
        ),
        (
            "invariances",
            {"inv_reads": "causal mask", "text": "the the the"},
            "only shuffles the output",
            "cannot be told",
        ),
        (
            "output",
            {"own": OwnMatrices(w_o=np.eye(16)).address()},
            "Number 0 takes from **1 of 4 heads**, as",
            "**all",
        ),
        ("scores", {"notation": "gml"}, "its formulas count heads from 1", ""),
        ("scores", {"edits": "x_40_1_3"}, "1 edit lies outside", "Edited cells"),
        ("head-portraits", {"n_tokens": 2}, "of at most ln 2 = 0.693", "ln 4"),
        ("head-portraits", {"n_heads": 2}, "Both heads together differ by", "All 2 heads"),
        ("layers", {"text": "Hi"}, "would make a token keep 96.3 %", "is what makes"),
        ("merge", {"weights": "trained", "layer": 3}, "5,312 of 5,376", "5312"),
        ("scale", {"text": "a"}, "0.00 after (all scores are equal)", "nor independent"),
        ("scale", {}, "(real queries and keys are neither of mean 0 nor independent)", "are equal"),
        (
            "invariances",
            {"inv_topic": "scale", "text": "a"},
            "variance 0.00, because all of them are equal",
            "neither",
        ),
        (
            "invariances",
            {"inv_topic": "scale"},
            "neither independent nor of variance 1",
            "are equal",
        ),
        ("encoder-decoder", {}, "only sentences and masks differ", "only the sentences"),
        (
            "tokens",
            {"weights": "trained", "n_tokens": 20},
            "[CLS] before them and [SEP] after.",
            "last",
        ),
        (
            "mask-workshop",
            {"mw_try": "how to hide", "mw_bias": 0},
            "less likely below 0",
            "makes a key less likely",
        ),
        ("head-portraits", {}, "its mean over the queries", ""),
        ("arrays", {"ar_field": "output"}, "Made from merged.", "and inputs"),
        (
            "arrays",
            {"ar_field": "output", "residual": "true"},
            "Made from merged and inputs.",
            "Made from merged.",
        ),
    ],
)
def test_what_holds_in_one_state_alone(
    page: str, choices: dict[str, Any], said: str, unsaid: str
) -> None:
    """Shares that are listed are all or not; one head cuts nothing up; a bias of 0 hides nothing.

    X is not always added. And what a reader asks is said: a causal mask shows the diagonal, a
    head's number is a mean.
    """
    told = texts(opened(page, **choices)).replace("\\", "")
    assert said in told
    assert not unsaid or unsaid not in told
