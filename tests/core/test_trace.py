"""The record of a call: what each field declares, its shape, its labels, and that it cannot be
changed.
"""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, replace
from itertools import product

import numpy as np
import pytest

from attention_core import (
    AXES,
    STEPS,
    HeadNorm,
    Projections,
    Rotary,
    SettingsError,
    ShapeError,
    Trace,
    attend,
)
from tests.core.trace_cases import ORDER, B, D, G, H, K, M, S, T, V, run


@pytest.fixture
def trace() -> Trace:
    """A trace in which every axis has another length, query heads sharing keys and values."""
    return run("everything")[0]


@pytest.mark.parametrize("name", ORDER)
def test_every_step_says_what_it_is(name: str) -> None:
    step = STEPS[name]
    assert set(step.axes.replace(" ", "").replace("·", "")) <= set(AXES)
    assert step.kind in {"feature", "logit", "probability", "mask"}
    assert step.symbol
    assert step.formula
    assert step.sentence.endswith(".")
    assert set(step.needs.split()) <= set(ORDER[: ORDER.index(name)])
    assert bool(step.needs) == (name != "inputs")


def test_what_the_output_without_w_o_is() -> None:
    weightless = Projections.weightless(4, 2)
    for residual in (False, True):
        said = attend(np.eye(4), weightless, residual=residual).sentence("output")
        assert ("the inputs" in said) == residual
        assert said != STEPS["output"].sentence


NORMED, TURNED = ["normed_queries", "normed_keys"], ["turned_queries", "turned_keys"]


@pytest.mark.parametrize(
    ("case", "also", "compared"),
    [
        ("self", [], ["query_heads", "key_heads"]),
        ("sink", [], ["query_heads", "key_heads"]),
        ("head norm", NORMED, NORMED),
        ("rotary", TURNED, TURNED),
        ("head norm, rotary", NORMED + TURNED, TURNED),
    ],
)
def test_a_step_exists_with_its_option_alone(
    case: str, also: list[str], compared: list[str]
) -> None:
    trace, _ = run(case)
    assert list(trace.steps) == [n for n in ORDER if n in also or n not in NORMED + TURNED]
    assert all((getattr(trace, name) is None) == (name not in trace.steps) for name in ORDER)
    assert list(trace.needs("scores")) == compared


def test_a_step_reads_what_the_last_one_made() -> None:
    assert run("head norm, rotary")[0].needs("turned_keys") == ("normed_keys",)
    assert run("rotary")[0].needs("turned_keys") == ("key_heads",)


@pytest.mark.parametrize("ask", ["rule", "code", "sentence", "needs", "axes"])
def test_a_step_that_is_off_cannot_be_asked_for(ask: str) -> None:
    with pytest.raises(SettingsError, match="turned_keys"):
        getattr(run("self")[0], ask)("turned_keys")


def test_shapes_follow_the_declared_axes(trace: Trace) -> None:
    sizes = {"B": B, "T": T, "S": S, "D": D, "M": M, "O": D, "H": H, "G": G, "K": K, "V": V}
    sizes["P"] = 2
    assert trace.sizes == sizes
    for name, step in STEPS.items():
        lengths = tuple(
            int(np.prod([sizes[part] for part in axis.split("·")])) for axis in step.letters
        )
        assert getattr(trace, name).shape == lengths


def test_what_is_recorded_is_a_copy_that_cannot_be_written_to() -> None:
    x, memory, mask = np.ones((B, T, D)), np.ones((B, S, M)), np.ones((T, S), dtype=bool)
    bias, gain, sink = np.ones((T, S)), np.ones(K), np.ones(H)
    p = Projections.random(D, H, d_k=K, d_memory=M)
    options = {"mask": mask, "bias": bias, "head_norm": HeadNorm(gain, gain), "sink": sink}
    trace = attend(x, p, memory=memory, rotary=Rotary(), **options)
    for array in (x, memory, mask, bias, gain, sink):
        array[:] = 0
    settings = ["mask", "bias", "sink", "query_gain", "key_gain"]
    assert all((getattr(trace, name) == 1).all() for name in ["inputs", "memory", *settings])
    for record, name in product((trace, replace(trace, mask=mask, bias=bias)), ORDER + settings):
        with pytest.raises(ValueError, match="read-only"):
            getattr(record, name)[:] = 0
    assert mask.flags.writeable


def test_the_record_is_frozen(trace: Trace) -> None:
    with pytest.raises(FrozenInstanceError):
        trace.scores = trace.scaled_scores
    assert trace != replace(trace)


@pytest.mark.parametrize("name", ORDER)
def test_a_wrong_shape_is_refused(trace: Trace, name: str) -> None:
    right = getattr(trace, name)
    for wrong in (np.zeros((*right.shape[:-1], 29)), right[0]):
        with pytest.raises(ShapeError) as error:
            replace(trace, **{name: wrong}).check_shapes()
        assert error.match(rf"\b{name}\b.*{re.escape(str(wrong.shape))}.*{STEPS[name].axes}")


def test_axes_of_equal_width_have_one_name() -> None:
    """M and O are called D, and G is called H, when they are as many; otherwise they keep their
    own letters.
    """
    same, other, shared = (run(case)[0] for case in ("self", "heads joined", "shared heads"))
    assert [same.axes(name)[-1] for name in ("memory", "output", "keys")] == ["D", "D", "H·K"]
    assert [other.axes(name)[-1] for name in ("memory", "output")] == ["M", "O"]
    assert shared.axes("keys") == ("B", "S", "G·K")
    assert shared.axes("value_heads") == ("B", "G", "S", "V")


def test_tokens_label_the_positions() -> None:
    labelled = run("cross")[0].labelled(("a", "b", "c"), list("vwxyz"))
    assert [labelled.labels(axis) for axis in "TS"] == [("a", "b", "c"), tuple("vwxyz")]
    assert labelled.labels("H") == tuple(f"head {h}" for h in range(H))
    assert labelled.labels("K") == tuple(map(str, range(K)))
    assert len(labelled.labels("H·V")) == H * V
    queries_alone = run("cross")[0].labelled(("a", "b", "c"))
    assert [queries_alone.labels(axis) for axis in "TS"] == [("a", "b", "c"), tuple("01234")]
    own = attend([[1.0], [2.0]], Projections.weightless(1), tokens=["a", "b"])
    assert [own.labels(axis) for axis in "TS"] == [("a", "b")] * 2


@pytest.mark.parametrize(
    ("labels", "given", "positions"), [((("a", "b"),), 2, 3), ((("a", "b", "c"), ("d",)), 1, 5)]
)
def test_as_many_labels_as_positions(
    labels: tuple[tuple[str, ...], ...], given: int, positions: int
) -> None:
    with pytest.raises(ShapeError, match=rf"\b{given}\b.*\b{positions}\b"):
        run("everything")[0].labelled(*labels)
