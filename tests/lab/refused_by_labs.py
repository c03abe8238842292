"""What the laboratories and the diagonal should refuse: each function with arguments it takes
and others.
"""

from __future__ import annotations

import math

import numpy as np

from attention_core import causal_mask, softmax
from attention_lab.diagonal import (
    convex_hull,
    counterexamples,
    depth,
    depth_courses,
    growth,
    growth_curves,
    growth_table,
    half_planes,
    scenes,
    token_matrices,
)
from attention_lab.diagonal.claims.catalogue import claim
from attention_lab.diagonal.measures import Square, gram_alignment, margins, worst_pair
from attention_lab.diagonal.propositions import proposition
from attention_lab.labs import (
    column_effect,
    convolution,
    evaluation,
    images,
    julia_mapping,
    lexicon,
    lexicon_heads,
    one_by_one,
    padding,
    readouts,
    stiefel,
    tasks,
)
from attention_lab.labs.deep_stack import tanh_gradient
from attention_lab.labs.lab_examples import globe_step, mapping_example
from attention_lab.labs.losses import LOSSES
from attention_lab.labs.stack_settings import StackSettings
from attention_lab.labs.training_settings import TrainingSettings
from tests.core.hostile_values import (
    HUGE,
    NO_ARRAY,
    NO_COUNT,
    NO_LIST,
    NO_NAME,
    NO_NUMBER,
    NO_SEED,
    NO_SWITCH,
    NO_TEXT,
    Case,
)

X = np.random.default_rng(0).standard_normal((5, 4))
RUN = convolution.run_convolution(np.ones((2, 3)), np.ones((3, 3)), 20.0)
HEADS = julia_mapping.JuliaHeads.random(6, 2)

