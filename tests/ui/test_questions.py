"""What learners ask, and every idea of the five texts: found by the words of those who ask, and
each link leads to a page in a state that there is.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path
from urllib.parse import parse_qs, parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.diagonal.claims.catalogue import CLAIMS, Claim
from attention_lab.home import read_table
from attention_lab.page_list import PAGES, page_of
from attention_lab.questions import (
    ASKED,
    N_RELATED,
    Entry,
    concepts,
    find_entries,
    learner_questions,
    related_questions,
)
from attention_lab.search import best_matches, finds, respelled
from attention_lab.url_choices import PARAMETERS, read_url
from attention_ui.blocks import table_markdown
from attention_viz.reference.questions_page import FEW, entry_table, ranked_table
from tests.ui.app import opened, texts

MARKUP = "<b>x</b> | $y$ [l](javascript:alert(1)) `c` **d** :red[e]"
# What is typed, and how a text spells it.
SPELT = [
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
    ("referring", "what it refers to"),
    ("dropped", "to drop"),
    ("cells", "a cell"),
]
# By page, what is typed so that one of the questions found leads to it.
FOUND = {
    "shared-keys": ("parameters",),
    "find-a-head": ("explanation", "coreference", "sparsity", "tokens attended"),
    "output": ("final linear layer", "c_proj"),
    "scores": ("attention scores printed", "q/k vectors", "stand-alone web page"),
    "softmax": ("softmax max exp values", "weights that I plot"),
    "split": (
        "Why view straight to (h, n, d_k)?",
        "why not 64 heads of width 1",
        "low-rank bottleneck",
    ),
    "what-changes": ("split the input before projecting",),
    "glossary": ("What are source and destination?",),
    "all-heads": (
        "colour bar",
        "roll up heads",
        "average over a sentence",
        "cluster heads",
        "vector figures for papers",
    ),
    "head-worth": ("rank heads", "pruned"),
    "overview": ("shareable URL",),
    "trained-heads": ("long input",),
    "convolution": ("image patches",),
    "encoder-decoder": ("cross-modal attention",),
    "mask-workshop": ("every key masked NaN", "fp16"),
    "mask": ("fewer queries than keys",),
    "depth": ("pre-LN",),
    "next-token": ("chatgpt next word", "how does an LLM choose a word", "GPT"),
    "writing": ("top p",),
    "cache": ("KV cache",),
    "why-this-word": ("which head makes it say this", "does attention explain the answer"),
}
# By page, what a student types on a first visit: it stands among the first four questions found.
FIRST_VISIT = {
    "output": ("where is W_O, and what happens without it", "sum heads instead of concatenate"),
    "split": ("reshape then transpose", "heads do not divide the embedding size"),
    "projections": ("whole embedding or a slice",),
    "what-changes": ("which axis is the softmax over", "does word order matter"),
    "scale": ("sqrt d_k, not sqrt C",),
    "softmax": ("why do my weights not sum to 1",),
    "mask": ("is the diagonal inside the causal mask",),
    "mask-workshop": ("what about padded queries",),
    "shared-keys": ("do more heads need more parameters", "MQA and GQA"),
    "encoder-decoder": ("self-attention, masked, cross-attention",),
    "self-attention-mass": ("does a token attend most to itself without weights",),
    "trained-heads": ("what do trained heads look at", "load my own model"),
    "find-a-head": ("which head handles it", "is attention an explanation"),
    "training": ("one head or eight",),
    "practice": ("work it out by hand",),
    "scores": ("into my notebook",),
}
# What a beginner types, by the number of the question that must come first.
BEGINNERS_TYPE = {
    1: ("what is attention", "self-attention", "what is an attention mechanism"),
    2: ("what is a query", "query key value", "what are keys", "qkv"),
    3: ("why three vectors", "why three matrices"),
    4: ("what is a token", "word embedding"),
    5: ("what is a score", "why a dot product?"),
    6: ("why divide by sqrt(d_k)", "why scale the scores", "scaled dot product"),
    7: ("why softmax", "what does the softmax do"),
    8: ("temperature", "What is the temperature for?"),
    9: ("why do we use a mask", "causal mask", "padding mask"),
    10: ("positional encoding", "position embedding", "sinusoidal"),
    11: ("what is a head", "attention head"),
    12: ("why several heads", "why multiple heads", "multi-head", "more than one head"),
    13: ("what does W_O do", "output projection", "linear layer"),
}


def counted(app: AppTest) -> tuple[int, int]:
    """How many questions and how many ideas the page says that it shows."""
    counts = r"Questions: \*\*(\d+)\*\* of \d+\. Ideas of five texts: \*\*(\d+)"
    found = re.search(counts, texts(app))
    return int(found[1]), int(found[2])


def test_a_word_is_found_however_it_is_spelt() -> None:
    assert [typed for typed, text in SPELT if not finds(typed, text)] == []
    for typed, text in (("wo", "two words"), ("n", "a token"), ("√c", "√cost"), ("four", "for")):
        assert not finds(typed, text)
    assert not finds("softmax mask", "the softmax")


def test_what_learners_ask_is_found_by_their_words() -> None:
    for pages, n_questions in ((FOUND, None), (FIRST_VISIT, 4)):
        for page, all_typed in pages.items():
            for typed in all_typed:
                shown = find_entries(typed, [ASKED])[:n_questions]
                assert page in {one.page for one in shown}, typed
    for row in read_table("synonyms"):
        assert find_entries(row["typed"]), row


def test_what_beginners_ask_comes_first() -> None:
    for number, all_typed in BEGINNERS_TYPE.items():
        for typed in all_typed:
            assert find_entries(typed, [ASKED])[0].number == number, typed
            beside_ideas = [one.number for one in find_entries(typed, []) if one.text == ASKED]
            assert beside_ideas[0] == number, typed


WITH_ANSWERS = Path(__file__).parents[1] / "data" / "asked.csv"


def test_a_question_of_a_forum_finds_its_answer_first() -> None:
    """Each row: what is asked, in our words, and the pages of which one must come first."""
    with WITH_ANSWERS.open(encoding="utf-8", newline="") as file:
        asked = list(csv.DictReader(file))
    assert len(asked) >= 40
    wrong = {}
    for row in asked:
        first = find_entries(row["asked"])[0]
        page = "questions" if isinstance(first, Claim) else first.page
        if page not in row["pages"].split():
            wrong[row["asked"]] = page
    assert wrong == {}
    answers = {page for row in asked for page in row["pages"].split()}
    assert {one.section for one in PAGES} == {page_of(page).section for page in answers}


def test_every_page_and_every_idea_is_found_by_its_own_words() -> None:
    for page in PAGES:
        found = find_entries(f"{page.title} {page.question}")[:3]
        assert page.url_path in {one.page for one in found if isinstance(one, Entry)}, page.title
    for idea in (*concepts(), *learner_questions()):
        assert idea in find_entries(idea.sentence)[:5], idea.sentence
    for words, page in (("compromise", "head-worth"), ("pixels", "convolution")):
        assert page in {one.page for one in find_entries(words) if isinstance(one, Entry)}


def test_the_overview_lists_the_questions_and_searches_them() -> None:
    app = opened("overview")
    assert all(f"]({one.url}):" in texts(app) for one in learner_questions())
    app.text_input(key="choose asked_words").set_value("GQA").run()
    assert table_markdown(ranked_table(find_entries("GQA")[:FEW])) in texts(app)
    app.text_input(key="choose asked_words").set_value("banana").run()
    assert "| question |" not in texts(app)


def test_the_list_of_questions_and_ideas() -> None:
    app = opened("questions")
    assert counted(app) == (len(learner_questions()), len(concepts()))
    for words, n_found in (("c_proj", 1), ("zzyzx", 0), ("banana", 0)):
        app.text_input(key="choose concepts_words").set_value(words).run()
        assert [box.label for box in app.main.expander] == [
            "The verdicts, text by text",
            "What learners ask: 1",
        ][: n_found + 1]
        assert counted(app) == (n_found, 0)
    gml = opened("questions", concepts_words="stiefel", concepts_text="gml")
    shown = find_entries("stiefel", ["gml"])
    assert 0 < len(shown) < 29
    claims = [one for one in shown if isinstance(one, Claim)]
    assert counted(gml) == (0, len(shown) - len(claims))


SEARCHES = {
    "questions": "concepts_words",
    "overview": "asked_words",
    "glossary": "glossary_words",
}


@pytest.mark.parametrize(
    ("page", "wrong", "right"),
    [
        ("questions", "sotfmax", "softmax"),
        ("overview", "paramters", "parameters"),
        ("glossary", "entroppy", "entropy"),
        ("questions", "dropuot", "dropout"),
    ],
)
def test_a_typing_error_finds_the_word_that_was_meant(page: str, wrong: str, right: str) -> None:
    app = opened(page)
    widget = f"choose {SEARCHES[page]}"
    app.text_input(key=widget).set_value(wrong).run()
    meant = [box.value for box in app.markdown]
    assert any(f"“{right}”" in box.value for box in app.caption)
    app.text_input(key=widget).set_value(right).run()
    assert [box.value for box in app.markdown] == meant
    assert respelled("zzyzx", [(right,)]) == "zzyzx"


def test_a_word_is_mended_only_where_that_finds_more() -> None:
    rows = [("a text",), ("a word",)]
    assert respelled("next word", rows) == "next word"
    assert respelled("next entroppy", [("a text of entropy",)]) == "next entropy"
    assert respelled("verb", [("all over a herb",)]) == "herb"
    assert respelled("verb", [("all over",)]) == "verb"
    assert respelled("dropuot zzyzx", [("dropout",)]) == "dropout zzyzx"
    assert respelled("attenton", [("attention",), ("retention",)]) == "attention"


def test_a_search_that_nothing_holds_whole_shows_what_holds_most() -> None:
    rows = [("a mask",), ("the softmax", "of a mask"), ("a query",), ("a mask of the softmax", "")]
    texts_of = dict.fromkeys(rows)
    both = best_matches("softmax mask banana", texts_of, lambda row: row)
    assert both[:2] == (rows[3], rows[1])
    assert best_matches("banana mask", texts_of, lambda row: row)[:2] == (rows[0], rows[3])
    assert rows[2] not in both
    assert best_matches("banana", texts_of, lambda row: row) == ()
    assert best_matches("", texts_of, lambda row: row) == tuple(rows)


@pytest.mark.parametrize(("page", "field"), SEARCHES.items())
def test_a_page_says_that_a_word_is_missing(page: str, field: str) -> None:
    shown = [opened(page, **{field: words}) for words in ("softmax", "softmax zzyzx")]
    whole, partial = (len(app.caption) for app in shown)
    assert partial == whole + 1
    assert "Nothing found" not in texts(shown[1])


def test_a_row_with_markup_stays_text() -> None:
    table = table_markdown(entry_table([Entry("gml", 1, MARKUP, "scores", "query=4", MARKUP)]))
    row = table.splitlines()[2]
    assert row.count("[Scores](scores?query=4)") == 1
    rest = row.replace("**[Scores](scores?query=4):**", "")
    assert re.findall(r"(?<!\\)[<>$\[`]", rest) == []
    assert len(re.findall(r"(?<!\\)\|", rest)) == 4


def labels(app: AppTest) -> str:
    """The names of all that can be opened, chosen and pressed, with the headings."""
    named = (*app.expander, *app.button, *app.toggle, *app.get("download_button"))
    options = [option for choice in app.get("button_group") for option in choice.options]
    headings = [heading.value for heading in (*app.header, *app.subheader)]
    return "\n".join([*headings, *options, *(one.label for one in named), texts(app)])


QUOTING = [one for one in learner_questions() if "“" in one.look]


@pytest.mark.parametrize("question", QUOTING, ids=lambda one: str(one.number))
def test_what_a_question_names_is_on_its_page(question: Entry) -> None:
    shown = labels(opened(question.page, **dict(parse_qsl(question.query))))
    named = re.findall("“(.+?)”", question.look)
    assert [name for name in named if name not in shown] == []


def test_two_or_three_questions_concern_a_page() -> None:
    for page in PAGES:
        shown = related_questions(page)
        assert 2 <= len(shown) == len(set(shown)) <= N_RELATED
        named = [one for one in learner_questions() if page.url_path in one.asked_on]
        assert list(shown[: len(named)]) == named[:N_RELATED]


def test_questions_name_pages_that_exist() -> None:
    for one in learner_questions():
        assert all(page_of(url).url_path == url for url in one.asked_on)
        assert one.page not in one.asked_on


@pytest.mark.parametrize("url", ["overview", "scores", "depth", "sources"])
def test_a_page_ends_with_questions(url: str) -> None:
    app = opened(url)
    foot = next(part.value for part in app.markdown if "**Related questions**" in part.value)
    links = re.findall(r"\]\(([\w-]+(?:\?\S+)?)\)", foot)
    assert links == [*(one.url for one in related_questions(page_of(url))), "questions"]


def parameters(concept: Entry) -> dict[str, str]:
    """The parameters of the URL of a concept."""
    return dict(parse_qsl(concept.query, strict_parsing=True)) if concept.query else {}


def own_choices() -> list[tuple[str, str]]:
    """One concept's page and query for each parameter that a page, not the frame, reads."""
    linked = (*learner_questions(), *concepts())
    named = ((one, name) for one in linked for name in sorted(parameters(one).keys() - PARAMETERS))
    first = {(one.page, name): (one.page, one.query) for one, name in named}
    return sorted(set(first.values()))


def test_every_concept_of_every_text_is_listed() -> None:
    counts = Counter(one.text for one in concepts())
    assert counts == {"gml": 29, "mql5": 33, "doshi": 26, "slides": 17, "note": 24}
    for text, count in counts.items():
        assert [one.number for one in concepts() if one.text == text] == list(range(1, count + 1))


def test_the_addresses_ask_for_what_there_is() -> None:
    for one in (*learner_questions(), *concepts()):
        assert re.fullmatch(r"[a-z-]+(\?[\w=&%.-]+)?", one.url), one
        assert read_url(parse_qs(one.query)).refused == (), one
        if one.page == "questions" and (claim := parameters(one).get("concepts_words")):
            assert claim in {known.id for known in CLAIMS}, one


@pytest.mark.parametrize(("page", "query"), own_choices())
def test_a_link_brings_the_state_it_names(page: str, query: str) -> None:
    app = opened(page, **dict(parse_qsl(query)))
    assert [error.value for error in [*app.exception, *app.error]] == []
    assert list(app.toast) == []
    for name, value in parse_qsl(query):
        held = app.session_state[name]
        shown = held if isinstance(held, list) else [held]
        assert value.casefold() in [str(one).casefold() for one in shown]
