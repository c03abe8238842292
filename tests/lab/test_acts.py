"""What an act means, for every host: with what a page opens, what a choice brings along, and which
cell is looked at afterwards.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core.errors import AttentionError
from attention_lab.acts import (
    at_step,
    edited,
    looked_at,
    moved,
    opened,
    opening_feature,
    pinned,
    undone,
)
from attention_lab.focus import Focus
from attention_lab.page_list import PAGES, page_of
from attention_lab.presets import SUITED_EXAMPLES, presets
from attention_lab.scenario import Scenario, sequence_of, trace_of
from attention_lab.sentences import embedding_of, weights_in_force
from attention_lab.url_choices import UrlChoices
from attention_lab.whose_heads import MINILM

FIRST = presets()[0]
OWN = "the dog chased the ball because it was hungry"
LAYER = UrlChoices(Scenario("we saw the old cat"), Focus(1, 2, 0, 3))


def after(choices: UrlChoices, text: str) -> Focus:
    """The cell that is looked at once another sentence was typed."""
    typed = moved(choices, {"text": text})
    return looked_at(choices.scenario, typed.scenario, choices.focus)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.url_path)
def test_a_url_without_choices_opens_the_example_of_the_page(page: Any) -> None:
    found = opened(page.url_path, {})
    if page.url_path in SUITED_EXAMPLES:
        (example,) = (one for one in presets() if one.name == SUITED_EXAMPLES[page.url_path])
        assert found.scenario == example.scenario
    elif page.own_controls:
        assert (found.scenario, found.focus) == (Scenario(), Focus(0, 0, 0, 0))
    else:
        assert (found.scenario, found.focus) == (FIRST.scenario, Focus(0, 8, 1, 0))


def test_a_url_with_choices_opens_them() -> None:
    assert opened("scores", {"seed": ["3"]}).scenario == Scenario(seed=3)
    assert opened("scores", {"head": ["0"]}) == UrlChoices()
    own = opened("scores", {"text": ["I love\nyou"], "notation": ["gml"]})
    assert (own.scenario.text, own.scenario.weights) == ("I love you", "language model")
    assert own.view["notation"] == "gml"
    assert opened("depth", {"text": ["I love you"]}).scenario == Scenario("I love you")
    assert opened("one-head", {}, MINILM).scenario == Scenario()


def test_a_page_with_an_example_of_its_own_takes_it_from_who_has_the_first_one() -> None:
    first = {name: [str(value)] for name, value in vars(FIRST.scenario).items() if value}
    assert opened("scores", first).scenario == FIRST.scenario
    assert opened("writing", first).scenario.text != FIRST.scenario.text
    assert opened("shared-keys", first).scenario == FIRST.scenario
    assert opened("depth", first).scenario == FIRST.scenario
    chosen = first | {"seed": ["1"]}
    assert opened("shared-keys", chosen).scenario == replace(FIRST.scenario, seed=1)


def test_an_own_sentence_is_told_at_its_pronoun() -> None:
    first = opened("scores", {})
    assert after(first, OWN) == Focus(0, 6, 1, 0)  # it → dog
    again = replace(first, scenario=moved(first, {"text": OWN}).scenario, focus=Focus(0, 6, 1, 0))
    assert after(again, "a cat slept because it was old") == Focus(0, 4, 1, 0)


def test_a_cell_that_was_chosen_stays_unless_it_is_gone() -> None:
    chosen = replace(opened("scores", {}), focus=Focus(0, 4, 2, 1))
    assert after(chosen, OWN) == chosen.focus
    gone = after(chosen, "the cat slept")
    assert max(gone.query, gone.key) < 3
    other = replace(chosen.scenario, mask="causal")
    assert looked_at(chosen.scenario, other, Focus(0, 0, 0, 0)) == Focus(0, 0, 0, 0)
    assert looked_at(chosen.scenario, replace(other, n_tokens=4), chosen.focus).query < 4
    assert looked_at(chosen.scenario, replace(other, text=" "), chosen.focus) == chosen.focus


def test_the_head_that_a_language_model_opened_at_is_left() -> None:
    model = opened("scores", {"text": ["One day, a little frog was very sad. The"]})
    assert model.focus.head == 4
    assert looked_at(model.scenario, Scenario("we saw it"), model.focus).head == 0


def test_another_head_looks_at_another_key() -> None:
    shares = trace_of(LAYER.scenario).probabilities[0]
    for head in range(4):
        focus = moved(LAYER, {"head": str(head)}).focus
        assert focus == Focus(head, 2, int(np.argmax(shares[head, 2])), 3)
    assert moved(LAYER, {"head": 3, "query": 1}).focus == Focus(3, 1, 0, 3)


@pytest.mark.parametrize(
    ("changes", "brought"),
    [
        ({"weights": "trained"}, {"layer": 3}),
        ({"weights": "language model"}, {"layer": 4}),
        ({"weights": "trained", "layer": 2}, {"layer": 2}),
        ({"weights": "tied"}, {"layer": 0}),
        ({"mask": "padding"}, {"n_tokens": 7}),
        ({"mask": "padding", "n_tokens": "6"}, {"n_tokens": 6}),
        ({"mask": "causal"}, {"n_tokens": 0}),
        ({"n_tokens": "1"}, {"n_tokens": 5}),  # the first step from “fit”
        ({"d_v": 1}, {"d_v": 4}),
        ({"d_v": 2}, {"d_v": 2}),
        ({"no such choice": 1}, {"seed": 0}),
    ],
)
def test_what_a_choice_brings_along(changes: dict[str, Any], brought: dict[str, Any]) -> None:
    layer = int(changes.get("weights") == "tied")
    before = replace(LAYER, scenario=replace(LAYER.scenario, layer=layer))
    found = moved(before, changes).scenario
    assert {name: getattr(found, name) for name in brought} == brought


def test_no_mask_is_a_choice_too() -> None:
    bare = moved(LAYER, {"mask": "none"})
    assert (LAYER.unmasked, bare.unmasked) == (False, True)
    assert not moved(bare, {"mask": "window"}).unmasked


def test_an_example_sets_every_control_and_its_cell() -> None:
    for example in presets():
        found = moved(replace(LAYER, sentence=1), {"example": example.name})
        assert (found.scenario, found.sentence) == (example.scenario, 0)
        assert found.focus == Focus(*(example.focus or ()))
    assert moved(LAYER, {"example": "banana"}) == LAYER


@pytest.mark.parametrize(
    "changes",
    [
        *({"mask": "banana"}, {"sentence": -1}, {"head": 1.5}, {"present": "perhaps"}),
        *({"d_model": 10**9}, {"which": None}, {"sentence": [1]}),
    ],
)
def test_a_value_that_its_choice_cannot_have_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(AttentionError):
        moved(LAYER, changes)


def test_edits_are_taken_back_and_a_click_moves_the_cell() -> None:
    once = edited(LAYER, "w_q", 1, 2, 3.5)
    assert once.scenario.edits == "wq_1_2_3.5"
    assert undone(edited(once, "w_k", 0, 0, 1)) == once
    clicked = pinned(replace(LAYER, pin="x"), [("T", None), ("H·K", 4)], [3, 6])
    assert (clicked.focus, clicked.pin) == (Focus(1, 3, 0, 2), "")


@pytest.mark.parametrize(
    ("field", "which", "path"),
    [("values", "values", "projections"), ("query_heads", "queries", "split"), ("scores",) * 3],
)
def test_a_matrix_opens_its_step(field: str, which: str, path: str) -> None:
    kept = replace(LAYER, which="keys")
    found, opens = at_step(kept, field)
    assert (found.which, opens) == ("keys" if field == "scores" else which, path)


@pytest.mark.parametrize("example", presets(), ids=lambda example: example.name)
def test_a_step_opens_at_the_first_number_with_two_terms_or_the_most(example: Any) -> None:
    """Counted from the matrices: terms of which both factors are not 0 with two decimals."""
    trace = sequence_of(weights_in_force(example.scenario), 0)
    head, query, key = example.cell[:3]
    for path, counts in counted(example, trace, head, query, key).items():
        which = "keys" if path == "keys" else "queries"
        page = page_of("projections" if path == "keys" else path)
        found = opening_feature(trace, example.scenario, page, Focus(*example.cell), which)
        enough = min(2, max(counts))
        assert counts[found] >= enough, path
        assert all(count < enough for count in counts[:found]), path


def counted(example: Any, trace: Any, head: int, query: int, key: int) -> dict[str, list[int]]:
    """By step, how many terms each number of the row in focus has."""
    p, sizes = trace.projections, trace.sizes
    d_k = sizes["K"]

    def products(row: Any, columns: Any) -> list[int]:
        return [
            sum(
                abs(float(a)) >= 0.005 and abs(float(b)) >= 0.005
                for a, b in zip(row, c, strict=True)
            )
            for c in np.asarray(columns).T
        ]

    x, memory = trace.inputs[0], trace.memory[0]
    own = head * sizes["G"] // sizes["H"]
    w_q = p.w_q[:, head * d_k : (head + 1) * d_k]
    w_k = p.w_k[:, own * d_k : (own + 1) * d_k]
    found = {
        "projections": products(x[query], w_q),
        "keys": products(memory[key], w_k),
        "mixing": products(trace.probabilities[0, head, query], trace.value_heads[0, own]),
        "split": [int(abs(one) >= 0.005) for one in trace.query_heads[0, head, query]],
    }
    if p.w_o is not None:
        found["output"] = products(trace.merged[0, query], p.w_o)
    embedding = embedding_of(example.scenario)
    if embedding.words is not embedding.inputs:
        parts = (embedding.words[query], embedding.positions[query])
        found["tokens"] = [
            sum(abs(float(part[i])) >= 0.005 for part in parts) for i in range(len(x[0]))
        ]
    if any(getattr(p, name) is not None for name in ("b_q", "b_k", "b_o")):
        found = {name: found[name] for name in ("mixing", "split") if name in found}
    return found


def test_a_page_that_explains_no_feature_opens_at_the_first() -> None:
    trace = sequence_of(FIRST.scenario, 0)
    for path in ("scores", "softmax", "glossary", "head-worth"):
        assert opening_feature(trace, FIRST.scenario, page_of(path), Focus(0, 8, 1, 0)) == 0
