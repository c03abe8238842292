"""The record of a call: what each field declares, that it cannot be changed, and that its code
reproduces it.
"""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import numpy as np
import pytest

from attention_core import AXES, STEPS, Projections, ShapeError, Step, Trace, attend, padding_mask

B, T, S, D, M, K, V, H, G = 2, 3, 5, 7, 11, 13, 17, 6, 3
ORDER = [
    "inputs",
    "memory",
    "queries",
    "keys",
    "values",
    "query_heads",
    "key_heads",
    "value_heads",
    "scores",
    "scaled_scores",
    "masked_scores",
    "probabilities",
    "head_outputs",
    "merged",
    "output",
]
SOME = np.random.default_rng(7).random((B, H, T, S)) < 0.6
SOME[..., 0] = True
EMPTY = SOME & (np.arange(T) != 1)[:, np.newaxis]
BIAS = np.random.default_rng(8).normal(size=(H, T, S))
HIDING = np.where(SOME, 0.5, -np.inf)
ALL_BIASES = {"bias": True}
# name -> how the weights are made, how the layer is called; "self" leaves the memory out.
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "self": ({"d_memory": D}, {"self": True}),
    "cross": ({}, {}),
    "biases": (ALL_BIASES, {}),
    "causal": ({"d_memory": D}, {"self": True, "causal": True}),
    "causal cross": ({}, {"causal": True}),
    "mask": ({}, {"mask": SOME}),
    "mask of one query row": ({}, {"mask": SOME[0, 0, 0]}),
    "padding": ({}, {"mask": padding_mask([2, 5], S), "causal": True}),
    "bias": ({}, {"bias": BIAS}),
    "bias that hides": ({}, {"bias": HIDING}),
    "mask and bias": ({}, {"mask": SOME, "bias": BIAS}),
    "softcap": ({}, {"softcap": 0.5}),
    "scale": ({}, {"scale": -0.25}),
    "scale 0": ({}, {"scale": 0}),
    "empty rows": (ALL_BIASES, {"mask": EMPTY}),
    "empty rows by bias": ({}, {"bias": np.where(EMPTY, BIAS, -np.inf)}),
    "empty rows as nan": (ALL_BIASES, {"mask": EMPTY, "empty_rows": "nan"}),
    "shared heads": ({"n_kv_heads": G}, {}),
    "one shared head": ({"n_kv_heads": 1, **ALL_BIASES}, {"mask": SOME}),
    "residual": (ALL_BIASES, {"residual": True}),
    "residual to oneself": ({"d_memory": D}, {"self": True, "residual": True}),
    "heads joined": ({"w_o": None}, {}),
    "heads joined with a bias": ({"w_o": None, "b_o": np.arange(H * V)}, {}),
    "everything": (
        {"n_kv_heads": G, **ALL_BIASES},
        {
            "mask": EMPTY,
            "bias": BIAS,
            "causal": True,
            "scale": 0.3,
            "softcap": 2.0,
            "residual": True,
        },
    ),
}


def run(name: str, dtype: str = "float64") -> tuple[Trace, dict[str, Any]]:
    """The trace of a case, and what a reader needs to run its code: inputs, weights, options,
    sizes.
    """
    made, called = (dict(part) for part in CASES[name])
    changed = {key: made.pop(key) for key in ("w_o", "b_o") if key in made}
    p = Projections.random(D, H, **{"d_k": K, "d_v": V, "d_memory": M, "seed": 3} | made)
    p = replace(p, **changed).astype(dtype)
    rng = np.random.default_rng(9)
    x, memory = rng.normal(size=(B, T, D)).astype(dtype), rng.normal(size=(B, S, M)).astype(dtype)
    trace = attend(x, p, memory=None if called.pop("self", False) else memory, **called)
    names = ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o")
    given = {"x": x, "other_sequence": memory, "np": np} | {key: getattr(p, key) for key in names}
    options = {key: getattr(trace, key) for key in ("scale", "softcap", "mask", "bias")}
    return trace, given | options | trace.sizes


@pytest.fixture
def trace() -> Trace:
    """A trace in which every axis has another length, query heads sharing keys and values."""
    return run("everything")[0]


def test_the_fields_are_in_order_of_computation() -> None:
    """Each intermediate has a `Step`, in the order in which they are computed; the other fields
    are what was given.
    """
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
        "tokens",
        "memory_tokens",
    }
    assert {field.name for field in fields(Trace)} - set(ORDER) == given


@pytest.mark.parametrize("name", ORDER)
def test_every_step_says_what_it_is(name: str) -> None:
    """A step has known axes, a kind, a symbol, a formula and one sentence, and needs earlier
    fields only.
    """
    step = STEPS[name]
    assert isinstance(step, Step)
    assert step.name == name
    assert set(step.axes.replace(" ", "").replace("·", "")) <= set(AXES)
    assert step.kind in {"feature", "logit", "probability", "mask"}
    assert step.symbol
    assert step.formula
    assert step.says[0].isupper()
    assert step.says.endswith(".")
    assert set(step.needs.split()) <= set(ORDER[: ORDER.index(name)])
    assert bool(step.needs) == (name != "inputs")
    assert step.title == name.replace("_", " ")


def test_what_the_output_without_w_o_is() -> None:
    """The heads side by side, and with a residual connection the inputs as well."""
    weightless = Projections.weightless(4, 2)
    plain, residual = (
        attend(np.eye(4), weightless, residual=on).says("output") for on in (False, True)
    )
    assert plain.startswith("Without W_O the heads side by side are the output;")
    assert residual.startswith(
        "Without W_O the heads side by side, plus the inputs, are the output;"
    )


