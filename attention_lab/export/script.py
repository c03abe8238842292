"""A trace as a program of its own: a Python script or notebook that computes the layer again and
compares each step.

Only NumPy is needed to run it; the numbers are inside. Token labels are data: they go in as string
literals and nowhere else.

Literals are values as Python source text that gives back exactly the same values, and can do
nothing else.
"""

import base64
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.masks import causal_mask
from attention_core.steps import AXES
from attention_core.trace import STEPS, Trace

from ..notation.formulas import formula
from ..notation.notation import OURS
from .step_code import SETTING_NAMES, array_or_setting, given_names, numpy_lines

# The longest text in which numbers are still looked at rather than scrolled past: 8 rows of 8
# full-length numbers.
MAX_READABLE = 1500
# Characters of the shortest number with its comma and space.
MIN_PACKED = 5

# How an expression begins that needs this function.
PACKED = "unpacked('"
UNPACKED = '''def unpacked(text, dtype, shape):
    """The numbers of an array, to the last bit, from their bytes written as text."""
    return np.frombuffer(base64.b64decode(text), dtype).reshape(shape).copy()'''


def array_source(array: Array) -> str:
    """An expression that makes the array: a formula where there is one, its numbers where few, else
    its bytes.

    The bytes are written as base64 and need the function `UNPACKED`. float64, float32 and bool come
    back exactly.

    >>> array_source(np.eye(3)), array_source(np.array([0.5, -np.inf]))
    ('np.eye(3)', 'np.array([0.5, -np.inf])')
    >>> array_source(np.ones(1000, np.float32))[:24]
    "unpacked('AACAPwAAgD8AAI"
    """
    dtype = ", dtype=np.float32" if array.dtype == np.float32 else ""
    if array.ndim == 2 and len(array) > 1:
        n_rows, n_columns = array.shape
        if _same(array, np.eye(n_rows, dtype=array.dtype)) and array.dtype != np.bool_:
            return f"np.eye({n_rows}{dtype})"
        if _same(array, causal_mask(n_rows, n_columns)):
            return f"np.tri({n_rows}, {n_columns}, dtype=bool)"
    if array.size * MIN_PACKED <= MAX_READABLE:
        width = max(len(_number(number)) for number in array.ravel().tolist())
        numbers = _rows(array.tolist(), width if array.ndim > 1 else 0, margin=" " * 4)
        if len(numbers) <= MAX_READABLE:
            inside = f"\n    {numbers}{dtype}\n" if "\n" in numbers else f"{numbers}{dtype}"
            return f"np.array({inside})"
    little = array.astype(array.dtype.newbyteorder("<"))
    text = base64.b64encode(little.tobytes()).decode("ascii")
    return f"{PACKED}{text}', {little.dtype.str!r}, {array.shape})"


def labels_source(labels: Sequence[str]) -> str:
    r"""A tuple of texts as Python writes it: quotes, backslashes, line ends and invisible signs are
    escaped.

    >>> print(labels_source(["it's", chr(10)]))
    ("it's", '\n')
    """
    return repr(tuple(str(label) for label in labels))


def _same(array: Array, other: Array) -> bool:
    """Whether two arrays agree to the last bit, the sign of a zero included."""
    first, second = ((one.shape, one.dtype, one.tobytes()) for one in (array, other))
    return first == second


def _rows(values: Any, width: int, margin: str) -> str:
    """Nested lists, one row a line, the columns aligned."""
    if not isinstance(values, list):
        return _number(values).rjust(width)
    between = f",\n{margin} " if isinstance(values[0], list) else ", "
    return "[" + between.join(_rows(value, width, margin + " ") for value in values) + "]"


def _number(value: float | bool) -> str:
    return repr(value).replace("inf", "np.inf").replace("nan", "np.nan")


PROGRAM_TITLE = "One layer of multi-head attention, computed again step by step"
PROGRAM_DESCRIPTION = """\
The numbers come first: the lengths of the axes, what the layer was given, and what the app showed
for each step.
Then every step is computed again by its own lines and compared with what was shown. Change a
number or a line and
run it again: it stops at the first step that gives something else."""
Labels = Sequence[tuple[str, ...]]


def last_line(trace: Trace) -> str:
    """What a program says that found no difference."""
    return f'print("All {len(trace.steps)} steps agree with the numbers that the app showed.")'


def script(trace: Trace, sequences: Labels = ()) -> str:
    """A self-contained Python script, NumPy only, that recomputes every step and stops at the
    first difference. sequences: of a batch the tokens of each sequence, in place of the trace's.
    """
    steps = [
        f"# {_heading(trace, name)}\n# {trace.sentence(name)}\n{numpy_lines(trace, name)}"
        for name in trace.steps
    ]
    given, shown = _given(trace), _shown(trace)
    head = [
        f'"""{PROGRAM_TITLE}.\n\n{PROGRAM_DESCRIPTION}\n"""',
        _imports(trace, given + shown),
        _sizes(trace, sequences),
        given,
        shown,
    ]
    return "\n\n".join([*head, *steps, last_line(trace)]) + "\n"


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
    for name in trace.steps:
        about = f"$${formula(trace, name, OURS)}$$\n\n{trace.sentence(name)}"
        first = ", ".join("0" * (getattr(trace, name).ndim - 2))
        look = f"{name}[{first}].round(3)"
        cells.append(_markdown(f"{name}-text", f"## {_heading(trace, name)}\n\n{about}"))
        cells.append(_code(f"{name}-code", f"{numpy_lines(trace, name)}\n{look}"))
    cells.append(_code("ending", last_line(trace)))
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return json.dumps(
        {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}, indent=1
    )


def _heading(trace: Trace, name: str) -> str:
    return f"Step {list(trace.steps).index(name) + 1}: {STEPS[name].title}"


def _imports(trace: Trace, data: str) -> str:
    """What the data and the lines need."""
    packed = PACKED in data
    lines = [*["import base64", ""] * packed, "import numpy as np"]
    if trace.empty_rows_as == "nan" and trace.empty_rows.any():
        why = "a query with nothing to attend to becomes NaN, as in PyTorch"
        lines += ["", f'np.seterr(invalid="ignore")  # {why}']
    return "\n".join([*lines, "", "", UNPACKED, ""] if packed else lines)


def _sizes(trace: Trace, sequences: Labels) -> str:
    """The length of every axis, and what its positions are called."""
    letters = set("·".join(axis for name in trace.steps for axis in trace.axes(name)).split("·"))
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
        value = repr(float(given)) if name in SETTING_NAMES else array_source(given)
        rows.append(f"{name} = {value}")
    return "\n".join(rows)


def _shown(trace: Trace) -> str:
    arrays = [f'shown["{name}"] = {array_source(getattr(trace, name))}' for name in trace.steps]
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
