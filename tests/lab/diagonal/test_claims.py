"""Claims about attention: the list is complete, and every verdict is what the live check finds."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from attention_lab.diagonal.claims.catalogue import (
    ALWAYS,
    CHECKS,
    CLAIMS,
    CONDITION,
    FALSE,
    TEXTS,
    Claim,
    find_claim,
)
from tests.lab.refusal import Fact, missing

TABLE = Path(__file__).parents[2] / "data" / "claims.csv"
ROWS = [tuple(row) for row in csv.reader(TABLE.read_text(encoding="utf-8").splitlines())][1:]


def test_the_list_has_every_row_of_the_five_texts() -> None:
    of_texts = {"gml": 8, "mql5": 7, "doshi": 11, "slides": 11, "note": 10}
    assert Counter(text for text, _, _ in ROWS) == of_texts
    assert len({row for _, row, _ in ROWS}) == len(ROWS)


@pytest.mark.parametrize(("text", "row", "ids"), ROWS)
def test_every_row_of_the_list_is_a_claim(text: str, row: str, ids: str) -> None:
    assert row
    assert {find_claim(identifier).text for identifier in ids.split()} == {text}


def test_other_claims_of_the_five_texts_are_right() -> None:
    listed, texts = " ".join(ids for _, _, ids in ROWS).split(), {text for text, _, _ in ROWS}
    assert {c.status for c in CLAIMS if c.text in texts and c.id not in listed} == {ALWAYS}


@pytest.mark.parametrize("one", CLAIMS, ids=lambda c: c.id)
def test_the_check_agrees_with_the_verdict(one: Claim) -> None:
    evidence = one.check()
    assert evidence.claimed is (one.status == ALWAYS)
    assert evidence.corrected is True
    assert any(character.isdigit() for character in evidence.sentence)
    assert evidence.sentence.endswith(".")
    assert not re.search(r"e-1[2-9]", evidence.sentence)  # rounding alone is 0
    assert one.check() == evidence


@pytest.mark.parametrize("one", CLAIMS, ids=lambda c: c.id)
def test_the_evidence_has_every_number_of_its_check_in_the_order_of_the_check(one: Claim) -> None:
    """No number is left out, and none takes the place of another."""
    places = [int(place) for place in re.findall(r"{(\d+)", one.evidence)]
    assert list(dict.fromkeys(places)) == list(range(len(one.measure().numbers)))


def test_claims_say_what_they_are() -> None:
    assert len({c.id for c in CLAIMS}) == len(CLAIMS)
    assert {c.name for c in CLAIMS} == set(CHECKS)
    assert [c.text for c in CLAIMS] == sorted((c.text for c in CLAIMS), key=list(TEXTS).index)
    assert {c.text for c in CLAIMS} == set(TEXTS)
    assert {c.status for c in CLAIMS} == {ALWAYS, CONDITION, FALSE}
    assert all(c.statement and c.correction and c.statement != c.correction for c in CLAIMS)


@pytest.mark.parametrize(
    ("identifier", "numbers"),
    [
        ("slides-pair-bound", ["0.2447"]),  # X = (3, 2, 1), by hand in test_worked_examples
        ("slides-diagonal-always-greater", ["0.8668"]),
        ("doshi-embedding-is-split", [6, 3]),
        # 64 x (64 + 2 x 32), of 64 x (2 x 64 + 2 x 32 + 3 x 172)
        ("doshi-entire-architecture", ["8,192", "45,312"]),
        ("mql5-diagonal-of-the-square", [36]),  # 3·3 heads, nK = 4
        ("gml-projection-size", ["4 × 5"]),
        ("slides-limits-expressive-power", ["0.99", "0.90", "0.50", "26%", "58%"]),
        ("slides-always-use-weights", ["0.99", "0.50", "0.25", "0.06"]),
        ("gml-columns-span", ["12 × 4"]),
        ("dong-rank-is-lost", ["0.316", "0.173", "0.086", "0.0003"]),
        ("vaswani-averaging-inhibits", ["50%"]),  # 1 - 1/2: one head for two wishes
        ("popular-twice-as-long", ["2.22"]),  # (4·256·C² + 2·256²·C) / (4·128·C² + 2·128²·C) = 20/9
    ],
)
def test_numbers_of_checks(identifier: str, numbers: list[Fact]) -> None:
    assert missing(find_claim(identifier).check().sentence, *numbers) == []