def test_four_axes_mean_one_matrix_per_head() -> None:
    """per_head is true of the fields from query_heads to head_outputs and of no other."""
    assert [name for name in ORDER if STEPS[name].per_head] == ORDER[5:13]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", CASES)
def test_the_code_of_every_field_reproduces_it(name: str, dtype: str) -> None:
    """The NumPy lines shown for a field give its very numbers when run on the fields before it,
    for every option.
    """
    trace, namespace = run(name, dtype)
    for field in ORDER:
        with np.errstate(invalid="ignore"):
            exec(trace.code(field), namespace)  # the code under test is text
        expected = getattr(trace, field)
        assert namespace[field].shape == expected.shape, field
        tolerance = 1e-12 if dtype == "float64" else 1e-5
        np.testing.assert_allclose(
            namespace[field], expected, rtol=tolerance, atol=tolerance, err_msg=field
        )
        namespace[field] = expected


@pytest.mark.parametrize("name", CASES)
def test_the_code_names_only_what_the_step_needs(name: str) -> None:
    """A line reads no field but those that its step declares in `needs`."""
    trace, _ = run(name)
    for field in ORDER:
        words = set(compile(trace.code(field), field, "exec").co_names)
        assert words & set(ORDER) - {field} <= set(STEPS[field].needs.split()), field


def test_shapes_follow_the_declared_axes(trace: Trace) -> None:
    """Every array has the shape its axes say, all axes being of different lengths here."""
    sizes = {"B": B, "T": T, "S": S, "D": D, "M": M, "O": D, "H": H, "G": G, "K": K, "V": V}
    assert trace.sizes == sizes
    for name, step in STEPS.items():
        lengths = tuple(
            int(np.prod([sizes[part] for part in axis.split("·")])) for axis in step.letters
        )
        assert getattr(trace, name).shape == lengths


@pytest.mark.parametrize("name", ORDER)
def test_arrays_are_read_only(trace: Trace, name: str) -> None:
    """No array of the record can be written to."""
    array = getattr(trace, name)
    assert not array.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        array[:] = 0


def test_mask_and_bias_are_read_only() -> None:
    """What a call was given cannot be changed in its record either; an array of the caller's
    stays writable.
    """
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
    """A field cannot be given another array, and two traces are equal only when they are the
    same one.
    """
    with pytest.raises(FrozenInstanceError):
        trace.scores = trace.scaled_scores
    assert trace != replace(trace)


def test_what_was_given_is_copied() -> None:
    """The caller's arrays stay writable, and changing them afterwards changes nothing in the
    record.
    """
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
    """A record whose array has another shape than its axes say is never made; the sentence
    names the field.
    """
    right = getattr(trace, name)
    for wrong in (np.zeros((*right.shape[:-1], 29)), right[0]):
        with pytest.raises(ShapeError) as error:
            replace(trace, **{name: wrong})
        assert str(error.value).startswith(f"{name} has shape {wrong.shape} but must have ")


def test_axes_of_equal_width_have_one_name() -> None:
    """M and O are called D, and G is called H, when they are as many; otherwise they keep their
    own letters.
    """
    same, other = run("self")[0], run("heads joined")[0]
    assert same.axes("memory") == ("B", "S", "D")
    assert other.axes("memory") == ("B", "S", "M")
    assert same.axes("output") == ("B", "T", "D")
    assert other.axes("output") == ("B", "T", "O")
    assert same.axes("keys") == ("B", "S", "H·K")
    assert run("shared heads")[0].axes("keys") == ("B", "S", "G·K")
    assert run("shared heads")[0].axes("value_heads") == ("B", "G", "S", "V")


def test_tokens_label_the_positions(trace: Trace) -> None:
    """Queries are labelled with the tokens, keys with the memory's, everything else with
    numbers.
    """
    labelled = trace.labelled(("a", "b", "c"), ("v", "w", "x", "y", "z"))
    assert labelled.labels("T") == ("a", "b", "c")
    assert labelled.labels("S") == ("v", "w", "x", "y", "z")
    assert labelled.labels("H") == tuple(f"head {h}" for h in range(H))
    assert labelled.labels("K") == tuple(map(str, range(K)))
    assert len(labelled.labels("H·V")) == H * V
    assert trace.labels("T") == ("0", "1", "2")
    assert labelled.output is trace.output


def test_in_self_attention_keys_have_the_labels_of_the_queries() -> None:
    """One sequence needs its labels once; in cross-attention the memory keeps its numbers until
    it gets its own.
    """
    own = run("self")[0].labelled(("a", "b", "c"))
    assert own.labels("S") == ("a", "b", "c")
    assert run("cross")[0].labelled(("a", "b", "c")).labels("S") == ("0", "1", "2", "3", "4")


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        ((("a", "b"),), "2 token labels were given for 3 positions (query position)"),
        ((("a", "b", "c"), ("d",)), "1 token labels were given for 5 positions (key position)"),
    ],
)
def test_as_many_labels_as_positions(
    trace: Trace, labels: tuple[tuple[str, ...], ...], sentence: str
) -> None:
    """Labels that do not fit the positions are refused with both numbers."""
    with pytest.raises(ShapeError) as error:
        trace.labelled(*labels)
    assert str(error.value) == sentence
