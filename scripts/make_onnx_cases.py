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

from typing import Any

import numpy as np
import onnx
from array_store import need_version, write
from onnx.backend.test.case.node import collect_testcases

ONNX_VERSION = "1.23.2"


def describe(names: list[str], arrays: list[np.ndarray]) -> dict[str, dict[str, Any]]:
    """For each tensor of a node its original dtype and its array; absent optional tensors have no
    name.
    """
    described = {}
    for name, array in zip([name for name in names if name], arrays, strict=True):
        original = str(array.dtype)
        numbers = array.astype(np.float32) if original == "bfloat16" else np.asarray(array)
        described[name] = {"dtype": original, "array": numbers}
    return described


def freeze(case: Any) -> dict[str, Any]:
    """One test case as plain values and arrays."""
    (node,) = case.model.graph.node
    ((inputs, outputs),) = case.data_sets
    return {
        "name": case.name.removeprefix("test_attention_"),
        "opset": case.model.opset_import[0].version,
        "attributes": {item.name: onnx.helper.get_attribute_value(item) for item in node.attribute},
        "inputs": describe(list(node.input), inputs),
        "outputs": describe(list(node.output), outputs),
        "rtol": case.rtol,
        "atol": case.atol,
    }


def main() -> None:
    """Collect, freeze and write."""
    need_version(onnx, ONNX_VERSION)
    collected = collect_testcases("Attention")
    record = {
        "origin": "onnx/backend/test/case/node/attention.py",
        "onnx": ONNX_VERSION,
        "licence": "Apache-2.0, see ONNX-LICENSE-NOTICE.md",
        "cases": [freeze(case) for case in collected if not case.name.endswith("_expanded")],
    }
    write("onnx_attention", record)


if __name__ == "__main__":
    main()
