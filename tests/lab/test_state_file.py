"""The state file: it brings back every choice and every number, and refuses what no control
could be set to.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_lab.choices import (
    FIELD_BOUNDS,
    FIELD_CHOICES,
    MAX_TEXT_LENGTH,
    edits_of,
    user_matrices_of,
)
from attention_lab.files.file_checks import MAX_VALUE
from attention_lab.scenario import Scenario
from attention_lab.state_file import FOCUS, State, read_state, write_state
from attention_lab.user_data.edits import MAX_INDEX, MAX_URL_EDITS, Edit, Edits
from attention_lab.user_data.matrix_names import SYMBOLS
from attention_lab.user_data.user_matrices import UserMatrices
from tests.lab.state_cases import DEFAULTS, STATE, file, scenario_file


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """Anything the controls can be set to."""
    values: dict[str, Any] = {
        name: draw(st.sampled_from(choices)) for name, choices in FIELD_CHOICES.items()
    }
    for name, (low, high) in FIELD_BOUNDS.items():
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


PLACE = st.integers(0, MAX_INDEX)
EDIT = st.builds(
    Edit, st.sampled_from(sorted(SYMBOLS)), PLACE, PLACE, st.floats(-MAX_VALUE, MAX_VALUE)
)


def contents(state: State) -> tuple[Any, ...]:
    """All of a state, numbers as bits."""
    matrices = {
        name: (matrix.shape, matrix.tobytes())
        for name, matrix in user_matrices_of(state.scenario).arrays.items()
    }
    edits = [(edit.cell, edit.value.hex()) for edit in edits_of(state.scenario).items]
    return (
        state.scenario,
        repr(asdict(state.scenario)),
        edits,
        matrices,
        state.focus,
        state.notation,
        state.sentence,
    )


@settings(max_examples=40)
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
    state = replace(
        STATE, scenario=replace(STATE.scenario, edits=edits.url_value(), own=own.url_value())
    )
    assert contents(read_state(write_state(state))) == contents(state)


def test_the_longest_sentence() -> None:
    state = State(Scenario(text='"[{,' * (MAX_TEXT_LENGTH // 4)))
    assert contents(read_state(write_state(state))) == contents(state)


def test_what_is_missing_has_its_default() -> None:
    assert contents(
        read_state(b'\xef\xbb\xbf{"format": "Attention Lab state", "version": 1}')
    ) == contents(State())
    assert read_state(file(scenario={"n_heads": 8}, focus={"key": 3})).focus == (0, 0, 3, 0)


def test_a_whole_number_for_a_number() -> None:
    assert repr(read_state(scenario_file(scale=2)).scenario.scale) == "2.0"


def test_every_field_has_bounds() -> None:
    free = {name for name, value in DEFAULTS.items() if isinstance(value, bool)} | {
        "text",
        "painted",
        "batch",
    }
    assert set(FIELD_BOUNDS) | set(FIELD_CHOICES) | free == set(DEFAULTS)
