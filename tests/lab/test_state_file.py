"""The state file: it brings back every choice and every number, and refuses what no control
could be set to.
"""

from __future__ import annotations

import json
from dataclasses import asdict, fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import AttentionError, FileError, SettingsError, ShapeError, TextError
from attention_lab.files.file_checks import LARGEST_VALUE
from attention_lab.scenario import CHOICES, LIMITS, MAX_TEXT, Scenario, edits_of, own_of
from attention_lab.state_file import FOCUS, State, read_state, write_state
from attention_lab.user_data.edits import LAST_PLACE, MOST_IN_ADDRESS, Edit, Edits
from attention_lab.user_data.matrix_names import MAX_STATE, SYMBOLS
from attention_lab.user_data.matrix_text import pack
from attention_lab.user_data.own_matrices import OwnMatrices
from tests.lab.refusal import Facts, refused

OWN = OwnMatrices(x=np.arange(10.0).reshape(2, 5) / 3, w_o=np.array([[-0.0, 5e-324]]))
EDITS = Edits((Edit("w_q", 3, 5, 0.1), Edit("x", 1, 0, -0.0)))
STATE = State(
    Scenario(
        text='“ß” שלום 🙂 \\ "',
        d_model=10,
        n_heads=2,
        mask="causal",
        scale=0.1,
        edits=EDITS.address(),
        own=OWN.address(),
    ),
    (1, 2, 3, 4),
    "slides",
)
DEFAULTS = {
    field.name: field.default for field in fields(Scenario) if field.name not in ("edits", "own")
}


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """Anything the controls can be set to."""
    values: dict[str, Any] = {
        name: draw(st.sampled_from(choices)) for name, choices in CHOICES.items()
    }
    for name, (low, high) in LIMITS.items():
        bounds = (
            st.floats(low, high)
            if isinstance(DEFAULTS[name], float)
            else st.integers(int(low), int(high))
        )
        values[name] = draw(bounds)
    values |= {
        name: draw(st.booleans()) for name, value in DEFAULTS.items() if isinstance(value, bool)
    }
    letters = st.characters(exclude_categories=["Cs"])
    return Scenario(text=draw(st.text(letters, max_size=20)), **values)


PLACE = st.integers(0, LAST_PLACE)
EDIT = st.builds(
    Edit, st.sampled_from(sorted(SYMBOLS)), PLACE, PLACE, st.floats(-LARGEST_VALUE, LARGEST_VALUE)
)


def contents(state: State) -> tuple[Any, ...]:
    """All of a state, numbers as bits."""
    matrices = {
        name: (matrix.shape, matrix.tobytes())
        for name, matrix in own_of(state.scenario).given.items()
    }
    edits = [(edit.cell, edit.value.hex()) for edit in edits_of(state.scenario).items]
    return (
        state.scenario,
        repr(asdict(state.scenario)),
        edits,
        matrices,
        state.focus,
        state.notation,
    )


def file(**changes: Any) -> bytes:
    """The file of a state with entries changed; None leaves one out."""
    entries = json.loads(write_state(STATE)) | changes
    return json.dumps(
        {name: value for name, value in entries.items() if value is not None}
    ).encode()


def scenario_file(**changes: Any) -> bytes:
    """The file of a state with fields of the scenario changed."""
    return file(scenario={**json.loads(write_state(STATE))["scenario"], **changes})


@given(scenarios(), st.lists(EDIT, max_size=5), st.tuples(PLACE, PLACE, PLACE, PLACE))
def test_states_come_back(
    scenario: Scenario, items: list[Edit], focus: tuple[int, int, int, int]
) -> None:
    """Writing and reading changes no choice, no character and no bit."""
    state = State(replace(scenario, edits=Edits(tuple(items)).address()), focus)
    assert contents(read_state(write_state(state))) == contents(state)


def test_a_state_with_everything_in_it() -> None:
    """Own matrices, tiny numbers, the sign of zero and text in any script come back; the file
    says what it is.
    """
    assert contents(read_state(write_state(STATE))) == contents(STATE)
    entries = json.loads(write_state(STATE))
    assert (entries["format"], entries["version"]) == ("Attention Lab state", 1)
    assert set(entries["scenario"]) == set(DEFAULTS)
    assert entries["edits"] == "wq_3_5_0.1__x_1_0_-0"
    assert entries["focus"] == dict(zip(FOCUS, (1, 2, 3, 4), strict=True))