CASES: dict[str, Case] = {
    "softmax": (
        softmax,
        {"scores": X},
        {"axis": (*NO_COUNT[:-4], 2, -3, 2**70), "scores": ("no", None, [[1.0], []], HUGE)},
    ),
    "causal mask": (causal_mask, {"T": 2}, {"T": (10**10, -1, "no", 2**70), "S": (10**10, [])}),
    "column effect": (
        column_effect.column_effect,
        {"columns": "normal", "d_model": 8, "n_heads": 2, "n_tokens": 4},
        {
            "columns": NO_NAME,
            "d_model": NO_COUNT,
            "n_heads": NO_COUNT,
            "n_tokens": NO_COUNT,
            "seed": NO_SEED,
            "scale": ("no", math.nan, [], 1e200),
        },
    ),
    "convolve": (
        convolution.convolve,
        {"image": np.ones((2, 3)), "kernel": np.ones((3, 3)), "padding": "sink"},
        {"image": NO_ARRAY, "kernel": NO_ARRAY, "padding": NO_NAME},
    ),
    "pixel": (
        convolution.pixel_attention,
        {"run": RUN, "row": 0, "column": 0},
        {"row": NO_COUNT, "column": NO_COUNT},
    ),
    "expected error": (
        convolution.expected_error,
        {"image": np.ones((2, 3)), "kernel": np.ones((3, 3)), "sharpness": 3.0},
        {"padding": ("mirror", *NO_NAME), "sharpness": NO_NUMBER},
    ),
    "error curve": (
        convolution.error_curve,
        {"image": np.ones((2, 3)), "kernel": np.ones((1, 1)), "sharpnesses": [1.0]},
        {"sharpnesses": ("no", [None], [[math.nan]]), "padding": NO_NAME},
    ),
    "token grid": (
        padding.token_grid,
        {"padding": "frame", "height": 3, "width": 4, "reach": 1},
        {"padding": NO_NAME, "height": NO_COUNT, "width": NO_COUNT, "reach": NO_COUNT},
    ),
    "shrink": (images.shrink_image, {"pixels": X}, {"pixels": NO_ARRAY}),
    "best possible": (
        evaluation.best_possible,
        {"task": "letters", "n_heads": 2},
        {"task": NO_NAME, "n_heads": NO_COUNT},
    ),
    **{
        loss.compute.__name__: (
            loss.compute,
            {"output": np.ones((2, 3, 4)), "target": np.ones((2, 3, 2, 2))},
            {
                "output": (*NO_ARRAY, np.ones((2, 3, 2, 2))),
                "target": (*NO_ARRAY, np.ones((2, 3, 4))),
            },
        )
        for pair in LOSSES.values()
        for loss in (pair.value, pair.gradient)
    },
    "mapping": (
        julia_mapping.check_mapping,
        {"z": np.ones((6, 5)), "heads": HEADS, "convention": "code"},
        {"z": NO_ARRAY, "convention": NO_NAME, "add_connection": NO_SWITCH},
    ),
    "manual layer": (
        julia_mapping.manual_layer,
        {"z": np.ones((6, 5)), "heads": HEADS},
        {"z": (*NO_ARRAY, np.full((6, 5), 1e200)), "add_connection": NO_SWITCH},
    ),
    "own word": (
        lexicon.own_word,
        {"word": "horse", "features": ["NOUN"]},
        {"word": NO_TEXT, "features": (*NO_LIST, [[]])},
    ),
    "compose": (
        lexicon.compose,
        {"text": "the queen"},
        {
            "text": NO_TEXT,
            "own_words": ("no", [1], {"horse": ("furry",)}, {0: ("NOUN",)}),
            "start": NO_SWITCH,
        },
    ),
    "lexicon heads": (
        lexicon_heads.same,
        {"features": ("masc",), "strength": 1.0},
        {"features": (*NO_LIST, ["furry"]), "strength": NO_NUMBER},
    ),
    "one by one": (
        one_by_one.run_one_by_one,
        {"tokens": X, "kernel": np.ones((4, 2)), "sharpness": 9.0},
        {"tokens": NO_ARRAY, "kernel": NO_ARRAY, "sharpness": NO_NUMBER, "kind": NO_NAME},
    ),
    "readout": (
        readouts.weightless_score,
        {"task": "neighbours"},
        {"task": NO_NAME, "seed": NO_SEED},
    ),
    "stack settings": (
        StackSettings,
        {},
        {
            "row": NO_NAME,
            "loss": NO_NAME,
            "n_layers": NO_COUNT,
            "n_heads": (1.0, 3, "4", []),
            "batch": NO_COUNT,
            "n_steps": NO_COUNT,
            "learning_rate": NO_NUMBER,
            "connection": NO_SWITCH,
            "seed": NO_SEED,
        },
    ),
    "training settings": (
        TrainingSettings,
        {},
        {
            "task": NO_NAME,
            "n_heads": NO_COUNT,
            "d_k": NO_COUNT,
            "n_steps": NO_COUNT,
            "batch": NO_COUNT,
            "learning_rate": NO_NUMBER,
            "constraint": NO_NAME,
            "temperature": (*NO_NUMBER, 1e-9),
            "seed": NO_SEED,
        },
    ),
    "sphere": (
        stiefel.sphere_step,
        {"point": [0, 0, 1], "gradient": [1, 0, 0]},
        {
            "point": (*NO_ARRAY, [0, 0, 0]),
            "gradient": (*NO_ARRAY, [1e200] * 3),
            "step_size": (*NO_NUMBER, 1e200),
            "n_points": (0, *NO_COUNT),
        },
    ),
    "orthonormality": (stiefel.orthonormality_error, {"point": X}, {"point": (*NO_ARRAY, X[0])}),
    "transposed": (stiefel.transposed, {"matrix": X}, {"matrix": (None, X[0], [[1.0], []])}),
    "rotation": (
        stiefel.rotation_generator,
        {"point": X, "step": X},
        {"point": (*NO_ARRAY, X[0], X[1:], X.T), "step": (*NO_ARRAY, X[0], X[1:], X.T)},
    ),
    **{
        name: (
            formula.compute,
            {"point": X, "gradient": X},
            {"point": (*NO_ARRAY, X[0], X[1:], X.T), "gradient": (*NO_ARRAY, X[0], X[1:], X.T)},
        )
        for name, formula in stiefel.PROJECTIONS.items()
    },
    **{
        name: (
            formula.compute,
            {"point": X, "step": X},
            {"point": (*NO_ARRAY, X[0], X[1:], X.T), "step": (*NO_ARRAY, X[0], X[1:], X.T)},
        )
        for name, formula in stiefel.RETRACTIONS.items()
    },
    "bend": (
        tanh_gradient,
        {"bend": X, "bend_gradient": X},
        {
            "bend": (None, "no", np.empty((0, 3))),
            "bend_gradient": (None, X[0], np.full((5, 4), np.nan)),
        },
    ),
    "drift": (
        stiefel.orthonormality_drift,
        {"retraction": "qr", "n_steps": 1},
        {"retraction": NO_NAME, "n": NO_COUNT, "k": NO_COUNT, "n_steps": NO_COUNT, "seed": NO_SEED},
    ),
    "parameters": (
        stiefel.parameter_counts,
        {"d_model": 8, "n_heads": 2},
        {"d_model": NO_COUNT, "n_heads": (3, *NO_COUNT)},
    ),
    "unseen": (
        tasks.unseen_examples,
        {"name": "letters"},
        {"name": NO_NAME, "n_sequences": (10**9, *NO_COUNT)},
    ),
    "globe": (
        globe_step,
        {"turn": 0.0, "outward": 0.0, "step_size": 1.0},
        {"turn": NO_NUMBER, "outward": NO_NUMBER, "step_size": NO_NUMBER},
    ),
    "mapping example": (
        mapping_example,
        {"convention": "code", "add_connection": False, "seed": 0},
        {"convention": NO_NAME, "add_connection": NO_SWITCH, "seed": NO_SEED},
    ),
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
        Square,
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
            "seed": NO_SEED,
        },
    ),
    "course": (
        depth_courses.course,
        {"stack": depth.Stack(n_layers=1), "d_model": 4},
        {
            "d_model": (10**9, *NO_COUNT),
            "text": ("", *NO_TEXT[1:]),
            "n_tokens": (0, 10**6, *NO_COUNT),
        },
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
        half_planes.half_plane,
        {"queries_T2": X[:, :2], "keys_T2": X[:, :2], "token": 0},
        {"queries_T2": NO_ARRAY, "keys_T2": (*NO_ARRAY, X), "token": (5, *NO_COUNT)},
    ),
    "scene": (
        scenes.DiagonalScene,
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
        scenes.at_angle,
        {"d_model": 4, "d_k": 2, "degrees": 9.0},
        {"d_model": NO_COUNT, "d_k": NO_COUNT, "degrees": NO_NUMBER},
    ),
    "stretch": (
        token_matrices.stretch,
        {"x_TD": X, "spread": 1.0},
        {"x_TD": NO_ARRAY, "spread": (*NO_NUMBER, 1e200), "seed": NO_SEED},
    ),
    "gaussian tokens": (
        token_matrices.gaussian_tokens,
        {"n_tokens": 2, "d_model": 2},
        {"n_tokens": (0, 10**9, *NO_COUNT), "d_model": (0, 10**9, *NO_COUNT)},
    ),
    "parse": (token_matrices.parse_tokens, {"text": "1; 2"}, {"text": NO_TEXT}),
}
