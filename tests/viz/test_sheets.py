"""Sheets of paper hold the numbers of the layer: a class that works with them gets its results."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pytest

from attention_core import STEPS, Projections, Rotary, Trace, attend
from attention_core.formulas import softmax
from attention_lab.before_and_after import FORMS, form_layer, form_questions, question_operands
from attention_lab.lessons.lesson_file import shipped_lessons
from attention_viz.sheets import MAX_BOARD_CELLS, blank_boards, form_sheet, lesson_sheet, task_sheet
from attention_viz.story.stages import STEPS_OF_STORY

X = np.random.default_rng(3).normal(size=(5, 6))
WORDS = ("the", "cat", "<sat>", "on", "it")


def cells(table: str) -> list[list[str]]:
    """The texts in the cells of an HTML table, row by row."""
    rows = [re.findall(r"<td>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", table)]
    return [[unescape(text) for text in row] for row in rows]


def numbers(table: list[list[str]]) -> np.ndarray:
    """The cells as numbers."""
    plain = [[text.replace("−", "-").replace("∞", "inf") for text in row] for row in table]
    return np.array(plain, dtype=float)


def boards(trace: Trace) -> dict[str, list[list[str]]]:
    """The cells of each board, by its title."""
    page = blank_boards(trace, "a layer")
    found = re.findall(r"<div><b>(.*?)</b><table>(.*?)</table>", page)
    assert len({title for title, _ in found}) == len(found)
    return {unescape(title): cells(table) for title, table in found}


def on_paper(trace: Trace, head: int, name: str) -> list[list[str]]:
    """The empty board of a step."""
    return boards(trace)[f"{STEPS[name].title}, head {head}"]


@pytest.mark.parametrize("n_kv_heads", [1, 3])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("head", range(3))
def test_boards_to_fill_in_give_what_a_head_needs(head: int, bias: bool, n_kv_heads: int) -> None:
    """The empty boards are worked out from the given ones alone."""
    weights = Projections.random(6, 3, d_k=2, d_v=4, n_kv_heads=n_kv_heads, bias=bias, seed=1)
    trace = attend(X, weights, scale=0.7).labelled(WORDS)
    given = {
        title.split(",")[0]: numbers(one)
        for title, one in boards(trace).items()
        if one[0][0] and (title.endswith(f"head {head}") or "head" not in title)
    }
    made = {
        letter: given["X"] @ given[f"W_{letter}"] + given.get(f"b_{letter}", 0.0)
        for letter in "QKV"
    }
    shares = softmax(made["Q"] @ made["K"].T * 0.7)
    expected = {"query_heads": made["Q"], "key_heads": made["K"], "value_heads": made["V"]}
    expected |= {"probabilities": shares, "head_outputs": shares @ made["V"]}
    for name, worked_out in expected.items():
        group = head if getattr(trace, name).shape[1] == 3 else 0
        np.testing.assert_allclose(worked_out, getattr(trace, name)[0, group], atol=0.01)
        assert np.shape(on_paper(trace, head, name)) == worked_out.shape
    assert "by 0.700." in blank_boards(trace, "a layer")


def test_every_step_of_the_layer_has_an_empty_board() -> None:
    turned = attend(X, Projections.random(6, 3), causal=True, rotary=Rotary())
    for name in ("turned_queries", "turned_keys", "masked_scores"):
        assert {text for row in on_paper(turned, 1, name) for text in row} == {""}
    plain = {title.rpartition(",")[0] for title in boards(attend(X, Projections.random(6, 3)))}
    assert not plain & {STEPS[name].title for name in ("turned_queries", "masked_scores")}


def test_a_large_layer_is_cut_to_its_first_tokens_and_features() -> None:
    x = np.random.default_rng(0).normal(size=(20, 34))
    large = boards(attend(x, Projections.random(34, 2)))
    assert {np.shape(one) for one in large.values()} == {(MAX_BOARD_CELLS, MAX_BOARD_CELLS)}
    np.testing.assert_allclose(numbers(large["X, the inputs"]), x[:16, :16], atol=5e-3)


@pytest.mark.parametrize("form", FORMS)
def test_a_form_shows_the_numbers_of_its_layer(form: str) -> None:
    page = form_sheet(form).split('class="key"')[0]
    shown = iter(re.findall(r"<table><caption>(.*?)</caption>(.*?)</table>", page))
    for guess in form_questions(form):
        for name, matrix in question_operands(form_layer(form), guess):
            title, table = next(shown)
            assert unescape(title) == name
            np.testing.assert_allclose(numbers(cells(table)), matrix, atol=5e-3)
    assert list(shown) == []


def test_the_boards_of_a_layer_of_whole_numbers_hold_all_heads_and_no_decimals() -> None:
    trace = form_layer("A")
    made = boards(trace)
    for head in range(2):
        assert {f"W_{letter}, head {head}" for letter in "QKV"} <= set(made)
        assert f"{STEPS['head_outputs'].title}, head {head}" in made
    np.testing.assert_array_equal(numbers(made["W_O"]), trace.projections.w_o)
    assert not any("." in text for table in made.values() for row in table for text in row)
    assert np.shape(made[STEPS["output"].title]) == (3, 4)


@pytest.mark.parametrize("name", shipped_lessons())
def test_the_tasks_for_students_hold_no_answer(name: str) -> None:
    lesson = shipped_lessons()[name]
    page = unescape(task_sheet(lesson))
    for task in lesson.tasks:
        assert task.task in page
        assert task.answer not in page
    for moment in lesson.moments:
        if moment.question:
            assert moment.question.text in page
            assert moment.question.why not in page
            assert all(f"☐ {one.label}" in page for one in moment.question.options)
    assert "☑" not in page


@pytest.mark.parametrize("name", shipped_lessons())
def test_the_sheet_of_a_lesson_says_what_it_needs_and_how_long_it_takes(name: str) -> None:
    lesson = shipped_lessons()[name]
    page = unescape(lesson_sheet(lesson, "link"))
    assert lesson.needs in page
    for moment in lesson.moments:
        assert f"({moment.page}, {moment.minutes} minutes)" in page
    pictured = [one for one in lesson.moments if one.page in STEPS_OF_STORY]
    assert page.count('class="picture"') == len(pictured)


@pytest.mark.parametrize("name", shipped_lessons())
def test_the_sheet_of_a_lesson_marks_the_right_answer(name: str) -> None:
    lesson = shipped_lessons()[name]
    moments = lesson_sheet(lesson, "link").split("<ol>")[1].split("</ol>")[0].split("<li>")[1:]
    asked = [lesson.question_at(place) for place in range(len(lesson.moments))]
    for moment, one, html in zip(lesson.moments, asked, moments, strict=True):
        assert unescape(html).startswith(f"<b>{moment.title}</b>")
        if one is None:
            assert "Answer:" not in html
            continue
        marked = re.findall(r"<b>(.*?)</b>", html.partition("Answer:")[2])
        right = [f"{one.answer}."] if one.options else []
        assert [unescape(text) for text in marked] == right


@pytest.mark.parametrize("head", range(4))
def test_a_head_has_the_keys_of_its_neighbours(head: int) -> None:
    """Six heads on three sets, of which the page has four: heads 2 and 3 have set 1."""
    weights = Projections.random(6, 6, d_k=2, d_v=3, n_kv_heads=3, bias=True, seed=1)
    found = boards(attend(X, weights).labelled(WORDS))
    keys = numbers(found[f"W_K, head {head}"])
    np.testing.assert_allclose(keys, weights.w_k[:, 2 * (head // 2) :][:, :2], atol=6e-4)
    values = numbers(found[f"b_V, head {head}"])[0]
    np.testing.assert_allclose(values, weights.b_v[3 * (head // 2) :][:3], atol=6e-4)
    queries = numbers(found[f"W_Q, head {head}"])
    np.testing.assert_allclose(queries, weights.w_q[:, 2 * head : 2 * head + 2], atol=6e-4)
