"""What heads, masks and trained layers should refuse: each function with arguments it takes and
others.
"""

from __future__ import annotations

from attention_core.derivation import derive, derive_input
from attention_core.derived_arrays import derived_array_of, slice_of
from attention_core.embeddings import embed, word_vector
from attention_core.head_blocks import head_columns
from attention_lab import practice, rounding
from attention_lab.export import step_code
from attention_lab.heads import (
    counts,
    score_schemes,
    size_growth,
)
from attention_lab.user_data.own_matrices import OwnMatrices
from tests.core.hostile_values import (
    NO_COUNT,
    NO_LIST,
    NO_NAME,
    NO_SWITCH,
    NO_TEXT,
    Case,
)
from tests.lab import refused_by_masks, refused_by_trained
from tests.lab.small_layer import TRACE, X

SIZE = counts.LayerSize(4, 8, 2, 2, 4, 4)

CASES: dict[str, Case] = {
    **{
        f"{of.__name__} of a field": (of, {"name": "output"}, {"name": ("heads", *NO_NAME)})
        for of in (TRACE.code, TRACE.sentence, TRACE.axes)
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
    "wasted share": (score_schemes.wasted_share, {"n_heads": 2}, {"n_heads": (0, *NO_COUNT)}),
    "growing": (size_growth.as_grows, {"size": SIZE, "letter": "n"}, {"letter": NO_NAME}),
    "aside": (derived_array_of, {"trace": TRACE, "name": "row_sum"}, {"name": NO_NAME}),
    "slice of an aside": (
        slice_of,
        {"trace": TRACE, "name": "row_sum", "fixed": {0: 0}},
        {"fixed": (None, "no", [0], {9: 0}, {0: 9}, {0: "a"}, {"a": 0})},
    ),
    "question": (
        practice.ask,
        {"trace": TRACE, "number": 1},
        {"number": (0, 10_000, *NO_COUNT), "field": (None, "masked_scores", 0, [], "no")},
    ),
    **refused_by_masks.CASES,
    **refused_by_trained.CASES,
}
