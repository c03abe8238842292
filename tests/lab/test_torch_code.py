"""The PyTorch lines without PyTorch: they are those that scripts/check_torch_code.py has run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_core import Projections, Trace, attend
from attention_lab.export import torch_code
from scripts.torch_code_cases import CHOICES, Case, lines_of, trace_of
from tests.lab.refusal import missing
from tests.lab.script_cases import B, H, T

DATA = Path(__file__).resolve().parents[1] / "data"
D = 12
X = np.random.default_rng(0).normal(size=(B, T, D))
WEIGHTS = Projections.random(D, H, bias=True)


def usual(weights: Projections = WEIGHTS, **options: Any) -> Trace:
    """A layer that nn.MultiheadAttention can compute, unless an option or a weight says
    otherwise.
    """
    return attend(X, weights, **options)


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
