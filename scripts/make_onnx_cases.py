"""Freeze the node test cases of the ONNX Attention operator as arrays that need only NumPy to read.

Run by hand, in an environment of its own, when the ONNX version changes:

    pip install onnx==1.23.2 numpy==2.4.6
    python scripts/make_onnx_cases.py

The wheel ships no stored node data, but it ships the generator, seeded, so that two runs give the
same bits. Each case is one Attention node with its attributes, inputs and expected outputs. The 93
"_expanded" twins hold the same numbers for the operator written as a subgraph and are left out.

Writes tests/data/onnx_attention.npz (every distinct array once) and onnx_attention.json (which
array is which). bfloat16, unknown to NumPy, is stored as float32, which holds it exactly; the JSON
keeps the original dtype.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from array_store import ArrayStore
from onnx.backend.test.case.node import collect_testcases

ONNX_VERSION = "1.23.2"
DATA = Path(__file__).resolve().parent.parent / "tests" / "data"


def describe(
    names: list[str], arrays: list[np.ndarray], store: ArrayStore
) -> dict[str, dict[str, str]]:
    """For each tensor of a node its original dtype and the key of its array; absent optional
    tensors have no name.
    """
    described = {}
    for name, array in zip([name for name in names if name], arrays, strict=True):
        original = str(array.dtype)
        numbers = array.astype(np.float32) if original == "bfloat16" else np.asarray(array)
        described[name] = {"dtype": original, "array": store.add(numbers)}
    return described


def freeze(case: Any, store: ArrayStore) -> dict[str, Any]:
    """One test case as plain values and array keys."""
    (node,) = case.model.graph.node
    ((inputs, outputs),) = case.data_sets
    return {
        "name": case.name.removeprefix("test_attention_"),
        "opset": case.model.opset_import[0].version,
        "attributes": {item.name: onnx.helper.get_attribute_value(item) for item in node.attribute},
        "inputs": describe(list(node.input), inputs, store),
        "outputs": describe(list(node.output), outputs, store),
        "rtol": case.rtol,
        "atol": case.atol,
    }


def main() -> None:
    """Collect, freeze and write."""
    if onnx.__version__ != ONNX_VERSION:
        raise SystemExit(f"this needs onnx {ONNX_VERSION}, found {onnx.__version__}")
    store = ArrayStore()
    collected = [
        case for case in collect_testcases("Attention") if not case.name.endswith("_expanded")
    ]
    cases = [freeze(case, store) for case in collected]
    DATA.mkdir(parents=True, exist_ok=True)
    store.write(DATA / "onnx_attention.npz")
    record = {
        "origin": "onnx/backend/test/case/node/attention.py",
        "onnx": ONNX_VERSION,
        "licence": "Apache-2.0, see ONNX-LICENSE-NOTICE.md",
    }
    text = json.dumps(record | {"cases": cases}, indent=1)
    (DATA / "onnx_attention.json").write_text(text + "\n", encoding="utf-8")
    print(f"{len(cases)} cases, {len(store.arrays)} arrays")


if __name__ == "__main__":
    main()
