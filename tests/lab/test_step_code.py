"""What the code panels show of a step: true shapes, lines that run, and the PyTorch lines that
scripts/check_torch_code.py has run.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from attention_core import Projections, Trace, attend, padding_mask
from attention_lab.export import torch_code
from attention_lab.export.step_code import array_or_setting, given_names, numpy_lines, torch_lines
from attention_lab.export.torch_code import OBSTACLES
from scripts.check_torch_code import CHOICES, Case, lines_of, trace_of
from tests.core.random_layers import Layer, calls
from tests.lab.refusal import missing
from tests.lab.script_cases import CASES, B, H, T, case

COMMENT = re.compile(
    r"# (?P<way>in |out)  (?P<name>\w+) +(?:\((?P<letters>[^)]*)\) = )?(?P<size>.+)"
)


def comments(lines: str) -> list[dict[str, str]]:
    """The parts of the comments above the lines of a step."""
    found = [
        COMMENT.fullmatch(line)
        for line in lines.splitlines()
        if line.startswith(("# in  ", "# out "))
    ]
    return [match.groupdict() for match in found if match]


def namespace(trace: Any) -> dict[str, Any]:
    """What the lines of a panel read: sizes, what was given, and what is shown."""
    shown = {field: getattr(trace, field) for field in trace.steps}
    return {
        "np": np,
        "shown": shown,
        **trace.sizes,
        **{name: array_or_setting(trace, name) for name in given_names(trace)},
    }


@settings(max_examples=40)
@given(calls())
def test_every_panel_runs_and_checks(call: tuple[Layer, dict[str, Any]]) -> None:
    layer, options = call
    trace = layer.run(**options)
    names = namespace(trace)
    for field in trace.steps:
        exec(numpy_lines(trace, field), names)  # the code under test is text


@pytest.mark.parametrize("panel", [numpy_lines, torch_lines])
def test_the_comments_are_true(panel: Any) -> None:
    for trace, field in [(case(name), field) for name in CASES for field in case(name).steps]:
        found = comments(panel(trace, field))
        assert [comment["way"] for comment in found] == ["in "] * (len(found) - 1) + ["out"]
        assert found[-1]["name"] == field
        for comment in found:
            thing = array_or_setting(trace, comment["name"])
            if isinstance(thing, float):
                assert (comment["letters"], float(comment["size"])) == (None, thing)
                continue
            assert comment["size"] == str(np.shape(thing))
            letters = comment["letters"].split(", ") if comment["letters"] else []
            sizes = trace.sizes | {"1": 1}
            assert tuple(
                int(np.prod([sizes[part] for part in axis.split("·")])) for axis in letters
            ) == np.shape(thing)


def test_a_panel_in_full() -> None:
    rng = np.random.default_rng(0)
    weights = Projections.random(7, 6, d_k=2, d_v=3, n_kv_heads=3)
    trace = attend(rng.normal(size=(2, 5, 7)), weights, mask=padding_mask([3, 5], 5))
    assert numpy_lines(trace, "masked_scores").splitlines()[:-1] == [
        "# in   mask          (B, 1, 1, S) = (2, 1, 1, 5)",
        "# in   scaled_scores (B, H, T, S) = (2, 6, 5, 5)",
        "# out  masked_scores (B, H, T, S) = (2, 6, 5, 5)",
        "masked_scores = np.where(mask, scaled_scores, -np.inf)",
    ]
    assert numpy_lines(trace, "values").splitlines()[1] == "# in   w_v    (D, G·V) = (7, 9)"


def test_the_torch_panel_ends_with_the_call_that_does_it_all() -> None:
    trace = case("residual")
    ends = {
        field: torch_lines(trace, field).partition("\n\n# in one call\n")[2]
        for field in trace.steps
    }
    assert ends["head_outputs"].startswith(
        "head_outputs = F.scaled_dot_product_attention(query_heads,"
    )
    assert ends["output"].startswith("# torch.nn.MultiheadAttention")
    assert OBSTACLES["scale"] in ends["output"]
    assert {field for field, end in ends.items() if end} == {"head_outputs", "output"}


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
