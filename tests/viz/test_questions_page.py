"""The list of *What learners ask*: questions, ideas and claims, found by words, text and verdict;
each claim with its check; the site computes what is opened.
"""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest

from attention_lab.diagonal.claims.catalogue import ALWAYS, CLAIMS, FALSE, TEXTS, Claim, find_claim
from attention_lab.page_list import page_now
from attention_lab.questions import concepts, find_entries, learner_questions, questions_facts
from attention_lab.words.numbers import with_minus_signs
from attention_viz.blocks import Chart, Folded, Row, Table
from attention_viz.markdown import escape_markdown
from attention_viz.reference.claims import evidence
from attention_viz.reference.questions_page import FEW, QUESTIONS, TITLES
from tests.viz.reading_blocks import all_of, inside, shown, texts
from tests.viz.reading_site import answer_to, sent_blocks

EVERY_CLAIM = "always.condition.false"


def of_kind(verdict: str, text: str) -> list[Claim]:
    return [one for one in CLAIMS if (one.status, one.text) == (verdict, text)]


def parts(**given: str) -> dict[str, Folded]:
    """What is listed, by the titles of the texts."""
    _, *folded = (one for one in shown(QUESTIONS, **given) if isinstance(one, Folded))
    return {one.label.rpartition(": ")[0]: one for one in folded}


def test_every_claim_is_shown_with_its_check_and_quoted_if_a_text_says_it() -> None:
    found = {text: texts(inside(QUESTIONS, f"{title}: ")) for text, title in TEXTS.items()}
    for one in CLAIMS:
        checked, said = with_minus_signs(one.check().sentence), found[one.text]
        for part in (one.statement, one.correction, checked):
            assert escape_markdown(part) in said
        assert not re.search(r"(?<![\w)-])-\d|\de-\d", checked)
        statement = escape_markdown(one.statement)
        assert (f"“{statement}”" in said) != one.is_ours
        assert (f"**{statement}** *ours*" in said) == one.is_ours


@pytest.mark.parametrize(
    ("given", "chosen"),
    [
        ({"concepts_words": "QKT"}, [find_claim("note-divided-by-d")]),
        ({"concepts_words": "4nC2"}, [find_claim("popular-twice-as-long")]),
        ({"concepts_words": "zebra"}, []),
        ({"concepts_text": "slides", "verdict": FALSE}, of_kind(FALSE, "slides")),
        ({"concepts_text": "asked", "verdict": FALSE}, []),
        ({"concepts_text": "note.gml"}, [one for one in CLAIMS if one.text in ("note", "gml")]),
    ],
)
def test_claims_of_words_a_verdict_and_a_text(given: dict[str, str], chosen: list[Claim]) -> None:
    said = texts(shown(QUESTIONS, **({"verdict": EVERY_CLAIM} | given)))
    assert "Questions: **0** of" in said
    assert f"Claims: **{len(chosen)}** of {len(CLAIMS)}" in said
    tables = [
        one for part in parts(**({"verdict": EVERY_CLAIM} | given)).values() for one in part.inside
    ]
    rows = [row for one in tables if isinstance(one, Table) for row in one.rows]
    assert len(rows) == len(chosen)
    assert all(escape_markdown(one.statement) in texts(tables) for one in chosen)


@pytest.mark.parametrize(
    ("words", "chosen", "verdicts"),
    [("", (), ()), ("mask", (), ()), ("", ("slides", "note"), ()), ("", (), (FALSE,))],
)
def test_what_is_listed_is_counted_by_kind(
    words: str, chosen: tuple[str, ...], verdicts: tuple[str, ...]
) -> None:
    found = find_entries(words, chosen, verdicts)
    asked = {one.sentence for one in learner_questions()}
    ideas = {(one.text, one.number) for one in concepts()}
    claims = {one.id for one in CLAIMS}
    counts = [0, 0, 0]
    for one in found:
        if isinstance(one, Claim):
            counts[2] += one.id in claims
        else:
            counts[0] += one.text == "asked" and one.sentence in asked
            counts[1] += one.text in TEXTS and (one.text, one.number) in ideas
    facts = questions_facts(found)
    assert [facts.asked[0], facts.ideas[0], facts.claims[0]] == counts
    wholes = [facts.asked[1], facts.ideas[1], facts.claims[1]]
    assert wholes == [len(asked), len(ideas), len(claims)]
    assert facts.ours == len([one for one in CLAIMS if one.is_ours])


