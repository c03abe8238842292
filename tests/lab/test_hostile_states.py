"""State files that are damaged, hostile or out of bounds are refused by what is wrong with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attention_core import AttentionError, FileError, SettingsError, ShapeError, TextError
from attention_lab.choices import user_matrices_of
from attention_lab.state_file import read_state, write_state
from attention_lab.user_data.matrix_files import pack
from attention_lab.user_data.matrix_names import MAX_STATE_BYTES
from tests.lab.refusal import Facts, refused
from tests.lab.state_cases import DEFAULTS, STATE, file, scenario_file

FILES: dict[str, tuple[bytes, type[AttentionError], Facts]] = {
    "empty": (b"", FileError, ("JSON", "UTF-8")),
    "no JSON": (b"PK\3\4", FileError, ("JSON", "UTF-8")),
    "not UTF-8": (b'{"format": "\xff"}', FileError, ("JSON", "UTF-8")),
    "cut off": (write_state(STATE)[:-3], FileError, ("JSON", "UTF-8")),
    "a list": (b"[]", FileError, ("state",)),
    "unknown entry": (
        file(extra=1),
        FileError,
        ("extra", "format", "version"),
    ),
    "unknown field": (
        scenario_file(__class__=1),
        FileError,
        ("scenario", "__class__", "text"),
    ),
    "hidden fields": (scenario_file(edits="x_0_0_1"), FileError, ("scenario", "edits")),
    "unknown focus": (
        file(focus={"row": 1}),
        FileError,
        ("focus", "row", "head", "query"),
    ),
    "scenario as list": (file(scenario=[1]), FileError, ("scenario", "[1]")),
    "focus as number": (file(focus=1), FileError, ("focus", 1)),
    "edits as list": (
        file(edits=["x_0_0_1"]),
        FileError,
        ("edits", "x_0_0_1"),
    ),
    "own as number": (file(own=1.5), FileError, ("own", "1.5")),
    "said twice": (b'{"format": 1, "format": 2}', FileError, ("format",)),
    "nan": (scenario_file(scale=float("nan")), FileError, ("NaN",)),
    "infinity": (scenario_file(scale=float("-inf")), FileError, ("-Infinity",)),
    "overflow": (
        scenario_file(scale=0).replace(b'"scale": 0', b'"scale": 1e999'),
        SettingsError,
        ("scale", "inf"),
    ),
    "many digits": (
        scenario_file(seed=0).replace(b'"seed": 0', b'"seed": 1' + b"0" * 5000),
        FileError,
        ("JSON", "UTF-8"),
    ),
    "deep": (b"[" * 1990, FileError, ("JSON", "UTF-8")),
    "deep pairs": (b'{"a":' * 600, FileError, ("JSON", "UTF-8")),
    "many lists": (b"[" + b"[]," * 10**6 + b"[]]", FileError, ("state",)),
    "many names": (b"{" + b'"":0 ' * 10**6 + b"}", FileError, ("state",)),
    "too large": (
        b" " * (MAX_STATE_BYTES + 1),
        FileError,
        (50331649, 50331648),
    ),
    "bad edit": (file(edits="wq_0_0_nan"), SettingsError, ("value", "wq_0_0_nan")),
    "many edits": (
        file(edits="__".join(["x_0_0_1"] * 4001)),
        SettingsError,
        (4001, 4000),
    ),
    "key of kept edits": (file(edits=".0123"), SettingsError, (".0123",)),
    "bad matrices": (file(own="AAAA"), FileError, ("matrices",)),
    "notation as list": (file(notation=["ours"]), SettingsError, ("notation", "ours")),
    "notation as page": (file(notation="<script>"), SettingsError, ("notation", "<script>")),
    "notation of nobody": (
        file(notation="martian"),
        SettingsError,
        ("martian", "ours", "gml"),
    ),
    "focus as text": (
        file(focus={"head": "1"}),
        SettingsError,
        ("head", "1"),
    ),
    "negative focus": (
        file(focus={"query": -1}),
        SettingsError,
        ("query", -1, 0, 4095),
    ),
    "negative sentence": (
        file(focus={"sentence": -1}),
        SettingsError,
        ("sentence", -1, 0, 4095),
    ),
    "far focus": (file(focus={"key": 10**9}), SettingsError, ("key", 1000000000)),
    "half a letter": (
        file(scenario={"text": "a\ud800"}),
        SettingsError,
        ("text",),
    ),
}
VALUES: dict[str, tuple[Any, ...]] = {
    "d_model": (0, 513, 16.0, "16", True, None, [16], 10**100),
    "n_heads": (0, 17, -1, {}),
    "d_k": (-1, 129),
    "d_v": (-1, 129),
    "d_o": (-1, 129),
    "layer": (-1, 6, 1.0, True),
    "n_tokens": (-1, 65),
    "piece": (-1, 13),
    "window": (-1, 65),
    "seed": (-1, 2**53),
    "scale": (-100.5, 1e308, "1", False, None, []),
    "text": (1, None, ["a"], "x" * 1001),
    "weights": ("magic", 0, None, ["random"]),
    "init": ("magic",),
    "output_matrix": ("magic", None),
    "scaling": ("magic",),
    "mask": ("magic",),
    "embedding": ("magic",),
    "positions": (0, "true", None),
    "residual": (1, "no"),
    "batch": (1, None, ["a"], "x" * 1001),
    "painted": (1, None, "banana", "9x9.", "x" * 1001),
}


@pytest.mark.parametrize("name", FILES)
def test_files_that_are_refused(name: str) -> None:
    data, kind, facts = FILES[name]
    with refused(kind, *facts) as caught:
        read_state(data)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("name", DEFAULTS)
def test_values_that_are_refused(name: str) -> None:
    for value in VALUES[name]:
        with refused((SettingsError, TextError), name) as caught:
            read_state(scenario_file(**{name: value}))
        assert len(str(caught.value)) < 300


def test_a_matrix_that_is_too_large() -> None:
    read = read_state(file(own=pack({"x": np.ones((64, 2))})))
    assert user_matrices_of(read.scenario).sizes(2) == {"n_tokens": 64, "d_model": 2}
    with refused(ShapeError, "X", 65, 2, 64, 512):
        read_state(file(own=pack({"x": np.ones((65, 2))})))
