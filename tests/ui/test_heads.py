"""The pages about heads: what can be chosen there, and what is drawn then."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from attention_lab.construct import HEAD_TASKS
from attention_lab.heads.keys_read import mean_of_heads
from attention_lab.page_list import PAGES
from attention_lab.user_data.user_matrices import UserMatrices
from attention_viz.heads.shared_keys_page import SHARING_KINDS
from tests.lab.test_construct import solution
from tests.ui.app import (
    alternatives,
    errors,
    figures,
    gone_to,
    opened,
    page_context,
    pressed,
    scenes,
    texts,
)
from tests.ui.pinning import pin
from tests.viz.reading_scenes import numbers

HEADS = [page.url_path for page in PAGES if page.section == "heads"]
JUNK = ("<script>", "0.99..-1", "0" * 300, "٣")
NAMES = (
    *("subset", "off", "groups", "kind", "heads_stage", "heads_lines"),
    *("shared_count", "shared_letter", "ways_letter", "ways_count"),
)


@pytest.mark.parametrize("page", HEADS)
def test_a_hostile_url_gives_the_page(page: str) -> None:
    for first in (0, 2):
        nonsense = itertools.islice(itertools.cycle(JUNK), first, None)
        app = opened(page, **dict(zip(NAMES, nonsense, strict=False)))
        assert errors(app) == []
        assert figures(app) or scenes(app)


@pytest.mark.parametrize("page", ["shared-keys", "one-matrix-or-many"])
def test_counts_have_the_letters_of_the_layer(page: str) -> None:
    app = opened(page, notation="gml")
    assert page_context(app).own_letters
    assert page_context(app).own_letters in texts(app)
    assert page_context(opened(page)).own_letters == ""


# --- all heads ---


def test_a_chosen_subset_is_what_is_drawn_and_averaged() -> None:
    app = opened("all-heads", subset="0.2", mask="causal", head=2)
    shares = page_context(app).trace.probabilities
    grid, merged = scenes(app)
    np.testing.assert_array_equal(numbers(grid["arrays"]["probabilities"]), shares.astype("f4"))
    assert grid["panels"][0]["only"] == [0, 2]
    assert grid["cell"] == {"array": "probabilities", "index": [0, 2, 0, 0]}
    mean = mean_of_heads(shares[0], [0, 2]).astype("f4")
    np.testing.assert_array_equal(numbers(merged["arrays"]["mean"]), mean)


def test_the_stage_and_the_scale_of_the_grid() -> None:
    app = opened("all-heads", heads_stage="raw")
    scores = page_context(app).trace.scores
    array = scenes(app)[0]["arrays"]["scores"]
    np.testing.assert_array_equal(numbers(array), scores.astype("f4"))
    assert array["limit"] == pytest.approx(np.abs(scores).max(), rel=1e-5)
    pressed(app, "Each head its own scale")
    assert app.session_state["own_scale"] is True
    limits = scenes(app)[0]["arrays"]["scores"]["limit"]["values"]
    np.testing.assert_allclose(limits, np.abs(scores[0]).max(axis=(1, 2)), atol=1e-6)
    pressed(app, "One scale for all heads")
    assert app.session_state["own_scale"] is False


def test_each_view_draws_its_pictures() -> None:
    app = opened("all-heads", heads_view="Row and column", head=1, query=8, key=4)
    shares = page_context(app).trace.probabilities[0].astype("f4")
    _, row, column = scenes(app)
    np.testing.assert_array_equal(numbers(row["arrays"]["by head"]), shares[:, 8])
    np.testing.assert_array_equal(numbers(column["arrays"]["by head"]), shares[:, :, 4])
    app = opened("all-heads", heads_view="Lines", heads_lines="key", subset="3", key=4)
    (lines,) = figures(app)
    hovers = [t for part in lines["data"] if part.get("mode") == "markers" for t in part["text"]]
    assert len(hovers) == 12
    assert all("→ 4 cross" in text and text.startswith("head 3") for text in hovers)


def test_a_click_on_the_grid_moves_the_focus(monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened("all-heads")
    pin(app, monkeypatch, "board heads grid", None, "probabilities", 0, 2, 6, 4)
    assert [app.session_state[name] for name in ("head", "query", "key")] == [2, 6, 4]


def test_an_average_that_hides_nothing_brings_no_warning() -> None:
    for text, hides in (("Hello", False), ("we like tea", True)):
        assert len(opened("all-heads", text=text).info) == hides


# --- what a head is worth ---


def test_without_all_heads_only_bias_and_residual_are_left() -> None:
    app = opened("head-worth", off="0.1.2.3", residual="true")
    trace = page_context(app).trace
    ablated = next(scene for scene in scenes(app) if "rest" in scene["arrays"])
    whole, without, missing = map(numbers, ablated["arrays"].values())
    np.testing.assert_array_equal(without, trace.inputs[0].astype("f4"))
    np.testing.assert_allclose(whole - without, missing, atol=1e-6)
    assert len(scenes(opened("head-worth"))) == len(scenes(app)) - 1


def test_a_head_is_switched_off_and_on_again() -> None:
    app = opened("head-worth")
    app.button_group(key="choose off").set_value(["2"]).run()
    assert app.session_state["off"] == "2"
    assert "Heads off: 2." in texts(app)
    switches = app.run().button_group(key="choose off").proto
    # The browser has the value, so it is not sent again.
    assert (list(switches.default), switches.set_value) == ([2], False)
    app = gone_to(gone_to(app, "scores"), "head-worth")
    assert "Heads off: 2." in texts(app)
    app.button_group(key="choose off").set_value([]).run()
    assert "Heads off" not in texts(app)


def test_a_layer_without_w_o_is_a_sum_without_its_formula() -> None:
    assert "^{(h)}" not in texts(opened("head-worth", weights="weightless"))
    assert r"O_h\,{W_O}^{(h)}" in texts(opened("head-worth"))
    gml = opened("head-worth", notation="gml")
    assert r"\big({W_O}^{(i)}\big)^{\top} O_i" in texts(gml)
    assert scenes(gml)[0]["panels"][0]["badge"] == "12 × 4"


def test_a_zero_output_has_no_shares() -> None:
    nothing = UserMatrices(w_o=np.zeros((4, 4))).url_value()
    app = opened("head-worth", text="you like cake", d_model=4, n_heads=2, own=nothing)
    assert "nan" not in texts(app) + "".join(alternatives(app))
    assert "**Ranking**" not in texts(app)
    assert "**Ranking** by signed share: 0;" in texts(opened("head-worth", n_heads=1))


# --- shared keys and values ---


@pytest.mark.parametrize(
    ("n_heads", "asked", "groups"), [(4, 0, 2), (6, 4, 3), (5, 3, 1), (16, 16, 16), (1, 8, 1)]
)
def test_groups_divide_the_heads(n_heads: int, asked: int, groups: int) -> None:
    url = {"groups": asked} if asked else {}
    app = opened("shared-keys", n_heads=n_heads, d_model=n_heads * 4, **url)
    (board,) = scenes(app)
    shape = page_context(app).trace.probabilities.shape[1:]
    assert board["arrays"]["GQA"]["shape"] == list(shape)
    assert board["panels"][1]["badge"].split()[0] == str(groups)


def test_the_kind_of_a_url_is_explained() -> None:
    app = opened("shared-keys", kind="MQA", head=2, query=5, key=7)
    (board,) = scenes(app)
    assert board["cell"] == {"array": "MQA", "index": [2, 5, 7]}
    (description,) = alternatives(app)
    assert all(kind in description for kind in SHARING_KINDS if kind != "MLA")
    assert [panel["title"] for panel in board["panels"]] == list(SHARING_KINDS)


def test_counts_of_a_layer_without_the_usual_w_o_say_so() -> None:
    wide = {"own": UserMatrices(w_o=np.ones((16, 3))).url_value()}
    for choices, usual in (({"weights": "weightless"}, False), (wide, False), ({}, True)):
        for count in ("parameters", "cache"):
            said = texts(opened("shared-keys", shared_count=count, **choices))
            assert ("assumes the usual" in said) == (not usual and count != "cache")


# --- construct ---


@pytest.mark.parametrize("task", HEAD_TASKS)
def test_a_link_to_a_solution_is_done(task: str) -> None:
    made = solution(task)
    more = {"mask": made.mask, "painted": made.painted} if made.painted else {}
    app = opened(
        "construct",
        construct_task=HEAD_TASKS[task].title,
        weights="by hand",
        d_model=8,
        n_heads=2,
        text=made.text,
        edits=made.edits,
        **more,
    )
    assert errors(app) == []
    assert HEAD_TASKS[task].goal in texts(app)
    assert len(app.success) == 1


def test_start_sets_the_layer_of_the_task() -> None:
    app = opened("construct", seed=3)
    app.button(key="construct start").click().run()
    assert page_context(app).scenario == next(iter(HEAD_TASKS.values())).start
    assert not app.success


# --- one matrix or many ---


def test_the_button_measures() -> None:
    app = opened("one-matrix-or-many", n_tokens=4)
    before = len(figures(app))
    assert "Nothing has been measured yet" in texts(app)
    app.button(key="measure ways").click().run()
    assert len(figures(app)) == before + 2
    app.segmented_control(key="ways_letter").set_value("C").run()
    assert len(figures(app)) == before
    assert "for other sizes" in texts(app)


def test_a_large_layer_is_compared_in_part() -> None:
    said = texts(opened("one-matrix-or-many", n_tokens=64, n_heads=16, d_k=64))
    assert "Tokens compared: 64 of 64" not in said
    assert "Tokens compared: 12 of 12" in texts(opened("one-matrix-or-many"))


def test_the_sizes_of_the_book_on_one_matrix_or_many() -> None:
    app = opened("one-matrix-or-many", n_heads=3, d_model=12, notation="mql5", query=2, key=1)
    pinned = [scene["cell"] for scene in scenes(app)]
    assert [cell["array"] for cell in pinned] == ["pair_products", "weighted_values"]
    assert pinned[1]["index"] == [0, 0, 2, 1, 0]
