"""What heads, masks and trained layers should refuse: each function with arguments it takes and
others.
"""

from __future__ import annotations

import math

import numpy as np

from attention_core.derivation import derive, derive_input
from attention_core.derived_arrays import derived_array_of, slice_of
from attention_core.embeddings import embed, word_vector
from attention_core.head_blocks import head_columns
from attention_lab import practice, rounding
from attention_lab.export import step_code
from attention_lab.heads import (
    all_heads,
    basis_change,
    counts,
    distances,
    gauge_effect,
    head_comparison,
    head_worth,
    patterns,
    reruns,
    score_schemes,
    similarity,
    size_growth,
)
from attention_lab.heads.keys_read import keys_read_most, strongest_keys
from attention_lab.heads.layout_mistakes import foreign_cells, place_merged, split_places
from attention_lab.heads.weight_blocks import head_slice
from attention_lab.user_data.own_matrices import OwnMatrices
from tests.core.hostile_values import (
    NO_ARRAY,
    NO_COUNT,
    NO_LIST,
    NO_NAME,
    NO_SEED,
    NO_SHARES,
    NO_SWITCH,
    NO_TEXT,
    Case,
)
from tests.lab import refused_by_masks, refused_by_trained
from tests.lab.small_layer import SHARES, TRACE, P, X

SIZE = counts.LayerSize(4, 8, 2, 2, 4, 4)

