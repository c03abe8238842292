"""What the masks and faults should refuse: each function with arguments it takes and others."""

from __future__ import annotations

import math

import numpy as np

from attention_lab.masks import (
    bench,
    encoder_decoder,
    faults,
    hiding,
    invariances,
    mask_workshop,
    run_gaps,
    shuffles,
    temperature,
)
from attention_lab.scenario import Scenario
from attention_lab.user_data import painted
from tests.core.hostile_values import (
    NO_ARRAY,
    NO_COUNT,
    NO_LIST,
    NO_NAME,
    NO_NUMBER,
    NO_SEED,
    NO_SHARES,
    NO_TEXT,
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
    "temperature": (
        invariances.at_temperature,
        {"trace": TRACE, "temperature": 2.0},
        {"temperature": (*NO_NUMBER, 0.0, 1e-320)},
    ),
    "order": (
        run_gaps.permutation_gaps,
        {"straight": TRACE, "shuffled": TRACE, "order": range(5)},
        {"order": (*NO_LIST, [0], [0] * 5, [9] * 5)},
    ),
    "shares at": (
        temperature.shares_at,
        {"scores_S": [1.0], "temperatures_P": [1.0]},
        {"scores_S": NO_ARRAY, "temperatures_P": (*NO_ARRAY, [0.0], [-1.0], [1e-320])},
    ),
    "sharpness": (
        temperature.sharpness,
        {"scores_XS": [1.0]},
        {"scores_XS": (*NO_ARRAY, 0.5, np.ones((0, 3)))},
    ),
    "softmax jacobian": (
        temperature.softmax_jacobian,
        {"probabilities_XS": [1.0]},
        {"probabilities_XS": (*NO_SHARES, np.full(20_000, 5e-5))},
    ),
    "score spread": (
        temperature.score_spread,
        {"d_k": 2},
        {"d_k": (0, 10**6, *NO_COUNT), "n_keys": (0, *NO_COUNT), "seed": NO_SEED},
    ),
    "shuffle": (
        shuffles.shuffle,
        {"scenario": SHORT, "key": "words alone"},
        {"key": NO_NAME, "seed": NO_SEED},
    ),
    "sentence": (
        encoder_decoder.Sentence,
        {"vectors": X, "tokens": ["a", "b", "c", "d", "e"], "n_real": 5},
        {"vectors": NO_ARRAY, "tokens": (*NO_LIST, ["a"]), "n_real": (6, *NO_COUNT)},
    ),
    "workshop": (
        mask_workshop.Workshop,
        {},
        {
            "others": (*NO_LIST, [0]),
            "masks": (*NO_LIST, ["nonsense"]),
            "window": NO_COUNT,
            "painted": NO_TEXT,
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
