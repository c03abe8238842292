"""The state file: it brings back every choice and every number, and refuses what no control could
be set to, what is damaged, and files of another kind.
"""

from __future__ import annotations

import json
from dataclasses import asdict, fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import AttentionError, FileError, SettingsError, TextError
from attention_lab.choices import DECLARED, MAX_TEXT_LENGTH, edits_of, user_matrices_of
from attention_lab.files.file_checks import MAX_VALUE
from attention_lab.files.json_file import JsonFile
from attention_lab.lessons.lesson_file import LESSON_FILE
from attention_lab.scenario import Scenario
from attention_lab.state_file import FOCUS, STATE_FILE, State, read_state, write_state
from attention_lab.user_data.edits import MAX_INDEX, MAX_URL_EDITS, Edit, Edits
from attention_lab.user_data.matrix_names import MAX_STATE_BYTES, SYMBOLS
from attention_lab.user_data.user_matrices import UserMatrices
from tests.lab.refusal import Facts, refused

OWN = UserMatrices(x=np.arange(10.0).reshape(2, 5) / 3, w_o=np.array([[-0.0, 5e-324]]))
EDITS = Edits((Edit("w_q", 3, 5, 0.1), Edit("x", 1, 0, -0.0)))
STATE = State(
    Scenario(
        text='“ß” שלום 🙂 \\ "',
        d_model=10,
        n_heads=2,
        mask="causal",
        scale=0.1,
        batch='“ß”\nשלום "',
        edits=EDITS.url_value(),
        own=OWN.url_value(),
    ),
    (1, 2, 3, 4),
    "slides",
    sentence=2,
)
DEFAULTS = {
    field.name: field.default for field in fields(Scenario) if field.name not in ("edits", "own")
}
NUMBERS = [one for one in DECLARED.values() if one.kind in ("scale", "whole", "number")]


def file(**changes: Any) -> bytes:
    """The file of a state with entries changed; None leaves one out."""
    entries = json.loads(write_state(STATE)) | changes
    kept = {name: value for name, value in entries.items() if value is not None}
    return json.dumps(kept).encode()


def scenario_file(**changes: Any) -> bytes:
    """The file of a state with fields of the scenario changed."""
    return file(scenario={**json.loads(write_state(STATE))["scenario"], **changes})


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """Anything the controls can be set to."""
    values: dict[str, Any] = {
        name: draw(st.sampled_from(one.options)) for name, one in DECLARED.items() if one.options
    }
    for one in NUMBERS:
        low, high = one.bounds
        whole = st.integers(int(low), int(high))
        values[one.name] = draw(st.floats(low, high) if one.kind == "number" else whole)
    switches = [name for name, value in DEFAULTS.items() if isinstance(value, bool)]
    values |= {name: draw(st.booleans()) for name in switches}
    letters = st.characters(exclude_categories=["Cs"])
    return Scenario(text=draw(st.text(letters, max_size=20)), **values)


PLACE = st.integers(0, MAX_INDEX)
EDIT = st.builds(
    Edit, st.sampled_from(sorted(SYMBOLS)), PLACE, PLACE, st.floats(-MAX_VALUE, MAX_VALUE)
)


def contents(state: State) -> tuple[Any, ...]:
    """All of a state, numbers as bits."""
    own, edits = user_matrices_of(state.scenario).arrays, edits_of(state.scenario).items
    matrices = [(name, one.shape, one.tobytes()) for name, one in own.items()]
    cells = [(edit.cell, edit.value.hex()) for edit in edits]
    return repr(asdict(state.scenario)), cells, matrices, state.places, state.notation


@given(scenarios(), st.lists(EDIT, max_size=5), st.tuples(PLACE, PLACE, PLACE, PLACE))
def test_states_come_back(
    scenario: Scenario, items: list[Edit], focus: tuple[int, int, int, int]
) -> None:
    state = State(replace(scenario, edits=Edits(tuple(items)).url_value()), focus)
    assert contents(read_state(write_state(state))) == contents(state)


def test_a_state_with_everything_in_it() -> None:
    assert contents(read_state(write_state(STATE))) == contents(STATE)
    entries = json.loads(write_state(STATE))
    assert (entries["format"], entries["version"]) == ("Attention Lab state", 1)
    assert set(entries["scenario"]) == set(DEFAULTS)
    assert entries["edits"] == "wq_3_5_0.1__x_1_0_-0"
    assert entries["focus"] == dict(zip(FOCUS, (1, 2, 3, 4), strict=True)) | {"sentence": 2}


