"""The document to proof-read holds what stands on the pages, also in boxes that are closed."""

from __future__ import annotations

import pytest

from attention_lab.page_list import PAGES, page_of
from attention_lab.questions import learner_questions
from scripts import print_texts


def test_a_step_has_the_words_of_its_stage_and_of_its_boxes() -> None:
    found = print_texts.page_texts(page_of("softmax"))
    assert found[0] == "# Softmax (/softmax)"
    assert f"*stage:* {page_of('softmax').question}" in found
    assert any("dropout" in text for text in found if not text.startswith("*expander"))
    assert len(set(found)) == len(found)


def test_closed_boxes_are_opened() -> None:
    found = print_texts.page_texts(page_of("depth"))
    assert any(r"\operatorname{Cov}" in text for text in found)


def test_all_pages_are_printed_in_the_order_of_the_menu(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["print_texts"])
    monkeypatch.setattr(print_texts, "page_texts", lambda page: [page.url_path])
    print_texts.main()
    assert capsys.readouterr().out.split() == [page.url_path for page in PAGES]


def test_every_question_is_printed() -> None:
    found = "\n".join(print_texts.page_texts(page_of("questions"))).replace("\\", "")
    assert [one.sentence for one in learner_questions() if one.sentence not in found] == []
