"""The boards of the mask section: a browser can read each, and every rule gives its cell."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from attention_core import STEPS
from attention_core.formulas import softmax
from attention_core.rules import Position, Read, Rule
from attention_lab.masks.encoder_decoder import ATTENTION_USES, run_three_uses
from attention_lab.masks.invariances import LAYER_CHANGES
from attention_lab.masks.mask_experiments import hide_all_keys, replace_padding
from attention_lab.masks.mask_workshop import WorkshopChoices, masked_batch
from attention_lab.masks.mistake_checks import examine_layer
from attention_lab.masks.shuffles import run_shuffled
from attention_lab.masks.temperature import softmax_jacobian
from attention_lab.scenario import Scenario, trace_of
from attention_lab.user_data.painted_masks import painted_mask
from attention_viz.masks import break_it, encoder_decoder, invariances, mask_workshop
from attention_viz.payload import JSON, Stage
from tests.viz.reading_scenes import numbers, written_and_read

SCENARIO = Scenario(text="we like tea and cake", d_model=6, n_heads=2)
TRACE = trace_of(SCENARIO)
BATCH = masked_batch(SCENARIO, WorkshopChoices(("they slept",), ("causal", "padding")))
USED = run_three_uses(SCENARIO, "wir mögen Tee", 2)
BROKEN = examine_layer(SCENARIO, "split").faulty
WARMER = LAYER_CHANGES[4].apply(TRACE, 0)
SHARES = (softmax(TRACE.scores[0, 1, 2]), TRACE.probabilities[0, 1, 2])
BOARDS: dict[str, Callable[[], JSON]] = {
    "sequences": lambda: mask_workshop.sequences_board(BATCH, 1, (1, 4, 3)),
    "painting": lambda: mask_workshop.painting_board(painted_mask("", 5), BATCH, 1, (1, 4, 3)),
    "emptied": lambda: mask_workshop.empty_row_board(
        BATCH, hide_all_keys(BATCH, 1, 1, 4).zero, 1, (1, 4, 3)
    ),
    "padding": lambda: mask_workshop.padding_board(
        BATCH, replace_padding(BATCH, 1).changed, (1, 4, 3)
    ),
    "side by side": lambda: encoder_decoder.uses_board(USED, 1, "cross", (4, 6)),
    **{
        f"shuffled {f}": lambda f=f: invariances.shuffle_board(
            run_shuffled(SCENARIO, "causal mask"), f, (1, 2, 3)
        )
        for f in ("output", "probabilities")
    },
    **{
        f"changed {c.key}": lambda c=c: invariances.change_board(
            TRACE, c.apply(TRACE, 0), c.key, (1, 2, 3)
        )
        for c in LAYER_CHANGES
    },
    "temperatures": lambda: invariances.temperature_board(TRACE, WARMER, 2.0, (1, 2, 3)),
    "jacobians": lambda: invariances.jacobian_board(TRACE, SHARES, (1, 2, 3)),
    **{
        f"broken {f}": lambda f=f: break_it.mistake_board(TRACE, BROKEN, f, 1, 2, 3)
        for f in break_it.COMPUTED_FIELDS
    },
}


def rule_of(sent: JSON) -> Rule:
    """A sent rule as a rule of the engine."""

    def place(at: JSON) -> Position:
        return Position(
            tuple((axis, times) for axis, times in at["parts"]),
            at.get("over", 1),
            at.get("modulo", 0),
        )

    reads = tuple(
        Read(read["array"], tuple(place(at) for at in read["at"])) for read in sent["reads"]
    )
    return Rule(
        sent["operation"], reads, sent["length"], own=place(sent.get("position", {"parts": []}))
    )


def computed_cell(scene: JSON, name: str, index: tuple[int, int]) -> float:
    """A cell of a matrix by its rule, from the sent numbers."""
    rule = rule_of(scene["rules"][name])
    terms = [
        [
            float(numbers(scene["arrays"][r.array])[tuple(p.of(index, k) for p in r.at)])
            for r in rule.reads
        ]
        for k in range(rule.length)
    ]
    if rule.operation == "softmax":
        return float(softmax(np.array([term[0] for term in terms]))[rule.own.of(index)])
    if rule.operation == "mask":
        return -np.inf if np.isneginf(numbers(scene["arrays"][name])[index]) else terms[0][0]
    first, second = terms[0]
    return -np.inf if np.isneginf(first) else first - second


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
            sent = numbers(scene["arrays"][array])[index]
            assert computed_cell(scene, array, index) == pytest.approx(float(sent), abs=1e-5)


@pytest.mark.parametrize("weights", ["random", "trained"])
def test_rounding_stays_pale_whatever_the_weights(weights: str) -> None:
    scenario = Scenario(text="we like tea and cake", weights=weights, layer=3)
    trace = trace_of(scenario)
    for scene, same in (
        (
            invariances.shuffle_board(run_shuffled(scenario, "words alone"), "output", (1, 2, 3)),
            True,
        ),
        (
            invariances.shuffle_board(run_shuffled(scenario, "causal mask"), "output", (1, 2, 3)),
            False,
        ),
        *(
            (invariances.change_board(trace, c.apply(trace, 0), c.key, (1, 2, 3)), c.keeps_output)
            for c in LAYER_CHANGES
        ),
        (
            break_it.mistake_board(
                trace, examine_layer(scenario, "mask").faulty, "probabilities", 1, 2, 3
            ),
            True,
        ),
    ):
        *_, gap = scene["arrays"].values()
        darkest = float(np.abs(numbers(gap)).max()) / gap["limit"]
        assert (darkest < 0.01) is same
        assert (darkest > 0.99) is not same


def test_numbers_of_the_boards() -> None:
    arrays = {name: made()["arrays"] for name, made in BOARDS.items()}
    for n in range(2):
        np.testing.assert_array_equal(
            numbers(arrays["sequences"][f"shares {n}"]),
            BATCH.trace.probabilities[n, 1].astype("f4"),
        )
    cross = USED["cross"].probabilities[0, 1].astype("f4")
    np.testing.assert_array_equal(numbers(arrays["side by side"]["shares cross"]), cross)
    np.testing.assert_array_equal(
        numbers(arrays["broken output"]["right"]), TRACE.output[0].astype("f4")
    )
    np.testing.assert_array_equal(
        numbers(arrays["broken queries"]["right"]), TRACE.queries[0, :, 3:].astype("f4")
    )
    slope = softmax_jacobian(SHARES[1]).astype("f4")
    np.testing.assert_array_equal(numbers(arrays["jacobians"]["from scaled scores"]), slope)


def test_only_the_chosen_large_sequence_is_full_size() -> None:
    scenario = Scenario(text="a b c", n_tokens=25, d_model=6, n_heads=2)
    batch = masked_batch(scenario, WorkshopChoices(("b",)))
    scene = mask_workshop.sequences_board(batch, 0, (1, 0, 0))
    assert {panel["id"]: panel["size"] for panel in scene["panels"]} == {
        "scores 0": "small",
        "shares 0": "small",
        "scores 1": "full",
        "shares 1": "full",
    }


def test_the_steps_of_a_use() -> None:
    scene = encoder_decoder.use_scene(Stage(USED["cross"]), ATTENTION_USES[2], 1, (4, 6))
    assert scene["axes"]["T"]["labels"] != scene["axes"]["S"]["labels"]
    assert {"head_outputs", "probabilities", "masked_scores", "scores"} <= set(scene["rules"])
    titles = {panel["array"]: panel["title"] for panel in scene["panels"]}
    assert ATTENTION_USES[2].queries_from != ATTENTION_USES[2].keys_from
    assert ATTENTION_USES[2].queries_from in titles["query_heads"]
    assert ATTENTION_USES[2].keys_from in titles["key_heads"]
    assert ATTENTION_USES[2].keys_from in titles["value_heads"]


def test_the_table_of_shapes() -> None:
    table = encoder_decoder.shapes_table(USED)
    assert "| scores | B · H · T · S | 1 × 2 × :blue[**7**] × :red[**7**] |" in table
    assert "| head outputs | B · H · T · V |" in table
    assert table.count("\n") == 1 + len(encoder_decoder.TABLE_FIELDS)
    assert set(encoder_decoder.TABLE_FIELDS) < set(STEPS)