def test_more_than_the_url_can_hold() -> None:
    edits = Edits(tuple(Edit("w_v", i // 32, i % 32, i / 7) for i in range(1000)))
    own = UserMatrices(w_q=np.random.default_rng(0).normal(size=(128, 96)))
    assert len(edits.items) > MAX_URL_EDITS
    longest = '"[{,' * (MAX_TEXT_LENGTH // 4)
    state = State(Scenario(text=longest, edits=edits.url_value(), own=own.url_value()))
    assert contents(read_state(write_state(state))) == contents(state)


def test_what_is_missing_has_its_default() -> None:
    bare = read_state(b'\xef\xbb\xbf{"format": "Attention Lab state", "version": 1}')
    assert contents(bare) == contents(State())
    assert read_state(file(scenario={"n_heads": 8}, focus={"key": 3})).focus == (0, 0, 3, 0)


def test_a_whole_number_for_a_number() -> None:
    assert repr(read_state(scenario_file(scale=2)).scenario.scale) == "2.0"


FILES: dict[str, tuple[bytes, type[AttentionError], Facts]] = {
    "empty": (b"", FileError, ("JSON", "UTF-8")),
    "not UTF-8": (b'{"format": "\xff"}', FileError, ("JSON", "UTF-8")),
    "cut off": (write_state(STATE)[:-3], FileError, ("JSON", "UTF-8")),
    "a list": (b"[]", FileError, ("state",)),
    "unknown entry": (file(extra=1), FileError, ("extra", "format", "version")),
    "unknown field": (scenario_file(__class__=1), FileError, ("scenario", "__class__", "text")),
    "hidden fields": (scenario_file(edits="x_0_0_1"), FileError, ("scenario", "edits")),
    "unknown focus": (file(focus={"row": 1}), FileError, ("focus", "row", "head", "query")),
    "scenario as list": (file(scenario=[1]), FileError, ("scenario", "[1]")),
    "focus as number": (file(focus=1), FileError, ("focus", 1)),
    "edits as list": (file(edits=["x_0_0_1"]), FileError, ("edits", "x_0_0_1")),
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
    "many lists": (b"[" + b"[]," * 10**6 + b"[]]", FileError, ("state",)),
    "many names": (b"{" + b'"":0 ' * 10**6 + b"}", FileError, ("state",)),
    "too large": (b" " * (MAX_STATE_BYTES + 1), FileError, (50331649, 50331648)),
    "bad edit": (file(edits="wq_0_0_nan"), SettingsError, ("value", "wq_0_0_nan")),
    "many edits": (file(edits="__".join(["x_0_0_1"] * 4001)), SettingsError, (4001, 4000)),
    "key of kept edits": (file(edits=".0123"), SettingsError, (".0123",)),
    "bad matrices": (file(own="AAAA"), FileError, ("matrices",)),
    "notation as list": (file(notation=["ours"]), SettingsError, ("notation", "ours")),
    "notation as page": (file(notation="<script>"), SettingsError, ("notation", "<script>")),
    "notation of nobody": (file(notation="martian"), SettingsError, ("martian", "ours", "gml")),
    "focus as text": (file(focus={"head": "1"}), SettingsError, ("head", "1")),
    "negative focus": (file(focus={"query": -1}), SettingsError, ("query", -1, 0, 4095)),
    "negative sentence": (file(focus={"sentence": -1}), SettingsError, ("sentence", -1, 0, 4095)),
    "far focus": (file(focus={"key": 10**9}), SettingsError, ("key", 1000000000)),
    "half a letter": (file(scenario={"text": "a\ud800"}), SettingsError, ("text",)),
}


def test_the_bounds_of_every_field() -> None:
    assert {
        "n_tokens": (0, 64),
        "piece": (0, 12),
        "d_model": (1, 512),
        "n_heads": (1, 16),
        **dict.fromkeys(("d_k", "d_v", "d_o"), (0, 128)),
        "layer": (0, 5),
        "seed": (0, 2**53 - 1),
        **dict.fromkeys(("window", "prefix"), (0, 64)),
        "start": (0, 1000),
        "gain": (0, 100),
        "cap": (0.1, 1000),
        "base": (1, 1e9),
        **dict.fromkeys(("scale", "sink_logit"), (-100, 100)),
    } == {one.name: one.bounds for one in NUMBERS}


def wrong_values(name: str) -> list[Any]:
    """Values that no control of a field can have: beyond its bounds, or of another kind."""
    if options := DECLARED[name].options:
        return ["magic", 0, None, [options[0]]]
    if isinstance(DEFAULTS[name], bool):
        return [0, 1, "true", None]
    if isinstance(DEFAULTS[name], str):
        return [1, None, ["a"], "x" * 1001, *["banana", "9x9."] * (name == "painted")]
    low, high = DECLARED[name].bounds
    fraction = [] if isinstance(DEFAULTS[name], float) else [float(low)]
    return [low - 1, high + 1, 10**100, "1", True, None, [1], *fraction]


@pytest.mark.parametrize("name", FILES)
def test_files_that_are_refused(name: str) -> None:
    data, kind, facts = FILES[name]
    with refused(kind, *facts) as caught:
        read_state(data)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("name", DEFAULTS)
def test_values_that_are_refused(name: str) -> None:
    for value in wrong_values(name):
        with refused((SettingsError, TextError), name) as caught:
            read_state(scenario_file(**{name: value}))
        assert len(str(caught.value)) < 300


WRONG: dict[str, tuple[dict[str, Any], Facts]] = {
    "another format": ({"format": "notebook"}, ()),
    "no format": ({"format": None}, ()),
    "no version": ({"version": None}, ("version", "None", 1)),
    "newer": ({"version": 2, "anything": 1}, ("version", 2, 1)),
    "version as text": ({"version": "1"}, ("version", "'1'", 1)),
    "version as bool": ({"version": True}, ("version", "True", 1)),
}


@pytest.mark.parametrize("kind", [STATE_FILE, LESSON_FILE], ids=lambda kind: kind.name)
@pytest.mark.parametrize(("wrong", "facts"), WRONG.values(), ids=WRONG)
def test_another_kind_of_file_is_told(kind: JsonFile, wrong: dict[str, Any], facts: Facts) -> None:
    data = json.dumps(json.loads(kind.write({})) | wrong).encode()
    with refused(FileError, *(facts or (kind.format,))):
        kind.read(data)
