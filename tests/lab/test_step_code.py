"""What the code panel shows of a step: true shapes, the lines as they are, and a check that
runs.
"""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from attention_core import STEPS, Projections, attend, padding_mask
from attention_lab.export.step_code import array_or_setting, given_names, numpy_lines, torch_lines
from attention_lab.export.torch_code import OBSTACLES
from tests.core.random_layers import Layer, calls
from tests.lab.script_cases import CASES, case

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
    shown = {field: getattr(trace, field) for field in STEPS}
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
    for field in STEPS:
        exec(numpy_lines(trace, field), names)  # the code under test is text


@pytest.mark.parametrize("panel", [numpy_lines, torch_lines])
def test_the_comments_are_true(panel: Any) -> None:
    for trace, field in product(map(case, CASES), STEPS):
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


@pytest.mark.parametrize("name", ["default", "bias", "softcap", "heads joined", "everything"])
def test_every_field_that_is_needed_has_a_comment(name: str) -> None:
    trace = case(name)
    read = {
        field: {comment["name"] for comment in comments(numpy_lines(trace, field))[:-1]}
        for field in STEPS
    }
    p = trace.projections
    assert read["keys"] == {"memory", "w_k"} | ({"b_k"} if p.b_k is not None else set())
    assert read["scores"] == {"query_heads", "key_heads"}
    assert read["scaled_scores"] == {"scores", "scale"} | (
        {"softcap"} if trace.softcap is not None else set()
    )
    hiding = {name for name in ("mask", "bias") if getattr(trace, name) is not None}
    assert read["masked_scores"] == {"scaled_scores"} | hiding
    mixing = {name for name in ("w_o", "b_o") if getattr(p, name) is not None}
    assert read["output"] == {"merged"} | mixing | ({"inputs"} if trace.residual else set())


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
    ends = {field: torch_lines(trace, field).partition("\n\n# in one call\n")[2] for field in STEPS}
    assert ends["head_outputs"].startswith(
        "head_outputs = F.scaled_dot_product_attention(query_heads,"
    )
    assert ends["output"].startswith("# torch.nn.MultiheadAttention")
    assert OBSTACLES["scale"] in ends["output"]
    assert {field for field, end in ends.items() if end} == {"head_outputs", "output"}
