"""The pages that show all heads beside one another: grids, averages, lines and portraits."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.heads.head_averages import blur, mean_of_heads
from attention_lab.heads.patterns import pattern_of
from attention_lab.heads.portraits import MEASURES
from attention_ui.heads.heads_choice import open_portrait
from tests.ui.app import facts, figures, here, matrices, opened, texts


def test_a_chosen_subset_is_what_is_drawn_and_averaged() -> None:
    """The heads in the address are those of the grid, of the mean and of the caveat."""
    app = opened("all-heads", subset="0.2", mask="causal", head=2)
    trace = here(app).trace
    grid, merged, *_ = figures(app)
    shares = np.where(trace.hidden[0], np.nan, trace.probabilities[0])
    for shown, head in zip(matrices(grid), (0, 2), strict=True):
        np.testing.assert_array_equal(shown, shares[head].astype("f4"))
    np.testing.assert_array_equal(matrices(merged)[0], mean_of_heads(shares, [0, 2]).astype("f4"))
    assert facts(app)["heads"] == (0, 2)
    lost = facts(app)["blur"]
    assert (lost, len(app.warning)) == (blur(trace, [0, 2]), 1)
    # What a query reads in a head: e to its mean entropy there, not its mean effective tokens.
    seen = np.where(shares[[0, 2]] > 0, shares[[0, 2]], 1)
    entropies = -(seen * np.log(seen)).sum(axis=-1)
    assert lost.in_a_head == pytest.approx(np.exp(entropies.mean(axis=0)).mean(), rel=1e-6)


def test_the_stage_and_the_scale_of_the_grid() -> None:
    """The grid shows the scores of the chosen stage; the button gives each head its own scale
    and takes it back.
    """
    app = opened("all-heads", heads_stage="raw")
    np.testing.assert_array_equal(
        matrices(figures(app)[0])[1], here(app).trace.scores[0, 1].astype("f4")
    )
    assert "coloraxis" in figures(app)[0]["layout"]
    app.button(key="heads_scale").click().run()
    assert app.session_state["own_scale"] is True
    assert "coloraxis" not in figures(app)[0]["layout"]
    app.button(key="heads_scale").click().run()
    assert app.session_state["own_scale"] is False


def test_one_query_and_one_key_and_the_lines_open_on_demand() -> None:
    """Each tab draws its figures when it is open: the query's row, the key's column, the lines
    of the chosen kind.
    """
    app = opened("all-heads", heads_view="Row and column", head=1, query=8, key=4)
    shares = here(app).trace.probabilities[0]
    _, row, column = figures(app)
    np.testing.assert_array_equal(matrices(row)[0], shares[:, 8].astype("f4"))
    np.testing.assert_array_equal(matrices(column)[0], shares[:, :, 4].astype("f4"))
    assert facts(app)["sum_of_column"] == pytest.approx(shares[1, :, 4].sum(), rel=1e-6)
    app = opened("all-heads", heads_view="Lines", heads_lines="key", subset="3", key=4)
    _, lines = figures(app)
    said = [
        text for part in lines["data"] if part.get("mode") == "markers" for text in part["text"]
    ]
    assert len(said) == 12
    assert all("→ 4 cross" in text and text.startswith("head 3") for text in said)


def test_an_average_that_hides_nothing() -> None:
    """The warning about averages is there where heads look at different things: not with a
    single token.
    """
    for text, hides in (("Hello", False), ("we like tea", True)):
        app = opened("all-heads", text=text)
        assert (facts(app)["average_hides"], len(app.warning)) == (hides, int(hides))


def test_every_measure_can_be_opened() -> None:
    """Each measure shows its formula, its range and the number of the head in focus."""
    app = opened("head-portraits", head=1, mask="causal")
    pattern = pattern_of(here(app).trace)
    for measure in MEASURES:
        app.selectbox(key="portrait").set_value(measure.name).run()
        assert f"$$\n{measure.formula}\n$$" in texts(app)
        assert measure.range in texts(app)
        assert facts(app)["measure"] == measure.name
        assert facts(app)["value"] == measure.value(pattern)[0, 1]


@pytest.mark.parametrize(
    "bar", [None, "x", [], ["entropy"], ["no such", 1], ["entropy", -1], ["entropy", 99], {"a": 1}]
)
def test_a_strange_click_changes_nothing(bar: object) -> None:
    """What no bar of ours carries is passed over."""
    open_portrait(bar)  # outside a run there is no session, so a change would fail


def test_formulas_come_when_they_are_opened() -> None:
    """What stands in a closed box is not sent; opened, it holds the formulas. Those of likeness
    are in tooltips.
    """
    app = opened("head-portraits", portrait="self-mass")
    assert r"\ln A_{ij}" not in texts(app)
    helps = " ".join(part.help or "" for part in app.markdown)
    assert all(
        formula in helps for formula in (r"\tfrac{H(a)+H(b)}{2}", r"\langle a-e,\,b-e\rangle")
    )
    app.session_state["all measures"] = True
    assert r"\ln A_{ij}" in texts(app.run())
