"""The PyTorch lines without PyTorch: they are those that scripts/check_torch_code.py has run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_core import STEPS, Projections, Trace, attend, padding_mask
from attention_lab.export import torch_code
from attention_lab.export.step_code import given_names
from scripts.torch_code_cases import CHOICES, Case, lines_of, trace_of
from tests.lab.refusal import missing
from tests.lab.script_cases import CASES, SOME, B, H, S, T, case

DATA = Path(__file__).resolve().parents[1] / "data"
D, M = 12, 11
X, ELSEWHERE = (
    np.random.default_rng(0).normal(size=(B, T, D)),
    np.random.default_rng(1).normal(size=(B, S, M)),
)
WEIGHTS = Projections.random(D, H, bias=True)
SQUARE = SOME[..., :T] | np.eye(T, dtype=bool)
ALL, HEADS = ".expand(B, H, T, S)", ".expand(B, H, T, S).flatten(0, 1)"
BOTH = "torch.where(mask, bias, -torch.inf)"


def usual(weights: Projections = WEIGHTS, **options: Any) -> Trace:
    """A layer that nn.MultiheadAttention can compute, unless an option or a weight says
    otherwise.
    """
    return attend(X, weights, **options)


@pytest.mark.parametrize("name", CASES)
def test_the_lines_read_only_what_there_is(name: str) -> None:
    trace = case(name)
    known = {"torch", "F", *trace.sizes, *given_names(trace)}
    for field in STEPS:
        code = compile(torch_code.statements(trace, field), field, "exec")
        methods = {
            "linear",
            "unflatten",
            "transpose",
            "repeat_interleave",
            "tanh",
            "where",
            "inf",
            "T",
            "softmax",
        }
        methods |= {"nan_to_num", "flatten"}
        assert field in code.co_names
        assert set(code.co_names) - methods - known - {field} <= set(STEPS[field].needs.split()), (
            field
        )


@pytest.mark.parametrize("name", CASES)
def test_the_lines_leave_out_nothing_that_was_given(name: str) -> None:
    trace = case(name)
    grouped = trace.sizes["G"] != trace.sizes["H"]
    options = {
        ("memory", "other_sequence"): trace.memory is not trace.inputs,
        ("queries", "b_q"): trace.projections.b_q is not None,
        ("key_heads", "G"): grouped,
        ("scores", "repeat_interleave"): grouped,
        ("head_outputs", "repeat_interleave"): grouped,
        ("scaled_scores", "softcap"): trace.softcap is not None,
        ("masked_scores", "mask"): trace.mask is not None,
        ("masked_scores", "bias"): trace.bias is not None,
        ("probabilities", "nan_to_num"): (
            trace.empty_rows_as == "zero" and bool(trace.empty_rows.any())
        ),
        ("output", "inputs"): trace.residual,
        ("output", "w_o"): trace.projections.w_o is not None,
    }
    codes = {step: compile(torch_code.statements(trace, step), step, "exec") for step, _ in options}
    assert {(step, part): part in codes[step].co_names for step, part in options} == options


@pytest.mark.parametrize("name", CASES)
def test_the_calls_are_python(name: str) -> None:
    for field, form in (
        ("head_outputs", torch_code.heads_in_one_call),
        ("output", torch_code.layer_in_one_call),
    ):
        code = form(case(name))
        names = compile(code, field, "exec").co_names
        assert field in names or (code.startswith("# ") and "\n" not in code and code.endswith("."))


@pytest.mark.parametrize(
    ("options", "heads", "layer"),
    [
        ({"mask": SQUARE[0, 0]}, "attn_mask=mask", "attn_mask=~mask"),
        ({"mask": SQUARE}, "attn_mask=mask", f"attn_mask=~mask{HEADS}"),
        (
            {"mask": np.array([True, False, True])},
            f"attn_mask=mask{ALL}",
            f"attn_mask=~mask{HEADS}",
        ),
        ({"mask": padding_mask([2, 3], T)}, "attn_mask=mask", "key_padding_mask=~mask[:, 0, 0]"),
        ({"causal": True}, "is_causal=True", "attn_mask=~mask"),
        ({"bias": np.eye(T)}, "attn_mask=bias", "attn_mask=bias"),
        ({"bias": np.eye(T), "causal": True}, f"attn_mask={BOTH}", f"attn_mask={BOTH}"),
        (
            {"bias": np.ones(T), "mask": padding_mask([2, 3], T)},
            f"attn_mask={BOTH}",
            f"attn_mask={BOTH}{HEADS}",
        ),
    ],
)
def test_masks_are_said_the_way_of_each_call(
    options: dict[str, Any], heads: str, layer: str
) -> None:
    trace = usual(**options)
    assert f", {heads})" in torch_code.heads_in_one_call(trace).replace("\n)", ")")
    assert f", {layer}, average_attn_weights=False" in torch_code.layer_in_one_call(trace)
    comments = [line for line in torch_code.layer_in_one_call(trace).split("\n") if "#" in line]
    assert any(missing(line, "True") == [] for line in comments) == ("~mask" in layer)


@pytest.mark.parametrize(
    ("change", "options", "reason"),
    [
        ({"made": {"n_kv_heads": 2}}, {}, "n_kv_heads"),
        ({"w_o": None}, {}, "w_o"),
        ({"made": {"d_k": 3}}, {}, "width"),
        ({"made": {"d_v": 1}}, {}, "width"),
        ({"w_o": np.ones((D, 5)), "b_o": np.ones(5)}, {}, "output"),
        ({"b_k": None}, {}, "biases"),
        ({}, {"scale": 1.0}, "scale"),
        ({}, {"softcap": 2.0}, "softcap"),
    ],
)
def test_why_the_module_cannot_be_used(
    change: dict[str, Any], options: dict[str, Any], reason: str
) -> None:
    changed = dict(change)
    weights = replace(Projections.random(D, H, bias=True, **changed.pop("made", {})), **changed)
    trace = usual(weights, **options)
    assert torch_code.obstacle(trace) == reason
    (line,) = torch_code.layer_in_one_call(trace).split("\n")
    assert line.startswith("# torch.nn.MultiheadAttention")
    assert torch_code.OBSTACLES[reason] in line


def test_why_the_function_cannot_be_used() -> None:
    empty = np.zeros((T, T), dtype=bool)
    for options, reason in (
        ({"softcap": 1.0}, "soft cap"),
        ({"mask": empty, "empty_rows": "nan"}, "NaN"),
    ):
        code = torch_code.heads_in_one_call(usual(**options))
        assert code.startswith("# F.scaled_dot_product_attention")
        assert missing(code, reason) == []
    assert torch_code.heads_in_one_call(usual(mask=empty)).startswith("head_outputs = ")


@pytest.mark.parametrize("scale", [0.0, -1.0])
def test_is_causal_needs_a_scale_above_zero(scale: float) -> None:
    assert ", attn_mask=mask, scale=scale" in torch_code.heads_in_one_call(
        usual(causal=True, scale=scale)
    )
    assert ", is_causal=True, scale=scale" in torch_code.heads_in_one_call(
        usual(causal=True, scale=0.3)
    )


def test_a_mask_that_broadcasts_is_not_causal() -> None:
    for shape in ((T, 1), (1, T), (1, 1)):
        assert "attn_mask=mask" in torch_code.heads_in_one_call(
            usual(mask=np.tri(*shape, dtype=bool))
        )
    one_key = attend(X, Projections.random(D, H), memory=X[:, :1], causal=True)
    assert "is_causal=True" in torch_code.heads_in_one_call(one_key)


def test_empty_rows_are_zeros_only_without_weights() -> None:
    empty = np.arange(T)[:, np.newaxis] != 1
    assert "output, _ = layer(" in torch_code.layer_in_one_call(
        usual(mask=empty & np.eye(T, dtype=bool))
    )
    nan = torch_code.layer_in_one_call(usual(mask=empty & np.eye(T, dtype=bool), empty_rows="nan"))
    assert "output, probabilities = layer(" in nan


def test_the_module_gets_our_weights() -> None:
    plain = attend(X, Projections.random(D, H, d_memory=M), memory=ELSEWHERE)
    code = torch_code.layer_in_one_call(plain)
    assert (
        "MultiheadAttention(\n    D, H, kdim=M, vdim=M, bias=False, batch_first=True,"
        " dtype=x.dtype\n)" in code
    )
    assert '"q_proj_weight": w_q.T' in code
    assert "b_q" not in code
    code = torch_code.layer_in_one_call(usual(residual=True))
    assert '"in_proj_weight": torch.cat([w_q, w_k, w_v], dim=1).T' in code
    assert '"in_proj_bias": torch.cat([b_q, b_k, b_v])' in code
    assert code.endswith("\noutput = output + inputs")


def test_the_app_hands_out_what_ran_under_pytorch() -> None:
    kept = json.loads((DATA / "torch_code.json").read_text(encoding="utf-8"))
    assert kept["choices"] == [list(choice) for choice in CHOICES]
    assert len(kept["cases"]) > 600
    wrong = []
    for row in kept["cases"]:
        places, texts = (list(map(int, part.split())) for part in row.split("|"))
        layer = Case(*(names[i] for names, i in zip(kept["choices"], places, strict=True)))
        ran = {form: of[i] for (form, of), i in zip(kept["texts"].items(), texts, strict=True)}
        found = lines_of(trace_of(layer))
        wrong += [(layer, form, found[form]) for form in found if found[form] != ran[form]]
    assert wrong == []
