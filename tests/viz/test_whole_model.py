"""The page of the whole model as the site answers it: its chips, its doors, heads that are off."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import parse_qs, urlencode

import numpy as np
import pytest

from attention_core import AttentionError
from attention_lab.scenario import Scenario
from attention_lab.trained.language_model import language_model
from attention_lab.trained.language_text import language_ids, language_layer
from attention_lab.trained.whole_model import whole_run
from attention_lab.trained.writing import mark
from attention_lab.words.numbers import Share
from attention_viz import blocks as b
from attention_viz import board
from attention_viz.every_page import BLOCK_PAGES
from attention_viz.site import answer
from attention_viz.story.story_view import StoryView
from attention_viz.trained.cache import CACHE, step_of
from attention_viz.trained.head_pages import OFF, off_parts, place_of
from attention_viz.trained.whole_model import whole_board
from attention_viz.trained.writing import WRITING
from tests.viz.reading_blocks import all_of, blocks_of, shown, values_of, words_of
from tests.viz.reading_scenes import scene_of_text, sent

MODEL = language_model()
FROG = "One day, a little frog was very sad. The"
WHOLE = whole_run(MODEL.run(MODEL.encode(FROG)))
LAST = len(WHOLE.words) - 1
PART = {"feed-forward": 0, "attention": 2}


def asked(act: dict[str, Any] | None = None, path: str = "whole-model", **own: Any) -> dict:
    query = urlencode({"text": FROG} | own)
    found: dict[str, Any] = json.loads(
        answer(json.dumps({"path": path, "query": query, "act": act}))
    )
    return found


def pressed(array: str, *index: int, **own: Any) -> tuple[str, dict[str, str]]:
    """The page after a click on a cell, and its choices."""
    found = asked({"press": "whole", "cell": {"array": array, "index": list(index)}}, **own)
    return found["path"], {name: texts[0] for name, texts in parse_qs(found["query"]).items()}


def scene_of(found: dict[str, Any]) -> dict[str, Any]:
    (block,) = [one for one in found["blocks"] if one["kind"] == "board"]
    return scene_of_text(json.dumps(block["board"]))


def test_the_chips_are_what_the_model_says_from_the_last_layer_down() -> None:
    scene = scene_of(asked())
    chips, labels = scene["arrays"]["chips"], scene["axes"]["layer"]["labels"]
    assert labels == ["layer 4", "layer 3", "layer 2", "layer 1", "layer 0", "text"]
    shares = sent(scene, "chips").reshape(6, -1)
    for layer, row in enumerate(WHOLE.said):
        first = (4 - layer) * len(row)
        assert chips["words"][first] == row[0].text
        assert shares[4 - layer] == pytest.approx([one.share for one in row], rel=1e-6)
    assert np.isnan(shares[5]).all()
    assert tuple(chips["words"][-len(WHOLE.words) :]) == WHOLE.words
    tones = np.array(chips["tones"]).reshape(6, -1)
    assert (tones[:5] == 2).nonzero() == (np.array([0]), np.array([LAST]))
    for place, since in enumerate(WHOLE.since):
        assert (tones[:5, place] > 0).tolist() == [4 - row >= since for row in range(5)]


def test_what_comes_next_is_told_after_each_layer() -> None:
    scene = scene_of(asked())
    array = scene["arrays"]["next"]
    assert sent(scene, "next").reshape(6, -1)[:5] == pytest.approx(WHOLE.coming[1][::-1], abs=1e-6)
    assert tuple(array["words"][:5]) == WHOLE.coming[0]


def test_the_arcs_are_averages_and_the_heads_that_add_most() -> None:
    arcs = next(one["arcs"] for one in scene_of(asked())["panels"] if "arcs" in one)
    for row, word, source, share, *more in arcs:
        layer = 4 - row
        if more:
            (thick,) = [one for one in WHOLE.thick if (one.layer, one.at) == (layer, source)]
            assert [share, more[0]] == pytest.approx([thick.read, thick.added], abs=1e-4)
            assert word == LAST
        else:
            assert share == pytest.approx(WHOLE.read(layer)[word, source], abs=1e-4)
    drawn = sum(len(one) == 4 for one in arcs)
    assert drawn == sum(int((WHOLE.read(layer) >= 0.03).sum()) for layer in range(5))
    one_head = next(
        one["arcs"] for one in scene_of(asked(wm_arcs="2.3"))["panels"] if "arcs" in one
    )
    chosen = {(word, source): share for row, word, source, share, *_ in one_head if row == 2}
    assert chosen[LAST, 10] == pytest.approx(WHOLE.read(2, 3)[LAST, 10], abs=1e-4)


def test_a_chip_opens_its_sum_and_the_sum_its_parts() -> None:
    path, chosen = pressed("chips", 1, LAST)
    assert (path, chosen["wm_chip"]) == ("whole-model", f"3.{LAST}")
    found = asked(wm_chip=f"3.{LAST}")
    run, piece = WHOLE.cut_at(3, LAST), WHOLE.said[3][LAST].piece
    added = [value for part, value in run.contributions(piece).items() if part != "embedding"]
    assert sent(scene_of(found), "added").ravel() == pytest.approx(added, abs=1e-5)
    act = {"press": "whole sum", "cell": {"array": "added", "index": [2, 6]}}
    found = asked(act, wm_chip=f"3.{LAST}")
    chosen = parse_qs(found["query"])
    assert (found["path"], chosen["layer"], chosen["head"]) == ("scores", ["2"], ["6"])


def test_an_arc_opens_the_eight_products_of_its_head() -> None:
    path, chosen = pressed("arcs", 0, LAST, WHOLE.words.index("frog"))
    cell = [chosen[name] for name in ("layer", "head", "query", "key")]
    assert (path, cell) == ("scores", ["4", "4", "15", "6"])
    path, chosen = pressed("arcs", 2, LAST, 9)
    shares = MODEL.run(MODEL.encode(FROG)).traces[2].probabilities[0, :, 15]
    heads = shares[:, WHOLE.columns[9]].sum(axis=1)
    assert (path, chosen["layer"], chosen["head"]) == ("scores", "2", str(heads.argmax()))
    assert pressed("arcs", 2, LAST, 9, wm_arcs="2.5")[1]["head"] == "5"


def test_a_row_says_whose_arcs_it_shows() -> None:
    rows = [scene_of(asked(wm_arcs=head))["whole"]["says"]["who"] for head in ("average", "2.3")]
    assert [*map(len, map(set, rows))] == [1, 2]
    assert [place for place in range(5) if rows[0][place] != rows[1][place]] == [2]
    assert "3" in rows[1][2]


def test_doors_of_a_written_column_open_the_text_of_the_picture() -> None:
    more = WHOLE.one_more()
    longer, own = whole_run(WHOLE.known, False, more[1:]), {"wr_written": ".".join(map(str, more))}
    last = len(longer.words) - 1
    path, chosen = pressed("arcs", 3, last, 5, **own)
    layer, head, query, key = (int(chosen[one]) for one in ("layer", "head", "query", "key"))
    assert (path, language_ids(chosen["text"]), layer) == ("scores", longer.known.ids, 1)
    shares_HS = language_layer(chosen["text"], 1).probabilities[0, :, query]
    assert query == longer.columns[last].stop - 1
    assert head == shares_HS[:, longer.columns[5]].sum(axis=1).argmax()
    assert key == longer.columns[5].start + shares_HS[head, longer.columns[5]].argmax()
    path, chosen = pressed("next", 0, 1, **own)
    piece = longer.next_words.spellings[longer.coming[0][1]][0]
    assert (path, chosen["why_token"]) == ("why-this-word", str(piece))
    assert language_ids(chosen["text"]) == longer.known.ids
    _, chosen = pressed("chips", 0, last, **own)
    found = asked(**own, wm_chip=chosen["wm_chip"])
    links = [item for one in found["blocks"] for item in one.get("items", ()) if "to" in item]
    assert language_ids(links[-1]["changes"]["text"]) == longer.known.ids


def test_where_no_text_has_the_pieces_of_the_picture_its_doors_lead_nowhere() -> None:
    spelled = [MODEL.tokenizer.pieces.index(one) for one in (" ", "f", "r", "o", "g")]
    own = {"wr_written": ".".join(map(str, mark(WHOLE.known.ids, tuple(spelled))))}
    scene = scene_of(asked(**own))
    assert scene["axes"]["word"]["labels"][-1] == "frog"
    assert {"arcs", "parts", "next"}.isdisjoint(scene["whole"]["says"]["opens"])
    assert pressed("arcs", 0, LAST, 5, **own)[0] == "whole-model"
    assert pressed("chips", 0, LAST, **own)[1]["wm_chip"] == f"4.{LAST}"


def test_with_heads_off_an_arc_opens_its_head_where_they_are_off() -> None:
    path, chosen = pressed("arcs", 2, LAST, 9, why_off="0")
    places, run = WHOLE.columns[9], MODEL.run(WHOLE.known.ids, without=[(0, 0)])
    shares_HS = run.traces[2].probabilities[0, :, 15, places]
    head = int(shares_HS.sum(axis=1).argmax())
    key = places.start + int(shares_HS[head].argmax())
    cell = [chosen[one] for one in ("th_open", "th_layer", "th_head", "th_cell", "why_off")]
    assert (path, cell) == ("trained-heads", ["true", "2", str(head), f"15-{key}-0", "0"])


def test_the_parts_of_a_layer_stand_in_the_order_in_which_the_model_computes_them() -> None:
    for model, attention, last in (("language model", 1, "feed-forward"), ("MiniLM", 0, "norm")):
        scene = scene_of(asked(th_model=model))
        upwards = scene["arrays"]["parts"]["words"][3::-1]
        assert (upwards.index("attention"), upwards[-1]) == (attention, last)
        assert "wave" not in next(one for one in scene["panels"] if "arcs" in one)


@pytest.mark.parametrize(
    ("row", "part", "step"), [(0, "attention", "scores"), (3, "feed-forward", "block")]
)
def test_a_part_opens_its_step_on_its_layer(row: int, part: str, step: str) -> None:
    path, chosen = pressed("parts", 4 * row + PART[part], 0)
    assert (path, chosen["layer"], chosen["weights"]) == (step, str(4 - row), "language model")


def test_a_word_of_the_text_and_one_that_comes_next_are_doors() -> None:
    assert pressed("chips", 5, 3)[0] == "tokens"
    path, chosen = pressed("next", 0, 1)
    piece = WHOLE.next_words.spellings[WHOLE.coming[0][1]][0]
    assert (path, chosen["why_token"]) == ("why-this-word", str(piece))


def test_a_head_that_is_off_is_off_on_every_page_and_the_chip_tells_what_was_said() -> None:
    found = asked(why_off="36")
    chips = scene_of(found)["arrays"]["chips"]
    assert chips["words"][LAST] == "cat"
    assert [word for word in chips["before"] if word] == ["frog"]
    assert found["shared"] == {"why_off": "36", "wr_written": ""}
    for path, first in (("writing", "cat"), ("why-this-word", "cat")):
        page = json.dumps(asked(path=path, why_off="36"), ensure_ascii=False)
        assert f"**{first}**" in page or f"“{first}”" in page or f'"{first}"' in page, path
    weights = [asked(path=path, why_off="36") for path in ("cache", "trained-heads", "find-a-head")]
    assert all("All heads on" in json.dumps(one) for one in weights)
    assert all("All heads on" not in json.dumps(asked(path=one["path"])) for one in weights)


def test_a_feed_forward_part_that_is_off_is_off_on_every_page() -> None:
    row = next(one for one in asked(wm_arcs="feed-forward.3")["blocks"] if one["kind"] == "row")
    (off,) = [
        one["changes"]["why_off"] for one in row["items"] if one["label"].startswith("Switch")
    ]
    assert off == "f3"
    without = [("feed-forward", 3)]
    expected = whole_run(MODEL.run(WHOLE.known.ids, without=without))
    scene = scene_of(asked(why_off=off))
    shares = sent(scene, "chips").reshape(6, -1)[:5]
    assert shares == pytest.approx(
        np.array([[one.share for one in row] for row in expected.said[::-1]]), rel=1e-6
    )
    (word, share), *_ = expected.next_words
    view = StoryView(Scenario(FROG))
    (board,) = all_of(shown(WRITING, view, why_off=off), b.Board)
    assert sent(board.scene, "share").ravel()[0] == share
    why = words_of(blocks_of(BLOCK_PAGES["why-this-word"], view, why_off=OFF.read(off)))
    assert f"**{word}** comes first with **{Share(share)}**" in why
    assert "Without the feed-forward part of layer 3: " in why
    step = step_of(view, values_of(CACHE, view, why_off=off))
    assert np.array_equal(step.full.logits, expected.known.logits)
    for path in ("cache", "trained-heads", "find-a-head", "change-a-word"):
        assert "All parts on" in json.dumps(asked(path=path, why_off=off)), path


def test_places_of_heads_are_those_of_their_grid_and_others_are_no_feed_forward_parts() -> None:
    view = StoryView(Scenario(FROG))
    heads = [(layer, head) for layer in range(5) for head in range(8)]
    fed = [("feed-forward", layer) for layer in range(5)]
    assert off_parts(view, range(40)) == tuple(heads)
    every = [place_of(one, 8) for one in [*heads, *fed]]
    assert every[:40] == [*range(40)]
    assert off_parts(view, every) == (*heads, *fed)
    assert OFF.read(OFF.text(tuple(every[-40:]))) == tuple(every[-40:])
    assert [*OFF.read("f0.f4"), *OFF.read("7.f2")] == [-1, -5, 7, -3]
    assert off_parts(view, (143, every[-1] - 1)) == ()  # of a larger model
    for wrong in ("40", "f5", "f-1", "f", "ff1", "-1", "f1e9"):
        with pytest.raises(AttentionError):
            OFF.read(wrong)


def test_the_picture_and_a_switch_say_which_feed_forward_part_is_off() -> None:
    parts = scene_of(asked(why_off="36.f3"))["arrays"]["parts"]
    assert [place for place, word in enumerate(parts["words"]) if word == "FFN off"] == [4]
    assert "off" in parts["says"][4]
    assert "head 4" in parts["says"][2]
    assert not any("off" in parts["says"][place] for place in range(20) if place not in (2, 4))
    row = next(one for one in asked(why_off="f3")["blocks"] if one["kind"] == "row")
    (on,) = [one["changes"] for one in row["items"] if one["label"] == "All parts on"]
    assert on["why_off"] == ""
    assert scene_of(asked({"changes": on}, why_off="f3")) == scene_of(asked())


def test_the_legend_names_a_head_only_where_a_row_shows_that_head() -> None:
    view, page = StoryView(Scenario(FROG)), BLOCK_PAGES["whole-model"]
    usual, one, fed = (
        set(re.findall(r"(?:layer|head) \d+", words_of(blocks_of(page, view, wm_arcs=part))))
        for part in ("average", "1.2", "feed-forward.1")
    )
    assert (one - usual, fed) == ({"layer 1", "head 2"}, usual)


def test_a_written_word_is_a_column_that_is_played() -> None:
    label = "Write a word"
    (row,) = [one for one in asked()["blocks"] if one["kind"] == "row"]
    changes = next(one["changes"] for one in row["items"] if one["label"] == label)
    scene = scene_of(asked({"changes": changes}))
    assert scene["axes"]["word"]["labels"][-1] == "frog"
    panel = next(one for one in scene["panels"] if "arcs" in one)
    assert (panel["wave"], scene["whole"]["written"]) == (LAST + 1, 1)
    assert "wave" not in next(one for one in scene_of(asked())["panels"] if "arcs" in one)


@pytest.mark.parametrize(
    "own", [{"wm_chip": "9.90"}, {"wm_row": "63"}, {"wm_arcs": "7.1"}, {"wm_chip": "x"}]
)
def test_what_a_url_asks_for_in_vain_leaves_the_picture(own: dict[str, str]) -> None:
    found = asked(**own)
    assert "error" not in found
    assert scene_of(found)["arrays"]["chips"]["words"][LAST] == "frog"


def test_a_run_is_a_picture_in_a_notebook() -> None:
    scene = whole_board(WHOLE)  # in a notebook nothing opens
    assert not scene["whole"]["says"]["opens"]
    assert not any(scene["arrays"]["parts"]["opens"])
    picture = board(WHOLE.known)
    assert "whole" in picture.title
    with pytest.raises(AttentionError):
        board("frog")  # type: ignore[arg-type]
