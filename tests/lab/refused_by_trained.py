"""What the doors about trained heads should refuse: each with arguments it takes and others."""

from __future__ import annotations

import numpy as np

from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.encoded_text import pieces_of
from attention_lab.trained.head_finder import previous_token, rank_heads
from tests.core.hostile_values import NO_COUNT, NO_LIST, NO_TEXT, Case
from tests.lab.small_layer import SHARES

MAPS = AttentionMaps.of([SHARES])

CASES: dict[str, Case] = {
    "maps": (
        AttentionMaps.of,
        {"attentions": [SHARES], "tokens": list("abcde")},
        {
            "attentions": (0, object(), [[[[1.0, 0.0], [1.0]]]]),
            "tokens": ([0] * 5, "abcde", *NO_LIST),
            "memory_tokens": ([None] * 5, *NO_LIST),
        },
    ),
    "pieces": (pieces_of, {"text": "one"}, {"text": NO_TEXT, "n_tokens": (65, *NO_COUNT)}),
    "ranked heads": (
        rank_heads,
        {"maps": MAPS, "targets": np.eye(5, dtype=bool)},
        {"targets": (None, "no", np.eye(5), np.eye(4, dtype=bool))},
    ),
    "rule": (previous_token, {"tokens": ("a", "b")}, {"tokens": (*NO_LIST, [0])}),
}
