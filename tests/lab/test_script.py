"""The Python script and the notebook of a trace: they run on NumPy alone, reproduce every step, and
stop when a number is changed.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import STEPS, Projections, Trace, attend
from attention_lab.export.script import notebook, script
from attention_lab.notation.formulas import formula
from attention_lab.notation.notation import OURS
from tests.core.random_layers import Layer, calls
from tests.lab.script_cases import CASES, HOSTILE, case

SENTENCE = "All {} steps agree with the numbers that the app showed.\n"


def run(source: str) -> dict[str, Any]:
    """What a script leaves behind, after checking what it prints."""
    names: dict[str, Any] = {}
    with redirect_stdout(StringIO()) as printed:
        exec(compile(source, "<script>", "exec"), names)  # the code under test is text
    assert printed.getvalue() == SENTENCE.format(len(names["shown"]))
    return names


def stopping_line(source: str) -> str:
    """The line at which a script's check fails."""
    with pytest.raises(AssertionError) as caught:
        run(source)
    lines = [entry.lineno for entry in caught.traceback if str(entry.path) == "<script>"]
    return source.splitlines()[lines[-1]]


@pytest.mark.parametrize("name", CASES)
def test_a_script_reproduces_every_step(name: str) -> None:
    trace = case(name)
    with np.errstate():  # a script whose layer has NaN switches the warning about it off
        names = run(script(trace))
    for field in trace.steps:
        assert np.array_equal(names["shown"][field], getattr(trace, field), equal_nan=True)


def test_a_script_runs_on_its_own(tmp_path: Path) -> None:
    """Where nothing of ours can be imported; a warning is an error."""
    file = tmp_path / "layer.py"
    file.write_bytes(script(case("everything")).encode("utf-8"))
    command = [sys.executable, "-I", "-B", "-W", "error", file]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stderr, done.stdout, done.returncode) == ("", SENTENCE.format(15), 0)


@pytest.mark.parametrize("field", case("modern").steps)
def test_every_check_can_fail(field: str) -> None:
    """If the app had shown one number a little different, the script would stop at that very
    step.
    """
    source = script(case("modern"))
    lie = f'shown["{field}"].flat[-1] += 1e-8\n\n# Step 1:'
    assert f'shown["{field}"]' in stopping_line(source.replace("# Step 1:", lie))


def test_a_script_names_the_positions() -> None:
    found = run(script(case("cross-attention")))
    assert (list(found["tokens"]), list(found["memory_tokens"])) == (list("abc"), list("vwxyz"))
    found = run(script(case("tiny")))
    assert list(found["tokens"]) == ["a", "b", "c"]
    assert "memory_tokens" not in found
    assert "tokens" not in run(script(case("bias")))


@settings(max_examples=40)
@given(calls())
def test_the_script_of_any_layer(call: tuple[Layer, dict[str, Any]]) -> None:
    layer, options = call
    trace = layer.run(**options)
    names = run(script(trace))
    for field in trace.steps:
        assert names["shown"][field].dtype == getattr(trace, field).dtype
        assert np.array_equal(names["shown"][field], getattr(trace, field))
    assert all(names[letter] == trace.sizes[letter] for letter in "BTSHKV")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_script_of_subnormal_numbers(dtype: str) -> None:
    weights = Projections([[1], [0]], [[1], [0]], [[0], [1]], [[1]], n_heads=1).astype(dtype)
    for size in np.arange(1, 31) / 10:
        x = np.full((6, 2), [size, 0])
        x[0, 1] = 3 * float(np.finfo(dtype).smallest_subnormal)
        run(script(attend(x.astype(dtype), weights)))


