"""What the code panels show of a step: true shapes, lines that run, and the PyTorch lines that
scripts/check_torch_code.py has run.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_lab.export import torch_code
from attention_lab.export.step_code import array_or_setting, given_names, numpy_lines, torch_lines
from scripts.check_torch_code import CHOICES, Case, lines_of, trace_of
from tests.lab.refusal import missing
from tests.lab.script_cases import CASES, H, case

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


@pytest.mark.parametrize("name", CASES)
def test_every_panel_runs_and_checks(name: str) -> None:
    trace = case(name)
    names = {"np": np, "shown": {field: getattr(trace, field) for field in trace.steps}}
    names |= trace.sizes | {one: array_or_setting(trace, one) for one in given_names(trace)}
    for field in trace.steps:
        with np.errstate(invalid="ignore"):  # −∞ − −∞ of an empty row that is to be NaN
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
            lengths = ([sizes[part] for part in axis.split("·")] for axis in letters)
            assert tuple(map(math.prod, lengths)) == np.shape(thing)


def test_the_torch_panel_ends_with_the_call_that_does_it_all() -> None:
    trace = case("residual")
    panels = {field: torch_lines(trace, field) for field in trace.steps}
    ends = {field: text.partition("\n\n# in one call\n")[2] for field, text in panels.items()}
    call = "head_outputs = F.scaled_dot_product_attention(query_heads,"
    assert ends["head_outputs"].startswith(call)
    assert ends["output"].startswith("# torch.nn.MultiheadAttention")
    assert missing(ends["output"], "scale") == []
    assert {field for field, end in ends.items() if end} == {"head_outputs", "output"}


DATA = Path(__file__).resolve().parents[1] / "data"


def test_the_module_needs_an_output_as_wide_as_its_input() -> None:
    weights = replace(Projections.random(12, H, bias=True), w_o=np.ones((12, 5)), b_o=np.ones(5))
    trace = attend(np.ones((3, 12)), weights)
    assert missing(torch_code.layer_in_one_call(trace), "output", "input") == []


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
