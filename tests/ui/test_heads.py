"""What the pages about heads promise: choices in the address, numbers computed on the spot,
experiments that hold.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_lab.heads import parallel_heads
from attention_lab.heads.counts import layer_size
from attention_lab.heads.head_worth import ablated_output, norm_shares, signed_shares
from attention_lab.heads.schedule import schedule
from attention_lab.heads.score_schemes import SCHEMES
from attention_lab.heads.shared_keys import CACHE, share_heads
from attention_ui.heads.shared_keys import choose_clicked_kind
from attention_ui.registry import PAGES
from tests.ui.app import (
    facts,
    figures,
    gone_to,
    opened,
    page_context,
    scenes,
    texts,
)
from tests.viz.reading_scenes import numbers

HEADS = [page.url_path for page in PAGES if page.section == "heads"]


def test_the_section_has_its_pages() -> None:
    """These pages, in this order."""
    assert HEADS == [
        "all-heads",
        "head-portraits",
        "head-worth",
        "shared-keys",
        "compare",
        "one-matrix-or-many",
        "construct",
    ]


def test_without_all_heads_only_bias_and_residual_are_left() -> None:
    """All heads off: the output is the inputs of the residual; none off: no picture of what is
    missing.
    """
    app = opened("head-worth", off="0.1.2.3", residual="true")
    trace = page_context(app).trace
    ablated = next(scene for scene in scenes(app) if "rest" in scene["arrays"])
    whole, without, missing = map(numbers, ablated["arrays"].values())
    np.testing.assert_array_equal(without, trace.inputs[0].astype("f4"))
    np.testing.assert_allclose(whole - without, missing, atol=1e-6)
    assert (facts(app)["off"], facts(app)["all_off"]) == ((0, 1, 2, 3), True)
    assert "all_off" not in facts(opened("head-worth"))
    assert len(scenes(opened("head-worth"))) == len(scenes(app)) - 1


def test_a_head_is_switched_off_and_on_again() -> None:
    """The switch decides what is missing; the choice stays when the visitor comes back to the
    page.
    """
    app = opened("head-worth")
    app.button_group(key="switches off").set_value([2]).run()
    assert app.session_state["off"] == "2"
    assert facts(app)["off"] == (2,)
    change = ablated_output(page_context(app).trace, [2]) - page_context(app).trace.output
    length = np.linalg.norm(change) / np.linalg.norm(page_context(app).trace.output)
    assert facts(app)["moved_without_them"] == pytest.approx(length, rel=1e-6)
    switches = app.run().button_group(key="switches off").proto
    # Known to the browser, so not told again.
    assert (list(switches.default), switches.set_value) == ([2], False)
    app = gone_to(gone_to(app, "scores"), "head-worth")
    assert facts(app)["off"] == (2,)
    app.button_group(key="switches off").set_value([]).run()
    assert facts(app)["off"] == ()


def test_shares_are_told_with_their_sums() -> None:
    """The signed shares sum to 1 as computed, and the ranking is theirs."""
    app = opened("head-worth", n_heads=8, seed=4)
    trace, told = page_context(app).trace, facts(app)
    signed, norms = signed_shares(trace)[0], norm_shares(trace)[0]
    assert told["sum_of_signed_shares"] == pytest.approx(1) == pytest.approx(signed.sum())
    assert told["sum_of_norm_shares"] == pytest.approx(norms.sum())
    assert told["rankings"] == (tuple(np.argsort(-signed)), tuple(np.argsort(-norms)))


def test_another_basis_leaves_the_layer_as_it_was() -> None:
    """Each press turns to another basis; weights move, products and output only by rounding."""
    app = opened("head-worth")
    assert facts(app)["basis"] == 0
    app.button(key="turn").click().run()
    assert app.session_state["basis"] == facts(app)["basis"] == 1
    assert min(facts(app)["largest_change_changed"]) > 0.1
    assert max(facts(app)["largest_change_unchanged"]) < 1e-12
    weight, product = (list(map(numbers, scene["arrays"].values())) for scene in scenes(app)[-2:])
    assert np.abs(weight[0] - weight[1]).max() > 0.1
    np.testing.assert_allclose(*product, atol=1e-6)
    n_boards = len(scenes(app))
    app.button(key="turn back").click().run()
    assert (facts(app)["basis"], len(scenes(app))) == (0, n_boards - 2)


@pytest.mark.parametrize(
    ("n_heads", "asked", "groups"), [(4, 2, 2), (6, 4, 3), (5, 3, 1), (16, 99, 16), (1, 8, 1)]
)
def test_groups_divide_the_heads(n_heads: int, asked: int, groups: int) -> None:
    """A number of groups that does not divide the heads moves to one that does; figures and
    counts are for it.
    """
    app = opened("shared-keys", n_heads=n_heads, d_model=n_heads * 4, groups=asked)
    trace = page_context(app).trace
    assert facts(app)["sets_of_keys"] == {"MHA": n_heads, "GQA": groups, "MQA": 1}
    shared = share_heads(trace.projections, groups)
    size = sum(count.of(replace(layer_size(trace), n_kv_heads=shared.groups)) for count in CACHE)
    assert facts(app)["numbers_together"]["GQA"] == size
    (board,) = scenes(app)
    assert board["arrays"]["GQA"]["shape"] == list(trace.probabilities.shape[1:])
    assert board["panels"][1]["badge"].split()[0] == str(groups)


def test_the_pinned_kind_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell pinned in one of the three lines stays pinned there, moves the focus, and is in
    the address.
    """
    app = opened("shared-keys", kind="MQA", head=2, query=5, key=7)
    (board,) = scenes(app)
    assert board["cell"] == {"array": "MQA", "index": [2, 5, 7]}
    session: dict[str, Any] = {}
    monkeypatch.setattr("streamlit.session_state", session)
    choose_clicked_kind("GQA", [1, 3, 4])
    assert session == {"kind": "GQA", "head": 1, "query": 3, "key": 4}
    choose_clicked_kind("other", [9, 9, 9])
    assert session["kind"] == "GQA"