def test_more_than_the_address_can_hold() -> None:
    """A thousand edits and matrices of many thousand random numbers, which no address could
    carry, come back.
    """
    edits = Edits(tuple(Edit("w_v", i // 32, i % 32, i / 7) for i in range(1000)))
    own = OwnMatrices(w_q=np.random.default_rng(0).normal(size=(128, 96)))
    assert len(edits.items) > MOST_IN_ADDRESS
    state = replace(
        STATE, scenario=replace(STATE.scenario, edits=edits.address(), own=own.address())
    )
    assert contents(read_state(write_state(state))) == contents(state)


def test_the_longest_sentence() -> None:
    """A sentence of nothing but quotes and brackets, as long as the field takes, is not
    mistaken for a hostile file.
    """
    state = State(Scenario(text='"[{,' * (MAX_TEXT // 4)))
    assert contents(read_state(write_state(state))) == contents(state)


def test_what_is_missing_has_its_default() -> None:
    """A file that says less, as an older one may, gives the defaults for the rest; a BOM does
    no harm.
    """
    assert contents(
        read_state(b'\xef\xbb\xbf{"format": "Attention Lab state", "version": 1}')
    ) == contents(State())
    assert read_state(file(scenario={"n_heads": 8}, focus={"key": 3})).focus == (0, 0, 3, 0)


def test_a_whole_number_for_a_number() -> None:
    """Other programs write 1.0 as 1: the scale is a float all the same."""
    assert repr(read_state(scenario_file(scale=2)).scenario.scale) == "2.0"


def test_every_field_has_bounds() -> None:
    """A new field of the scenario must get its bounds or its choices here."""
    free = {name for name, value in DEFAULTS.items() if isinstance(value, bool)} | {"text"}
    assert set(LIMITS) | set(CHOICES) | free == set(DEFAULTS)


FILES: dict[str, tuple[bytes, type[AttentionError], Facts]] = {
    "empty": (b"", FileError, ("JSON", "UTF-8")),
    "no JSON": (b"PK\3\4", FileError, ("JSON", "UTF-8")),
    "not UTF-8": (b'{"format": "\xff"}', FileError, ("JSON", "UTF-8")),
    "cut off": (write_state(STATE)[:-3], FileError, ("JSON", "UTF-8")),
    "a list": (b"[]", FileError, ("state",)),
    "another format": (file(format="notebook"), FileError, ("state",)),
    "no version": (file(version=None), FileError, ("version", "None", 1)),
    "newer": (file(version=2, anything=1), FileError, ("version", 2, 1)),
    "version as text": (file(version="1"), FileError, ("version", "'1'", 1)),
    "version as bool": (file(version=True), FileError, ("version", "True", 1)),
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
        b" " * (MAX_STATE + 1),
        FileError,
        (50331649, 50331648),
    ),
    "bad edit": (file(edits="wq_0_0_nan"), SettingsError, ("value", "nan")),
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
    "layer": (-1, 6, 1.0, True),
    "n_tokens": (-1, 65),
    "piece": (-1, 13),
    "window": (-1, 65),
    "seed": (-1, 2**53),
    "scale": (-100.5, 1e308, "1", False, None, []),
    "text": (1, None, ["a"], "x" * 1001),
    "weights": ("magic", 0, None, ["random"]),
    "init": ("magic",),
    "scaling": ("magic",),
    "mask": ("magic",),
    "embedding": ("magic",),
    "positions": (0, "true", None),
    "residual": (1, "no"),
}


@pytest.mark.parametrize("name", FILES)
def test_files_that_are_refused(name: str) -> None:
    """A file that is damaged, hostile or of another kind is refused by what is wrong with it."""
    data, kind, facts = FILES[name]
    with refused(kind, *facts) as caught:
        read_state(data)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("name", DEFAULTS)
def test_values_that_are_refused(name: str) -> None:
    """A field of the wrong type or outside its bounds is named; no widget could show it."""
    for value in VALUES[name]:
        with refused((SettingsError, TextError), name) as caught:
            read_state(scenario_file(**{name: value}))
        assert len(str(caught.value)) < 300


def test_a_matrix_that_is_too_large() -> None:
    """The matrices in a state file obey the limits of matrices from anywhere."""
    read = read_state(file(own=pack({"x": np.ones((64, 2))})))
    assert own_of(read.scenario).sizes(2) == {"n_tokens": 64, "d_model": 2}
    with refused(ShapeError, "X", 65, 2, 64, 512):
        read_state(file(own=pack({"x": np.ones((65, 2))})))
