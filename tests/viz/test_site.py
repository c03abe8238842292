"""What the engine answers the static site: the app's scenes and URLs, a control for each choice."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl

import numpy as np
import pytest

from attention_lab import cache
from attention_lab.construct import HEAD_TASKS
from attention_lab.control_list import CONTROLS, VIEW_SWITCHES
from attention_lab.page_list import OLD_URLS, OWN_CONTROLS, PAGES, Page, book, page_of, page_row
from attention_lab.presets import presets
from attention_lab.trained import allowed_models
from attention_lab.trained.language_model import language_model as load
from attention_lab.url_choices import read_url
from attention_lab.user_data.edits import Edit, Edits
from attention_lab.user_data.painted_masks import mask_from_text
from attention_viz import site
from attention_viz.every_page import BLOCK_PAGES, IN_THE_APP
from attention_viz.scene import coloured_scene
from attention_viz.scene_formats import scene_to_text
from attention_viz.story.stages import STEPS_OF_STORY, stage_of
from attention_viz.story.story_file import seen_sentences
from attention_viz.story.story_view import view_of
from tests.viz.reading_site import answer_to, sent_blocks

USUAL = "d_model=12&n_heads=3"
SCORE_AXES = [["B", None], ["H", None], ["T", None], ["S", None]]


def asked(path: str, query: str = USUAL, **more: Any) -> dict[str, Any]:
    """The answer to a request."""
    return answer_to(path, query, **more)


def control(answer: dict[str, Any], name: str) -> dict[str, Any]:
    """One control of an answer."""
    (found,) = (one for one in answer["controls"] if one["name"] == name)
    return dict(found)


def offered(answer: dict[str, Any], name: str) -> list[str]:
    """The keys of the options of a control."""
    return [key for key, _ in control(answer, name)["options"]]


@pytest.mark.parametrize("path", STEPS_OF_STORY)
def test_a_step_has_the_arrays_and_words_of_the_app(path: str) -> None:
    query = f"{USUAL}&rotary=true&head_norm=true&head=2&query=1"
    view = view_of(read_url(parse_qs(query)))
    expected = json.loads(scene_to_text(coloured_scene(stage_of(view, path), "both")))
    found = asked(path, query)
    assert found["title"] == page_of(path).title
    for part in ("arrays", "rules", "panels", "cell", "axes", "palette"):
        assert found["scene"][part] == expected[part]
    for part in ("title", "question", "says", "formula", "heads", "guess", "place"):
        assert found["scene"]["stage"][part] == expected["stage"][part]


def test_without_parameters_the_first_example_opens() -> None:
    found = asked("overview", "")
    assert control(found, "example")["value"] == presets()[0].name
    assert asked("overview", found["query"])["scene"] == found["scene"]


def test_the_first_example_leads_to_the_second() -> None:
    opening = asked("overview", "")
    (note,) = opening["scene"]["stage"]["notes"]
    act = {"name": note["act"], "value": note["value"]}
    found = asked("overview", opening["query"], act=act)
    assert control(found, "example")["value"] == presets()[1].name
    other = asked("overview", opening["query"], act=act | {"value": "banana"})
    assert other["query"] == opening["query"]


def test_every_choice_of_the_app_has_one_control() -> None:
    found = asked("scores")
    controls = found["controls"]
    names = [one["name"] for one in controls]
    assert len(set(names)) == len(names)
    assert {one.name for one in CONTROLS} | {key for _, key, _ in VIEW_SWITCHES} <= set(names)
    assert {"notation", "example", "head", "query", "key", "feature"} <= set(names)
    for one in controls:
        if one["options"]:
            assert one["value"] in offered(found, one["name"])


def test_heads_are_offered_that_fit() -> None:
    assert control(asked("scores"), "d_model")["step"] == 3
    assert control(asked("scores", f"{USUAL}&d_k=5&d_v=2"), "d_model")["step"] == 1
    assert offered(asked("scores"), "n_heads") == ["1", "2", "3", "4", "6", "12"]
    uneven = asked("scores", "d_model=13&n_heads=3")
    assert offered(uneven, "n_heads") == ["1", "3", "13"]


@pytest.mark.parametrize(
    ("act", "chosen"),
    [
        ({"name": "n_heads", "value": "6"}, "n_heads=6"),
        ({"name": "mask", "value": "causal"}, "mask=causal"),
        ({"name": "residual", "value": True}, "residual=true"),
        ({"name": "n_tokens", "value": "5"}, "n_tokens=5"),
        ({"name": "n_tokens", "value": "1"}, "n_tokens=12"),  # the first step from “fit”
        ({"name": "d_v", "value": "1"}, "d_v=4"),
        ({"name": "text", "value": "a b & c"}, "text=a+b+%26+c"),
        ({"name": "head", "value": 1}, "head=1"),
        ({"name": "which", "value": "keys"}, "which=keys"),
        ({"edit": {"array": "w_q", "index": [1, 2], "value": 3}}, "edits=wq_1_2_3"),
        ({"pin": {"array": "s", "index": [0, 2, 1, 0]}, "axes": SCORE_AXES}, "head=2&query=1"),
    ],
)
def test_an_act_is_in_the_url_and_comes_back(act: dict[str, Any], chosen: str) -> None:
    found = asked("scores", act=act)
    assert all(part in found["query"].split("&") for part in chosen.split("&"))
    again = asked("scores", found["query"])
    assert again["query"] == found["query"]
    assert again["scene"]["arrays"] == found["scene"]["arrays"]


@pytest.mark.parametrize(("name", "value"), [("d_model", "9999"), ("seed", ""), ("head", "-1")])
def test_what_a_control_cannot_hold_changes_nothing_and_is_said(name: str, value: str) -> None:
    found = asked("scores", act={"name": name, "value": value})
    assert (found["query"], len(found["refused"])) == (asked("scores")["query"], 1)
    assert found["scene"]["arrays"] == asked("scores")["scene"]["arrays"]


def test_a_laboratory_does_not_begin_the_visit_of_a_layer() -> None:
    chosen = asked("training", "", act={"name": "train_steps", "value": "3"})["query"]
    assert parse_qs(chosen) == {"train_steps": ["3"]}
    assert control(asked("scores", chosen), "example")["value"] == presets()[0].name
    seen = asked("training", "n_heads=2", act={"name": "notation", "value": "gml"})["query"]
    assert parse_qs(seen) == {"n_heads": ["2"], "notation": ["gml"]}


def test_edits_are_taken_back() -> None:
    edited = asked("scores", act={"edit": {"array": "w_q", "index": [1, 2], "value": 3}})
    assert asked("scores", edited["query"], act={"undo": True})["query"] == asked("scores")["query"]


def test_a_click_on_a_matrix_opens_its_step() -> None:
    found = asked("overview", act={"open": "values"})
    assert (found["path"], "which=values" in found["query"]) == ("projections", True)


def test_what_makes_no_layer_is_a_sentence_beside_the_controls() -> None:
    url = "d_model=13&n_heads=3"
    found = asked("scores", url)
    assert "3 heads" in found["error"]
    assert "scene" not in found
    assert control(found, "d_model")["value"] == 13
    assert len(found["ways"]) == 5
    for way in found["ways"]:
        mended = asked("scores", url, act={"changes": way["changes"]})
        assert "scene" in mended
        assert all(f"{name}={value}" in mended["query"] for name, value in way["changes"].items())
    assert "ways" not in asked("scores", "text=+&n_heads=2")


@pytest.mark.parametrize(
    "query", ["d_model=1e400", "head=-1", "mask=%3Cb%3E", "edits=x", "a" * 9000]
)
def test_a_hostile_url_is_refused_or_ignored(query: str) -> None:
    found = asked("scores", query)
    assert "scene" in found
    assert bool(found["refused"]) == ("=" in query)


@pytest.mark.parametrize("path", ["no-page", "", "../first", "constructor", "\ud800", "x" * 9000])
def test_an_unknown_page_is_the_first_one_with_a_sentence(path: str) -> None:
    found = asked(path)
    assert found["path"] == "overview"
    assert "scene" in found
    assert len(found["refused"]) == 1


@pytest.mark.parametrize(
    "act",
    [
        *({"edit": {}}, {"name": "x", "value": 1}, {"open": 3}, {"pin": 1}),
        *({"changes": 3}, {"changes": {"x": 1}}),
    ],
)
def test_acts_that_no_page_sends_change_nothing(act: dict[str, Any]) -> None:
    assert asked("scores", act=act)["query"] == asked("scores")["query"]


def test_files_can_be_taken_along() -> None:
    assert asked("scores", want="attention-story.html")["file"].startswith("<!DOCTYPE html>")
    assert json.loads(asked("scores", want="attention.ipynb")["file"])["nbformat"] == 4
    compile(asked("scores", want="attention.py")["file"], "attention.py", "exec")
    assert len(asked("split", want="step.csv")["file"].splitlines()) == 1 + 3 * 12
    assert asked("scores", want="attention-by-hand.html")["file"].count("<li") == 20
    arrays = np.load(io.BytesIO(base64.b64decode(asked("scores", want="trace.npz")["file"])))
    assert arrays["scores"].shape == (1, 3, 12, 12)


def test_a_choice_of_a_page_is_in_the_url_and_takes_others_back() -> None:
    found = asked("practice", f"{USUAL}&pr_number=3", act={"name": "pr_answer", "value": "1"})
    assert [block["tone"] for block in sent_blocks(found, "note")] == ["wrong"]
    assert asked("practice", found["query"])["blocks"] == found["blocks"]
    following = asked("practice", found["query"], act={"name": "pr_number", "value": "4"})
    assert parse_qs(following["query"])["pr_number"] == ["4"]
    assert "pr_answer" not in following["query"]


@pytest.mark.parametrize("query", ["pr_number=0", "pr_step=x", "pr_show=maybe", "pr_help=%00"])
def test_an_impossible_choice_of_a_page_is_refused(query: str) -> None:
    found = asked("practice", f"{USUAL}&{query}")
    assert len(found["refused"]) == 1
    assert found["query"] == asked("practice")["query"]


def test_the_trained_model_is_asked_for_only_where_the_site_has_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(site, "has_model", lambda: False)
    assert "trained" not in offered(asked("scores"), "weights")
    assert "trained" in offered(asked("scores", model=True), "weights")
    chosen = {"name": "weights", "value": "trained"}
    assert asked("scores", act=chosen, model=True) == {"needs": "model"}


def test_the_language_model_is_asked_for_when_it_is_needed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sentence = "text=a+frog+sat"
    there = asked("next-token", sentence)
    assert control(there, "weights")["value"] == "language model"
    with monkeypatch.context() as away:
        away.setattr(site, "MODEL_FOLDER", tmp_path)
        away.setattr(allowed_models, "language_model", lambda: load(tmp_path))
        cache.clear()
        assert "scene" in asked("scores")
        assert asked("next-token", sentence) == {"needs": "language-model"}
        assert asked("next-token") == {"needs": "language-model"}
    cache.clear()
    assert asked("next-token", sentence) == there


def test_a_step_has_its_sentences_below_its_stage() -> None:
    """The arithmetic of the cell in focus, and what can be looked at closer."""
    view = view_of(read_url(parse_qs(USUAL)))
    for path in STEPS_OF_STORY:
        found = asked(path, f"{USUAL}&closer=code.terms")
        assert found["scene"]["stage"]["title"] == page_of(path).title
        fields = [field for field in page_of(path).fields if field in view.trace.steps]
        if path == "overview" or not fields:
            continue
        (code,) = sent_blocks(found, "code")
        assert all(f"\n{field} = " in code["text"] for field in fields)
    (said,) = sent_blocks(asked("seen"), "text")[:1]
    before, found = seen_sentences(view_of(read_url(parse_qs(asked("seen")["query"]))))
    assert before in json.dumps(said, ensure_ascii=False)
    assert found[:30] in json.dumps(said, ensure_ascii=False)


def test_every_page_is_on_the_site_or_says_why_not() -> None:
    missing = {page.url_path for page in PAGES} - {*site.SHOWN}
    assert missing == IN_THE_APP.keys()
    for path, why in IN_THE_APP.items():
        assert why in json.dumps(asked(path)["blocks"])


def test_the_site_leads_to_every_page_of_the_book() -> None:
    links = [link for chapter in book(site.SHOWN)["chapters"] for link in chapter["pages"]]
    assert [link["path"] for link in links] == [page.url_path for page in PAGES]
    assert {link["path"] for link in links if not link["away"]} == set(site.SHOWN)
    for path in [link["path"] for link in links if link["away"]]:
        assert "pip install" in json.dumps(asked(path)["blocks"])


def test_above_each_page_stands_the_row_of_its_chapter() -> None:
    for page in PAGES:
        found = asked(page.url_path)
        stage = found.get("row", found.get("scene"))["stage"]
        row = page_row(page.section)
        assert [step["path"] for step in stage["steps"]] == [one.url_path for one in row.pages]
        assert stage["steps"][stage["place"]]["path"] == page.url_path
        assert stage["further"] == len(row.lecture)


def test_a_page_has_the_controls_that_it_uses() -> None:
    used = OWN_CONTROLS["diagonal"].used
    found = [one["name"] for one in asked("depth")["controls"] if one["group"] != "View"]
    assert found == list(used)
    assert len(asked("head-worth")["controls"]) > 20


def test_a_page_opens_with_the_example_that_suits_it_until_something_is_chosen() -> None:
    first = asked("scores", "")["query"]
    assert parse_qs(first)["text"] == ["the cat saw the old box and then it ran"]
    for query in ("", first):
        opened = parse_qs(asked("writing", query)["query"])
        assert opened["weights"] == ["language model"]
    chosen = asked("scores", first, act={"name": "query", "value": 2})["query"]
    assert parse_qs(asked("scores", chosen)["query"])["query"] == ["2"]
    own = asked("writing", f"{first}&n_heads=4")
    assert parse_qs(own["query"])["text"] == parse_qs(first)["text"]


def test_an_old_url_opens_the_page_of_now() -> None:
    for old, now in OLD_URLS.items():
        found = asked(old)
        assert (found["title"], found["refused"]) == (page_of(now).title, [])
        assert found["path"] == now or now not in site.SHOWN


def test_a_click_paints_a_cell_and_another_takes_it_back() -> None:
    query, cell = USUAL, {"array": "painted", "index": [5, 2]}
    for hidden in ([[5, 2]], []):
        found = asked("mask-workshop", query, act={"press": "paint", "cell": cell})
        query = found["query"]
        chosen = dict(parse_qsl(query))
        painted = mask_from_text(chosen["painted"]) if hidden else np.ones((12, 12), bool)
        assert np.argwhere(~painted).tolist() == hidden
        assert chosen["mw_masks"].split(".") == ["causal", "padding", "painted"]
        assert (chosen["query"], chosen["key"]) == ("5", "2")
    for array, index in (
        ("painted", [5, 12]),
        ("painted", [-1, 0]),
        ("painted", [1]),
        ("no", [1, 1]),
    ):
        act = {"press": "paint", "cell": {"array": array, "index": index}}
        assert dict(parse_qsl(asked("mask-workshop", query, act=act)["query"])) == chosen


def test_a_click_in_the_batch_chooses_sequence_query_and_key() -> None:
    act = {"press": "batch", "cell": {"array": "shares 1", "index": [3, 8]}}
    found = asked("mask-workshop", act=act)
    chosen = dict(parse_qsl(found["query"]))
    assert (chosen["mw_sequence"], chosen["query"], chosen["key"]) == ("1", "3", "8")
    batch = next(one["board"] for one in found["blocks"] if one["kind"] == "board")
    assert batch["cell"] == {"array": "scores 1", "index": [3, 8]}


def test_a_number_is_typed_and_a_task_begun_anew() -> None:
    start = HEAD_TASKS["previous"].start
    begins = next(
        item
        for block in asked("construct")["blocks"]
        if block["kind"] == "row"
        for item in block["items"]
        if item["kind"] == "button"
    )
    assert not begins["off"]
    begun = asked("construct", act={"changes": begins["changes"]})
    assert read_url(parse_qs(begun["query"])).scenario == start
    edit = {"array": "w_q", "index": [1, 2], "value": 3.5}
    edited = asked("construct", begun["query"], act={"edit": edit})
    expected = Edits.from_url(start.edits).add(Edit("w_q", 1, 2, 3.5)).url_value()
    assert dict(parse_qsl(edited["query"]))["edits"] == expected


@pytest.mark.parametrize(
    "page",
    [one for one in PAGES if one.own_controls and one.url_path in BLOCK_PAGES],
    ids=lambda one: one.url_path,
)
def test_a_page_reads_of_the_sidebar_what_it_is_said_to_use(page: Page) -> None:
    """Two pages use the sentence once another choice asks for it."""
    asks = {"depth": "&depth_tokens=sentence", "geometry": "&plane_of=tied"}.get(page.url_path, "")

    def blocks(query: str) -> Any:
        return asked(page.url_path, f"{query}&head=0{asks}")["blocks"]

    usual, used = (
        blocks("text=the+cat+sat+on+it"),
        page.own_controls.used if page.own_controls else (),
    )
    others = {
        "text": "text=we+like+green+tea",
        "n_tokens": "text=the+cat+sat+on+it&n_tokens=3",
        "mask": "text=the+cat+sat+on+it&d_model=8&n_heads=2&mask=causal&weights=tied",
    }
    assert {name for name, query in others.items() if blocks(query) != usual} == {*used}
