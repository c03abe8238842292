"""Work of the reader in a browser: questions are answered, a head is built, a test is taken."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from attention_lab.by_hand import HANDMADE_FEATURES
from attention_lab.practice import practice_question
from attention_lab.scenario import Scenario, trace_of
from attention_viz.labels import format_number
from tests.browser.driving import click_cell, expect_title, expect_url, settled

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]


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
    answer.fill(f"{question.answer:.2f}")
    answer.press("Enter")
    expect(page.get_by_text(f"Right: {format_number(question.answer, 2)}.")).to_be_visible()
    settled(page).get_by_text("Show the answer").click()
    expect_url(page, "pr_show=true")
    settled(page).get_by_role("button", name="See it on the board").click()
    expect_title(page, "Scores")
    expect(settled(page).locator(".arithmetic .result").first).to_have_text(
        format_number(question.answer, 4)
    )
    page.go_back()
    expect_title(page, "Practice")
    expect_url(page, "pr_step=scores", "pr_number=4", "pr_show=true")
    expect(settled(page).get_by_role("textbox", name="Your answer")).to_have_value(
        f"{question.answer:.2f}"
    )


@pytest.mark.every_situation
def test_a_head_is_built_and_a_test_is_taken(go: Visit) -> None:
    page = go("construct?construct_task=Copy%20the%20first%20token")
    page.get_by_role("button", name="Start from here").click()
    settled(page)
    for matrix, row, value in (("w_q", "one", "40"), ("w_k", "cos", "1")):
        page.get_by_role("radio", name=matrix.upper(), exact=True).click()
        expect(page.locator(f"[data-matrix={matrix}]")).to_be_visible()
        settled(page)
        click_cell(page, matrix, (HANDMADE_FEATURES.index(row), 0))
        settled(page)
        page.locator(f"[data-matrix={matrix}]").first.focus()
        page.keyboard.press(value[0])
        page.locator(".editor").fill(value)
        page.keyboard.press("Enter")
        settled(page)
        expect_url(page, f"{matrix.replace('_', '')}_{HANDMADE_FEATURES.index(row)}_0_{value}")
    expect(page.get_by_test_id("stAlertContentSuccess")).to_be_visible()
    go("before-and-after?form=A")
    expect(page.locator("code", has_text="A-0000000000")).to_be_visible()
    page.get_by_role("radiogroup").first.get_by_role("radio").first.focus()
    page.keyboard.press("Space")
    expect(page.locator("code", has_text="A-1000000000")).to_be_visible()
