"""What heads, masks and trained layers should refuse: each function with arguments it takes and
others.
"""

from __future__ import annotations

from attention_core import causal_mask, softmax
from attention_core.derivation import derive
from attention_core.embeddings import embed
from attention_lab.export import step_code
from tests.core.hostile_values import (
    HUGE,
    NO_COUNT,
    NO_LIST,
    NO_NAME,
    NO_SWITCH,
    Case,
)
from tests.lab import refused_by_trained
from tests.lab.small_layer import TRACE, X

CASES: dict[str, Case] = {
    "softmax": (
        softmax,
        {"scores": X},
        {"axis": (*NO_COUNT[:-4], 2, -3, 2**70), "scores": ("no", None, [[1.0], []], HUGE)},
    ),
    "causal mask": (causal_mask, {"T": 2}, {"T": (10**10, -1, "no", 2**70), "S": (10**10, [])}),
    **{
        f"{of.__name__} of a field": (of, {"name": "output"}, {"name": ("heads", *NO_NAME)})
        for of in (TRACE.code, TRACE.rule, TRACE.sentence, TRACE.axes)
    },
    "cell": (
        derive,
        {"trace": TRACE, "field": "scores", "index": (0, 0, 0, 0)},
        {
            "field": NO_NAME,
            "index": (*NO_LIST, [0], [0, 0, 0, 5], [0, 0, 0, 1.5], [0, 0, 0, True], "0000"),
        },
    ),
    "labels": (
        TRACE.labelled,
        {"tokens": list("abcde")},
        {"tokens": ([0] * 5, "abcde", *NO_LIST), "memory_tokens": ([None] * 5, *NO_LIST)},
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
    "labels of an axis": (TRACE.labels, {"axis": "H·V"}, {"axis": ("X", "H·", *NO_NAME)}),
    "lines": (
        step_code.numpy_lines,
        {"trace": TRACE, "field": "output"},
        {"field": ("heads", *NO_NAME)},
    ),
    **refused_by_trained.CASES,
}
