"""What the laboratories and the diagonal should refuse: each function with arguments it takes
and others.
"""

from __future__ import annotations

import math

import numpy as np

from attention_core import causal_mask, softmax
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
    sphere_step,
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
from tests.lab.small_layer import X

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
        sphere_step.sphere_step,
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
        {"tanh_output": X, "tanh_output_gradient": X},
        {
            "tanh_output": (None, "no", np.empty((0, 3))),
            "tanh_output_gradient": (None, X[0], np.full((5, 4), np.nan)),
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
}
