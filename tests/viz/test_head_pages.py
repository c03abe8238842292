"""The pages about heads: what can be chosen there, and what is drawn then."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core import STEPS
from attention_lab.construct import HEAD_TASKS
from attention_lab.focus import Focus
from attention_lab.heads.counts import layer_size
from attention_lab.heads.keys_read import mean_of_heads
from attention_lab.heads.schedule import schedule
from attention_lab.heads.score_schemes import SCHEMES
from attention_lab.notation.texts import GML, NOTATIONS
from attention_lab.scenario import Scenario
from attention_lab.user_data.user_matrices import UserMatrices
from attention_viz import blocks as b
from attention_viz.block_page import BlockPage
from attention_viz.heads.all_heads_page import ALL_HEADS
from attention_viz.heads.construct_page import CONSTRUCT
from attention_viz.heads.head_worth_page import HEAD_WORTH
from attention_viz.heads.one_matrix_page import ONE_MATRIX, measured_schemes
from attention_viz.heads.shared_keys_page import SHARED_KEYS, SHARING_KINDS
from attention_viz.page_choices import Select
from attention_viz.story.story_view import StoryView
from tests.viz.reading_blocks import all_of, blocks_of, words_of
from tests.viz.reading_scenes import numbers

USUAL = StoryView(focus=Focus(2, 5, 7, 1))
SHARES = USUAL.trace.probabilities


def boards(page: BlockPage, view: StoryView, **chosen: Any) -> list[b.Board]:
    """The boards of a page."""
    return all_of(blocks_of(page, view, **chosen), b.Board)


def test_a_chosen_subset_is_what_is_drawn_and_averaged() -> None:
    grid, merged = (one.scene for one in boards(ALL_HEADS, USUAL, subset=("0", "2")))
    np.testing.assert_array_equal(numbers(grid["arrays"]["probabilities"]), SHARES.astype("f4"))
    assert grid["panels"][0]["only"] == [0, 2]
    assert grid["cell"] == {"array": "probabilities", "index": [0, 2, 5, 7]}
    mean = mean_of_heads(SHARES[0], [0, 2]).astype("f4")
    np.testing.assert_array_equal(numbers(merged["arrays"]["mean"]), mean)


@pytest.mark.parametrize("own", [False, True])
def test_the_stage_and_the_scale_of_the_grid(own: bool) -> None:
    found = blocks_of(ALL_HEADS, replace(USUAL, own_scale=own), heads_stage="raw")
    array = all_of(found, b.Board)[0].scene["arrays"]["scores"]
    scores = USUAL.trace.scores[0]
    np.testing.assert_array_equal(numbers(array)[0], scores.astype("f4"))
    limits = array["limit"]["values"] if own else array["limit"]
    expected = np.abs(scores).max(axis=(1, 2)) if own else np.abs(scores).max()
    np.testing.assert_allclose(limits, expected, rtol=1e-5)
    assert [button.sets for button in all_of(found, b.Button)] == [{"own_scale": not own}]


def test_each_view_draws_its_pictures() -> None:
    shares = SHARES[0].astype("f4")
    _, row, column = (one.scene for one in boards(ALL_HEADS, USUAL, heads_view="Row and column"))
    for scene, shown, cell in ((row, shares[:, 5], [2, 7]), (column, shares[:, :, 7], [2, 5])):
        np.testing.assert_array_equal(numbers(scene["arrays"]["by head"]), shown)
        assert scene["cell"]["index"] == cell
    lines = blocks_of(ALL_HEADS, USUAL, heads_view="Lines", heads_lines="key", subset=("3",))
    data = all_of(lines, b.Chart)[0].figure["data"]
    hovers = [text for part in data if part.get("mode") == "markers" for text in part["text"]]
    assert len(hovers) == 12
    key = USUAL.trace.tokens[7]
    assert all(f"→ 7 {key}" in text and text.startswith("head 3") for text in hovers)


def test_the_table_and_the_lines_are_those_of_the_chosen_heads_and_of_the_place_in_focus() -> None:
    words = " ".join(f"w{n}" for n in range(16))
    view = StoryView(Scenario(words, n_heads=16, d_model=16, mask="causal"), Focus(0, 14, 2, 0))
    shares = view.trace.probabilities[0]
    for which, head_lines in (("query", 15), ("key", 14), ("all", 136)):
        found = blocks_of(ALL_HEADS, view, heads_view="Lines", heads_lines=which)
        assert f"left out: {max(0, 16 * head_lines - 200)}." in words_of(found).replace(",", "")
    (table,) = all_of(blocks_of(ALL_HEADS, view, subset=("3", "11")), b.Table)
    assert [row[0] for row in table.rows] == ["3", "11"]
    for row in table.rows:
        one = shares[int(row[0])]
        own = sum(one[i, i] for i in range(16)) / 16
        before = sum(one[i, i - 1] for i in range(1, 16)) / 15
        said = [cell.strip("*") for cell in row[1:3]]
        assert said == [f"{100 * own:.1f} %", f"{100 * before:.1f} %"]


def test_a_picture_of_scores_is_not_said_to_show_shares() -> None:
    first = {
        stage: all_of(blocks_of(ALL_HEADS, USUAL, heads_stage=stage), b.Text)[0].text
        for stage in ("raw", "masked", "probabilities")
    }
    assert first["raw"] == first["masked"] != first["probabilities"]


def test_an_average_that_hides_nothing_brings_no_warning() -> None:
    for text, hides in (("Hello", False), ("we like tea", True)):
        assert len(all_of(blocks_of(ALL_HEADS, Scenario(text)), b.Note)) == hides


def test_without_all_heads_only_bias_and_residual_are_left() -> None:
    view = StoryView(Scenario(residual=True))
    everything = ("0", "1", "2", "3")
    words = {"residual": view, "0.": USUAL, "bias.": StoryView(Scenario(weights="trained"))}
    for name, one in words.items():
        heads = tuple(str(head) for head in range(one.trace.sizes["H"]))
        said = words_of(blocks_of(HEAD_WORTH, one, off=heads)).partition("what is left is:")[2]
        assert [word in said[:25] for word in words] == [word == name for word in words]
    off = boards(HEAD_WORTH, view, off=everything)
    arrays = off[0].scene["arrays"]
    whole, without, missing = map(numbers, arrays.values())
    assert len({array["limit"] for array in arrays.values()}) == 1
    assert off[0].scene["cell"] == {"array": [*arrays][-1], "index": [0, 0]}
    np.testing.assert_array_equal(without, view.trace.inputs[0].astype("f4"))
    np.testing.assert_allclose(whole - without, missing, atol=1e-6)
    assert len(boards(HEAD_WORTH, view)) == len(off) - 1


def test_a_layer_without_w_o_is_a_sum_without_its_formula() -> None:
    gml = replace(USUAL, notation=GML)
    says = {
        "own": words_of(blocks_of(HEAD_WORTH, Scenario(weights="weightless"))),
        "usual": words_of(blocks_of(HEAD_WORTH, USUAL)),
        "gml": words_of(blocks_of(HEAD_WORTH, gml)),
    }
    assert [name for name, text in says.items() if "^{(" in text] == ["usual", "gml"]
    assert r"top} O_i" in says["gml"]
    assert boards(HEAD_WORTH, gml)[0].scene["panels"][0]["badge"] == "12 × 4"


def test_a_zero_output_has_no_shares() -> None:
    nothing = UserMatrices(w_o=np.zeros((4, 4))).url_value()
    found = blocks_of(HEAD_WORTH, Scenario("you like cake", d_model=4, n_heads=2, own=nothing))
    described = [one.figure["layout"]["meta"]["description"] for one in all_of(found, b.Chart)]
    assert "nan" not in words_of(found) + "".join(described)
    assert "**Ranking**" not in words_of(found)
    assert "**Ranking** by signed share: 0;" in words_of(blocks_of(HEAD_WORTH, Scenario(n_heads=1)))


@pytest.mark.parametrize(
    ("n_heads", "asked", "groups"), [(4, None, 2), (6, 3, 3), (5, None, 1), (16, 16, 16)]
)
def test_groups_divide_the_heads(n_heads: int, asked: int | None, groups: int) -> None:
    view = StoryView(Scenario(n_heads=n_heads, d_model=4 * n_heads))
    choice = next(one for one in SHARED_KEYS.choices(view) if one.key == "groups")
    assert isinstance(choice, Select)
    assert [n for n in range(1, n_heads + 1) if n_heads % n == 0] == [*map(int, choice.options)]
    chosen = {"groups": str(asked)} if asked else {}
    (board,) = boards(SHARED_KEYS, view, **chosen)
    assert board.scene["arrays"]["GQA"]["shape"] == list(view.trace.probabilities.shape[1:])
    assert board.scene["panels"][1]["badge"].split()[0] == str(groups)


def test_the_kind_that_is_chosen_is_explained() -> None:
    (board,) = boards(SHARED_KEYS, USUAL, kind="MQA")
    assert board.scene["cell"] == {"array": "MQA", "index": [2, 5, 7]}
    assert all(kind in board.scene["description"] for kind in SHARING_KINDS if kind != "MLA")
    assert [panel["title"] for panel in board.scene["panels"]] == list(SHARING_KINDS)


def test_where_a_norm_stands_between_no_matrix_is_absorbed() -> None:
    for options, absorbed in (({}, True), ({"qk_norm": True}, False)):
        said = words_of(blocks_of(SHARED_KEYS, Scenario(**options)))  # type: ignore[arg-type]
        assert ("W_{UK}^top" in said) == absorbed


def test_a_task_is_said_to_be_done_when_it_is() -> None:
    task = HEAD_TASKS["mean"]
    even = replace(task.start, edits=HEAD_TASKS["previous"].start.edits)
    for scenario, done in ((task.start, 0), (even, 1)):
        found = blocks_of(CONSTRUCT, StoryView(scenario), construct_task=task.title)
        assert len(all_of(found, b.Note)) == done


def test_counts_say_what_they_assume_and_in_which_letters() -> None:
    wide = Scenario(own=UserMatrices(w_o=np.ones((16, 3))).url_value())
    for layer, usual in (
        (Scenario(weights="weightless"), False),
        (wide, False),
        (Scenario(), True),
    ):
        for count in ("parameters", "cache"):
            said = words_of(blocks_of(SHARED_KEYS, layer, shared_count=count))
            assert ("assumes the usual" in said) == (not usual and count != "cache")
    gml = replace(USUAL, notation=GML)
    assert gml.own_letters
    assert gml.own_letters in words_of(blocks_of(SHARED_KEYS, gml))
    assert USUAL.own_letters == ""


def test_what_is_measured_is_shown_for_its_sizes_alone() -> None:
    view = StoryView(Scenario(n_tokens=4))
    before = blocks_of(ONE_MATRIX, view)
    (button,) = all_of(before, b.Button)
    found = blocks_of(ONE_MATRIX, view, **button.sets)
    times, memory = (one.figure for one in all_of(found, b.Chart)[1:])
    runs = measured_schemes(layer_size(view.trace), "h")
    for figure, number in ((times, "seconds"), (memory, "peak_bytes")):
        drawn = {line["name"]: line["y"] for line in figure["data"] if "name" in line}
        per_unit = {"seconds": 1000, "peak_bytes": 1 / 1000}[number]
        for scheme in SCHEMES:
            mine = [getattr(run, number) * per_unit for run in runs if run.scheme is scheme]
            assert drawn[scheme.name] == pytest.approx(mine)
    assert (button.is_off, all_of(found, b.Button)[0].is_off) == (False, True)
    others = {"view": StoryView(Scenario(n_tokens=5))}, {"view": view, "ways_letter": "n"}
    for other in others:
        shown = blocks_of(ONE_MATRIX, **(button.sets | other))
        assert len(all_of(shown, b.Chart)) == 1


def test_every_step_has_its_moment_and_its_boxes() -> None:
    view = StoryView(Scenario(n_heads=3, d_model=12))
    found = blocks_of(ONE_MATRIX, view)
    (table,) = (one for one in all_of(found, b.Table) if one.head[1] == "moment")
    boxes = schedule(view.trace).boxes
    assert len(table.rows) == len({box.field for box in boxes})
    by_title = {STEPS[box.field].title: box for box in boxes}
    for name, moment, parts, multiplications, exponentials in table.rows:
        (box,) = (one for title, one in by_title.items() if name.endswith(f"** {title}"))
        assert (moment, parts) == (str(box.moment), str(sum(o.field == box.field for o in boxes)))
        assert multiplications == f"{box.multiplications:,}"
        assert exponentials == f"{box.exponentials:,}"


def test_a_large_layer_is_compared_in_part() -> None:
    said = words_of(blocks_of(ONE_MATRIX, Scenario(n_tokens=64, n_heads=16, d_k=64)))
    assert "Tokens compared: 32 of 64" in said


def test_the_sizes_of_the_book_on_one_matrix_or_many() -> None:
    view = StoryView(Scenario(n_heads=3, d_model=12), Focus(0, 2, 1, 0), notation=NOTATIONS["mql5"])
    pinned = [one.scene["cell"] for one in boards(ONE_MATRIX, view)]
    assert [cell["array"] for cell in pinned] == ["pair_products", "weighted_values"]
    assert pinned[1]["index"] == [0, 0, 2, 1, 0]
    assert view.own_letters
    assert view.own_letters in words_of(blocks_of(ONE_MATRIX, view))
