"""The lists of concepts and questions are searched by the words in which learners ask."""

from __future__ import annotations

import re

import pytest

from attention_ui.reference.questions import (
    ASKED,
    Entry,
    concepts,
    entry_table,
    find_entries,
    learner_questions,
)
from attention_ui.search import finds
from tests.ui.app import facts, opened

MARKUP = "<b>x</b> | $y$ [l](javascript:alert(1)) `c` **d** :red[e]"


def test_search_finds_and_counts() -> None:
    assert finds("dk SOFTMAX", "the softmax", "dₖ")
    assert not finds("softmax mask", "the softmax")
    app = opened("questions", concepts_words="stiefel", concepts_text="gml")
    shown = find_entries("stiefel", ["gml"])
    assert facts(app)["concepts_found"] == len(shown)
    assert 0 < len(shown) < 29
    app.text_input(key="concepts_words").set_value("banana").run()
    assert (facts(app)["concepts_found"], facts(app)["questions_found"]) == (0, 0)
    assert not app.header


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("softmaxes", "the softmax"),
        ("multihead", "multi-head"),
        ("Multi head", "multi-head"),
        ("selfmade", "self-made"),
        ("colour", "a color"),
        ("color", "colours"),
        ("normalize", "normalised"),
        ("centers", "centre"),
        ("normalisation", "to normalize"),
        ("qkv", "Q, K and V"),
        ("q/k/v", "Q, K, V"),
        ("d k", "dₖ"),
        ("dmodel", "d_model"),
        ("Wo", "W_O"),
        ("W^O", "W_O"),
        ("sqrt(d_k)", "√dₖ"),
        ("QK^T", "QKᵀ"),
        ("biases", "bias"),
        ("masking", "masked"),
        ("matrices", "a matrix"),
        ("probability", "probabilities"),
    ],
)
def test_search_finds_a_word_however_it_is_spelt(typed: str, text: str) -> None:
    assert finds(typed, text)


@pytest.mark.parametrize(
    ("typed", "text"), [("wo", "two words"), ("n", "a token"), ("√c", "√cost"), ("four", "for")]
)
def test_search_takes_no_part_of_a_word_for_a_symbol(typed: str, text: str) -> None:
    assert not finds(typed, text)


@pytest.mark.parametrize(
    ("typed", "page"),
    [
        ("Where is W_O?", "output"),
        ("final linear layer", "output"),
        ("c_proj", "output"),
        ("attention scores printed", "arrays"),
        ("q/k vectors", "arrays"),
        ("softmax max exp values", "softmax"),
        ("reshape or transpose?", "split"),
        ("Why view straight to (h, n, d_k)?", "split"),
        ("merge without transpose", "merge"),
        ("Does each head see the whole embedding?", "projections"),
        ("split the input before projecting", "break-it"),
        ("heads summed, not concatenated", "output"),
        ("Softmax over which axis?", "break-it"),
        ("√C or √d_k", "scale"),
        ("attention exceeds 1", "break-it"),
        ("What are source and destination?", "glossary"),
        ("Is the diagonal inside the causal mask?", "mask"),
        ("colour bar", "all-heads"),
        ("roll up heads", "all-heads"),
        ("average over a sentence", "all-heads"),
        ("cluster heads", "head-portraits"),
        ("sparsity", "head-portraits"),
        ("tokens attended", "head-portraits"),
        ("rank heads", "head-worth"),
        ("vector figures for papers", "all-heads"),
        ("stand-alone web page", "scores"),
        ("shareable URL", "overview"),
        ("own model", "your-weights"),
        ("long input", "your-weights"),
        ("image patches", "convolution"),
        ("cross-modal attention", "encoder-decoder"),
        ("padded queries", "mask-workshop"),
        ("every key masked NaN", "mask-workshop"),
    ],
)
def test_what_learners_ask_is_found_by_their_words(typed: str, page: str) -> None:
    assert page in {one.page for one in find_entries(typed, [ASKED])}
    assert page in {one.page for one in find_entries(typed, [])}


def test_questions_stand_before_the_concepts() -> None:
    app = opened("questions")
    assert len(app.header) == 1 + 5  # one for the questions, one for each text
    assert facts(app)["questions_found"] == len(learner_questions())
    assert facts(app)["concepts_found"] == len(concepts())
    first = app.header[0].value
    alone = opened("questions", concepts_words="c_proj")
    assert [box.value for box in alone.header] == [first]
    assert (facts(alone)["concepts_found"], facts(alone)["questions_found"]) == (0, 1)
    gml = opened("questions", concepts_text="gml")
    assert (facts(gml)["questions_found"], len(gml.header)) == (0, 1)
    assert first not in [box.value for box in gml.header]


def test_a_row_with_markup_stays_text() -> None:
    table = entry_table((Entry("gml", 1, MARKUP, "scores", "query=4", MARKUP),))
    row = table.splitlines()[2]
    assert row.count("[Scores](scores?query=4)") == 1
    rest = row.replace("**[Scores](scores?query=4):**", "")
    assert re.findall(r"(?<!\\)[<>$\[`]", rest) == []
    assert len(re.findall(r"(?<!\\)\|", rest)) == 4


@pytest.mark.parametrize(
    ("page", "field", "wrong", "right", "listed"),
    [
        ("questions", "concepts_words", "sotfmax", "softmax", "questions_found"),
        ("overview", "asked_words", "paramters", "parameters", "questions_found"),
        ("glossary", "glossary_words", "entroppy", "entropy", "words_found"),
        ("claims", "claims_words", "paddding", "padding", "claims_shown"),
    ],
)
def test_a_typing_error_finds_the_word_that_was_meant(
    page: str, field: str, wrong: str, right: str, listed: str
) -> None:
    app = opened(page)
    app.text_input(key=field).set_value(wrong).run()
    page_facts = facts(app)
    app.text_input(key=field).set_value(right).run()
    assert page_facts["searched_for"] == facts(app)["searched_for"] == right
    assert page_facts[listed]
    assert page_facts[listed] == facts(app)[listed]


def test_a_word_of_no_meaning_is_not_respelt() -> None:
    app = opened("questions", concepts_words="zzyzx")
    assert (facts(app)["searched_for"], facts(app)["questions_found"]) == ("zzyzx", 0)