def test_a_script_needs_numpy_only() -> None:
    for name in CASES:
        nodes = list(ast.walk(ast.parse(script(case(name)))))
        imports = {one.name for node in nodes if isinstance(node, ast.Import) for one in node.names}
        assert {"numpy"} <= imports <= {"numpy", "base64"}, name
        assert not any(isinstance(node, ast.ImportFrom) for node in nodes)
        calls = [node.func for node in nodes if isinstance(node, ast.Call)]
        called = {func.id for func in calls if isinstance(func, ast.Name)}
        assert called <= {"unpacked", "print"}, name


def test_a_script_has_one_block_for_each_step() -> None:
    trace = case("everything")
    _, *blocks = script(trace).split("# Step ")
    assert len(blocks) == len(trace.steps)
    for number, (field, block) in enumerate(zip(trace.steps, blocks, strict=True), 1):
        assert block.startswith(f"{number}: {STEPS[field].title}\n# {trace.sentence(field)}\n# in ")
        assert trace.code(field) in block
        assert block.count("np.testing.assert_allclose(") == 1
    assert blocks[-1].endswith(f'\n\nprint("{SENTENCE[:-1].format(15)}")\n')


@settings(max_examples=40)
@given(st.lists(st.text(), min_size=2, max_size=2).map(tuple))
def test_labels_are_data(labels: tuple[str, ...]) -> None:
    trace = attend([[1.0], [2.0]], Projections.weightless(1))
    assert_labels(trace, labels)


def test_hostile_labels_are_data() -> None:
    assert_labels(case("hostile"), HOSTILE)


def assert_labels(trace: Trace, labels: tuple[str, ...]) -> None:
    """One line of the script holds the labels; the rest is that of harmless ones."""
    plain = tuple(f"t{i}" for i in range(len(labels)))
    named, unnamed = (script(trace.labelled(some)) for some in (labels, plain))
    line = re.search("\ntokens = ([^\n]*)", named)[1]
    assert ast.literal_eval(line) == labels
    assert named.replace(line, repr(plain), 1) == unnamed
    named.encode("utf-8")


KEYS = {
    "markdown": {"cell_type", "id", "metadata", "source"},
    "code": {"cell_type", "id", "metadata", "source", "execution_count", "outputs"},
}


def cells(trace: Trace) -> list[dict[str, Any]]:
    """The cells of a trace's notebook."""
    found: list[dict[str, Any]] = json.loads(notebook(trace))["cells"]
    return found


def whole_code(trace: Trace) -> str:
    """The code cells of a trace's notebook, one below the other."""
    return "\n".join(cell["source"] for cell in cells(trace) if cell["cell_type"] == "code")


@pytest.mark.parametrize("name", ["default", "everything", "empty rows as nan", "heads joined"])
def test_the_cells_reproduce_every_step(name: str) -> None:
    trace = case(name)
    with np.errstate():  # a notebook whose layer has NaN switches the warning about it off
        names = run(whole_code(trace))
    for field in trace.steps:
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
    assert len(steps) == 2 * len(trace.steps)
    for field, text, code in zip(trace.steps, steps[::2], steps[1::2], strict=True):
        assert (text["cell_type"], code["cell_type"]) == ("markdown", "code")
        assert f"$${formula(trace, field, OURS)}$$" in text["source"]
        assert trace.sentence(field) in text["source"]
        assert trace.code(field) in code["source"]


def test_packed_numbers_are_folded_away() -> None:
    about = {cell["id"]: cell["metadata"] for cell in cells(case("default")) if cell["metadata"]}
    assert about == {name: {"jupyter": {"source_hidden": True}} for name in ("given", "shown")}
    assert not any(cell["metadata"] for cell in cells(case("tiny")))


def test_labels_stand_in_one_code_cell() -> None:
    trace = case("hostile")
    plain = trace.labelled(tuple(f"t{i}" for i in range(len(HOSTILE))))
    pairs = zip(cells(trace), cells(plain), strict=True)
    assert [one["id"] for one, other in pairs if one != other] == ["sizes"]
    assert run(whole_code(trace))["tokens"] == HOSTILE
    assert notebook(trace).isascii()
