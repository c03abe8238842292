"""What the pages about heads promise: choices in the address, numbers computed on the spot,
experiments that hold.
"""

from __future__ import annotations

import base64
import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.heads.counts import size_of
from attention_lab.heads.head_averages import blur, mean_of_heads
from attention_lab.heads.patterns import pattern_of
from attention_lab.heads.portraits import MEASURES
from attention_lab.heads.score_schemes import SCHEMES
from attention_lab.heads.sharing import CACHE, share_heads
from attention_lab.heads.worth import norm_shares, signed_shares
from attention_ui.heads.heads_choice import open_portrait, pin_kind
from attention_ui.registry import PAGES
from attention_viz.labels import counted, number
from tests.ui.app import figures, gone_to, here, opened, scenes, texts

HEADS = [page.url_path for page in PAGES if page.section == "heads"]


def array(sent: Any) -> np.ndarray:
    """An array of a figure as the browser reads it."""
    numbers = np.frombuffer(base64.b64decode(sent["bdata"]), np.dtype(sent["dtype"]))
    return numbers.reshape([int(size) for size in str(sent.get("shape", numbers.size)).split(",")])


def matrices(figure: dict[str, Any]) -> list[np.ndarray]:
    """The matrices of a figure, without the grounds of masked cells."""
    return [
        array(part["z"])
        for part in figure["data"]
        if part["type"] == "heatmap"
        and "hoverongaps" in part
        and "masked" not in part["hovertemplate"]
    ]


def shown_texts(app: AppTest) -> str:
    """Everything that is said, in boxes too."""
    return texts(app) + "\n".join(str(box.value) for box in (*app.warning, *app.info))


def test_the_section_has_its_pages() -> None:
    """Five pages, in this order."""
    assert HEADS == [
        "all-heads",
        "head-portraits",
        "head-worth",
        "shared-keys",
        "one-matrix-or-many",
    ]


def test_a_chosen_subset_is_what_is_drawn_and_averaged() -> None:
    """The heads in the address are those of the grid, of the mean and of the caveat."""
    app = opened("all-heads", subset="0.2", mask="causal", head=2)
    trace = here(app).trace
    grid, merged, *_ = figures(app)
    shares = np.where(trace.hidden[0], np.nan, trace.probabilities[0])
    for shown, head in zip(matrices(grid), (0, 2), strict=True):
        np.testing.assert_array_equal(shown, shares[head].astype("f4"))
    np.testing.assert_array_equal(matrices(merged)[0], mean_of_heads(shares, [0, 2]).astype("f4"))
    lost = blur(trace, [0, 2])
    assert number(lost.in_a_head, 1) in shown_texts(app)
    assert number(lost.in_the_mean, 1) in shown_texts(app)
    assert "e to the mean entropy of its shares there" in shown_texts(
        app
    )  # not the mean of effective tokens


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
    assert number(float(shares[1, :, 4].sum()), 2) in texts(app)
    app = opened("all-heads", heads_view="Lines", heads_lines="key", subset="3", key=4)
    _, lines = figures(app)
    said = [
        text for part in lines["data"] if part.get("mode") == "markers" for text in part["text"]
    ]
    assert len(said) == 12
    assert all("→ 4 cross" in text and text.startswith("head 3") for text in said)


def test_every_measure_can_be_opened() -> None:
    """Each measure shows its formula, its range and the number of the head in focus."""
    app = opened("head-portraits", head=1, mask="causal")
    pattern = pattern_of(here(app).trace)
    for measure in MEASURES:
        app.selectbox(key="portrait").set_value(measure.name).run()
        assert f"$$\n{measure.formula}\n$$" in texts(app)
        assert measure.range in texts(app)
        digits = 3 if measure.baseline(pattern) is not None else 0  # a rank is a whole number
        assert f"**Head 1:** {number(float(measure.value(pattern)[0, 1]), digits)}" in texts(app)


@pytest.mark.parametrize(
    "bar", [None, "x", [], ["entropy"], ["no such", 1], ["entropy", -1], ["entropy", 99], {"a": 1}]
)
def test_a_strange_click_changes_nothing(bar: object) -> None:
    """What no bar of ours carries is passed over."""
    open_portrait(bar)  # outside a run there is no session, so a change would fail


def test_without_all_heads_only_bias_and_residual_are_left() -> None:
    """All heads off: the output is the inputs of the residual; none off: no picture of what is
    missing.
    """
    app = opened("head-worth", off="0.1.2.3", residual="true")
    trace = here(app).trace
    ablated = next(
        figure
        for figure in figures(app)
        if "with heads off" in str(figure["layout"].get("annotations"))
    )
    whole, without, missing = matrices(ablated)
    np.testing.assert_array_equal(without, trace.inputs[0].astype("f4"))
    np.testing.assert_allclose(whole - without, missing, atol=1e-6)
    assert "what is left is the input (residual)" in texts(app)
    assert len(figures(opened("head-worth"))) == len(figures(app)) - 1


