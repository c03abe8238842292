"""Pages that app and site share: each answers on the site, with the numbers of the engine."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlencode

import numpy as np
import pytest

from attention_lab.diagonal.settings import settings_of_numbers, trace_of_settings
from attention_viz.blocks import filled
from attention_viz.every_page import BLOCK_PAGES
from attention_viz.story.stages import STEPS_OF_STORY
from attention_viz.story.story_view import StoryView
from tests.viz.reading_scenes import scene_of_text, sent
from tests.viz.reading_site import answer_to, sent_blocks

TEXT = "the cat saw the dog"


def asked(path: str, act: dict[str, Any] | None = None, **choices: Any) -> dict[str, Any]:
    found = answer_to(path, urlencode({"text": TEXT} | choices), act=act)
    assert "error" not in found
    return found


def board_of(found: dict[str, Any]) -> dict[str, Any]:
    return scene_of_text(json.dumps(sent_blocks(found, "board")[0]["board"]))


@pytest.mark.parametrize("path", BLOCK_PAGES)
def test_every_page_has_a_picture_and_an_answer(path: str) -> None:
    found = asked(path)
    assert "scene" in found or any(sent_blocks(found, kind) for kind in ("board", "chart", "table"))
    assert found["refused"] == []
    kinds = [block["kind"] for block in found["blocks"]]
    if path not in STEPS_OF_STORY:
        assert kinds[0] == "question"
        assert kinds[1] in ("text", "heading", "row")
    rows = sent_blocks(found, "row")
    names = [item["name"] for block in rows for item in block["items"] if "name" in item]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("path", BLOCK_PAGES)
def test_empty_values_end_no_page(path: str) -> None:
    known, _ = BLOCK_PAGES[path].read(StoryView(), lambda one: one.default)
    assert asked(path, **dict.fromkeys([one.key for one in known], ""))["blocks"]


def test_of_a_text_that_is_cut_a_word_is_replaced_that_the_model_reads() -> None:
    """Letters that no piece has are several pieces each, with long names."""
    assert board_of(asked("change-a-word", text="😀" * 14 + " dog " + "😀" * 9 + " cat"))


def test_a_point_of_the_plane_moves() -> None:
    points = "2,1; 1,3; -1,0"
    rows = sent_blocks(asked("geometry", plane=points, plane_token=1), "row")
    moves = {item["label"]: item for block in rows for item in block["items"]}
    found = asked("geometry", {"changes": moves["x →"]["changes"]}, plane=points, plane_token=1)
    assert parse_qs(found["query"])["plane"] == ["2,1; 2,3; -1,0"]
    trace = trace_of_settings(settings_of_numbers("2,1; 2,3; -1,0"))
    np.testing.assert_allclose(sent(board_of(found), "gram"), trace.scores[0, 0], atol=1e-6)


def test_a_search_finds_and_loads_what_violates_a_proposition() -> None:
    found = asked("propositions", truths_search="S4")
    rows = sent_blocks(found, "row")
    loads = [item for block in rows for item in block["items"] if item["label"].startswith("Load")]
    (load,) = loads
    after = asked("propositions", {"changes": load["changes"]})
    assert parse_qs(after["query"])["lab_tokens"] == ["numbers"]
    assert board_of(after)["arrays"]["probabilities"]["shape"] == [3, 3]


def test_a_strength_is_that_of_its_variant() -> None:
    plain, strong = asked("modern-diagonal"), asked("modern-diagonal", modern_norm="16")
    moved = [
        name
        for name in board_of(plain)["arrays"]
        if not np.array_equal(sent(board_of(plain), name), sent(board_of(strong), name))
    ]
    assert moved == ["norm scores", "norm"]


def test_a_click_on_what_is_missing_moves_the_focus() -> None:
    board = sent_blocks(asked("head-worth", off="0"), "board")[0]
    place = board["clicks"]["all"][5 + 3]
    width = board["board"]["arrays"]["all"]["shape"][1]
    assert place == {"query": str(8 // width), "feature": str(8 % width)}
    act = {"pin": {"array": "all", "index": [0, 0]}, "axes": [["a", None]] * 2, "changes": place}
    query = parse_qs(asked("head-worth", act, off="0")["query"])
    assert {name: query.get(name, ["0"])[0] for name in place} == place


TRAINED = {
    "text": "One day, a little frog was very sad. The",
    "th_model": "language model",
    "th_head": 1,
    "th_cell": "4-2-0",
    "oh_step": "W_Q",
}


@pytest.mark.parametrize(
    ("path", "choices", "place", "array", "index", "to", "told"),
    [
        ("self-attention-mass", {}, 0, "probabilities", [1, 2], "", {"lab_cell": "1-2"}),
        ("shared-keys", {"n_heads": 2}, 0, "MQA", [1, 2, 0], "", {"kind": "MQA", "head": "1"}),
        *(
            (path, TRAINED, place, array, index, "trained-heads", {"th_open": "true"} | told)
            for path, place, array, index, told in (
                ("trained-heads", 0, "layer 3", [7, 2, 1], {"th_layer": "3", "th_head": "7"}),
                ("find-a-head", 1, "ranking", [2, 5], {"th_layer": "2", "th_head": "5"}),
                ("find-a-head", 0, "", [3, 1], {"th_cell": "3-1-0"}),
                ("one-head", 0, "probabilities", [0, 6, 3, 2], {"th_head": "6"}),
                ("one-head", 2, "inputs", [0, 3, 9], {"th_cell": "3-2-9"}),
            )
        ),
    ],
)
def test_a_click_chooses_what_was_clicked_and_may_open_its_page(
    path: str,
    choices: dict[str, Any],
    place: int,
    array: str,
    index: list[int],
    to: str,
    told: dict[str, str],
) -> None:
    board = sent_blocks(asked(path, **choices), "board")[place]
    sets = board["sets"][array or next(iter(board["sets"]))]
    found = asked(path, {"changes": filled(sets, index), "to": board["opens"]}, **choices)
    query = parse_qs(found["query"])
    assert found["path"] == (to or path)
    assert {name: query[name][0] for name in told} == told
    if not to:
        assert board_of(found)["cell"] == {"array": array, "index": index}


def test_another_model_begins_with_its_own_first_head() -> None:
    """A choice takes others back, unless the same act sets them; a URL of an earlier version means
    MiniLM.
    """
    chosen = {"th_model": "language model", "th_layer": 2, "th_cell": "3-1-0", "cw_old": "cat"}
    for act in ({"name": "th_model", "value": "MiniLM"}, {"changes": {"th_model": "MiniLM"}}):
        query = parse_qs(asked("change-a-word", act, **chosen)["query"])
        assert query.keys() & {*chosen, "th_head"} == {"th_model"}
    both = {"changes": {"th_model": "MiniLM", "th_layer": "5"}}
    assert parse_qs(asked("one-head", both, **chosen)["query"])["th_layer"] == ["5"]
    old = asked("one-head", th_layer=2)
    assert parse_qs(old["query"])["th_model"] == ["MiniLM"]
    assert board_of(old)["arrays"]["probabilities"]["shape"][1] == 12


def test_what_is_in_the_app_alone_is_said() -> None:
    """The heads of a file, and on a site without it MiniLM, in the lines that start the app."""
    (lines,) = sent_blocks(asked("trained-heads", th_model="your own"), "code")
    assert "streamlit run" in lines["text"]
