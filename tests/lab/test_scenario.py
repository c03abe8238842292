"""A scenario is everything that decides the numbers: choices, own matrices, edits, the output
matrix.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from attention_core import (
    STEPS,
    AttentionError,
    Rotary,
    SettingsError,
    ShapeError,
    TextError,
    Trace,
    alibi_bias,
)
from attention_lab.choices import DECLARED, options_on, resolve, without_modern
from attention_lab.control_list import effects_of
from attention_lab.mask_kinds import MASKS
from attention_lab.scenario import Scenario, trace_of
from attention_lab.user_data.edits import Edit, Edits
from attention_lab.user_data.painted_masks import mask_to_text
from attention_lab.user_data.user_matrices import UserMatrices
from attention_lab.weight_kinds import MODELS, WEIGHTS
from tests.lab.refusal import Facts, refused

SMALL = Scenario(text="we like green tea very much", d_model=6, n_heads=2)


def same(first: Trace, second: Trace, name: str) -> bool:
    """Whether a field of two traces is the same array, shape and numbers."""
    return np.array_equal(getattr(first, name), getattr(second, name))


EVEN = replace(SMALL, d_model=8)
BEFORE_OPTIONS = ("inputs", "queries", "keys", "values", "query_heads", "key_heads")


def where_it_counts(name: str) -> Scenario:
    """A scenario in which a field has an effect: one with another choice, if it needs one."""
    control, changed = DECLARED[name], [EVEN]
    for other in DECLARED.values():
        values = other.options or ((True,) if other.kind == "switch" else ())
        changed += [replace(EVEN, **{other.name: value}) for value in values]
    return next(one for one in changed if effects_of(one).has(control))


# Other values of the fields that are not compared, and of those whose other value changes more.
VALUES: dict[str, Any] = {
    "n_tokens": 5,
    "piece": 3,
    "weights": "tied",
    "edits": "x_0_0_9",
    "own": UserMatrices(w_o=np.eye(8)).encode(),
    "batch": "it slept",
    "painted": mask_to_text(np.eye(6, dtype=bool)),
}
# field -> a scenario in which the field matters, and another value of it.
CHANGES: dict[str, tuple[Scenario, Any]] = {
    name: (base, VALUES.get(name, one.other_value(getattr(base, name))))
    for name, one in DECLARED.items()
    if name != "model"  # others come from folders, see tests/ui/own_model_pages.py
    for base in [where_it_counts(name)]
}
# What a field leaves alone: everything computed before it acts.
UNTOUCHED = {
    "seed": ("inputs",),
    "init": ("inputs",),
    "weights": ("inputs", "queries", "values"),
    "d_k": ("inputs", "values"),
    "d_v": ("inputs", "queries", "keys", "probabilities"),
    "d_o": tuple(name for name in STEPS if name != "output"),
    "output_matrix": tuple(name for name in STEPS if name != "output"),
    "scaling": ("inputs", "queries", "keys", "values", "scores"),
    "scale": ("inputs", "queries", "keys", "values", "scores"),
    "mask": ("inputs", "scores", "scaled_scores"),
    "window": ("inputs", "scores", "scaled_scores"),
    "painted": ("inputs", "scores", "scaled_scores"),
    "residual": tuple(name for name in STEPS if name != "output"),
    **dict.fromkeys(("rotary", "base", "start", "qk_norm", "gain"), BEFORE_OPTIONS),
    "alibi": (*BEFORE_OPTIONS, "scores", "scaled_scores"),
    **dict.fromkeys(("sink", "sink_logit"), (*BEFORE_OPTIONS, "scores", "masked_scores")),
    **dict.fromkeys(("softcap", "cap"), (*BEFORE_OPTIONS, "scores")),
    "own": tuple(name for name in STEPS if name != "output"),
}


def test_every_field_declares_itself() -> None:
    assert {*CHANGES, "model"} == {field.name for field in fields(Scenario)}


@pytest.mark.parametrize("name", CHANGES)
def test_every_field_changes_the_output(name: str) -> None:
    base, value = CHANGES[name]
    assert getattr(base, name) != value
    before, changed = trace_of(base), trace_of(replace(base, **{name: value}))
    if name == "start":  # a shift of all positions moves no score, so nothing after it
        assert not np.allclose(before.turned_keys, changed.turned_keys)
        np.testing.assert_allclose(before.output, changed.output, atol=1e-12)
        return
    assert not same(before, changed, "output")


@pytest.mark.parametrize("name", UNTOUCHED)
def test_a_field_leaves_alone_what_comes_before_it(name: str) -> None:
    base, value = CHANGES[name]
    before, after = trace_of(base), trace_of(replace(base, **{name: value}))
    assert [field for field in UNTOUCHED[name] if not same(before, after, field)] == []


def test_the_options_of_modern_attention() -> None:
    modern = replace(EVEN, rotary="halves", start=7, qk_norm=True, gain=2.0, alibi=True)
    trace = trace_of(replace(modern, sink=True, sink_logit=1.5, softcap=True, cap=3.0))
    assert trace.softcap == 3.0
    assert trace.rotary == Rotary(pairs="halves", start=7)
    assert trace.query_gain is not None
    assert trace.query_gain.tolist() == [2.0] * 4
    assert trace.sink is not None
    assert trace.sink.tolist() == [1.5, 1.5]
    assert np.array_equal(trace.bias, alibi_bias(2, 6))
    assert options_on(modern) == ("head_norm", "rotary")
    assert without_modern(modern) == replace(EVEN, start=7, gain=2.0)


def test_masks_say_who_sees_whom() -> None:
    painted = np.tri(4, 5, -1, dtype=bool) | np.eye(4, 5, dtype=bool)[:, ::-1]
    base = replace(SMALL, text="a b c", n_tokens=5, prefix=2, painted=mask_to_text(painted))
    expected = {
        "causal": [[s <= t for s in range(5)] for t in range(5)],
        "padding": [[s < 3 for s in range(5)] for t in range(5)],
        "window": [[abs(s - t) <= 2 for s in range(5)] for t in range(5)],
        "prefix": [[s < 2 or s <= t for s in range(5)] for t in range(5)],
        "none": [[True] * 5] * 5,
        "painted": [*painted.tolist(), [True] * 5],  # one token more than were painted
    }
    assert set(expected) == set(MASKS)
    for mask, allowed in expected.items():
        probabilities = trace_of(replace(base, mask=mask)).probabilities[0]
        assert all(((head > 0) == allowed).all() for head in probabilities), mask


@pytest.mark.parametrize("mask", MASKS)
def test_a_language_model_is_always_causal(mask: str) -> None:
    """Also where the mask would show a later token; its name is that of what is run."""
    scenario = Scenario("the dog sat", weights="language model", layer=1, mask=mask, window=1)
    trace = trace_of(scenario)
    assert not np.triu(trace.probabilities[0], 1).any()
    n_shown = int((trace.probabilities[0, 0] > 0).sum())
    assert (n_shown == sum(range(len(trace.tokens) + 1))) is (mask != "window")
    expected = mask if mask in ("window", "painted") else "causal"
    assert resolve(scenario).mask.name == resolve(scenario).chosen.mask == expected


def test_what_kinds_ask_for_is_a_choice() -> None:
    asked = {name for kind in (*MASKS.values(), *WEIGHTS.values()) for name in kind.asks}
    decided = {name for kind in WEIGHTS.values() for name in kind.decides}
    assert asked | decided <= DECLARED.keys()


def test_scalings() -> None:
    assert trace_of(replace(SMALL, scaling="on")).scale == pytest.approx(3**-0.5)
    assert trace_of(replace(SMALL, scaling="off", scale=9.0)).scale == 1
    for scale in (-2.5, 0.0):
        assert trace_of(replace(SMALL, scaling="custom", scale=scale)).scale == scale
    assert set(DECLARED["scaling"].options) == {"on", "off", "custom"}


def test_kinds_of_weights() -> None:
    kinds = {weights: trace_of(replace(SMALL, weights=weights)) for weights in WEIGHTS}
    plain = kinds["weightless"]
    for name in ("queries", "keys", "values"):
        assert (getattr(plain, name) == plain.inputs).all()
    assert plain.projections.w_o is None
    assert (kinds["tied"].projections.w_k == kinds["tied"].projections.w_q).all()
    assert (kinds["opposite"].projections.w_k == -kinds["tied"].projections.w_q).all()
    assert not (kinds["random"].projections.w_k == kinds["random"].projections.w_q).any()
    block = kinds["orthonormal"].projections.w_q[:, :3]
    np.testing.assert_allclose(block.T @ block, np.eye(3), atol=1e-12)


@pytest.mark.parametrize(
    ("changes", "kind", "facts"),
    [
        ({"text": " "}, TextError, ("word",)),
        ({"text": "x" * 20_001}, TextError, (20001,)),
        ({"n_heads": 5}, SettingsError, ("n_heads", 5, "d_model", 6, 3)),
        ({"n_heads": 0}, SettingsError, ("n_heads", 0, 1)),
        ({"d_model": 0}, SettingsError, ("d_model",)),
        ({"n_tokens": -1}, SettingsError, ("n_tokens",)),
        ({"piece": -1}, SettingsError, ("piece",)),
        ({"d_k": -1}, SettingsError, ("d_k",)),
        ({"seed": -1}, SettingsError, ("seed",)),
        ({"seed": 2**64}, SettingsError, ("seed",)),
        ({"weights": "magic"}, SettingsError, ("weights", "magic", "random", "weightless")),
        ({"init": "magic"}, SettingsError, ("init", "magic", "xavier")),
        ({"scaling": "magic"}, SettingsError, ("scaling", "magic", "on", "off", "custom")),
        ({"output_matrix": "magic"}, SettingsError, ("output_matrix", "magic", "W_O", "none")),
        ({"mask": "magic"}, SettingsError, ("mask", "magic", "none", "causal")),
        ({"embedding": "magic"}, SettingsError, ("embedding", "magic", "normal", "integers")),
        ({"mask": "window", "window": -1}, SettingsError, ("window", -1, 0)),
        ({"scaling": "custom", "scale": float("nan")}, SettingsError, ("scale", "nan")),
        ({"weights": "orthonormal", "d_k": 7}, SettingsError, (6,)),
        ({"weights": "weightless", "n_heads": 4}, SettingsError, ("n_heads", 4, "d_model", 6)),
        ({"edits": "wq_0_0_nan"}, AttentionError, ("value", "wq_0_0_nan")),
        ({"own": "!"}, AttentionError, ("matrices",)),
        ({"own": UserMatrices(w_q=np.ones((6, 9))).encode()}, AttentionError, (2, "heads")),
        ({"edits": ".gone"}, AttentionError, ("state file",)),
    ],
)
def test_a_wrong_choice_is_named(
    changes: dict[str, Any], kind: type[AttentionError], facts: Facts
) -> None:
    with refused(kind, *facts):
        trace_of(replace(SMALL, **changes))


def test_own_matrices_decide_the_sizes() -> None:
    rng = np.random.default_rng(3)
    shapes = {"x": (5, 7), "w_q": (7, 22), "w_k": (7, 22), "w_v": (7, 26), "w_o": (26, 7)}
    own = UserMatrices(**{name: rng.normal(size=shape) for name, shape in shapes.items()})
    for weights in WEIGHTS.keys() - MODELS.keys():
        trace = trace_of(replace(SMALL, own=own.url_value(), weights=weights, d_k=3))
        assert [trace.sizes[axis] for axis in "HTDKV"] == [2, 5, 7, 11, 13]
        assert (trace.inputs[0] == own.x).all()
        for name, matrix in own.weights.items():
            assert (getattr(trace.projections, name) == matrix).all()


def test_one_own_matrix_keeps_the_rest() -> None:
    own = UserMatrices(w_q=np.ones((7, 22)))
    scenario = replace(SMALL, own=own.url_value(), d_v=13)
    trace, plain = trace_of(scenario), trace_of(replace(SMALL, d_model=7, d_k=11, d_v=13))
    assert (trace.projections.w_q == 1).all()
    assert all(same(trace, plain, name) for name in ("inputs", "keys", "values"))
    assert resolve(scenario).chosen == replace(scenario, d_model=7, d_k=11)
    assert resolve(SMALL).chosen == SMALL


def test_edits_come_on_top_of_own_matrices() -> None:
    own = UserMatrices(w_v=np.ones((6, 6)))
    edits = Edits((Edit("w_v", 1, 2, 5.0), Edit("x", 3, 4, 0.5)))
    before = trace_of(replace(SMALL, own=own.url_value()))
    after = trace_of(replace(SMALL, own=own.url_value(), edits=edits.url_value()))
    assert np.argwhere(after.projections.w_v != before.projections.w_v).tolist() == [[1, 2]]
    assert np.argwhere(after.inputs[0] != before.inputs[0]).tolist() == [[3, 4]]
    assert (after.projections.w_v[1, 2], after.inputs[0, 3, 4]) == (5.0, 0.5)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_a_layer_without_output_matrix(weights: str) -> None:
    base = replace(SMALL, weights=weights, n_heads=2)
    mixed, joined = trace_of(base), trace_of(replace(base, output_matrix="none"))
    assert joined.projections.w_o is None
    assert same(mixed, joined, "merged")
    assert np.array_equal(joined.output, joined.merged)
    width = joined.merged.shape[2]
    own = UserMatrices(w_o=np.full((width, width), 0.5)).encode()
    given = trace_of(replace(base, output_matrix="none", own=own))
    np.testing.assert_allclose(given.output, given.merged @ np.full((width, width), 0.5))


@pytest.mark.parametrize("weights", [one.name for one in WEIGHTS.values() if one.is_drawn])
def test_the_width_of_the_output(weights: str) -> None:
    base = replace(SMALL, weights=weights, d_o=5)
    assert trace_of(base).projections.w_o.shape == (6, 5)
    assert trace_of(base).output.shape == (1, 6, 5)
    own = UserMatrices(b_o=np.ones(7)).encode()
    assert trace_of(replace(base, own=own)).sizes["O"] == 7
    with refused(ShapeError, 6, 5):
        trace_of(replace(base, residual=True))
    assert trace_of(replace(base, residual=True, d_o=0))


def test_joined_heads_that_are_wider_than_the_input() -> None:
    base = replace(SMALL, output_matrix="none", d_v=5, residual=True)
    with refused(ShapeError, 6, 10):
        trace_of(base)
    assert trace_of(replace(base, output_matrix="W_O")).sizes["O"] == 6


def test_own_biases_beside_joined_heads() -> None:
    base = replace(SMALL, output_matrix="none", d_v=5)
    biased = trace_of(replace(base, own=UserMatrices(b_o=np.ones(10)).encode()))
    np.testing.assert_allclose(biased.output, biased.merged + 1)
    with refused(ShapeError, 10, 6):
        trace_of(replace(base, own=UserMatrices(b_o=np.ones(6)).encode()))
