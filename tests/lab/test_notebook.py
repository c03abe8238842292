"""The Jupyter notebook of a trace: its format, and that its cells reproduce every step."""

from __future__ import annotations

import json
import re
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import numpy as np
import pytest

from attention_core import STEPS, Trace
from attention_lab.export.script import notebook
from attention_lab.notation.formulas import formula
from attention_lab.notation.notation import OURS
from tests.lab.script_cases import HOSTILE, case

SENTENCE = "All 15 steps agree with the numbers that the app showed.\n"
KEYS = {
    "markdown": {"cell_type", "id", "metadata", "source"},
    "code": {"cell_type", "id", "metadata", "source", "execution_count", "outputs"},
}


def cells(trace: Trace) -> list[dict[str, Any]]:
    """The cells of a trace's notebook."""
    found: list[dict[str, Any]] = json.loads(notebook(trace))["cells"]
    return found


def run(code_cells: list[str]) -> dict[str, Any]:
    """What the code cells leave behind, run one after the other in one namespace, and what they
    print.
    """
    names: dict[str, Any] = {}
    with redirect_stdout(StringIO()) as printed:
        for source in code_cells:
            exec(compile(source, "<cell>", "exec"), names)  # the code under test is text
    return names | {"printed": printed.getvalue()}


def sources(trace: Trace) -> list[str]:
    """The code cells of a trace's notebook."""
    return [cell["source"] for cell in cells(trace) if cell["cell_type"] == "code"]


@pytest.mark.parametrize("name", ["default", "everything", "empty rows as nan", "heads joined"])
def test_the_cells_reproduce_every_step(name: str) -> None:
    trace = case(name)
    with np.errstate():  # a notebook whose layer has NaN switches the warning about it off
        names = run(sources(trace))
    assert names["printed"] == SENTENCE
    for field in STEPS:
        assert np.array_equal(names["shown"][field], getattr(trace, field), equal_nan=True)


def test_the_format() -> None:
    whole = json.loads(notebook(case("everything")))
    assert set(whole) == {"cells", "metadata", "nbformat", "nbformat_minor"}
    assert (whole["nbformat"], whole["nbformat_minor"]) == (4, 5)
    assert whole["metadata"]["kernelspec"]["name"] == "python3"
    assert whole["metadata"]["language_info"]["name"] == "python"
    ids = [cell["id"] for cell in whole["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in ids)
    for cell in whole["cells"]:
        assert set(cell) == KEYS[cell["cell_type"]]
        assert isinstance(cell["source"], str)
        assert isinstance(cell["metadata"], dict)
        if cell["cell_type"] == "code":
            assert (cell["execution_count"], cell["outputs"]) == (None, [])


def test_each_step_is_a_text_and_a_cell() -> None:
    trace = case("heads joined")
    found = cells(trace)
    assert [cell["id"] for cell in found[:4]] == ["title", "sizes", "given", "shown"]
    assert found[-1]["id"] == "ending"
    steps = found[4:-1]
    assert len(steps) == 2 * len(STEPS)
    for field, text, code in zip(STEPS, steps[::2], steps[1::2], strict=True):
        assert (text["cell_type"], code["cell_type"]) == ("markdown", "code")
        assert f"$${formula(trace, field, OURS)}$$" in text["source"]
        assert trace.sentence(field) in text["source"]
        assert trace.code(field) in code["source"]


def test_packed_numbers_are_folded_away() -> None:
    folded = {
        cell["id"]
        for cell in cells(case("default"))
        if cell["metadata"] == {"jupyter": {"source_hidden": True}}
    }
    assert folded == {"given", "shown"}
    assert not any(cell["metadata"] for cell in cells(case("tiny")))


def test_labels_stand_in_one_code_cell() -> None:
    trace = case("hostile")
    plain = trace.labelled(tuple(f"t{i}" for i in range(len(HOSTILE))))
    different = [
        one["id"] for one, other in zip(cells(trace), cells(plain), strict=True) if one != other
    ]
    assert different == ["sizes"]
    assert run(sources(trace))["tokens"] == HOSTILE
    assert notebook(trace).isascii()
