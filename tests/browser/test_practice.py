"""Work of the reader in a browser: questions are answered, a head is built, a test is taken."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from attention_lab.practice import practice_question
from attention_lab.scenario import Scenario, trace_of
from attention_lab.words.numbers import format_number
from tests.browser.driving import Visit, expect_title, expect_url, settled


@pytest.mark.every_situation
def test_questions_are_passed_by_keys_and_one_is_answered_on_the_board(visit: Visit) -> None:
    page = visit("practice?pr_step=scores")
    following = page.get_by_role("button", name="Next question")
    following.focus()
    for number_asked in (2, 3, 4):
        following.press("Enter")
        expect_url(page, f"pr_number={number_asked}")
        expect(settled(page).get_by_role("button", name="Next question")).to_be_focused()
    question = practice_question(trace_of(Scenario()), 4, "scores")
    answer = page.get_by_role("textbox", name="Your answer")
    answer.fill(f"{question.value:.2f}")
    answer.press("Enter")
    expect(page.get_by_text(f"Right: {format_number(question.value, 2)}.")).to_be_visible()
    settled(page).get_by_text("Show the answer").click()
    expect_url(page, "pr_show=true")
    settled(page).get_by_role("button", name="See it on the board").click()
    expect_title(page, "Scores")
    expect(settled(page).locator(".arithmetic .result").first).to_have_text(
        format_number(question.value, 4)
    )
    page.go_back()
    expect_title(page, "Practice")
    expect_url(page, "pr_step=scores", "pr_number=4", "pr_show=true")
    answer = settled(page).get_by_role("textbox", name="Your answer")
    expect(answer).to_have_value(f"{question.value:.2f}")