def test_the_whole_list_has_each_text_once_and_opens_the_questions() -> None:
    whole = parts()
    assert list(whole) == list(TITLES.values())
    assert [one.opened for one in whole.values()] == [True] + [False] * len(TEXTS)
    first = whole["What learners ask"].inside
    assert [len(one.rows) for one in all_of(first, Table)] == [len(learner_questions())]
    n_slides = [sum(one.text == "slides" for one in listed) for listed in (concepts(), CLAIMS)]
    assert [len(one.rows) for one in all_of(whole[TEXTS["slides"]].inside, Table)] == n_slides


def test_what_a_search_finds_stands_first_and_best_first() -> None:
    for words in ("softmax", "transpose", "slides-pair-bound"):
        found = find_entries(words)
        blocks = shown(QUESTIONS, concepts_words=words)
        places = [n for n, one in enumerate(blocks) if isinstance(one, Table)]
        fields = [n for n, one in enumerate(blocks) if isinstance(one, Row)]
        assert fields[0] < places[0] < fields[1]  # the box, what is found, the filters
        table = blocks[places[0]]
        assert isinstance(table, Table)
        assert len(table.rows) == min(len(found), FEW)
        for row, one in zip(table.rows, found[:FEW], strict=True):
            statement = one.statement if isinstance(one, Claim) else one.sentence
            assert escape_markdown(statement) in row[0]
            assert isinstance(one, Claim) or f"]({one.url})" in row[1]
        listed = parts(concepts_words=words)
        assert len(listed) == len({one.text for one in found} & TITLES.keys())
        assert any(one.opened for one in listed.values()) == isinstance(found[0], Claim)


def test_a_click_on_a_bar_lists_its_claims() -> None:
    (chart,) = all_of(shown(QUESTIONS, concepts_words="zebra"), Chart)
    sets = chart.clicks[f"note {ALWAYS}"]
    assert sets == {"concepts_text": ("note",), "verdict": (ALWAYS,), "concepts_words": ""}
    assert {*find_entries("", *[sets[one] for one in ("concepts_text", "verdict")])} == {
        *of_kind(ALWAYS, "note")
    }


@pytest.mark.parametrize(
    ("old", "now"),
    [
        ({}, {"verdict": EVERY_CLAIM}),
        (
            {"claims_words": "slides-pair-bound"},
            {"concepts_words": "slides-pair-bound", "verdict": EVERY_CLAIM},
        ),
        (
            {"claims_status": FALSE, "claims_text": "slides"},
            {"concepts_text": "slides", "verdict": FALSE},
        ),
    ],
)
def test_urls_of_claims_open_the_same_claims(old: dict[str, str], now: dict[str, str]) -> None:
    page, choices = page_now("claims", {name: [text] for name, text in old.items()})
    assert (page.url_path, choices) == ("questions", {name: [text] for name, text in now.items()})


def test_the_site_computes_a_part_once_it_is_opened() -> None:
    query = urlencode({"concepts_text": "slides.mql5.dong", "verdict": EVERY_CLAIM})
    labels = [f"{TEXTS[text]}: {len(of_kind_any(text))}" for text in ("dong", "mql5", "slides")]
    evidence.cache_clear()
    for opened in ([], [labels[1]]):
        _, *folded = sent_blocks(answer_to("questions", query, open=opened), "folded")
        assert sorted(one["label"] for one in folded) == sorted(labels)
        for one in folded:
            assert (one["blocks"] is not None) == (one["opened"] or one["label"] in opened)
    assert evidence.cache_info().currsize == len(of_kind_any("dong")) + len(of_kind_any("mql5"))


def of_kind_any(text: str) -> list[Claim]:
    return [one for one in CLAIMS if one.text == text]
