"""The page on one matrix or many: four ways, the schedule, and measurements."""

from __future__ import annotations

from typing import Any

import pytest

from attention_lab.heads import parallel_heads
from attention_lab.heads.counts import layer_size
from attention_lab.heads.schedule import schedule
from attention_lab.heads.score_schemes import SCHEMES, scheme_gaps
from tests.ui.app import (
    facts,
    figures,
    opened,
    page_context,
    texts,
)


def test_four_ways_are_counted_and_compared() -> None:
    app = opened("one-matrix-or-many", n_heads=8)
    size = layer_size(page_context(app).trace)
    for scheme in SCHEMES:
        counts = tuple(
            one.of(size) for one in (scheme.multiplications, scheme.additions, scheme.extra)
        )
        assert facts(app)[f"counts_of_{scheme.key}"] == counts
        assert facts(app)["scheme_gaps"].gaps[scheme.key] < 1e-12
        assert f"{counts[0]:,}" in texts(app)


def test_the_button_measures() -> None:
    app = opened("one-matrix-or-many", n_tokens=4)
    before = len(figures(app))
    assert facts(app)["measured_for_other_sizes"] is False
    app.button(key="measure ways").click().run()
    assert len(figures(app)) == before + 2
    app.segmented_control(key="ways_letter").set_value("C").run()
    assert len(figures(app)) == before
    assert facts(app)["measured_for_other_sizes"] is True


def test_the_schedule_is_that_of_the_layer() -> None:
    open_layer, causal = (
        facts(opened("one-matrix-or-many", mask=mask)) for mask in ("none", "causal")
    )
    assert (open_layer["schedule"].depth, causal["schedule"].depth) == (7, 8)
    many = opened("one-matrix-or-many", n_heads=8)
    assert facts(many)["schedule"] == schedule(page_context(many).trace)
    assert (facts(many)["heads_left_out"], open_layer["heads_left_out"]) == (4, 0)


def test_the_button_measures_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_heads, "TIMED_TOKEN_COUNTS", (16, 32))
    app = opened("one-matrix-or-many", n_heads=2)
    before = len(figures(app))
    assert facts(app)["threads_timed_for_other_heads"] is False
    assert facts(app)["blas_threads"] == "1"
    app.button(key="measure threads").click().run()
    stated = facts(app)
    assert len(figures(app)) == before + 1
    assert [run.size.n_tokens for run in stated["thread_runs"]] == [16, 32]
    assert stated["thread_comparison"] == parallel_heads.compare_threads(stated["thread_runs"])
    assert stated["gap_of_ways"] == 0
    app.slider(key="n_heads").set_value(4).run()
    assert len(figures(app)) == before
    assert facts(app)["threads_timed_for_other_heads"] is True


@pytest.mark.parametrize(
    ("choices", "whole"),
    [({"text": "Hello"}, True), ({}, True), ({"n_tokens": 64, "n_heads": 16, "d_k": 64}, False)],
)
def test_how_many_tokens_were_compared(choices: dict[str, Any], whole: bool) -> None:
    app = opened("one-matrix-or-many", **choices)
    assert facts(app)["all_tokens_compared"] is whole
    assert facts(app)["scheme_gaps"].n_tokens == scheme_gaps(page_context(app).trace).n_tokens
    assert (facts(app)["scheme_gaps"].n_tokens == page_context(app).trace.sizes["T"]) is whole


@pytest.mark.parametrize(("n_heads", "wasted"), [(1, 0), (4, 0.75), (16, 0.9375)])
def test_what_the_full_product_wastes(n_heads: int, wasted: float) -> None:
    stated = facts(opened("one-matrix-or-many", n_heads=n_heads))
    assert (stated["wasted_share"], stated["several_heads"]) == (wasted, n_heads > 1)
