"""Golden values as data files. Equal arrays are stored once: many cases share inputs, weights and
first steps.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).resolve().parent.parent / "tests" / "data"


def need_version(library: Any, version: str) -> None:
    """Stop with another version of a library than the one that the values are of."""
    if library.__version__.split("+")[0] != version:
        raise SystemExit(f"this needs {library.__name__} {version}, found {library.__version__}")


def write(name: str, record: dict[str, Any]) -> None:
    """Store all arrays and tensors of a record, those with the same bits once, as NAME.npz, and
    which is which as NAME.json.
    """
    arrays: dict[str, np.ndarray] = {}
    keys: dict[tuple[str, tuple[int, ...], bytes], str] = {}

    def frozen(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: frozen(value) for key, value in part.items()}
        if isinstance(part, list):
            return [frozen(each) for each in part]
        array = part.detach().numpy() if hasattr(part, "detach") else part
        if not isinstance(array, np.ndarray):
            return part
        key = keys.setdefault((array.dtype.str, array.shape, array.tobytes()), f"a{len(keys):04d}")
        arrays[key] = array
        return key

    text = json.dumps(frozen(record), indent=1)
    (DATA / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    np.savez_compressed(DATA / f"{name}.npz", **arrays)
    print(f"{name}: {len(arrays)} arrays")
