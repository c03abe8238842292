"""The sentence of a scene: arcs with the numbers of the trace, and what each head asks."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_lab.column_names import column_names
from attention_lab.scenario import Scenario, trace_of
from attention_lab.trained.language_text import language_run
from attention_viz.overview import overview
from attention_viz.payload import Stage
from attention_viz.sentence import MAX_LABELLED, sentence_part, with_arcs

RANDOM = Scenario("we saw the cat and it ran", seed=1, n_heads=4, d_model=16)
BY_HAND = Scenario("the cat and it", weights="by hand", d_model=8, n_heads=2)


def test_arcs_are_the_rows_of_the_trace() -> None:
    trace = trace_of(RANDOM)
    part = sentence_part(trace, None, 2, 5)
    assert part is not None
    assert len(part["heads"]) == 2
    assert 2 in [one["head"] for one in part["heads"]]
    for one in part["heads"]:
        assert len(one["arcs"]) == trace.sizes["T"]
        for query, arcs in enumerate(one["arcs"]):
            row = trace.probabilities[0, one["head"], query]
            assert all(share == pytest.approx(row[key], abs=6e-5) for key, share in arcs)
            assert sum(share for _, share in arcs) > 0.9


def test_shares_of_pieces_add_up_to_those_of_words() -> None:
    run = language_run("One day, a little frog was very sad. The")
    part = sentence_part(run.traces[4], None, 4, 15)
    assert part is not None
    assert [group for group in part["groups"] if group[1] - group[0] > 1] == [
        [6, 10, "frog", ["f", "r", "o", "g"]],
        [12, 14, "sad", ["sa", "d"]],
    ]
    assert part["words"][0] == part["groups"][0][2] == "start"
    arcs = dict(next(one for one in part["heads"] if one["head"] == 4)["arcs"][15])
    shares = [arcs[place] for place in range(6, 10)]
    np.testing.assert_allclose(shares, [0.8623, 0.0018, 0.0006, 0.0063], atol=5e-5)
    assert sum(shares) == pytest.approx(0.871, abs=2e-4)
    alone = sentence_part(run.traces[4], None, 4, 15, pieces=True)
    assert alone is not None
    assert "groups" not in alone
    words = sentence_part(trace_of(RANDOM), None, 0, 0)
    assert words is not None
    assert "groups" not in words


def test_names_tell_what_a_word_asks() -> None:
    trace = trace_of(BY_HAND)
    part = sentence_part(trace, column_names(BY_HAND), 0, 3)
    assert part is not None
    roles = [[role for line in one["asks"][3] for _, role in line if role] for one in part["heads"]]
    assert roles == [["query", "key"], ["query"]]
    random = sentence_part(trace_of(RANDOM), None, 0, 0)
    assert random is not None
    assert all("asks" not in one for one in random["heads"])


def test_other_keys_have_no_sentence() -> None:
    other = attend([[1.0], [2.0]], Projections.weightless(1), memory=[[1.0], [2.0], [3.0]])
    long = attend([[1.0]] * (MAX_LABELLED + 1), Projections.weightless(1))
    assert [sentence_part(trace, None, 0, 0) for trace in (other, long)] == [None, None]
    assert with_arcs({}, (["a"], ["b"]), "layer 0", 0) == {}


def test_an_arc_leads_to_its_steps() -> None:
    chains = []
    for trace in (trace_of(RANDOM), trace_of(Scenario("we saw it", mask="causal"))):
        board = overview(Stage(trace), 0, 0, 0)
        chains.append([one["array"] for one in board["sentence"]["chain"]])
        assert set(chains[-1]) <= set(board["arrays"])
        assert chains[-1][0] in board["rules"]
    assert chains[0] == ["scores", "scaled_scores", "probabilities"]
    assert chains[1] == ["scores", "scaled_scores", "masked_scores", "probabilities"]


def test_many_heads_are_drawn_as_in_the_sentence() -> None:
    board = overview(Stage(trace_of(Scenario("we saw it " * 5, n_heads=8, d_model=16))), 3, 0, 0)
    tiles = {p["array"]: p.get("only") for p in board["panels"] if p.get("tiles") is not None}
    heads = [one["head"] for one in board["sentence"]["heads"]]
    assert len(heads) == 2
    assert tiles == {"probabilities": heads, "head_outputs": heads}
