"""The pictures of the mask section: a browser can read each, every rule gives its cell, every curve
is what is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from attention_core import STEPS, Projections, attend
from attention_core.formulas import softmax
from attention_lab.compare import TwoLayers, compare_with, head_part
from attention_lab.focus import Focus
from attention_lab.masks.encoder_decoder import ATTENTION_USES, run_three_uses
from attention_lab.masks.invariances import LAYER_CHANGES
from attention_lab.masks.mask_experiments import hide_all_keys, replace_padding
from attention_lab.masks.mask_workshop import masked_batch
from attention_lab.masks.mistake_checks import examine_layer
from attention_lab.masks.shuffles import run_shuffled
from attention_lab.masks.temperature import at_temperature, score_spread
from attention_lab.scenario import Scenario, trace_of
from attention_lab.user_data.painted_masks import painted_mask
from attention_viz import blocks as b
from attention_viz.masks import encoder_decoder, mask_workshop
from attention_viz.masks import temperature as figures
from attention_viz.masks.changes import change_board
from attention_viz.masks.encoder_decoder_page import DEFAULT_TARGET, ENCODER_DECODER
from attention_viz.masks.mask_workshop import query_shares_figure
from attention_viz.payload import JSON, Stage
from tests.lab.test_invariances import KEEP_OUTPUT
from tests.viz.reading_blocks import all_of, blocks_of, words_of
from tests.viz.reading_figures import as_sent
from tests.viz.reading_scenes import numbers, sent, worked_out, written_and_read

SCENARIO = Scenario(text="we like tea and cake", d_model=6, n_heads=2)
TRACE = trace_of(SCENARIO)
BATCH = masked_batch(SCENARIO, ("they slept",), ("causal", "padding"))
USED = run_three_uses(SCENARIO, "wir mögen Tee", 2)
WARMER = at_temperature(TRACE, np.array([2.0]), 1)[0]
FOCUS = Focus(1, 2, 3, 2)
LAYERS = {
    "shuffled": run_shuffled(SCENARIO),
    "causal": compare_with(SCENARIO, "mask", "causal"),
    "one head": compare_with(SCENARIO, "n_heads", 1),
    "broken": examine_layer(SCENARIO, "split").two,
    "basis": TwoLayers(TRACE, LAYER_CHANGES[4].apply(TRACE, 0)),
}
MODERN = replace(
    SCENARIO, d_k=4, seed=2, alibi=True, sink=True, sink_logit=1.0, qk_norm=True, rotary="halves"
)
BATCH_OF_MODERN = masked_batch(MODERN, ("they slept",), ("causal",))
USED_BY_MODERN = run_three_uses(MODERN, "wir mögen Tee", 2)
BOARDS: dict[str, Callable[[], JSON]] = {
    "sequences, modern": lambda: mask_workshop.sequences_board(BATCH_OF_MODERN, 1, (1, 4, 3)),
    "emptied, modern": lambda: mask_workshop.empty_row_board(
        BATCH_OF_MODERN, hide_all_keys(BATCH_OF_MODERN, 1, 1, 4).zero, 1, (1, 4, 3)
    ),
    "side by side, modern": lambda: encoder_decoder.uses_board(USED_BY_MODERN, 1, "cross", (4, 6)),
    "sequences": lambda: mask_workshop.sequences_board(BATCH, 1, (1, 4, 3)),
    "painting": lambda: mask_workshop.painting_board(painted_mask("", 5), BATCH, 1, (1, 4, 3)),
    "emptied": lambda: mask_workshop.empty_row_board(
        BATCH, hide_all_keys(BATCH, 1, 1, 4).zero, 1, (1, 4, 3)
    ),
    "padding": lambda: mask_workshop.padding_board(
        BATCH, replace_padding(BATCH, 1).changed, (1, 4, 3)
    ),
    "side by side": lambda: encoder_decoder.uses_board(USED, 1, "cross", (4, 6)),
    "temperatures": lambda: figures.temperature_board(TRACE, WARMER, 2.0, (1, 2, 3)),
    **{
        f"{name} {f}": lambda two=two, f=f: change_board(two, f, FOCUS)
        for name, two in LAYERS.items()
        for f in two.fields(1)
    },
}


@pytest.mark.parametrize("name", BOARDS)
def test_a_board_is_whole(name: str) -> None:
    scene = written_and_read(BOARDS[name]())
    assert scene["description"].endswith(".")
    for array in scene["arrays"].values():
        assert np.isfinite(numbers(array)[~np.isneginf(numbers(array))]).all()
        for letter, size in zip(array["axes"], array["shape"], strict=True):
            labels = scene["axes"][letter]["labels"]
            assert labels is None or len(labels) == size
    assert {panel["array"] for panel in scene["panels"]} <= set(scene["arrays"])
    assert len({panel["id"] for panel in scene["panels"]}) == len(scene["panels"])
    shape = scene["arrays"][scene["cell"]["array"]]["shape"]
    assert all(0 <= place < size for place, size in zip(scene["cell"]["index"], shape, strict=True))
    for array in scene["rules"]:
        rows, columns = scene["arrays"][array]["shape"]
        for index in ((0, 0), (rows - 1, 0), (rows - 1, columns - 1)):
            expected = float(sent(scene, array)[index])
            assert worked_out(scene, array, index) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("weights", ["random", "trained"])
def test_rounding_stays_pale_whatever_the_weights(weights: str) -> None:
    scenario = Scenario("we like tea and cake", weights=weights, layer=3, positions=False)
    trace = trace_of(scenario)
    for two, field, same in (
        (run_shuffled(scenario), "output", True),
        (run_shuffled(replace(scenario, mask="causal")), "output", False),
        *(
            (TwoLayers(trace, change.apply(trace, 0)), "output", change.key in KEEP_OUTPUT)
            for change in LAYER_CHANGES
        ),
        (examine_layer(scenario, "mask").two, "probabilities", True),
    ):
        *_, gap = change_board(two, field, FOCUS)["arrays"].values()
        darkest = float(np.abs(numbers(gap)).max()) / gap["limit"]
        assert (darkest < 0.01) is same
        assert (darkest > 0.99) is not same


@pytest.mark.parametrize(
    ("name", "field"), [("basis", "keys"), *product(LAYERS, ["scores", "probabilities", "output"])]
)
def test_the_difference_is_that_of_both_layers(name: str, field: str) -> None:
    two = LAYERS[name]
    arrays = change_board(two, field, FOCUS)["arrays"]
    expected, after = two.matrices(field, 1)
    *_, gap = arrays.values()
    assert np.allclose(numbers(arrays["after"]), after, atol=1e-5)
    assert np.allclose(numbers(gap), after - expected, atol=1e-5)
    assert arrays["before"]["limit"] == arrays["after"]["limit"]
    given = head_part(two.before, field, 1)
    assert np.allclose(numbers(arrays["before"]), given, atol=1e-5)


def test_numbers_of_the_boards() -> None:
    arrays = {name: made()["arrays"] for name, made in BOARDS.items()}
    for board, name, shares in (
        ("sequences", "shares 0", BATCH.trace.probabilities[0, 1]),
        ("sequences", "shares 1", BATCH.trace.probabilities[1, 1]),
        ("side by side", "shares cross", USED["cross"].probabilities[0, 1]),
    ):
        np.testing.assert_array_equal(numbers(arrays[board][name]), shares.astype("f4"))


def test_the_steps_of_a_use() -> None:
    scene = encoder_decoder.use_scene(Stage(USED["cross"]), ATTENTION_USES[2], 1, (4, 6))
    assert scene["axes"]["T"]["labels"] != scene["axes"]["S"]["labels"]
    computed = {"head_outputs", "probabilities", "masked_scores", "scaled_scores", "scores"}
    assert set(scene["rules"]) == computed
    modern = encoder_decoder.use_scene(Stage(USED_BY_MODERN["cross"]), ATTENTION_USES[2], 1, (4, 6))
    assert set(modern["rules"]) >= computed
    titles = {panel["array"]: panel["title"] for panel in scene["panels"]}
    for field, said in (("query", "target"), ("key", "source"), ("value", "source")):
        assert said in titles[f"{field}_heads"]


def test_the_table_of_shapes() -> None:
    table = encoder_decoder.shapes_table(USED)
    assert {row[0]: row[1:3] for row in table.rows}["scores"] == (
        "B · H · T · S",
        "1 × 2 × :blue[**7**] × :red[**7**]",
    )
    assert len(table.rows) == len(encoder_decoder.TABLE_FIELDS)
    assert set(encoder_decoder.TABLE_FIELDS) < set(STEPS)


def uses(layer: Scenario = SCENARIO, **chosen: Any) -> list[b.Block]:
    """The blocks of the page on encoder and decoder."""
    return list(blocks_of(ENCODER_DECODER, layer, **chosen))


def test_a_click_on_a_use_chooses_it_and_its_cell() -> None:
    found = uses(ed_use="decoder", ed_cell=(3, 1))
    side_by_side, steps = all_of(found, b.Board)
    assert side_by_side.scene["cell"] == {"array": "scores decoder", "index": [3, 1]}
    assert steps.scene["cell"] == {"array": "probabilities", "index": [0, 0, 3, 1]}
    n_source, n_target = 5 + 2, 5 + 2
    clicked = side_by_side.clicks["shares encoder"][3 * n_source + 4]
    assert clicked == {"ed_use": "encoder", "ed_cell": (3, 4)}
    assert steps.clicks["scores"][1 * n_target**2 + 2 * n_target + 6] == {"ed_cell": (2, 6)}
    assert steps.clicks.keys() == {"scores", "probabilities"}


def test_a_cell_beyond_the_sequences_of_a_use_is_said() -> None:
    found = uses(ed_use="decoder", ed_cell=(13, 12), ed_target="tea and cake")
    assert "no query 13 here; the last one, 4, is shown" in words_of(found)
    assert "no key 12 here; the last one, 4, is shown" in words_of(found)
    assert all_of(found, b.Board)[0].scene["cell"]["index"] == [4, 4]
    assert "There is no" not in words_of(uses(ed_cell=(2, 2)))


def test_the_mask_of_the_sidebar_is_not_used() -> None:
    plain, causal = (
        [one.scene for one in all_of(uses(replace(SCENARIO, mask=mask)), b.Board)]
        for mask in ("none", "causal")
    )
    for one, other in zip(plain, causal, strict=True):
        for name, array in one["arrays"].items():
            np.testing.assert_array_equal(numbers(array), numbers(other["arrays"][name]))


def test_a_target_without_words_is_refused_and_a_long_one_is_cut() -> None:
    (refused,) = all_of(uses(ed_target="\u200b\u200d"), b.Note)
    assert refused.tone == "wrong"
    assert f"“{DEFAULT_TARGET}”" in refused.text.replace("\\", "")
    assert f"**{249 - 64} of 249**" in words_of(uses(ed_target="tea " * 249))
    assert "Tokens of the target" not in words_of(uses(ed_target="tea"))


SCORES = np.array([0.5, -np.inf, 2.0, 1.0, -0.5])
TOKENS = ("we", "<b>", "tea", "and", "cake")
SPREADS = tuple(score_spread(d_k) for d_k in (1, 4, 16))


@pytest.mark.parametrize("sink", [None, 1.5])
def test_the_curves_over_the_temperature(sink: float | None) -> None:
    layer = attend(
        [[1.0]] * 5, Projections.weightless(1), bias=SCORES, scale=0.0, tokens=TOKENS, sink=sink
    )
    figure = figures.temperature_figure(layer, Focus(0, 2, 3, 0), 0.5)
    as_sent(figure)
    names = [curve["name"] for curve in figure["data"]]
    assert names == ["we", "&lt;b&gt;", "tea", "cake", "and"]
    assert figure["data"][-1]["line"]["color"] == "@key"
    logits = SCORES if sink is None else np.append(SCORES, sink)
    expected = np.array([softmax(logits / heat) for heat in np.geomspace(0.05, 20, 61)])
    drawn = [curve["y"] for curve in figure["data"]]
    np.testing.assert_allclose(drawn, expected[:, [0, 1, 2, 4, 3]].T, atol=1e-6)
    assert figure["layout"]["shapes"][0]["x0"] == 0.5
    assert {note["text"].strip() for note in figure["layout"]["annotations"]} == {"tea", "and"}


def test_the_measured_variances_and_the_saturation() -> None:
    theory, measured = (variances := figures.variance_figure(SPREADS))["data"]
    assert theory["x"].tolist() == theory["y"].tolist() == measured["x"] == [1, 4, 16]
    assert measured["y"] == [spread.variance for spread in SPREADS]
    assert measured["error_y"]["array"] == [2 * spread.standard_error for spread in SPREADS]
    saturation = figures.saturation_figure(SPREADS)
    curves = {curve["name"]: curve["y"] for curve in saturation["data"]}
    for kind in ("raw", "scaled"):
        found = [getattr(spread, kind) for spread in SPREADS]
        for name, field in (
            ("largest share", "largest_share"),
            ("Jacobian trace", "jacobian_trace"),
        ):
            expected = [getattr(one, field) for one in found]
            assert curves[f"{name}, {kind}"] == pytest.approx(expected)
    as_sent(variances)
    as_sent(saturation)


def test_the_bars_of_a_row() -> None:
    rows = {
        "−∞ added": softmax(SCORES),
        "−4 added": softmax(np.where(np.isneginf(SCORES), -4.0, SCORES)),
    }
    figure = query_shares_figure(TOKENS, rows, np.isneginf(SCORES), "Some shares.")
    as_sent(figure)
    assert [bar["name"] for bar in figure["data"]] == list(rows)
    for bar, row in zip(figure["data"], rows.values(), strict=True):
        np.testing.assert_array_equal(bar["y"], row.astype("f4"))
    assert figure["layout"]["xaxis"]["ticktext"] == ["we", "(&lt;b&gt;)", "tea", "and", "cake"]
    assert figure["layout"]["meta"]["description"] == "Some shares."
