"""Scenes: every number that travels is the array's, every rule gives the cell, and a browser
can read them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from attention_core import Projections, Trace, attend
from attention_core.derivation import array_of, derive
from attention_core.derived_arrays import ASIDES, aside_of, shape_of
from attention_core.embeddings import embed
from attention_lab.notation.texts import NOTATIONS
from attention_viz import story
from attention_viz.overview import overview
from attention_viz.payload import JSON, Stage, bits, float_bytes
from attention_viz.scene import dressed
from attention_viz.scene_formats import as_bytes
from attention_viz.trained.one_head import one_head
from tests.core.random_layers import Layer, calls
from tests.viz.example_traces import CASES, example
from tests.viz.reading_scenes import numbers, written_and_read

FOCUS = (1, 2, 1)
Scene = Callable[[Stage], JSON]
STORY: dict[str, Scene] = {
    **{
        f"projection of {field}": lambda s, f=field: story.projection(s, f, FOCUS)
        for field in story.SOURCES
    },
    **{f"split of {field}": lambda s, f=field: story.split(s, f, FOCUS) for field in story.SOURCES},
    **{
        name: lambda s, n=name: getattr(story, n)(s, FOCUS)
        for name in ("scores", "scale", "mask", "softmax", "mixing", "merge", "pair")
    },
    "output": lambda s: story.output(s, 2, 1),
    "overview": lambda s: overview(s, 1, 2, 1),
}


def check(trace: Trace, scene: JSON) -> None:
    """What a browser reads is the trace's own numbers, in float32; panels name axes that their
    arrays have.
    """
    scene = written_and_read(scene)
    for name, array in scene["arrays"].items():
        if "data" in array:
            start = array.get("start", [0] * len(array["shape"]))
            part = tuple(slice(a, a + n) for a, n in zip(start, array["shape"], strict=True))
            np.testing.assert_array_equal(numbers(array), array_of(trace, name)[part].astype("f4"))
        else:
            assert name in ASIDES
            assert tuple(array["shape"]) == shape_of(trace, aside_of(trace, name))
            assert scene["rules"][name]["operation"] == aside_of(trace, name).rule.operation
        assert len(array["axes"]) == len(array["shape"])
        assert set(array["axes"]) <= set(scene["axes"])
    for panel in scene["panels"]:
        n_axes = len(scene["arrays"][panel["array"]]["shape"])
        drawn = [
            panel[part] for part in ("tiles", "rows", "columns") if panel.get(part) is not None
        ]
        assert len(set(drawn)) == len(drawn)
        assert all(0 <= axis < n_axes for axis in drawn)
    assert scene["cell"]["array"] in scene["arrays"]


@pytest.mark.parametrize("case", ["causal", "empty row", "all hidden"])
def test_shares_of_hidden_keys_are_flagged(case: str) -> None:
    """They are sent as the 0 that they are, with a bit beside them; without a mask there is
    none.
    """
    trace = example(case)
    shares = story.softmax(Stage(trace), FOCUS)["arrays"]["probabilities"]
    flags = np.unpackbits(np.frombuffer(shares["hatched"], "u1"), bitorder="little")
    np.testing.assert_array_equal(
        flags[: trace.hidden.size].reshape(trace.hidden.shape), trace.hidden
    )
    assert (numbers(shares)[trace.hidden] == 0).all()
    assert "hatched" not in story.softmax(Stage(example()), FOCUS)["arrays"]["probabilities"]


@pytest.mark.parametrize("name", STORY)
@pytest.mark.parametrize("case", CASES)
def test_scenes_hold_the_numbers_of_the_trace(name: str, case: str) -> None:
    """Every board of the story, with masks, empty rows, biases, and tokens that are markup, in
    full and strict JSON.
    """
    trace = example(case)
    for shared in (False, True):
        trace = example(case, shared=shared)
        check(trace, STORY[name](Stage(trace)))


@given(calls())
def test_scenes_of_any_layer(call: tuple[Layer, dict[str, Any]]) -> None:
    """Whatever the sizes and the options of the call, the payload is the trace."""
    layer, options = call
    trace = layer.run(**options)
    focus = (trace.sizes["H"] - 1, min(2, trace.sizes["T"] - 1), 0)
    for name in ("scores", "scale", "mask", "softmax", "mixing", "merge", "pair"):
        check(trace, getattr(story, name)(Stage(trace), focus))
    for field in story.SOURCES:
        check(trace, story.projection(Stage(trace), field, focus))
        check(trace, story.split(Stage(trace), field, focus))
    check(trace, story.output(Stage(trace), focus[1], 0))
    check(trace, overview(Stage(trace), *focus))


def worked_out(scene: JSON, name: str, index: tuple[int, ...]) -> float:
    """A cell by its rule and the numbers of the scene alone, written without the modules under
    test.
    """
    rule = scene["rules"][name]

    def position(p: JSON, k: int) -> int:
        total = sum(
            (k if axis == -1 else index[axis]) * times for axis, times in p["parts"]
        ) // p.get("over", 1)
        return total % p["modulo"] if p.get("modulo") else total

    def number(r: JSON, k: int) -> float:
        array = scene["arrays"][r["array"]]
        place = tuple(
            position(p, k) - s for p, s in zip(r["at"], array.get("start", [0] * 9), strict=False)
        )
        return float(numbers(array)[place])

    terms = [math.prod(number(r, k) for r in rule["reads"]) for k in range(rule["length"])]
    added = sum(number(r, 0) for r in rule.get("adds", []))
    if rule["operation"] == "softmax":
        top = max(terms)
        own = position(rule["position"], 0)
        return (
            0.0
            if math.isinf(top)
            else math.exp(terms[own] - top) / sum(math.exp(t - top) for t in terms)
        )
    if rule["operation"] == "softcap":
        return rule["softcap"] * math.tanh(terms[0] / rule["softcap"])
    return sum(terms) + added


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(
    "name",
    [
        "projection of keys",
        "split of values",
        "scores",
        "scale",
        "softmax",
        "mixing",
        "merge",
        "output",
    ],
)
def test_the_rules_of_a_scene_give_its_cells(name: str, shared: bool) -> None:
    """Worked out from the scene alone, the result's cells are those of the trace, as far as
    float32 goes.
    """
    trace = example("bias and residual", shared=shared)
    scene = STORY[name](Stage(trace))
    result = next(panel["array"] for panel in scene["panels"] if panel["role"] == "result")
    values = numbers(scene["arrays"][result])
    for index in itertools.islice(np.ndindex(*values.shape), 0, None, 37):
        assert worked_out(scene, result, index) == pytest.approx(values[index], abs=2e-5)
        assert derive(trace, result, index).result == pytest.approx(values[index], abs=1e-5)


def test_only_the_columns_around_the_head_travel() -> None:
    """Of a matrix 512 wide a window of whole heads is sent, and it says where it begins."""
    x = np.random.default_rng(0).normal(size=(3, 512))
    trace = attend(x, Projections.random(512, 16))
    array = story.projection(Stage(trace), "queries", (5, 1, 7))["arrays"]["w_q"]
    assert (array["shape"], array["start"], array["whole"]) == ([512, 64], [0, 128], [512, 512])
    columns = story.output(Stage(trace), 1, 300)["arrays"]["w_o"]
    assert (columns["shape"], columns["start"]) == ([512, 64], [0, 256])


def test_edited_cells_are_flagged() -> None:
    """Beside the layer before an edit, exactly the cells that changed are marked."""
    x = np.arange(6.0).reshape(2, 3)
    weights = Projections.weightless(3)
    before, after = attend(x, weights), attend(x + np.array([[0, 0, 0], [0, 1, 0]]), weights)
    scene = story.scores(Stage(after, before=before), (0, 0, 0))
    sent = scene["arrays"]["query_heads"]["changed"]
    flags = np.unpackbits(np.frombuffer(sent, "u1"), bitorder="little")
    assert flags[:6].tolist() == [0, 0, 0, 0, 1, 0]
    assert "changed" not in story.scores(Stage(after, before=after), (0, 0, 0))["arrays"]["scores"]


def test_own_scales_give_every_head_its_limit() -> None:
    """With own scales the strongest colour is each head's largest value, else the largest of
    all.
    """
    trace = example()
    scores = np.abs(trace.scores[0])
    own = story.scores(Stage(trace, own_scale=True), FOCUS)["arrays"]["scores"]["limit"]
    assert own["axis"] == 1
    np.testing.assert_allclose(own["values"], scores.max(axis=(1, 2)), atol=1e-6)
    assert story.scores(Stage(trace), FOCUS)["arrays"]["scores"]["limit"] == pytest.approx(
        scores.max(), abs=1e-6
    )
    assert story.softmax(Stage(trace), FOCUS)["arrays"]["probabilities"]["limit"] is None


def test_word_plus_position_is_the_input() -> None:
    """The first board adds the two parts of the embedding."""
    embedding = embed(["a", "b", "c"], 5)
    trace = attend(embedding.inputs, Projections.weightless(5)).labelled(("a", "b", "c"))
    scene = story.tokens(Stage(trace), embedding, 1, 4)
    for name in ("words", "positions", "inputs"):
        array = scene["arrays"][name]
        np.testing.assert_array_equal(
            numbers(array).reshape(3, 5), getattr(embedding, name).astype("f4")
        )
    assert worked_out(scene, "inputs", (0, 1, 4)) == pytest.approx(embedding.inputs[1, 4], abs=1e-6)


def test_bits_and_numbers_are_little_endian() -> None:
    """The first cell is the lowest bit; numbers have four bytes, the lowest first."""
    assert bits(np.array([True, False, True] + [False] * 6 + [True])) == b"\x05\x02"
    assert float_bytes(np.array([1.0, -2.0])) == b"\x00\x00\x80?\x00\x00\x00\xc0"


def test_colours_for_a_mode_or_both() -> None:
    """A page sends the colours of its mode, a file without a server those of both."""
    scene = story.scores(Stage(example()), FOCUS)
    assert dressed(scene, "dark")["palette"]["background"] == "#11121a"
    assert set(dressed(scene, "both")["palette"]) == {"light", "dark"}
    assert dressed(scene, "light", 1.35)["zoom"] == 1.35


def test_symbols_and_convention_of_another_text() -> None:
    """Another notation changes titles and badges, says that tokens are columns, and leaves
    every number.
    """
    stage = Stage(example())
    ours, slides = (
        story.scores(stage, FOCUS),
        story.scores(replace(stage, notation=NOTATIONS["gml"]), FOCUS),
    )
    assert (ours["transposed"], slides["transposed"]) == (False, True)
    assert ours["arrays"] == slides["arrays"]
    assert [panel["title"] for panel in ours["panels"][:3]] == [
        "Qₕ queries",
        "Kₕ keys, transposed",
        "Sₕ scores",
    ]
    assert [panel["badge"] for panel in ours["panels"][:3]] == ["T × K", "K × S", "T × S"]
    assert all(
        a["title"] != b["title"]
        for a, b in zip(ours["panels"][:2], slides["panels"][:2], strict=True)
    )
    assert slides["panels"][2]["badge"] != ours["panels"][2]["badge"]


def test_where_tokens_are_columns_no_title_speaks_of_rows() -> None:
    """The softmax of a text whose tokens are columns runs down the columns, and every word of
    its board says so.
    """
    ours, theirs = (
        story.softmax(Stage(example(), notation=NOTATIONS[key]), FOCUS) for key in ("ours", "gml")
    )
    said = [
        [
            *(panel["title"] for panel in one["panels"]),
            *(array["title"] for array in one["arrays"].values()),
            one["description"],
        ]
        for one in (ours, theirs)
    ]
    assert [sum("row" in words for words in one) for one in said] == [4, 0]
    assert [sum("column" in words for words in one) for one in said] == [0, 4]


@pytest.mark.parametrize("key", ["ours", "gml"])
def test_the_heads_of_a_layer_are_one_line_below(key: str) -> None:
    """Turned or not, the panel of all heads lies below both others, with the heads side by side."""
    board = one_head(Stage(example(), notation=NOTATIONS[key]), *FOCUS)
    places, arranged = [panel["place"] for panel in board["panels"]], board["panels"][2]["arrange"]
    if board["transposed"]:
        places, arranged = [[row, column] for column, row in places], {"down": "across"}[arranged]
    assert places[2][1] > max(places[0][1], places[1][1])
    assert arranged == "across"


def test_the_payload_is_small() -> None:
    """Four bytes per number, flags of a bit, and less than 12 kB for all else."""
    trace = example("causal", n_heads=5)
    for name, made in STORY.items():
        scene = dressed(made(Stage(replace(trace))), "light")
        shown = sum(
            4 * math.prod(array["shape"]) for array in scene["arrays"].values() if "data" in array
        )
        assert len(as_bytes(scene)) <= 1.1 * shown + 12_000, name
