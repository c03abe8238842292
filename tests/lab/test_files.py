"""The whole trace as an NPZ file: everything in it, readable anywhere, without pickle."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core import STEPS, HeadNorm, Projections, Rotary, Trace, attend
from attention_core.projections import BIASES, MATRICES
from attention_lab.export.trace_files import trace_to_npz
from attention_lab.scenario import Scenario, trace_of

HOSTILE = ("<script>", "@query", "👨\u200d👩\u200d👧", "שלום", "x" * 500)


def loaded(trace: Trace) -> dict[str, Any]:
    """The file's arrays, read the careful way."""
    with np.load(io.BytesIO(trace_to_npz(trace)), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


@pytest.fixture(scope="module")
def trace() -> Trace:
    """Shared heads, biases, mask, bias, cap and skip connection, with tokens a file format
    might stumble over.
    """
    rng = np.random.default_rng(1)
    weights = Projections.random(7, 6, n_kv_heads=2, d_k=4, d_v=5, bias=True)
    made = attend(
        rng.normal(size=(5, 7)),
        weights,
        causal=True,
        bias=rng.normal(size=(5, 5)),
        softcap=2.0,
        residual=True,
        rotary=Rotary(100.0, "halves", start=3),
        head_norm=HeadNorm(2.0, epsilon=0.5),
        sink=np.arange(6.0),
    )
    return made.labelled(HOSTILE)


@pytest.mark.parametrize("name", STEPS)
def test_every_field_comes_back(trace: Trace, name: str) -> None:
    array, original = loaded(trace)[name], getattr(trace, name)
    assert array.dtype == original.dtype
    assert np.array_equal(array, original)


def test_the_file_is_enough_to_repeat_the_call(trace: Trace) -> None:
    file = loaded(trace)
    counts = {name: int(file[name]) for name in ("n_heads", "n_kv_heads")}
    weights = {name: file[name] for name in MATRICES + BIASES}
    again = attend(
        file["inputs"],
        Projections(**weights, **counts),
        residual=bool(file["residual"]),
        empty_rows=str(file["empty_rows"]),
        rotary=Rotary(
            float(file["rotary_base"]), str(file["rotary_pairs"]), int(file["rotary_start"])
        ),
        head_norm=HeadNorm(file["query_gain"], file["key_gain"], float(file["epsilon"])),
        **{name: file[name] for name in ("mask", "bias", "sink")},
        **{name: float(file[name]) for name in ("scale", "softcap")},
    )
    assert np.array_equal(again.output, file["output"])
    assert tuple(file["tokens"].tolist()) == HOSTILE


def test_what_is_absent_is_left_out() -> None:
    file = loaded(trace_of(replace(Scenario(), weights="weightless")))
    assert not {"w_o", "b_q", "mask", "bias", "softcap"} & set(file)
    assert all(array.dtype != object for array in file.values())


def test_the_memory_s_tokens_come_back() -> None:
    cross = attend(np.eye(2), Projections.random(2, 1), memory=np.eye(2))
    assert loaded(cross)["tokens"].tolist() == []
    labelled = cross.labelled(("a", "b"), ("c", "d"))
    assert loaded(labelled)["memory_tokens"].tolist() == ["c", "d"]
    one = attend(np.eye(2), Projections.random(2, 1)).labelled(("a", "b"))
    assert "memory_tokens" not in loaded(one)
