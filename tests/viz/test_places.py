"""What a click sets: cell (i, j) of a board sets (i, j), on every page whose boards can be clicked,
and where queries and keys are not as many.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from attention_core import AttentionError
from attention_lab.focus import Focus
from attention_lab.scenario import Scenario
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.language_model import language_model
from attention_lab.whose_heads import HeadsShown, OwnHeads
from attention_viz import blocks as b
from attention_viz.every_page import BLOCK_PAGES
from attention_viz.story.story_view import StoryView
from attention_viz.trained.head_pages import cell_clicks, heads_clicks, place_choices
from attention_viz.trained.heads import attention_alone, best_heads
from attention_viz.trained.trained_heads_page import TRAINED_HEADS
from tests.viz.reading_blocks import all_of, blocks_of
from tests.viz.reading_scenes import sent

FROG = "One day, a little frog was very sad. The"
T, S, H, L = 3, 5, 2, 4
SHARES = np.random.default_rng(4).dirichlet(np.ones(S), size=(L, H, T)).astype("f4")
QUERIES, KEYS = ("we", "saw", "it"), ("ich", "sah", "den", "Frosch", ".")
CROSS = AttentionMaps.of(SHARES, QUERIES, KEYS)
OWN = StoryView(own_heads=OwnHeads("a file", CROSS))
CELL = ("query", "key", "feature")
AXIS_OF = {"query": "query", "key": "key", "head": "head", "th_layer": "layer", "th_head": "head"}


def boards(path: str, view: StoryView, **chosen: Any) -> list[b.Board]:
    return all_of(blocks_of(BLOCK_PAGES[path], view, **chosen), b.Board)


EVERY = [
    *((path, {}) for path in BLOCK_PAGES if path != "writing"),
    ("all-heads", {"heads_view": "Row and column"}),
    ("trained-heads", {"th_open": True, "oh_step": "mixing"}),
    ("find-a-head", {"th_model": "MiniLM"}),
]


@pytest.mark.parametrize(("path", "chosen"), EVERY)
def test_a_place_that_a_click_fills_in_is_that_of_its_axis(
    path: str, chosen: dict[str, Any]
) -> None:
    """“query” takes the axis of queries, “th_head” that of heads, a cell query and key in turn."""
    for board in boards(path, StoryView(Scenario(FROG)), **chosen):
        for name, sets in board.sets.items():
            array = board.scene["arrays"][name]
            axes = [board.scene["axes"][letter]["word"] for letter in array["axes"]]
            for key, text in sets.items():
                parts = zip(CELL, text.split("-"), strict=False) if key == "th_cell" else []
                for wanted, part in parts if key == "th_cell" else [(AXIS_OF.get(key), text)]:
                    found = re.fullmatch(r"\{(\d)\}", part)
                    if wanted and found:
                        word = axes[int(found[1])]
                        assert word in (wanted, f"{wanted} position") or (
                            wanted == "feature" and word.endswith(wanted)
                        )
        for name, clicks in board.clicks.items():
            assert len(clicks) == np.prod(board.scene["arrays"][name]["shape"])


def clicked(board: b.Board, array: str, *index: int) -> dict[str, Any]:
    """What a click on a cell sets, found as both hosts find it: row by row."""
    place = int(np.ravel_multi_index(index, board.scene["arrays"][array]["shape"]))
    return dict(board.clicks[array][place])


def test_a_head_of_the_grid_is_the_one_that_is_switched() -> None:
    board, sums = boards("why-this-word", StoryView(Scenario(FROG)))
    for layer, head in ((0, 3), (3, 0), (1, 6), (4, 7)):
        sets = clicked(board, "worth", layer, head)
        assert sets == {"why_off": (8 * layer + head,), "why_head": f"{layer}.{head}"}
        assert clicked(sums, "added", layer, head) == {"why_head": f"{layer}.{head}"}
    assert [clicked(sums, "added", layer, 8) for layer in range(5)] == [{}] * 5
    words = board.scene["axes"][board.scene["arrays"]["now"]["axes"][0]]["labels"]
    assert [clicked(board, "now", n, 0)["why_word"] for n in range(len(words))] == words


def test_a_changed_word_is_asked_for_by_its_last_piece_and_read_from_its_first() -> None:
    """The row of a word is that of its last piece, its column that of its first."""
    board = boards("change-a-word", StoryView(Scenario(FROG)), cw_old="sad", cw_new="big")[0]
    tokens = language_model().pieces(language_model().encode(FROG))
    frog = [place for place, one in enumerate(tokens) if one.strip() in "frog"]
    labels = board.scene["axes"]["side 0"]["labels"]
    n = labels.index("frog")
    assert len(labels) < len(tokens)
    sets = clicked(board, "before", n, 2), clicked(board, "after", 2, n)
    assert [one["th_cell"] for one in sets] == [f"{max(frog)}-2-0", f"2-{min(frog)}-0"]


def test_a_cell_of_the_plane_chooses_the_token_of_its_row() -> None:
    (board,) = boards("geometry", StoryView(Scenario(FROG)))
    for array, cell in (("x", (4, 1)), ("gram", (2, 4)), ("probabilities", (5, 0))):
        assert clicked(board, array, *cell) == {"plane_token": cell[0]}


def test_a_bar_goes_on_with_its_own_word() -> None:
    board = boards("writing", StoryView(Scenario(FROG)))[0]
    names = board.scene["axes"]["side 0"]["labels"]
    for place in (0, 4, 9):
        _, *ids = clicked(board, "share", place, 0)["wr_written"]
        written = language_model().decode(ids).strip()
        assert written in (names[place], names[place].removeprefix("The"))


def test_a_cell_of_more_keys_than_queries() -> None:
    """Cross-attention: 3 queries, 5 keys, 4 layers of 2 heads."""
    grid = all_of(blocks_of(TRAINED_HEADS, OWN, th_model="your own"), b.Board)[0]
    assert sorted(grid.sets) == [f"layer {n}" for n in range(L)]
    filled = b.filled(grid.sets["layer 3"], [1, 2, 4])
    assert (filled["th_layer"], filled["th_head"], filled["th_cell"]) == ("3", "1", "2-4-0")
    place = {"th_open": True, "th_layer": 3, "th_head": 1, "th_cell": "2-4-0"}
    shown = blocks_of(TRAINED_HEADS, OWN, th_model="your own", **place)
    board = all_of(shown, b.Board)[0]
    assert board.scene["cell"] == {"array": "attention", "index": [2, 4]}
    np.testing.assert_array_equal(sent(dict(board.scene), "attention"), SHARES[3, 1])
    assert b.filled(board.sets["attention"], [1, 4]) == {"th_cell": "1-4-0"}
    assert f"{100 * SHARES[3, 1, 2, 4]:.1f} %" in all_of(shown, b.Text)[1].text
    cell = place_choices(HeadsShown(CROSS, (), "your own"))[2]
    assert [cell.read(one) for one in ("2-4-0", "0-0-0")] == ["2-4-0", "0-0-0"]
    for beyond in ("3-0-0", "0-5-0", "4-2-0", "1-1"):
        with pytest.raises(AttentionError):
            cell.read(beyond)


def test_what_an_array_has_no_axis_for_stays_as_it_was() -> None:
    board = attention_alone(SHARES[0, 1], (QUERIES, KEYS), 2, 4)
    sets = cell_clicks(board, Focus(1, 2, 4, 6))
    assert b.filled(sets["attention"], [0, 3]) == {"th_cell": "0-3-6"}


def test_the_heads_of_a_long_text_are_sent_around_the_cell() -> None:
    shares = np.random.default_rng(1).dirichlet(np.ones(70), size=(1, 5, 80)).astype("f4")
    asks, reads = ([f"{letter}{n}" for n in range(size)] for letter, size in (("q", 80), ("k", 70)))
    maps = AttentionMaps.of(shares, asks, reads)
    board = best_heads(maps, [(0, head, 0.5) for head in (2, 0, 4)], (70, 60))
    assert board["cell"] == {"array": "head 0 2", "index": [6, 60]}
    np.testing.assert_array_equal(sent(board, "head 0 4"), shares[0, 4, 64:, :64])
    labels = [axis["labels"] for axis in board["axes"].values() if axis["labels"]]
    assert (labels[0][0], labels[1][-1]) == ("q64", "k63")


def test_the_clicks_of_heads_by_name() -> None:
    board = best_heads(CROSS, [(3, 1, 0.5), (0, 0, 0.25)], (2, 4))
    sets = heads_clicks(board)
    found = b.filled(sets["head 3 1"], [2, 3])
    assert found == {"th_layer": "3", "th_head": "1", "th_cell": "2-3-0"}