CASES: dict[str, Case] = {
    **{
        f"{of.__name__} of a field": (of, {"name": "output"}, {"name": ("heads", *NO_NAME)})
        for of in (TRACE.code, TRACE.says, TRACE.axes)
    },
    "cell": (
        derive,
        {"trace": TRACE, "field": "scores", "index": (0, 0, 0, 0)},
        {
            "field": NO_NAME,
            "index": (*NO_LIST, [0], [0, 0, 0, 5], [0, 0, 0, 1.5], [0, 0, 0, True], "0000"),
        },
    ),
    "number of an input": (
        derive_input,
        {"embedding": embed(["a", "b"], 4), "token": 1, "feature": 3},
        {"token": (2, *NO_COUNT), "feature": (4, *NO_COUNT)},
    ),
    "labels": (
        TRACE.labelled,
        {"tokens": list("abcde")},
        {"tokens": ([0] * 5, "abcde", *NO_LIST), "memory_tokens": ([None] * 5, *NO_LIST)},
    ),
    "sizes of own matrices": (
        OwnMatrices(w_q=X).sizes,
        {"n_heads": 2},
        {"n_heads": (0, 17, *NO_COUNT)},
    ),
    "embedding": (
        embed,
        {"tokens": ["a"], "d_model": 4},
        {
            "tokens": ([], [0], "one", *NO_LIST),
            "d_model": (0, *NO_COUNT),
            "kind": NO_NAME,
            "positions": NO_SWITCH,
        },
    ),
    "word": (
        word_vector,
        {"token": "a", "d_model": 4},
        {"token": NO_TEXT, "d_model": (0, *NO_COUNT)},
    ),
    "labels of an axis": (TRACE.labels, {"axis": "H·V"}, {"axis": ("X", "H·", *NO_NAME)}),
    **{
        of.__name__: (of, {"trace": TRACE, "field": "output"}, {"field": ("heads", *NO_NAME)})
        for of in (
            step_code.numpy_lines,
            step_code.torch_lines,
            step_code.check_line,
            rounding.tolerance,
        )
    },
    "head columns": (
        head_columns,
        {"trace": TRACE, "field": "keys", "head": 0},
        {"field": NO_NAME, "head": (2, *NO_COUNT)},
    ),
    "gauge": (basis_change.random_gauge, {"projections": P}, {"seed": NO_SEED}),
    "parts of a head": (
        gauge_effect.moved,
        {"before": TRACE, "after": TRACE, "head": 0},
        {"head": (2, *NO_COUNT)},
    ),
    "products of a head": (
        gauge_effect.kept,
        {"before": TRACE, "after": TRACE, "head": 0},
        {"head": (2, *NO_COUNT)},
    ),
    "chosen heads": (
        all_heads.mean_of_heads,
        {"numbers_HTS": SHARES, "heads": [0]},
        {"heads": (*NO_LIST, [], [2], [-1], ["a"])},
    ),
    "most alike": (
        head_comparison.most_alike,
        {"similarity_HH": np.eye(3)},
        {"similarity_HH": (None, "no", [], X, [[1.0], []])},
    ),
    "relative change": (
        head_comparison.relative_change,
        {"before": X, "after": X},
        {"before": (*NO_ARRAY, [1.0]), "after": (*NO_ARRAY, [1.0])},
    ),
    "entropy": (patterns.entropy, {"probabilities_XTS": SHARES}, {"probabilities_XTS": NO_SHARES}),
    "offset mass": (
        distances.offset_mass,
        {"probabilities_XTS": SHARES, "offset": 0},
        {"probabilities_XTS": NO_SHARES, "offset": (None, "no", 0.5, [])},
    ),
    "largest entropy": (patterns.largest_entropy, {"n_keys": 2}, {"n_keys": (0, *NO_COUNT)}),
    "rerun": (
        reruns.rerun,
        {"trace": TRACE},
        {
            "scale": ("no", math.inf, []),
            "mask": ("no", [[1]]),
            "residual": NO_SWITCH,
            "tokens": ("a",),
        },
    ),
    "wasted share": (score_schemes.wasted_share, {"n_heads": 2}, {"n_heads": (0, *NO_COUNT)}),
    "redundancy": (
        similarity.redundancy,
        {"divergence": np.float32([[0, similarity.MOST]])},
        {"divergence": (*NO_ARRAY, -0.1, 0.7, 1.0, [[0.0, 0.8]])},
    ),
    "divergence": (
        similarity.jensen_shannon,
        {"one_XTS": SHARES, "other_XTS": SHARES},
        {"one_XTS": NO_SHARES, "other_XTS": NO_SHARES},
    ),
    "growing": (size_growth.as_grows, {"size": SIZE, "letter": "n"}, {"letter": NO_NAME}),
    "switch off": (
        head_worth.switch_off,
        {"projections": P, "heads": [0]},
        {"heads": (*NO_LIST, [2], [-1], ["a"])},
    ),
    "aside": (derived_array_of, {"trace": TRACE, "name": "row_sum"}, {"name": NO_NAME}),
    "slice of an aside": (
        slice_of,
        {"trace": TRACE, "name": "row_sum", "fixed": {0: 0}},
        {"fixed": (None, "no", [0], {9: 0}, {0: 9}, {0: "a"}, {"a": 0})},
    ),
    "foreign cells": (
        foreign_cells,
        {"n_tokens": 2, "n_heads": 2, "width": 2},
        {"n_tokens": (0, 10**9, *NO_COUNT), "n_heads": NO_COUNT, "width": NO_COUNT},
    ),
    "split places": (
        split_places,
        {"shape_BHTF": (1, 2, 3, 4), "head": 0, "token": 0, "feature": 0},
        {
            "shape_BHTF": (*NO_LIST, (1, 2)),
            "head": (2, *NO_COUNT),
            "token": NO_COUNT,
            "feature": NO_COUNT,
        },
    ),
    "head slice": (
        head_slice,
        {"trace": TRACE, "matrix": "w_q", "head": 0},
        {"matrix": NO_NAME, "head": (2, *NO_COUNT)},
    ),
    "place": (
        place_merged,
        {"trace": TRACE, "head": 0, "query": 0, "feature": 0},
        {"feature": (2, *NO_COUNT), "swap": NO_SWITCH},
    ),
    "strongest": (
        strongest_keys,
        {"trace": TRACE, "head": 0, "query": 0},
        {"count": NO_COUNT, "query": NO_COUNT},
    ),
    "read most": (
        keys_read_most,
        {"trace": TRACE, "head": 0, "query": 0},
        {"head": (2, *NO_COUNT), "query": (5, *NO_COUNT), "batch": (1, *NO_COUNT)},
    ),
    "question": (
        practice.ask,
        {"trace": TRACE, "number": 1},
        {"number": (0, 10_000, *NO_COUNT), "field": (None, "masked_scores", 0, [], "no")},
    ),
    **refused_by_masks.CASES,
    **refused_by_trained.CASES,
}
