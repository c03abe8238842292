"""A `Trace`, or one array of it, as a file."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.projections import BIASES, MATRICES
from attention_core.trace import Trace


def trace_to_npz(trace: Trace, sequences: Sequence[tuple[str, ...]] = ()) -> bytes:
    """Every intermediate, the weights, the settings and the tokens as one NPZ file; nothing in it
    needs pickle.

    Read it with `numpy.load(file)`: the arrays have the names of the trace's fields. sequences: of
    a batch the tokens of each sequence, which are saved as `tokens` of shape (B, T).
    """
    arrays = {name: getattr(trace, name) for name in trace.steps}
    weights = {name: getattr(trace.projections, name) for name in MATRICES + BIASES}
    names = ("mask", "bias", "softcap", "query_gain", "key_gain", "sink")
    options = {name: getattr(trace, name) for name in names}
    if trace.head_norm:
        options["epsilon"] = trace.head_norm.epsilon
    if trace.rotary:
        options |= {f"rotary_{name}": value for name, value in vars(trace.rotary).items()}
    arrays |= {
        name: np.asarray(value) for name, value in (weights | options).items() if value is not None
    }
    arrays |= {"scale": np.asarray(trace.scale), "residual": np.asarray(trace.residual)}
    arrays |= {
        "n_heads": np.asarray(trace.projections.n_heads),
        "n_kv_heads": np.asarray(trace.projections.groups),
    }
    arrays |= {"empty_rows": np.asarray(trace.empty_rows_as)}
    labels: dict[str, Any] = {"tokens": sequences if len(sequences) > 1 else trace.tokens} | (
        {} if trace.memory is trace.inputs else {"memory_tokens": trace.memory_tokens}
    )
    arrays |= {name: np.asarray(texts, dtype=np.str_) for name, texts in labels.items()}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def array_to_npy(array: Array) -> bytes:
    """An array with its axes and full precision as an NPY file, which `numpy.load` reads.

    >>> np.load(io.BytesIO(array_to_npy(np.array([[1.5, 2.0]]))))
    array([[1.5, 2. ]])
    """
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()
