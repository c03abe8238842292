"""A state with everything in it, and files that hold parts of one."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import numpy as np

from attention_lab.scenario import Scenario
from attention_lab.state_file import State, write_state
from attention_lab.user_data.edits import Edit, Edits
from attention_lab.user_data.user_matrices import UserMatrices

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


def file(**changes: Any) -> bytes:
    """The file of a state with entries changed; None leaves one out."""
    entries = json.loads(write_state(STATE)) | changes
    return json.dumps(
        {name: value for name, value in entries.items() if value is not None}
    ).encode()


def scenario_file(**changes: Any) -> bytes:
    """The file of a state with fields of the scenario changed."""
    return file(scenario={**json.loads(write_state(STATE))["scenario"], **changes})
