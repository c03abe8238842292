"""The record of a call: what each field declares, its shape, and that it cannot be changed."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest

from attention_core import AXES, STEPS, Projections, SettingsError, ShapeError, Step, Trace, attend
from tests.core.trace_cases import BIAS, ORDER, SOME, B, D, G, H, K, M, S, T, V, run

SOME[..., 0] = True


@pytest.fixture
def trace() -> Trace:
    """A trace in which every axis has another length, query heads sharing keys and values."""
    return run("everything")[0]


def test_the_fields_are_in_order_of_computation() -> None:
    assert list(STEPS) == ORDER
    assert [field.name for field in fields(Trace)][: len(ORDER)] == ORDER
    given = {
        "projections",
        "scale",
        "softcap",
        "mask",
        "bias",
        "residual",
        "empty_rows_as",
        "rotary",
        "head_norm",
        "sink",
        "tokens",
        "memory_tokens",
    }
    assert {field.name for field in fields(Trace)} - set(ORDER) == given


@pytest.mark.parametrize("name", ORDER)
def test_every_step_says_what_it_is(name: str) -> None:
    step = STEPS[name]
    assert isinstance(step, Step)
    assert step.name == name
    assert set(step.axes.replace(" ", "").replace("·", "")) <= set(AXES)
    assert step.kind in {"feature", "logit", "probability", "mask"}
    assert step.symbol
    assert step.formula
    assert step.sentence[0].isupper()
    assert step.sentence.endswith(".")
    assert set(step.needs.split()) <= set(ORDER[: ORDER.index(name)])
    assert bool(step.needs) == (name != "inputs")
    assert step.title == name.replace("_", " ")


def test_what_the_output_without_w_o_is() -> None:
    weightless = Projections.weightless(4, 2)
    plain, residual = (
        attend(np.eye(4), weightless, residual=on).sentence("output") for on in (False, True)
    )
    assert "the inputs" not in plain
    assert "the inputs" in residual
    assert STEPS["output"].sentence not in (plain, residual)


def test_a_step_exists_with_its_option_alone() -> None:
    for case, also in (
        ("self", []),
        ("sink", []),
        ("head norm", ORDER[8:10]),
        ("rotary", ORDER[10:12]),
        ("head norm, rotary", ORDER[8:12]),
    ):
        steps = run(case)[0].steps
        assert list(steps) == ORDER[:8] + also + ORDER[12:]
        assert all((getattr(run(case)[0], name) is None) == (name not in steps) for name in STEPS)


def test_a_step_reads_what_the_last_one_made() -> None:
    reads = {
        "self": ("query_heads", "key_heads"),
        "head norm": ("normed_queries", "normed_keys"),
        "rotary": ("turned_queries", "turned_keys"),
        "head norm, rotary": ("turned_queries", "turned_keys"),
    }
    for case, expected in reads.items():
        assert run(case)[0].needs("scores") == expected
    assert run("head norm, rotary")[0].needs("turned_keys") == ("normed_keys",)
    assert run("rotary")[0].needs("turned_keys") == ("key_heads",)


@pytest.mark.parametrize("ask", ["rule", "code", "sentence", "needs", "axes"])
def test_a_step_that_is_off_cannot_be_asked_for(ask: str) -> None:
    with pytest.raises(SettingsError, match="turned_keys"):
        getattr(run("self")[0], ask)("turned_keys")


def test_four_axes_mean_one_matrix_per_head() -> None:
    heads = ORDER[ORDER.index("query_heads") : ORDER.index("merged")]
    assert [name for name in ORDER if STEPS[name].per_head] == heads


def test_shapes_follow_the_declared_axes(trace: Trace) -> None:
    sizes = {"B": B, "T": T, "S": S, "D": D, "M": M, "O": D, "H": H, "G": G, "K": K, "V": V}
    sizes["P"] = 2
    assert trace.sizes == sizes
    for name, step in STEPS.items():
        lengths = tuple(
            int(np.prod([sizes[part] for part in axis.split("·")])) for axis in step.letters
        )
        assert getattr(trace, name).shape == lengths


@pytest.mark.parametrize("name", ORDER)
def test_arrays_are_read_only(trace: Trace, name: str) -> None:
    array = getattr(trace, name)
    assert not array.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        array[:] = 0


def test_mask_and_bias_are_read_only() -> None:
    mask, bias = SOME.copy(), BIAS.copy()
    trace = attend(
        np.ones((B, T, D)),
        Projections.random(D, H, d_k=1),
        memory=np.ones((B, S, D)),
        mask=mask,
        bias=bias,
    )
    for record in (trace, replace(trace, mask=mask, bias=bias)):
        for array in (record.mask, record.bias):
            with pytest.raises(ValueError, match="read-only"):
                array[:] = 0
    assert mask.flags.writeable
    assert bias.flags.writeable


def test_the_record_is_frozen(trace: Trace) -> None:
    with pytest.raises(FrozenInstanceError):
        trace.scores = trace.scaled_scores
    assert trace != replace(trace)


def test_what_was_given_is_copied() -> None:
    x, memory, mask, bias = (
        np.ones((B, T, D)),
        np.ones((B, S, M)),
        np.ones((T, S), dtype=bool),
        np.zeros((T, S)),
    )
    p = Projections.random(D, 1, d_memory=M)
    trace = attend(x, p, memory=memory, mask=mask, bias=bias)
    for array in (x, memory, mask, bias):
        array[:] = 1 - array
    assert (trace.inputs == 1).all()
    assert (trace.memory == 1).all()
    assert trace.mask is not None
    assert trace.mask.all()
    assert trace.bias is not None
    assert (trace.bias == 0).all()


@pytest.mark.parametrize("name", ORDER)
def test_a_wrong_shape_is_refused(trace: Trace, name: str) -> None:
    right = getattr(trace, name)
    for wrong in (np.zeros((*right.shape[:-1], 29)), right[0]):
        with pytest.raises(ShapeError) as error:
            replace(trace, **{name: wrong}).check_shapes()
        assert error.match(rf"\b{name}\b.*{re.escape(str(wrong.shape))}.*{STEPS[name].axes}")