def test_a_head_is_switched_off_and_on_again() -> None:
    """The switch decides what is missing; the choice stays when the visitor comes back to the
    page.
    """
    app = opened("head-worth")
    app.button_group(key="switches off").set_value([2]).run()
    assert app.session_state["off"] == "2"
    assert "Without head 2" in texts(app)
    switches = app.run().button_group(key="switches off").proto
    assert (list(switches.default), switches.set_value) == (
        [2],
        False,
    )  # known to the browser, so not told again
    app = gone_to(gone_to(app, "scores"), "head-worth")
    assert "Without head 2" in texts(app)
    app.button_group(key="switches off").set_value([]).run()
    assert "All heads are on" in texts(app)


def test_shares_are_told_with_their_sums() -> None:
    """The signed shares sum to 1 as computed, and the ranking is theirs."""
    app = opened("head-worth", n_heads=8, seed=4)
    signed = signed_shares(here(app).trace)[0]
    assert f"The signed shares sum to {number(float(signed.sum()), 6)}," in texts(app)
    order = ", ".join(str(head) for head in np.argsort(-signed))
    assert f"by signed share: {order};" in texts(app)


def test_what_norm_shares_sum_to() -> None:
    """Those of several heads do not sum to 1, and the page says why; that of one head is 1, and
    there is no why.
    """
    app = opened("head-worth")
    total = number(float(norm_shares(here(app).trace)[0].sum()), 3)
    assert (
        f"the norm shares to {total}, not to 1, because the parts of different heads point in"
        " different directions." in texts(app)
    )
    assert "the norm shares to 1.000.\n" in texts(opened("head-worth", n_heads=1))


def test_another_basis_leaves_the_layer_as_it_was() -> None:
    """Each press turns to another basis; weights move, products and output only by rounding."""
    app = opened("head-worth")
    assert "Unchanged" not in texts(app)
    app.button(key="turn").click().run()
    assert app.session_state["basis"] == 1
    assert "Unchanged but for rounding" in texts(app)
    before, product = figures(app)[-2:]
    weight = matrices(before)
    assert np.abs(weight[0] - weight[1]).max() > 0.1
    np.testing.assert_allclose(*matrices(product), atol=1e-6)
    app.button(key="turn back").click().run()
    assert "Unchanged" not in texts(app)


@pytest.mark.parametrize(
    ("n_heads", "asked", "groups"), [(4, 2, 2), (6, 4, 3), (5, 3, 1), (16, 99, 16), (1, 8, 1)]
)
def test_groups_divide_the_heads(n_heads: int, asked: int, groups: int) -> None:
    """A number of groups that does not divide the heads moves to one that does; figures and
    counts are for it.
    """
    app = opened("shared-keys", n_heads=n_heads, d_model=n_heads * 4, groups=asked)
    trace = here(app).trace
    assert f"**GQA, G = {groups}:**" in texts(app)
    shared = share_heads(trace.projections, groups)
    size = sum(count.of(replace(size_of(trace), n_kv_heads=shared.groups)) for count in CACHE)
    assert f"**{size:,}**" in texts(app)
    (board,) = scenes(app)
    assert board["arrays"]["GQA"]["shape"] == list(trace.probabilities.shape[1:])
    assert board["panels"][1]["badge"] == counted(groups, "set") + " of keys and values"


def test_the_pinned_kind_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell pinned in one of the three lines stays pinned there, moves the focus, and is in
    the address.
    """
    app = opened("shared-keys", kind="MQA", head=2, query=5, key=7)
    (board,) = scenes(app)
    assert board["cell"] == {"array": "MQA", "index": [2, 5, 7]}
    session: dict[str, Any] = {}
    monkeypatch.setattr("streamlit.session_state", session)
    pin_kind("GQA", [1, 3, 4])
    assert session == {"kind": "GQA", "head": 1, "query": 3, "key": 4}
    pin_kind("other", [9, 9, 9])
    assert session["kind"] == "GQA"


def test_four_ways_are_counted_and_compared() -> None:
    """The table holds each way's count for this layer, and a difference below 1e-12."""
    app = opened("one-matrix-or-many", n_heads=8)
    for scheme in SCHEMES:
        line = next(
            row for row in texts(app).splitlines() if row.startswith(f"| **{scheme.name}**")
        )
        assert f"{scheme.multiplies.of(size_of(here(app).trace)):,}" in line
        assert float(line.split("|")[-2].replace("−", "-")) < 1e-12


def test_measurements_come_when_asked_for() -> None:
    """Before the button there is no measurement; after it two figures; other sizes need a new
    one.
    """
    app = opened("one-matrix-or-many", n_tokens=4)
    assert len(figures(app)) == 1
    app.button(key="measure ways").click().run()
    assert len(figures(app)) == 3
    app.segmented_control(key="ways_letter").set_value("C").run()
    assert len(figures(app)) == 1
    assert "belongs to other sizes" in texts(app)


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
    assert figures(app)


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


def test_an_average_that_hides_nothing() -> None:
    """The warning about averages is there where heads look at different things: not with a
    single token.
    """
    warned = {
        text: [box.value[:7] for box in opened("all-heads", text=text).warning]
        for text in ("Hello", "we like tea")
    }
    assert warned == {"Hello": [], "we like tea": ["An aver"]}
