"""What the diagonal should refuse: each function with arguments it takes and others."""

from __future__ import annotations

import math

import numpy as np

from attention_lab.diagonal import (
    convex_hull,
    depth,
    depth_trajectories,
    geometry,
    growth,
    growth_curves,
    growth_table,
    settings,
    token_matrices,
)
from attention_lab.diagonal.claims.catalogue import claim
from attention_lab.diagonal.measures import SelfAttention, gram_alignment, margins, worst_pair
from attention_lab.diagonal.propositions import counterexamples
from attention_lab.diagonal.propositions.catalogue import proposition
from tests.core.hostile_values import (
    NO_ARRAY,
    NO_COUNT,
    NO_NAME,
    NO_NUMBER,
    NO_SEED,
    NO_SWITCH,
    NO_TEXT,
    Case,
)
from tests.lab.small_layer import X

CASES: dict[str, Case] = {
    "margins": (
        margins,
        {"scores_XTT": np.eye(2)},
        {"scores_XTT": ("no", [], X, [[1.0], []], np.empty((0, 0)))},
    ),
    "worst pair": (worst_pair, {"probabilities_TT": np.eye(2)}, {"probabilities_TT": NO_ARRAY}),
    "alignment": (
        gram_alignment,
        {"w_q_DK": X, "w_k_DK": X},
        {"w_q_DK": NO_ARRAY[3:], "w_k_DK": (*NO_ARRAY[3:], np.eye(2))},
    ),
    "claim": (claim, {"identifier": "slides-pair-bound"}, {"identifier": (np.eye(3), *NO_NAME)}),
    "square": (
        SelfAttention,
        {"scores": np.eye(2), "probabilities": np.eye(2)},
        {"scores": (X, "no", np.eye(3)), "probabilities": (X, None)},
    ),
    "hull": (
        convex_hull.hull_weights,
        {"point_D": [0.0, 0.0], "points_ND": [[1.0, 0.0], [-1.0, 0.0]]},
        {"point_D": (*NO_ARRAY, [1.0]), "points_ND": NO_ARRAY},
    ),
    "search": (
        counterexamples.search,
        {"proposition": proposition("S4"), "tries": 2},
        {
            "n_tokens": (10**6, *NO_COUNT),
            "d_model": (10**9, *NO_COUNT),
            "seed": NO_SEED,
            "tries": (0, 10**9, *NO_COUNT),
        },
    ),
    "proposition": (proposition, {"number": "S4"}, {"number": NO_NAME}),
    "stack": (
        depth.Stack,
        {},
        {
            "weights": NO_NAME,
            "n_heads": NO_COUNT,
            "n_layers": (65, *NO_COUNT),
            "skip": NO_SWITCH,
            "gain": NO_NUMBER,
            "layer_norm": NO_SWITCH,
            "norm_before": NO_SWITCH,
            "seed": NO_SEED,
        },
    ),
    "trajectory": (
        depth_trajectories.trajectory,
        {"stack": depth.Stack(n_layers=1), "d_model": 4},
        {"d_model": (10**9, *NO_COUNT), "text": ("", *NO_TEXT[1:])},
    ),
    "consensus": (depth.consensus_distance, {"x_XTD": X}, {"x_XTD": NO_ARRAY}),
    "experiment": (
        growth.Experiment,
        {},
        {
            "n_tokens": (100_000, *NO_COUNT),
            "d_model": (0, 10**9, *NO_COUNT),
            "d_k": (10**9, *NO_COUNT),
            "scale": ("no", math.inf, []),
            "causal": NO_SWITCH,
            "seed": NO_SEED,
        },
    ),
    "estimates": (
        lambda **given: list(growth.estimates(**given)),
        {"experiment": growth.Experiment(2, 2)},
        {
            "error": ("no", -1.0, math.nan, []),
            "at_least": (1, *NO_COUNT),
            "at_most": (0, 10**9, *NO_COUNT),
        },
    ),
    "exact mass": (
        growth_curves.self_mass_exact,
        {"n_tokens": 4, "d_model": 4},
        {
            "n_tokens": (0, 10**9, *NO_COUNT),
            "d_model": (0, 10**9, *NO_COUNT),
            "scale": (1e5, math.nan, "no", []),
            "causal": NO_SWITCH,
        },
    ),
    "half width": (
        growth_curves.half_mass_width,
        {"n_tokens": 4},
        {"n_tokens": (1, *NO_COUNT), "scaled": NO_SWITCH},
    ),
    "curves": (
        growth_table.curves,
        {"n_tokens": 4},
        {"n_tokens": NO_COUNT, "scaled": NO_SWITCH, "causal": NO_SWITCH},
    ),
    "growth": (
        growth_table.Growth,
        {},
        {"tied": NO_SWITCH, "scaled": NO_SWITCH, "causal": NO_SWITCH, "seed": NO_SEED},
    ),
    "half-plane": (
        geometry.half_plane,
        {"queries_T2": X[:, :2], "keys_T2": X[:, :2], "token": 0},
        {"queries_T2": NO_ARRAY, "keys_T2": (*NO_ARRAY, X), "token": (5, *NO_COUNT)},
    ),
    "scene": (
        settings.DiagonalSettings,
        {},
        {
            "tokens": NO_NAME,
            "text": NO_TEXT,
            "numbers": NO_TEXT,
            "n_tokens": (1e6, 10**6, *NO_COUNT),
            "d_model": (0, *NO_COUNT),
            "seed": NO_SEED,
            "spread": (*NO_NUMBER, 6.0),
            "positions": NO_NAME,
            "layer_norm": NO_SWITCH,
            "weights": NO_NAME,
            "angle": NO_NUMBER,
            "d_k": NO_COUNT,
            "scaled": NO_SWITCH,
            "temperature": (*NO_NUMBER, 0.0, -1.0),
            "causal": NO_SWITCH,
        },
    ),
    "turned": (
        settings.at_angle,
        {"d_model": 4, "d_k": 2, "degrees": 9.0},
        {"d_model": NO_COUNT, "d_k": NO_COUNT, "degrees": NO_NUMBER},
    ),
    "stretch": (
        token_matrices.stretch,
        {"x_TD": X, "spread": 1.0},
        {"x_TD": NO_ARRAY, "spread": (*NO_NUMBER, 1e200)},
    ),
    "gaussian tokens": (
        token_matrices.gaussian_tokens,
        {"n_tokens": 2, "d_model": 2},
        {"n_tokens": (0, 10**9, *NO_COUNT), "d_model": (0, 10**9, *NO_COUNT)},
    ),
    "parse": (token_matrices.parse_tokens, {"text": "1; 2"}, {"text": NO_TEXT}),
}