def test_four_ways_are_counted_and_compared() -> None:
    """The table holds each way's counts for this layer, and a difference below 1e-12."""
    app = opened("one-matrix-or-many", n_heads=8)
    size = layer_size(page_context(app).trace)
    for scheme in SCHEMES:
        counts = tuple(
            one.of(size) for one in (scheme.multiplications, scheme.additions, scheme.extra)
        )
        assert facts(app)[f"counts_of_{scheme.key}"] == counts
        assert facts(app)["scheme_gaps"].gaps[scheme.key] < 1e-12
        assert f"{counts[0]:,}" in texts(app)


def test_measurements_come_when_asked_for() -> None:
    """Before the button there is no measurement; after it two figures; other sizes need a new
    one.
    """
    app = opened("one-matrix-or-many", n_tokens=4)
    before = len(figures(app))
    assert facts(app)["measured_for_other_sizes"] is False
    app.button(key="measure ways").click().run()
    assert len(figures(app)) == before + 2
    app.segmented_control(key="ways_letter").set_value("C").run()
    assert len(figures(app)) == before
    assert facts(app)["measured_for_other_sizes"] is True


def test_what_can_run_at_once_is_of_this_layer() -> None:
    """The depth is that of the layer, and grows by the mask that hides something."""
    open_layer, causal = (
        facts(opened("one-matrix-or-many", mask=mask)) for mask in ("none", "causal")
    )
    assert (open_layer["schedule"].depth, causal["schedule"].depth) == (7, 8)
    many = opened("one-matrix-or-many", n_heads=8)
    assert facts(many)["schedule"] == schedule(page_context(many).trace)
    assert (facts(many)["heads_left_out"], open_layer["heads_left_out"]) == (4, 0)


def test_heads_in_threads_are_measured_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The button shows the times, the verdict that follows from them, and that the results are
    equal; other heads need a new measurement.
    """
    monkeypatch.setattr(parallel_heads, "TIMED_TOKEN_COUNTS", (16, 32))
    app = opened("one-matrix-or-many", n_heads=2)
    before = len(figures(app))
    assert facts(app)["threads_timed_for_other_heads"] is False
    assert facts(app)["blas_threads"] == "1"
    app.button(key="measure threads").click().run()
    told = facts(app)
    assert len(figures(app)) == before + 1
    assert [race.size.n_tokens for race in told["thread_runs"]] == [16, 32]
    assert told["thread_comparison"] == parallel_heads.compare_threads(told["thread_runs"])
    assert told["gap_of_ways"] == 0
    app.slider(key="n_heads").set_value(4).run()
    assert len(figures(app)) == before
    assert facts(app)["threads_timed_for_other_heads"] is True


@pytest.mark.parametrize("page", HEADS)
@pytest.mark.parametrize("first", [0, 2])
def test_a_hostile_address_gives_the_page(page: str, first: int) -> None:
    """Nonsense in any parameter of the section gives defaults and no traceback."""
    names = (
        "subset",
        "off",
        "basis",
        "groups",
        "kind",
        "portrait",
        "heads_stage",
        "beside_one",
        "heads_lines",
        "shared_count",
        "shared_letter",
        "ways_letter",
        "ways_count",
    )
    nonsense = itertools.islice(
        itertools.cycle(["<script>", "0.99..-1", "0" * 300, "٣"]), first, None
    )
    app = opened(page, **dict(zip(names, nonsense, strict=False)))
    assert not app.exception
    assert not app.error
    assert figures(app) or scenes(app)
