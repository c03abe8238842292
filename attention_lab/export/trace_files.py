"""A `Trace`, or one array of it, as a file."""

import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from attention_core.projections import BIASES, MATRICES
from attention_core.trace import STEPS, Trace, head_of

from .csv_text import csv_text


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
    options |= {"scale": trace.scale, "residual": trace.residual, "empty_rows": trace.empty_rows_as}
    options |= {"n_heads": trace.projections.n_heads, "n_kv_heads": trace.projections.groups}
    arrays |= {
        name: np.asarray(value) for name, value in (weights | options).items() if value is not None
    }
    labels: dict[str, Any] = {"tokens": sequences if len(sequences) > 1 else trace.tokens} | (
        {} if trace.memory is trace.inputs else {"memory_tokens": trace.memory_tokens}
    )
    arrays |= {name: np.asarray(texts, dtype=np.str_) for name, texts in labels.items()}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def field_labels(trace: Trace, field: str) -> tuple[list[str], list[str]]:
    """The labels of the rows and of the columns of a field's matrices: tokens with their places, or
    numbers of features; "head·feature" if heads lie side by side.
    """
    rows, axis = trace.axes(field)[-2:]
    named = [f"{place} {token}" for place, token in enumerate(trace.labels(rows))]
    if axis in "TS":
        return named, [f"{place} {token}" for place, token in enumerate(trace.labels(axis))]
    if "·" not in axis:
        return named, list(trace.labels(axis))
    width = trace.sizes[axis.split("·")[1]]
    n_columns = getattr(trace, field).shape[-1]
    return named, [f"{place // width}·{place % width}" for place in range(n_columns)]


def field_csv(trace: Trace, field: str) -> str:
    """A field of the first sequence as CSV with all digits: a line for each row of a matrix with
    its token, the heads one below the other.
    """
    rows, columns = field_labels(trace, field)
    array = getattr(trace, field)[0]
    if not STEPS[field].per_head:
        lines = [[label, *numbers] for label, numbers in zip(rows, array.tolist(), strict=True)]
        return csv_text([["token", *columns], *lines])
    lines = [
        [f"head {head}", label, *numbers]
        for head in range(trace.projections.n_heads)
        for label, numbers in zip(rows, array[head_of(trace, field, head)].tolist(), strict=True)
    ]
    return csv_text([["head", "token", *columns], *lines])
