"""Lessons come back from their files and links; those of the app are true of the layers that they
show.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections import Counter
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest

from attention_core import AttentionError, FileError, SettingsError, TextError
from attention_lab.heads.head_worth import norm_shares
from attention_lab.heads.reruns import relative_change
from attention_lab.heads.shared_keys import with_shared_keys
from attention_lab.lessons.lesson import (
    MAX_MOMENTS,
    Lesson,
    LessonTask,
    Moment,
    lesson_question,
)
from attention_lab.lessons.lesson_file import (
    LESSON_FILE,
    LINK_MARK,
    MAX_LINK,
    keep_lesson,
    lesson_from_link,
    lesson_named,
    lesson_to_link,
    read_lesson,
    shipped_lessons,
    write_lesson,
)
from attention_lab.scenario import trace_of
from attention_lab.trained.encoded_text import trained_layer
from attention_lab.trained.evidence import evidence_of
from attention_lab.trained.language_model import language_model
from attention_lab.trained.whole_model import whole_facts, whole_run
from attention_lab.url_choices import read_url
from tests.lab.refusal import Facts, refused

QUESTION = lesson_question(
    "Which is larger?", "The first.", ("first", "second"), 0, {"second": "slice"}
)
LESSON = Lesson(
    "Größe & “Maß”",
    (
        Moment("One", "scores", "n_heads=2&text=a+b%26c", "Look.", "Say it.", QUESTION, ("mask",)),
        Moment("Two", "mask"),
    ),
    minutes=45,
    goals=("Know it.",),
    tasks=(LessonTask("Do it.", "Done.", "Not done."),),
    view="lesson",
)


ONE = {"title": "One", "page": "scores"}


def changed(**entries: Any) -> bytes:
    """The file of the lesson with other entries."""
    return json.dumps(json.loads(write_lesson(LESSON)) | entries).encode()


def of_moment(**entries: Any) -> bytes:
    """The file of the lesson with one moment that has other entries."""
    return changed(moments=[ONE | entries])


def of_question(**entries: Any) -> bytes:
    """The file of the lesson with one moment that asks a question with these entries."""
    return of_moment(question={"ask": "a", "why": "b"} | entries)


def test_a_lesson_comes_back_from_its_file_and_from_its_link() -> None:
    assert read_lesson(write_lesson(LESSON)) == LESSON
    link = lesson_to_link(LESSON)
    assert link is not None
    assert lesson_from_link(link) == LESSON
    for behind in ("", ".", ")."):  # as copied from a message
        assert lesson_from_link(f"{link[:40]}\n{link[40:]}{behind}") == LESSON
    assert lesson_named(link) == LESSON
    assert lesson_named(keep_lesson(LESSON)) == LESSON


def test_a_long_lesson_has_no_link() -> None:
    stream = np.random.default_rng(0)
    notes = (stream.bytes(500).hex() for _ in range(MAX_MOMENTS))
    long = Lesson("Long", tuple(Moment("One", "scores", note=note) for note in notes))
    assert lesson_to_link(long) is None
    assert read_lesson(write_lesson(long)) == long


def test_moments_move_come_and_go() -> None:
    titles = [one.title for one in LESSON.moved(0, 1).moments]
    assert titles == ["Two", "One"]
    assert LESSON.moved(0, -1) == LESSON == LESSON.moved(1, 1)
    assert LESSON.without(0).moments == LESSON.moments[1:]
    assert LESSON.with_moment(LESSON.moments[0]).moments[2] == LESSON.moments[0]


HOSTILE: dict[str, tuple[bytes, type[AttentionError], Facts]] = {
    "unknown entry": (changed(script="alert"), FileError, ("script", "title")),
    "no title": (changed(title=""), SettingsError, ("title",)),
    "title as number": (changed(title=1), TextError, ("title",)),
    "moments as text": (changed(moments="one"), FileError, ("moments",)),
    "a moment as list": (changed(moments=[[]]), FileError, ("moment",)),
    "no page": (changed(moments=[{"title": "One"}]), FileError, ("page",)),
    "a task alone": (changed(tasks=[{"task": "Do it."}]), FileError, ("task", "answer")),
    "many moments": (changed(moments=[ONE] * 41), SettingsError, ("moments", 41, 40)),
    "long text": (of_moment(text="a" * 401), SettingsError, ("text", 401, 400)),
    "no state": (of_moment(state="heads"), SettingsError, ("state",)),
    "another lesson": (of_moment(state="lesson=x"), SettingsError, ("lesson",)),
    "a strange name": (of_moment(state="__class__=1"), SettingsError, ("__class__",)),
    "a style": (of_moment(controls=["x{}"]), SettingsError, ("controls",)),
    "no list": (of_moment(controls="mask"), FileError, ("controls",)),
    "one option": (of_question(options=["c"]), SettingsError, ("question.options", 1)),
    "right beyond": (
        of_question(options=["c", "d"], right=2),
        SettingsError,
        ("question.right", 2, 1),
    ),
    "a misconception of nobody": (
        of_question(options=["c", "d"], misconceptions={"d": "mine"}),
        SettingsError,
        ("question.misconceptions", "mine"),
    ),
    "a misconception of the right answer": (
        of_question(options=["c", "d"], misconceptions={"c": "slice"}),
        SettingsError,
        ("question.misconceptions", "c"),
    ),
    "misconceptions as a list": (of_question(misconceptions=["c"]), FileError, ("misconceptions",)),
    "a control character": (changed(title="One\x08"), SettingsError, ("title", "x08")),
    "half a character": (of_moment(text="\ud800"), SettingsError, ("text",)),
    "too large": (b" " * (LESSON_FILE.max_bytes + 1), FileError, (LESSON_FILE.max_bytes,)),
    "many parts": (b"[" + b"[]," * 5000 + b"[]]", FileError, ("lesson",)),
    "a minus of minutes": (changed(minutes=-1), SettingsError, ("minutes", -1)),
}


@pytest.mark.parametrize(("data", "kind", "facts"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_is_refused(data: bytes, kind: type[AttentionError], facts: Facts) -> None:
    with refused(kind, *facts):
        read_lesson(data)


@pytest.mark.parametrize(
    "text",
    [
        "~",
        "~!!!",
        "~AAAA",
        str(lesson_to_link(LESSON))[:-9],
        LINK_MARK + base64.urlsafe_b64encode(zlib.compress(b" " * 2**26)).decode()[:MAX_LINK],
        LINK_MARK + "a" * MAX_LINK,
    ],
)
def test_a_hostile_link_is_refused(text: str) -> None:
    with pytest.raises(FileError):
        lesson_from_link(text)


@pytest.mark.parametrize("name", ["none", ".0123456789abcdef", "../by-hand", ""])
def test_an_unknown_lesson_is_refused(name: str) -> None:
    with pytest.raises(FileError):
        lesson_named(name)


LESSONS = shipped_lessons()


def test_a_shipped_lesson_shows_its_own_row_alone() -> None:
    assert {name: one.view for name, one in LESSONS.items()} == dict.fromkeys(LESSONS, "lesson")


@pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS)
def test_a_lesson_has_goals_and_three_tasks_with_answers_and_mistakes(lesson: Lesson) -> None:
    assert len(lesson.goals) >= 3
    assert len(lesson.tasks) == 3
    assert all(task.mistakes for task in lesson.tasks)
    assert len(lesson.moments) >= 5
    assert any(moment.question for moment in lesson.moments)
    assert sum(bool(moment.note) for moment in lesson.moments) >= len(lesson.moments) / 2
    assert all(moment.text for moment in lesson.moments)


@pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS)
def test_no_question_gives_its_answer_away(lesson: Lesson) -> None:
    places = set()
    asked = [(moment, lesson.question_at(n)) for n, moment in enumerate(lesson.moments)]
    for moment, question in asked:
        if question and moment.question and question.options:
            right = question.answer
            assert right == moment.question.answer
            assert set(question.options) == set(moment.question.options)
            assert not re.search(rf"(?<!\w){re.escape(right)}(?!\w)", moment.text)
            places.add(question.right)
    n_choices = sum(bool(question and question.options) for _, question in asked)
    assert len(places) > 1 or n_choices < 3


def layer_of(lesson: str, place: int) -> Any:
    """The layer that a moment shows."""
    return trace_of(read_url(parse_qs(LESSONS[lesson].moments[place].state)).scenario)


def test_the_numbers_of_the_lesson_by_hand_are_those_of_the_layer() -> None:
    trace = layer_of("by-hand", 0)
    assert trace.queries[0, 1].tolist() == [2, -1, -1, 1]
    assert trace.scores[0, 0, 1].tolist() == [-5, 2, 6]
    assert trace.scores[0, 0, 0].tolist() == [4, -2, -4]
    assert round(trace.probabilities[0, 0, 1, 2], 2) == 0.98
    assert round(trace.head_outputs[0, 0, 1, 0], 1) == -2.9
    assert trace.probabilities[0, 1, 0].round(3).tolist() == [0.045, 0.909, 0.045]
    assert trace.merged.shape[-1] == 4


def test_the_numbers_of_the_first_lesson_are_those_of_the_layer() -> None:
    trace = layer_of("multi-head-attention", 3)
    assert trace.scores[0, 0, 6].tolist() == [0, 14, 0, 0, 10, 0, 0, 0]
    assert round(trace.probabilities[0, 0, 6, 1], 2) == 0.88
    assert round(trace.head_outputs[0, 0, 6, 1], 2) == 0.88
    assert trace.values[0, 1, 1] == 1
    before = trace.probabilities[0, 1].argmax(-1)[1:]
    assert before.tolist()[1:] == [1, 2, 3, 4, 5, 6]


def test_large_scores_leave_one_share_as_the_lesson_on_the_scale_says() -> None:
    bare, scaled = (layer_of("why-scale", n).probabilities[0, 0, 8] for n in (2, 3))
    assert bare.max() > 0.99
    assert scaled.max() < 0.5
    assert np.sum(scaled > 0.05) >= 3
    spread = [layer_of("why-scale", n).scores.std() for n in (0, 1)]
    assert [round(float(one), 1) for one in spread] == [3.2, 12.0]
    by_width = layer_of("why-scale", 6)
    assert (by_width.scale, by_width.sizes["K"]) == (1 / 64, 64)
    assert round(by_width.probabilities[0, 0, 8].max(), 2) == 0.11


def test_the_numbers_of_the_lesson_on_masks_are_those_of_the_layer() -> None:
    late, hidden = layer_of("masks", 4), layer_of("masks", 3)
    whole = trace_of(
        replace(read_url(parse_qs(LESSONS["masks"].moments[3].state)).scenario, mask="none")
    )
    assert whole.probabilities[0, 0, 2, :3].round(3).tolist() == [0.012, 0.008, 0.124]
    assert round(whole.probabilities[0, 0, 2, :3].sum(), 2) == 0.14
    for masked in (late, hidden):
        assert masked.probabilities[0, 0, 2, :4].round(3).tolist() == [0.084, 0.055, 0.861, 0]


def test_the_numbers_of_the_lesson_on_values_and_updates_are_those_of_the_layer() -> None:
    name = "order-values-update"
    plain, left_out = layer_of(name, 3), layer_of(name, 5)
    assert np.count_nonzero(plain.projections.w_v[:, :4].any(axis=1)) == 4
    assert round(left_out.probabilities[0, 0, 6, 1], 2) == 0.88
    assert left_out.head_outputs[0, 0, 6, 1] == 0 < plain.head_outputs[0, 0, 6, 1]
    weightless, added, nothing = (layer_of(name, place) for place in (4, 6, 7))
    assert (weightless.values == weightless.inputs).all()
    assert (added.inputs[0, 6, 2], added.output[0, 6, 2], added.merged[0, 6].any()) == (1, 1, True)
    assert (nothing.output == nothing.inputs).all()
    text = "box the ran it saw and the cat"
    for place, same in ((0, True), (1, False)):
        scenario = read_url(parse_qs(LESSONS[name].moments[place].state)).scenario
        here, there = trace_of(scenario), trace_of(replace(scenario, text=text))
        assert np.allclose(here.output[0, 1], there.output[0, 7]) is same


def test_the_numbers_of_the_lesson_on_trained_heads_are_those_of_the_model() -> None:
    def row(place: int) -> dict[str, float]:
        choices = LESSONS["trained-heads"].moments[place].choices
        layer = trained_layer(choices["text"], int(choices["th_layer"]))
        words = layer.labels("T")
        shares = layer.probabilities[0, int(choices["th_head"]), words.index("it")]
        return {word: round(float(one), 2) for word, one in zip(words, shares, strict=True)}

    assert row(1)["animal"] == 0.69
    other = row(3)
    assert sorted(other.values())[-3:] == [other["cat"], other["mouse"], other["[CLS]"]]
    assert [other[word] for word in ("cat", "mouse", "[CLS]")] == [0.09, 0.35, 0.42]
    layer = layer_of("trained-heads", 6)
    sharpest = layer.probabilities[0].max(axis=-1).mean(axis=-1)
    norms = norm_shares(layer)[0]
    assert (sharpest.argmax(), norms.argmin(), norms.argmax()) == (5, 5, 9)
    assert [round(float(one), 2) for one in (sharpest[5], norms[5], norms[9])] == [0.81, 0.11, 0.48]


def test_the_numbers_of_the_lesson_on_shared_keys_are_those_of_the_layer() -> None:
    layer = layer_of("shared-keys", 4)
    moved = [relative_change(layer.output, with_shared_keys(layer, n).output) for n in (2, 1)]
    assert [round(one, 3) for one in moved] == [0.777, 0.889]


@pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS)
def test_the_minutes_of_a_lesson_are_those_of_its_moments(lesson: Lesson) -> None:
    assert all(moment.minutes for moment in lesson.moments)
    assert lesson.minutes == sum(moment.minutes for moment in lesson.moments)
    assert lesson.needs


def test_lessons_vote_three_times_on_each_of_the_six_misconceptions() -> None:
    asked = Counter(
        name
        for lesson in LESSONS.values()
        for moment in lesson.moments
        if moment.question
        for name in {one for option in moment.question.options for one in option.misconceptions}
    )
    for names in (
        *(("order-for-free", "word-alone"), ("value-is-word",), ("head-role",)),
        *(("mask-late",), ("no-root",), ("replaced",)),
    ):
        assert sum(asked[name] for name in names) >= 3, names


def test_the_numbers_of_the_lesson_on_the_whole_model_are_those_of_the_model() -> None:
    model = language_model()
    ids = model.encode(LESSONS["whole-model"].moments[0].choices["text"])
    whole = whole_run(model.run(ids))
    last = [(row[-1].text, round(row[-1].share, 2)) for row in whole.said]
    assert last == [("The", 0.79), ("The", 0.16), ("went", 0.05), ("who", 0.09), ("frog", 0.77)]
    thick, off = whole.thick[0], whole_run(model.run(ids, without=[(4, 4)]))
    assert (thick.layer, thick.head, round(thick.read, 2)) == (4, 4, 0.87)
    assert whole.said[3][thick.at].text == "and"
    assert (off.answer.text, round(off.answer.share, 2)) == ("cat", 0.08)
    assert off.said[:4] == whole.said[:4]
    assert [one.text for one in off.said[4]][:-1] == [one.text for one in whole.said[4]][:-1]
    _, heads, fed, total = map(float, whole_facts(whole, (4, 11)).sum)
    assert [round(one, 1) for one in (total, fed)] == [19.8, 8.0]
    _, heads, fed, total = map(float, whole_facts(whole, (3, 11)).sum)
    assert [round(one, 1) for one in (total, fed, heads)] == [20.3, 10.9, 8.8]


def test_the_numbers_of_the_lesson_on_the_frog_are_those_of_the_model() -> None:
    model = language_model()
    text = LESSONS["frog"].moments[0].choices["text"]
    ids = model.encode(text)
    run, (f, c, b) = model.run(ids), (model.encode(word)[1] for word in ("f", "c", "b"))
    layer = run.traces[4]
    assert [round(share, 2) for share in layer.probabilities[0, 2:5, 15, 6]] == [0.76, 0.80, 0.86]
    assert (layer.probabilities[0, [0, 1, 5, 6, 7], 15, 6] < 0.2).all()
    products = layer.turned_queries[0, 4, 15] * layer.turned_keys[0, 2, 6]
    assert products[[4, 5, 7]].round(1).tolist() == [21.4, 8.6, -9.2]
    assert round(products.sum(), 1) == 24.8
    assert model.decode(list(model.generate(ids, 4))) == " frog"
    without = {head: model.run(ids, without=[(4, head)]).probabilities() for head in (2, 3, 4)}
    shares = [run.probabilities()[f], *(without[head][f] for head in (2, 3, 4))]
    assert [round(share, 2) for share in shares] == [0.82, 0.83, 0.81, 0.08]
    assert without[4].argmax() == c
    off = {n: model.run(ids, without=[(4, head) for head in (2, 3, 6)[:n]]) for n in (2, 3)}
    assert [round(off[n].probabilities()[f], 3) for n in (2, 3)] == [0.791, 0.767]
    words = [dict(one.next_words(3))["frog"] for one in (run, off[2], off[3])]
    assert [round(share, 3) for share in words] == [0.767, 0.750, 0.721]
    found = model.run(ids, without=[(4, 4)]).next_words(2)
    assert [(word, round(share, 3)) for word, share in found] == [("cat", 0.079), ("frog", 0.077)]
    added, loss = run.contributions(f), run.loss((4, 4), f)
    assert (round(added["head", 4, 4], 2), round(sum(added.values()), 1)) == (4.05, 19.8)
    assert [round(one, 2) for one in (loss.total, *loss)] == [1.11, 4.05, -2.38, -0.56]
    assert round(-loss.response / loss.direct, 2) == 0.59
    evidence = evidence_of((4, 4))
    assert (evidence.n_mattering, evidence.rank("frog")) == (25, 5)
    assert [round(one, 2) for one in (evidence.median, evidence.left[0])] == [0.42, 0.10]
    monkey = model.encode(text.replace("frog", "monkey"))
    both = [model.run(monkey, without=heads).word_shares(["monkey"]) for heads in ([], [(4, 4)])]
    assert [round(one["monkey"], 3) for one in both] == [0.698, 0.723]
    birds = model.encode(text.replace("frog", "bird"))
    birds_off = model.run(birds, without=[(4, 4)]).probabilities()
    assert round(model.run(birds).probabilities()[b], 2) == 0.89
    assert (round(birds_off[c], 2), round(birds_off[b], 2)) == (0.26, 0.16)
