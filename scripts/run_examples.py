"""The example notebooks, run cell by cell: what each cell shows is written into them.

Run by hand where PyTorch and transformers are, when a notebook or what it shows has changed:

    pip install ".[notebook]" torch==2.13.0 transformers==5.24.0 numpy==2.4.6
    PYTHONPATH=. python scripts/run_examples.py

Also writes tests/data/examples.npz: what the cells that import torch leave to the others. With it
`run_cells` runs the others where PyTorch is missing.
"""

import ast
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "examples"
FROZEN = ROOT / "tests" / "data" / "examples.npz"
DIGEST = "digest of the cells"
Names = dict[str, Any]


def code_cells(notebook: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The cells that hold code."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def source_of(cell: Mapping[str, Any]) -> str:
    """The code of a cell; Jupyter saves it as lines."""
    return "".join(cell["source"])


def needs_torch(cell: Mapping[str, Any]) -> bool:
    """Whether a cell imports PyTorch; no other cell may use it."""
    return re.search(r"^(import|from) torch\b", source_of(cell), re.MULTILINE) is not None


def run_cell(cell: Mapping[str, Any], names: Names) -> list[dict[str, Any]]:
    """The outputs of a cell as a notebook saves them: what it printed, then the value of its last
    line. names: the variables before and after it.
    """
    tree = ast.parse(source_of(cell))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    value = None
    with redirect_stdout(StringIO()) as printed:
        exec(compile(tree, "<cell>", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue()})
    if value is not None:
        data = {"text/plain": repr(value)}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = value._repr_html_()
        outputs.append({"data": data, "metadata": {}, "output_type": "execute_result"})
    return outputs


def left_by_torch(cells: list[dict[str, Any]]) -> set[str]:
    """The variables that only cells with PyTorch set and that the other cells read."""
    made: dict[bool, set[str]] = {True: set(), False: set()}
    read: set[str] = set()
    for cell in cells:
        for node in ast.walk(ast.parse(source_of(cell))):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                made[needs_torch(cell)].add(node.id)
            elif isinstance(node, ast.Name) and not needs_torch(cell):
                read.add(node.id)
    return (made[True] - made[False]) & read


def digest(cells: list[dict[str, Any]]) -> str:
    """A mark that changes with the code of the cells with PyTorch."""
    code = "\n".join(source_of(cell) for cell in cells if needs_torch(cell))
    return hashlib.sha256(code.encode()).hexdigest()


def frozen(value: Any, key: str) -> Iterator[tuple[str, np.ndarray]]:
    """Arrays that stand for a variable: a tensor, several tensors, a state_dict, a module, texts,
    or a number.
    """
    if hasattr(value, "num_heads"):
        yield f"{key}|num_heads", np.array(value.num_heads)
        yield from frozen(value.state_dict(), f"{key}|state")
    elif isinstance(value, Mapping):
        for name, tensor in value.items():
            yield f"{key}|{name}", tensor.numpy()
    elif isinstance(value, tuple):
        for place, tensor in enumerate(value):
            yield f"{key}|{place}", tensor.numpy()
    else:
        yield key, np.asarray(value)


def thawed(notebook: str) -> Names:
    """The variables of one notebook again, with arrays in place of tensors."""
    names: Names = {}
    with np.load(FROZEN) as file:
        keys = [key for key in file if key.startswith(f"{notebook}|")]
        arrays = {key.partition("|")[2]: file[key] for key in keys}
    for key, array in arrays.items():
        name, *path = key.split("|")
        inside, steps = names, [name, *path]
        for step in steps[:-1]:
            inside = inside.setdefault(step, {})
        inside[steps[-1]] = array
    return {name: _as_variable(value) for name, value in names.items()}


def _as_variable(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist() if value.dtype.kind == "U" or value.ndim == 0 else value
    if "num_heads" in value:
        state, n_heads = value["state"], int(value["num_heads"])
        return SimpleNamespace(num_heads=n_heads, state_dict=lambda: state)
    if "0" in value:
        return tuple(value[str(place)] for place in range(len(value)))
    return value


def run_cells(notebook: Mapping[str, Any], given: Names) -> Iterator[list[dict[str, Any]]]:
    """The outputs of each code cell in order; where variables of cells with PyTorch are given, such
    a cell is not run and gives what is saved.
    """
    names: Names = {"__name__": "__main__"} | given
    for cell in code_cells(notebook):
        yield cell["outputs"] if given and needs_torch(cell) else run_cell(cell, names)


def main() -> None:
    """Run and write all notebooks, and the arrays of their cells with PyTorch."""
    arrays: dict[str, np.ndarray] = {}
    for file in sorted(FOLDER.glob("*.ipynb")):
        notebook = json.loads(file.read_text(encoding="utf-8"))
        names: Names = {"__name__": "__main__"}
        cells = code_cells(notebook)
        for number, cell in enumerate(cells, 1):
            outputs = run_cell(cell, names)
            for output in outputs:
                if output["output_type"] == "execute_result":
                    output["execution_count"] = number
            cell |= {"execution_count": number, "outputs": outputs}
        for name in sorted(left_by_torch(cells)):
            arrays |= dict(frozen(names[name], f"{file.stem}|{name}"))
        arrays[f"{file.stem}|{DIGEST}"] = np.array(digest(cells))
        text = json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True)
        file.write_text(f"{text}\n", encoding="utf-8")
        print(f"{file.name}: {file.stat().st_size:,} bytes")
    np.savez_compressed(FROZEN, **arrays)
    print(f"{FROZEN.name}: {FROZEN.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
