"""Find a head: heads are ranked by what they do on the sentence."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.notation.texts import NOTATIONS
from attention_lab.trained.encoded_text import attention_of
from attention_lab.trained.head_finder import rank_heads, targets_of
from tests.lab.made_files import npz, safetensors
from tests.ui.app import (
    facts,
    gone_to,
    named_in,
    opened,
    scenes,
    sent,
)
from tests.ui.uploads import ANIMAL, BERT, rng, uploaded


def test_find_a_head_ranks() -> None:
    assert facts(opened("find-a-head", text=ANIMAL))["does_it_most"] == (0, 2)
    app = opened("find-a-head", text=ANIMAL, fh_rule="word to word", fh_from=9, fh_to=2)
    assert facts(app)["does_it_most"] == (3, 1)
    assert facts(app)["words"] == ("it", "animal")
    assert len(app.warning) == 1  # attention is not explanation


@pytest.mark.parametrize("rule", ["previous token", "first token", "repeated words"])
def test_the_ranking_is_that_of_the_engine(rule: str) -> None:
    maps = attention_of(ANIMAL)
    ranking = rank_heads(maps, targets_of(maps, rule))
    noted = facts(opened("find-a-head", text=ANIMAL, fh_rule=rule))
    layer, head, most = ranking.best(1)[0]
    assert (noted["does_it_most"], noted["most"]) == ((layer, head), most)
    assert (noted["even_share"], noted["tied_with"]) == (ranking.even, 0)
    best = [ranking.times_even(score) for *_, score in ranking.best(5)]
    assert noted["times_the_even_share"] == best


def test_a_word_of_several_pieces_is_named_as_a_whole() -> None:
    text, rule = "unbelievably strange hallway", "word to word"
    noted = facts(opened("find-a-head", text=text, fh_rule=rule, fh_from=2, fh_to=6))
    maps = attention_of(text)
    assert maps.tokens[1:7] == ("un", "##bel", "##ie", "##va", "##bly", "strange")
    most = max(float(layer[head, 1:6, 6].mean()) for layer in maps.layers for head in range(12))
    assert noted["most"] == pytest.approx(most)
    assert (noted["words"], noted["pieces_that_ask"]) == (("unbelievably", "strange"), 5)
    back = facts(opened("find-a-head", text=text, fh_rule=rule, fh_from=6, fh_to=3))
    assert (back["words"], back["pieces_that_ask"]) == (("strange", "unbelievably"), 1)


def test_even_heads_give_the_even_share() -> None:
    even = opened("your-weights", text=ANIMAL, mask="causal", scaling="custom", scale=0)
    app = gone_to(uploaded("bert.safetensors", safetensors(BERT), even), "find-a-head")
    times = facts(app)["times_the_even_share"]
    assert times
    assert set(np.round(times, 12)) == {1.0}


@pytest.mark.parametrize("n_queries", [1, 3])
def test_cross_attention_from_elsewhere(n_queries: int) -> None:
    shares = rng.dirichlet(np.ones(5), size=(2, 2, n_queries)).astype("f4")
    app = gone_to(uploaded("a.npz", npz({"attention": shares})), "find-a-head")
    assert not app.exception
    assert not app.error
    assert app.selectbox(key="fh_rule").options == ["first token", "last token", "word to word"]
    ranking = sent(scenes(app)[0]["arrays"]["ranking"])
    assert np.allclose(ranking, shares[..., 0].mean(axis=-1))
    assert scenes(app)[1]["cell"]["index"] == [min(1, n_queries - 1), 0]
    app.selectbox(key="fh_rule").set_value("word to word").run()
    app.selectbox(key="fh_to").set_value(4).run()
    assert not app.error
    assert np.allclose(
        sent(scenes(app)[0]["arrays"]["ranking"]),
        shares[:, :, app.selectbox(key="fh_from").value, 4],
    )
    app.segmented_control(key="th_whose").set_value("model").run()
    assert len(app.selectbox(key="fh_rule").options) == 7
    app.selectbox(key="fh_rule").set_value("itself").run()
    app.segmented_control(key="th_whose").set_value("yours").run()
    assert not app.exception
    assert not app.error
    assert app.selectbox(key="fh_rule").value == "first token"


def test_a_rule_that_no_head_follows() -> None:
    shares = np.tril(np.ones((1, 2, 4, 4), "f4"))
    app = uploaded("a.npz", npz({"attention": shares / shares.sum(axis=-1, keepdims=True)}))
    app = gone_to(app, "find-a-head")
    assert "does_it_most" in facts(app)
    app.selectbox(key="fh_rule").set_value("next token").run()
    assert facts(app)["most"] == 0
    assert "does_it_most" not in facts(app)
    assert facts(app)["times_the_even_share"] == []
    assert len(app.header) == 0


def test_equal_heads_are_counted() -> None:
    app = uploaded("a.npz", npz({"attention": np.full((2, 3, 4, 4), 0.25, "f4")}))
    assert facts(app)["heads_in_layers"] == [3, 3]
    noted = facts(gone_to(app, "find-a-head"))
    assert (noted["does_it_most"], noted["tied_with"]) == ((0, 0), 5)
    assert noted["most"] == pytest.approx(0.25)
    assert facts(opened("find-a-head"))["tied_with"] == 0
    alone = uploaded("a.npz", npz({"attention": np.full((1, 1, 4, 4), 0.25, "f4")}))
    assert facts(alone)["heads_in_layers"] == [1]


def test_the_output_projection_has_the_symbol_of_the_notation() -> None:
    names = {text: opened("find-a-head", notation=text).warning[0].value for text in NOTATIONS}
    assert ("W₀" in names["mql5"], "W₀" in names["ours"]) == (True, False)
    assert named_in(names["ours"].replace("\\", "")) >= {"W_O"}
