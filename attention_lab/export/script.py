"""A trace as a program of its own: a Python script or notebook that computes the layer again and
compares each step.

Only NumPy is needed to run it; the numbers are inside. Token labels are data: they go in as string
literals and nowhere else.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from attention_core.steps import AXES
from attention_core.trace import STEPS, Trace

from ..notation.formulas import formula
from ..notation.notation import OURS
from .literals import PACKED, UNPACKED, array_source, labels_source
from .step_code import SETTING_NAMES, array_or_setting, given_names, numpy_lines

PROGRAM_TITLE = "One layer of multi-head attention, computed again step by step"
PROGRAM_DESCRIPTION = """\
The numbers come first: the lengths of the axes, what the layer was given, and what the app showed
for each step.
Then every step is computed again by its own lines and compared with what was shown. Change a
number or a line and
run it again: it stops at the first step that gives something else."""
Labels = Sequence[tuple[str, ...]]
LAST_LINE = f'print("All {len(STEPS)} steps agree with the numbers that the app showed.")'


def script(trace: Trace, sequences: Labels = ()) -> str:
    """A self-contained Python script, NumPy only, that recomputes every step and stops at the
    first difference. sequences: of a batch the tokens of each sequence, in place of the trace's.
    """
    steps = [
        f"# {_heading(name)}\n# {trace.sentence(name)}\n{numpy_lines(trace, name)}"
        for name in STEPS
    ]
    given, shown = _given(trace), _shown(trace)
    head = [
        f'"""{PROGRAM_TITLE}.\n\n{PROGRAM_DESCRIPTION}\n"""',
        _imports(trace, given + shown),
        _sizes(trace, sequences),
        given,
        shown,
    ]
    return "\n\n".join([*head, *steps, LAST_LINE]) + "\n"


def notebook(trace: Trace, sequences: Labels = ()) -> str:
    """The same as a Jupyter notebook: for each step its formula and sentence, then a cell that runs
    and checks it. sequences: as for `script`.

    Source: nbformat 4.5, https://nbformat.readthedocs.io/en/latest/format_description.html
    """
    given, shown = _given(trace), _shown(trace)
    cells = [
        _markdown("title", f"# {PROGRAM_TITLE}\n\n{PROGRAM_DESCRIPTION}"),
        _code("sizes", f"{_imports(trace, given + shown)}\n\n{_sizes(trace, sequences)}"),
        _code("given", given),
        _code("shown", shown),
    ]
    for name in STEPS:
        text = f"## {_heading(name)}\n\n$${formula(trace, name, OURS)}$$\n\n{trace.sentence(name)}"
        first = ", ".join("0" * (getattr(trace, name).ndim - 2))
        look = f"{name}[{first}].round(3)"
        cells += [
            _markdown(f"{name}-text", text),
            _code(f"{name}-code", f"{numpy_lines(trace, name)}\n{look}"),
        ]
    cells.append(_code("ending", LAST_LINE))
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return json.dumps(
        {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}, indent=1
    )


def _heading(name: str) -> str:
    return f"Step {list(STEPS).index(name) + 1}: {STEPS[name].title}"


def _imports(trace: Trace, data: str) -> str:
    """What the data and the lines need."""
    packed = PACKED in data
    lines = ["import base64", ""] if packed else []
    lines.append("import numpy as np")
    if trace.empty_rows_as == "nan" and trace.empty_rows.any():
        lines += [
            "",
            (
                'np.seterr(invalid="ignore")  # a query with nothing to attend to becomes NaN, as'
                " in PyTorch"
            ),
        ]
    return "\n".join([*lines, "", "", UNPACKED, ""] if packed else lines)


def _sizes(trace: Trace, sequences: Labels) -> str:
    """The length of every axis, and what its positions are called."""
    letters = set("·".join(axis for name in STEPS for axis in trace.axes(name)).split("·"))
    rows = [
        f"{letter} = {trace.sizes[letter]}  # {AXES[letter]}"
        for letter in AXES
        if letter in letters
    ]
    if len(sequences) > 1:
        listed = "".join(f"    {labels_source(tokens)},\n" for tokens in sequences)
        rows += ["", "# What stands at the positions of each sequence.", f"tokens = (\n{listed})"]
    elif trace.tokens:
        rows += ["", "# What stands at the positions.", f"tokens = {labels_source(trace.tokens)}"]
    if trace.memory_tokens not in ((), trace.tokens):
        rows.append(f"memory_tokens = {labels_source(trace.memory_tokens)}")
    return "\n".join(["# The lengths of the axes.", *rows])


def _given(trace: Trace) -> str:
    """The inputs, weights and settings."""
    rows = ["# What the layer was given."]
    for name in given_names(trace):
        given = array_or_setting(trace, name)
        rows.append(
            f"{name} = {float(given)!r}"
            if name in SETTING_NAMES
            else f"{name} = {array_source(given)}"
        )
    return "\n".join(rows)


def _shown(trace: Trace) -> str:
    arrays = [f'shown["{name}"] = {array_source(getattr(trace, name))}' for name in STEPS]
    return "\n".join(["# What the app showed, step by step.", "shown = {}", *arrays])


def _markdown(name: str, text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": text}


def _code(name: str, source: str) -> dict[str, Any]:
    """A code cell; packed numbers are folded away."""
    metadata = {"jupyter": {"source_hidden": True}} if PACKED in source else {}
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": name,
        "metadata": metadata,
        "outputs": [],
        "source": source,
    }
