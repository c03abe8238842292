"""Runs the PyTorch lines of `attention_lab/export/torch_code.py` for all combinations of options;
compares the results.

Run by hand, in an environment of its own, when those lines or the PyTorch version change:

    pip install torch==2.13.0 numpy==2.4.6
    python -m scripts.check_torch_code

Stops at the first difference; prints how many lines ran, and how often each one-call form was
possible.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import torch

from attention_core import STEPS, AttentionError, Projections, Trace, attend
from attention_lab.export import torch_code
from attention_lab.export.step_code import SETTINGS, given, value
from attention_lab.rounding import tolerance

TORCH_VERSION = "2.13.0"
B, T, S, H, D, M = 2, 3, 5, 6, 12, 11
RNG = np.random.default_rng(4)
SOME = RNG.random((B, H, T, S)) < 0.6
SOME[..., 0] = True
EMPTY = SOME & (np.arange(T) != 1)[:, np.newaxis]
NUMBERS = RNG.normal(size=(B, H, T, S))
WEIGHTS: dict[str, dict[str, Any]] = {
    "usual": {},
    "shared heads": {"n_kv_heads": 2},
    "free widths": {"d_k": 7, "d_v": 3},
    "free widths, shared heads": {"d_k": 7, "d_v": 3, "n_kv_heads": 1},
}
CHANGES: dict[str, dict[str, Any]] = {
    "no biases": {},
    "all biases": {"bias": True},
    "b_o only": {"b_o": np.arange(D) / 8},
    "b_q and b_v only": {"bias": True, "b_k": None, "b_o": None},
    "no w_o": {"w_o": None},
    "no w_o, all biases": {"bias": True, "w_o": None, "b_o": None},
}
MASKS: dict[str, dict[str, Any]] = {
    "none": {},
    "causal": {"causal": True},
    "one value": {"mask": True},
    "one column": {"mask": np.ones((T, 1), dtype=bool)},
    "keys": {"mask": SOME[0, 0, 0]},
    "queries and keys": {"mask": SOME[0, 0]},
    "heads": {"mask": SOME[0]},
    "padding": {"mask": SOME[:, :1, :1]},
    "padding, causal": {"mask": SOME[:, :1, :1], "causal": True},
    "all axes": {"mask": SOME},
    "empty row": {"mask": EMPTY},
    "empty row as nan": {"mask": EMPTY, "empty_rows": "nan"},
    "empty sequence": {"mask": (np.arange(B) > 0)[:, None, None, None] & SOME[:, :1, :1]},
}
BIASES: dict[str, dict[str, Any]] = {
    "none": {},
    "one number": {"bias": 0.5},
    "keys": {"bias": NUMBERS[0, 0, 0]},
    "queries and keys": {"bias": NUMBERS[0, 0]},
    "all axes": {"bias": NUMBERS},
    "hiding": {"bias": np.where(SOME[0], NUMBERS[0], -np.inf)},
    "hiding all": {"bias": np.where(EMPTY, NUMBERS, -np.inf)},
}
RULES: tuple[dict[str, Any], ...] = (
    {},
    {"scale": 0.3},
    {"scale": 0.0},
    {"scale": -0.7},
    {"softcap": 0.8},
    {"scale": -1.1, "softcap": 2.0},
)
MEMORIES = ("itself", "as wide", "of its own width")


def traces(dtype: str) -> Iterator[tuple[str, Trace]]:
    """Every combination of options that makes a layer, with its name."""
    x = RNG.normal(size=(B, S, D)).astype(dtype)
    for made, changed, source in product(WEIGHTS, CHANGES, MEMORIES):
        width = M if source == "of its own width" else D
        change = dict(CHANGES[changed])
        p = Projections.random(
            D, H, d_memory=width, bias=change.pop("bias", False), seed=5, **WEIGHTS[made]
        )
        p = replace(p, **change).astype(dtype)
        called = (
            {} if source == "itself" else {"memory": RNG.normal(size=(B, S, width)).astype(dtype)}
        )
        for mask, bias, rule, residual in product(MASKS, BIASES, RULES, (False, True)):
            name = ", ".join(
                [
                    dtype,
                    made,
                    changed,
                    source,
                    f"mask {mask}",
                    f"bias {bias}",
                    str(rule),
                    str(residual),
                ]
            )
            options = {"residual": residual, **called, **MASKS[mask], **BIASES[bias], **rule}
            n_queries = S if source == "itself" else T
            if source == "itself":
                options |= {
                    key: _square(options[key]) for key in ("mask", "bias") if key in options
                }
            try:
                yield name, attend(x[:, :n_queries], p, **options)
            except AttentionError as error:
                if "residual" not in str(error):
                    raise


def _square(given: Any) -> Any:
    """A mask or bias for self-attention: its T rows, and the first ones again up to S."""
    array = np.asarray(given)
    return array[..., np.arange(S) % T, :] if array.ndim > 1 and array.shape[-2] == T else array


def tensors(trace: Trace) -> dict[str, Any]:
    """What the lines of a trace read, as tensors."""
    arrays = {name: value(trace, name) for name in given(trace)}
    made = {
        name: thing if name in SETTINGS else torch.tensor(thing) for name, thing in arrays.items()
    }
    return {"torch": torch, "F": torch.nn.functional, **trace.sizes, **made}


def compare(trace: Trace, field: str, names: dict[str, Any], where: str) -> None:
    """Stop unless a tensor has the shape, the type and the numbers of its field."""
    actual, expected = names[field].detach().numpy(), getattr(trace, field)
    if (actual.shape, actual.dtype) != (expected.shape, expected.dtype):
        raise SystemExit(
            f"{where}: {field} is {actual.dtype} {actual.shape}, not {expected.dtype}"
            f" {expected.shape}"
        )
    limit = tolerance(trace, field)
    np.testing.assert_allclose(actual, expected, rtol=0, atol=limit, err_msg=f"{where}: {field}")


def run(name: str, trace: Trace, counts: Counter[str]) -> None:
    """Run the lines of every step one after the other, then each one-call form on what the
    steps gave.
    """
    names = tensors(trace)
    for field in STEPS:
        exec(getattr(torch_code, field)(trace), names)
        compare(trace, field, names, name)
        counts["steps"] += 1
    forms = {"head_outputs": torch_code.heads_in_one_call, "output": torch_code.layer_in_one_call}
    for field, form in forms.items():
        lines = form(trace)
        if lines.startswith("#"):
            counts[lines] += 1
            continue
        made = {
            key: thing
            for key, thing in names.items()
            if key not in ("head_outputs", "probabilities", "output")
        }
        exec(lines, made)
        for result in {field, "probabilities"} & set(made):
            compare(trace, result, made, f"{name}, one call")
        counts[f"{field} in one call"] += 1


def main() -> None:
    """Run all combinations in both precisions."""
    if torch.__version__.split("+")[0] != TORCH_VERSION:
        raise SystemExit(f"this needs torch {TORCH_VERSION}, found {torch.__version__}")
    warnings.simplefilter("error")
    torch.set_num_threads(1)
    counts: Counter[str] = Counter()
    for dtype in ("float64", "float32"):
        for name, trace in traces(dtype):
            counts["layers"] += 1
            run(name, trace, counts)
    for what, count in counts.most_common():
        print(f"{count:8d}  {what}")


if __name__ == "__main__":
    main()
