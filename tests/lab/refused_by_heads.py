"""What heads, masks and trained layers should refuse: each function with arguments it takes and
others.
"""

from __future__ import annotations

import math

import numpy as np

from attention_core import Projections, attend
from attention_core.derivation import derive, derive_input
from attention_core.derived_arrays import aside_of, slice_of
from attention_core.embeddings import embed, word_vector
from attention_core.head_blocks import head_columns
from attention_lab import practice, rounding
from attention_lab.export import step_code
from attention_lab.heads import (
    counts,
    gauge,
    gauge_effect,
    head_averages,
    head_comparison,
    patterns,
    reruns,
    score_schemes,
    similarity,
    size_growth,
    worth,
)
from attention_lab.heads.keys_read import keys_read_most, strongest_keys
from attention_lab.heads.layout_mistakes import foreign_cells, place_merged, split_places
from attention_lab.heads.weight_blocks import head_slice
from attention_lab.masks import (
    bench,
    faults,
    hiding,
    invariances,
    painted,
    saturation,
    shuffles,
    uses,
    workshop,
)
from attention_lab.scenario import Scenario
from attention_lab.trained import changed_word, encoder, head_finder, layer_measures
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.encoded_text import pieces_of
from attention_lab.trained.wordpiece import Characters, CodePoints, WordPiece
from attention_lab.user_data.own_matrices import OwnMatrices
from tests.core.hostile_values import (
    NO_ARRAY,
    NO_COUNT,
    NO_LIST,
    NO_NAME,
    NO_NUMBER,
    NO_SEED,
    NO_SHARES,
    NO_SWITCH,
    NO_TEXT,
    Case,
)

X = np.random.default_rng(0).standard_normal((5, 4))
P = Projections.random(4, 2)
TRACE = attend(X, P)
SHARES = TRACE.probabilities[0]
MAPS = AttentionMaps.of([SHARES])
NOTHING = CodePoints([])
WORDS = WordPiece(
    {"[CLS]": 0, "[SEP]": 1, "one": 2},
    Characters(NOTHING, CodePoints([(32, 32)]), NOTHING, NOTHING, NOTHING),
)
SIZE = counts.LayerSize(4, 8, 2, 2, 4, 4)
SHORT = Scenario(text="one two", d_model=4, n_heads=2)

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
    "maps": (
        AttentionMaps.of,
        {"attentions": [SHARES], "tokens": list("abcde")},
        {
            "attentions": (0, object(), [[[[1.0, 0.0], [1.0]]]]),
            "tokens": ([0] * 5, "abcde", *NO_LIST),
            "memory_tokens": ([None] * 5, *NO_LIST),
        },
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
    "gauge": (gauge.random_gauge, {"projections": P}, {"seed": NO_SEED}),
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
        head_averages.mean_of_heads,
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
        patterns.offset_mass,
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
        worth.switch_off,
        {"projections": P, "heads": [0]},
        {"heads": (*NO_LIST, [2], [-1], ["a"])},
    ),
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
        invariances.permutation_gaps,
        {"straight": TRACE, "shuffled": TRACE, "order": range(5)},
        {"order": (*NO_LIST, [0], [0] * 5, [9] * 5)},
    ),
    "shares at": (
        saturation.shares_at,
        {"scores_S": [1.0], "temperatures_P": [1.0]},
        {"scores_S": NO_ARRAY, "temperatures_P": (*NO_ARRAY, [0.0], [-1.0], [1e-320])},
    ),
    "sharpness": (
        saturation.sharpness,
        {"scores_XS": [1.0]},
        {"scores_XS": (*NO_ARRAY, 0.5, np.ones((0, 3)))},
    ),
    "softmax jacobian": (
        saturation.softmax_jacobian,
        {"probabilities_XS": [1.0]},
        {"probabilities_XS": (*NO_SHARES, np.full(20_000, 5e-5))},
    ),
    "score spread": (
        saturation.score_spread,
        {"d_k": 2},
        {"d_k": (0, 10**6, *NO_COUNT), "n_keys": (0, *NO_COUNT), "seed": NO_SEED},
    ),
    "shuffle": (
        shuffles.shuffle,
        {"scenario": SHORT, "key": "words alone"},
        {"key": NO_NAME, "seed": NO_SEED},
    ),
    "sentence": (
        uses.Sentence,
        {"vectors": X, "tokens": ["a", "b", "c", "d", "e"], "n_real": 5},
        {"vectors": NO_ARRAY, "tokens": (*NO_LIST, ["a"]), "n_real": (6, *NO_COUNT)},
    ),
    "workshop": (
        workshop.Workshop,
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
    "aside": (aside_of, {"trace": TRACE, "name": "row_sum"}, {"name": NO_NAME}),
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
    "pieces": (pieces_of, {"text": "one"}, {"text": NO_TEXT, "n_tokens": (65, *NO_COUNT)}),
    "pieces of a text": (WORDS.pieces, {"text": "one"}, {"text": NO_TEXT}),
    "pieces that are read": (
        WORDS.read,
        {"text": "one", "n_tokens": 3},
        {"text": ("", *NO_TEXT), "n_tokens": (0, *NO_COUNT)},
    ),
    "replace": (
        changed_word.replace_word,
        {"text": "a b", "old": "a", "new": "c"},
        {"text": NO_TEXT, "old": NO_TEXT, "new": NO_TEXT},
    ),
    "stands again": (
        changed_word.stands_again,
        {"text": "a b", "word": "a"},
        {"text": NO_TEXT, "word": NO_TEXT},
    ),
    "layer measure": (
        layer_measures.measure_layers,
        {"key": "entropy", "maps": MAPS},
        {"key": NO_NAME},
    ),
    "ranked heads": (
        head_finder.rank_heads,
        {"maps": MAPS, "targets": np.eye(5, dtype=bool)},
        {"targets": (None, "no", np.eye(5), np.eye(4, dtype=bool))},
    ),
    "rule": (head_finder.repeated_words, {"tokens": ("a", "b")}, {"tokens": (*NO_LIST, [0])}),
    "layer norm": (
        encoder.layer_norm,
        {"x_TD": X, "norm": encoder.Norm(np.ones(4), np.ones(4))},
        {"x_TD": (*NO_ARRAY, X[:, :3], X * 1e200, np.full((5, 4), 1.7e308))},
    ),
    "feed-forward": (
        encoder.feed_forward,
        {
            "x_TD": X,
            "weights": encoder.FeedForward(
                np.ones((4, 3)), np.ones(3), np.full((3, 4), 1e200), np.ones(4)
            ),
        },
        {"x_TD": (*NO_ARRAY, X[0], X[:, :3], 1e200 * np.ones((5, 4)))},
    ),
    "norm": (
        encoder.Norm,
        {"gain": np.ones(4), "offset": np.ones(4)},
        {"gain": (*NO_ARRAY, np.ones(3)), "epsilon": (*NO_NUMBER, -1.0)},
    ),
}
