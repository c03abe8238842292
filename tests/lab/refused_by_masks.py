"""What the masks and faults should refuse: each function with arguments it takes and others."""

from __future__ import annotations

import math

import numpy as np

from attention_lab.masks import (
    bench,
    faults,
    hiding,
)
from attention_lab.scenario import Scenario
from attention_lab.user_data import painted
from tests.core.hostile_values import (
    NO_ARRAY,
    NO_COUNT,
    NO_NAME,
    NO_NUMBER,
    Case,
)
from tests.lab.small_layer import TRACE, X

SHORT = Scenario(text="one two", d_model=4, n_heads=2)

CASES: dict[str, Case] = {
    "fault": (bench.fault_of, {"key": "none"}, {"key": NO_NAME}),
    "hidden by": (
        hiding.hidden_by,
        {"masks": {"a": np.ones((3, 3), bool)}, "query": 0, "key": 0},
        {
            "masks": (None, "no", [1], {"a": np.ones(3)}),
            "query": (3, *NO_COUNT),
            "key": (3, *NO_COUNT),
        },
    ),
    "hide with": (
        hiding.hidden_with,
        {"value": -1.0, "scaled_scores": X, "allowed": X > 0},
        {
            "value": (None, "no", math.nan, math.inf, []),
            "scaled_scores": (None, "no", [[math.nan]]),
            "allowed": (None, X, np.ones((2, 2), bool)),
        },
    ),
    "mask order": (
        hiding.mask_order,
        {"scores": X, "scale": 1.0, "addend": np.zeros(4)},
        {
            "scores": NO_ARRAY,
            "scale": (*NO_NUMBER, 0.0, -1.0),
            "addend": ("no", [math.nan], np.zeros(3)),
        },
    ),
    "painted cell": (
        painted.toggle,
        {"allowed_TS": X > 0, "query": 0, "key": 0},
        {
            "allowed_TS": (*NO_ARRAY, X, np.ones(2, bool)),
            "query": (5, *NO_COUNT),
            "key": (4, *NO_COUNT),
        },
    ),
    "painting of another size": (
        painted.fitted,
        {"allowed_TS": X > 0, "n_queries": 2, "n_keys": 9},
        {
            "allowed_TS": (*NO_ARRAY, X, np.array(0.5)),
            "n_queries": (0, *NO_COUNT),
            "n_keys": (0, *NO_COUNT),
        },
    ),
    "painting as text": (
        painted.mask_to_text,
        {"allowed_TS": X > 0},
        {"allowed_TS": (*NO_ARRAY, X, np.array(0.5))},
    ),
    "difference": (
        faults.differs,
        {"right": TRACE, "faulty": TRACE, "name": "output"},
        {"name": ("x", *NO_NAME)},
    ),
}
