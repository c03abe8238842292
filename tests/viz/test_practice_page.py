"""The page of questions: what is judged, what follows, and a set with one's own numbers."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from html import unescape
from itertools import product
from typing import Any

import pytest

from attention_lab.guesses import guess_in_turn
from attention_lab.practice import (
    ASKED_TITLES,
    MAX_QUESTION_NUMBER,
    Homework,
    askable_fields,
    fade_example,
    practice_question,
)
from attention_lab.scenario import Scenario, trace_of
from attention_viz import blocks as b
from attention_viz.page_choices import Select
from attention_viz.practice import MAX_SHEET_QUESTIONS
from attention_viz.practice_page import MOST_TRIES, NUMBER, PRACTICE, SET, SHEET
from attention_viz.story.story_view import StoryView
from attention_viz.teach.for_teachers_page import FOR_TEACHERS
from tests.viz.reading_blocks import all_of, blocks_of, the_one, words_of

LAYER = Scenario("you like cake", d_model=4, n_heads=2, embedding="integers", seed=57)
TRACE = trace_of(LAYER)
NO_SEED = Scenario("you like cake", weights="weightless", n_heads=1, d_model=4)


def tones(**chosen: Any) -> list[str]:
    """The verdicts on the page of a layer."""
    return [note.tone for note in all_of(blocks_of(PRACTICE, LAYER, **chosen), b.Note)]


@pytest.mark.parametrize("help_level", ["own layer", "one term missing"])
def test_an_answer_is_judged_by_what_is_asked(help_level: str) -> None:
    question = practice_question(TRACE, 3, "scores")
    right, about = question.value, {"pr_step": "scores", "pr_number": 3, "pr_help": help_level}
    if help_level == "one term missing":
        right = fade_example(question, help_level).asked.value
    assert tones(**about) == tones(**about, pr_answer="  ") == []
    assert tones(**about, pr_answer=f"{right:.4f}") == ["right"]
    assert tones(**about, pr_answer=f"{right + 1:.4f}") == ["wrong"]


def test_the_next_question_begins_anew() -> None:
    for number, following in ((2, 3), (MAX_QUESTION_NUMBER, 1)):
        found = blocks_of(PRACTICE, LAYER, pr_number=number)
        assert the_one(found, b.Button, "Next question").sets == {"pr_number": following}
    choices = PRACTICE.choices(StoryView(LAYER))
    for key in ("pr_number", "pr_step", "pr_help"):
        (choice,) = (one for one in choices if one.key == key)
        assert {"pr_answer", "pr_show"} <= {*NUMBER.resets} <= {*choice.resets}


@pytest.mark.parametrize(
    ("field", "page", "row"),
    [
        ("head_outputs", "mixing", "query"),
        ("values", "projections", "key"),
        ("merged", "merge", "query"),
    ],
)
def test_the_answer_leads_to_its_cell_on_the_board(field: str, page: str, row: str) -> None:
    titles = {name: title for title, name in ASKED_TITLES.items()}
    about = {"pr_step": titles[field], "pr_number": 4}
    assert not all_of(blocks_of(PRACTICE, LAYER, **about), b.Link)
    link = the_one(blocks_of(PRACTICE, LAYER, **about, pr_show=True), b.Link, "See it on the board")
    *_, place, column = practice_question(TRACE, 4, field).exact.index
    assert (link.page, link.sets[row], link.sets["feature"]) == (page, place, column % 2)
    assert link.sets.get("which", field) == field


def test_only_steps_for_a_hand_are_offered() -> None:
    for layer in (LAYER, Scenario(d_model=64), NO_SEED):
        step = all_of(blocks_of(PRACTICE, layer), b.Field)[1].choice
        assert isinstance(step, Select)
        can = askable_fields(trace_of(layer))
        assert [ASKED_TITLES.get(title) for title in step.options] == [None, *can]
        assert bool(step.help) == (len(can) < len(ASKED_TITLES))


@pytest.mark.parametrize(
    ("step", "first", "n_cells"),
    [("scores", 9995, MAX_SHEET_QUESTIONS), ("merged", 1, 4), ("any", 1, MAX_SHEET_QUESTIONS)],
)
def test_no_question_stands_on_a_sheet_twice(step: str, first: int, n_cells: int) -> None:
    (sheet,) = all_of(blocks_of(PRACTICE, LAYER, pr_step=step, pr_number=first), b.File)
    assert sheet.name == SHEET
    questions, answers = str(sheet.make()).split('class="answers"')
    items = re.findall(r'<li value="(\d+)">([^<]*)<', questions)
    assert len({question for _, question in items}) == len(items) == n_cells
    assert re.findall(r'<li value="(\d+)">', answers) == [number for number, _ in items]
    assert items[0][0] == str(first)
    for number, question in items[-2:]:
        found = blocks_of(PRACTICE, LAYER, pr_step=step, pr_number=int(number))
        assert unescape(question) in words_of(found)


def test_a_common_mistake_is_asked_and_judged() -> None:
    about = {"pr_step": "scores", "pr_number": 2}
    guess, following = (guess_in_turn(TRACE, number, "scores") for number in (2, 3))
    assert guess is not None
    assert following is not None
    assert (following.item.id, following.index) != (guess.item.id, guess.index)
    found = blocks_of(PRACTICE, LAYER, **about)
    assert f"**Head {guess.index[1]}: " in words_of(found)
    cell = {"array": "scores", "index": list(guess.index)}
    assert cell in [board.scene["cell"] for board in all_of(found, b.Board)]
    for option in guess.options:
        chosen = the_one(found, b.Button, option.label).sets
        assert tones(**about, **chosen) == ["right" if option.right else "wrong"]
    assert tones(**about, pr_choice=(8,)) == []


def test_a_set_asks_all_the_same_cells_with_other_numbers() -> None:
    homework = Homework(LAYER, 1, 6)
    first, second = homework.questions(1), homework.questions(7)
    cells = [(one.exact.field, one.exact.index) for one in first]
    assert cells == [(one.exact.field, one.exact.index) for one in second]
    assert len(set(cells)) == 6
    assert [one.value for one in first] != [one.value for one in second]
    trace = trace_of(replace(LAYER, seed=7))
    for one in second:
        value = getattr(trace, one.exact.field)[one.exact.index]
        assert one.value == (one.exact.index[-1] if one.exact.field == "merged" else value)


def test_answers_of_a_set_are_counted_and_shown_only_after_an_attempt() -> None:
    answers = [one.value for one in Homework(LAYER, 1, 6).questions(7)]
    given = {"hw_answer_1": f"{answers[0]:.6f}", "hw_answer_2": "=1+1", "hw_show_2": True}
    found = blocks_of(PRACTICE, LAYER, pr_mode=SET, hw_student=7, hw_show_3=True, **given)
    assert [note.tone for note in all_of(found, b.Note)] == ["right", "wrong"]
    assert re.findall(r"\*\*\d of \d\*\*|\*\*\d\*\*", words_of(found)) == [
        "**1 of 6**",
        "**2**",
        "**1**",
    ]
    shown = [one.choice.key for one in all_of(found, b.Field)]
    assert [key for key in shown if "show" in key] == ["hw_show_1", "hw_show_2"]
    lines = list(csv.DictReader(io.StringIO(str(all_of(found, b.File)[0].make()))))
    assert [line["verdict"] for line in lines[:3]] == ["right", "wrong", "none"]
    assert [line["looked"] for line in lines[:3]] == ["False", "True", "False"]
    assert [line["tries"] for line in lines[:3]] == ["1", "1", "0"]
    assert lines[1]["answer"] == "'=1+1"  # which no spreadsheet runs
    assert {line["student"] for line in lines} == {"7"}


def test_every_new_answer_is_a_try() -> None:
    """The same answer again, an emptied field and other choices are none."""
    page, view, url = PRACTICE, StoryView(LAYER), {"pr_mode": [SET]}
    tries = []
    for changes in (
        {"hw_answer_2": "4"},
        {"hw_answer_2": "4"},
        {"hw_answer_2": "5", "hw_answer_1": "7"},
        {"hw_answer_2": ""},
        {"hw_show_1": True},
        {"hw_answer_2": "4"},
    ):
        choices, values, _ = page.after(view, url, changes)
        url = {one.key: [one.text(values[one.key])] for one in choices}
        tries.append((values["hw_tries_1"], values["hw_tries_2"]))
    assert tries == [(0, 1), (0, 1), (1, 2), (1, 2), (1, 2), (1, 3)]
    url["hw_tries_2"] = [str(MOST_TRIES)]
    assert page.after(view, url, {"hw_answer_2": "6"})[1]["hw_tries_2"] == MOST_TRIES


def test_the_key_has_the_answers_of_every_student() -> None:
    chosen = {"hw_first": 3, "hw_count": 4, "hw_students": 3}
    found = blocks_of(FOR_TEACHERS, LAYER, teach="homework", **chosen)
    lines = list(csv.DictReader(io.StringIO(str(the_one(found, b.File, "Key (CSV)").make()))))
    places = [(int(line["student"]), int(line["question"])) for line in lines]
    assert places == list(product((1, 2, 3), (1, 2, 3, 4)))
    for line in lines:
        questions = Homework(LAYER, 3, 4).questions(int(line["student"]))
        assert questions[int(line["question"]) - 1].judge(float(line["answer"])).right
    (link,) = all_of(found, b.ShareLink)
    assert (link.page, link.sets) == ("practice", {"pr_mode": SET, "hw_first": 3, "hw_count": 4})


def test_without_a_seed_all_have_the_same_numbers() -> None:
    assert Homework(NO_SEED, 1, 3).key(30).count("\n") == 1 + 3
    for page, chosen in ((PRACTICE, {"pr_mode": SET}), (FOR_TEACHERS, {"teach": "homework"})):
        assert len(all_of(blocks_of(page, LAYER, **chosen), b.Note)) == 0
        found = blocks_of(page, NO_SEED, **chosen)
        assert len(all_of(found, b.Note)) == 1
        sets = the_one(found, b.Button, "Use three words with small numbers").sets
        assert sets["weights"] == "random"
