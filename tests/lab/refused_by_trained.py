"""What trained layers should refuse: each function with arguments it takes and others."""

from __future__ import annotations

import numpy as np

from attention_lab.trained import change_a_word, encoder, head_finder, layers
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.encoded_text import pieces_of
from attention_lab.trained.wordpiece import Characters, CodePoints, WordPiece
from tests.core.hostile_values import NO_ARRAY, NO_COUNT, NO_LIST, NO_NAME, NO_TEXT, Case
from tests.lab.small_layer import SHARES, X

MAPS = AttentionMaps.of([SHARES])
NOTHING = CodePoints([])
WORDS = WordPiece(
    {"[CLS]": 0, "[SEP]": 1, "one": 2},
    Characters(NOTHING, CodePoints([(32, 32)]), NOTHING, NOTHING, NOTHING),
)

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
    "pieces of a text": (WORDS.pieces, {"text": "one"}, {"text": NO_TEXT}),
    "pieces that are read": (
        WORDS.read,
        {"text": "one", "n_tokens": 3},
        {"text": ("", *NO_TEXT), "n_tokens": (0, *NO_COUNT)},
    ),
    "replace": (
        change_a_word.replace_word,
        {"text": "a b", "old": "a", "new": "c"},
        {"text": NO_TEXT, "old": NO_TEXT, "new": NO_TEXT},
    ),
    "stands again": (
        change_a_word.is_repeated,
        {"text": "a b", "word": "a"},
        {"text": NO_TEXT, "word": NO_TEXT},
    ),
    "layer measure": (
        layers.measure_layers,
        {"key": "entropy", "maps": MAPS},
        {"key": NO_NAME},
    ),
    "ranked heads": (
        head_finder.rank_heads,
        {"maps": MAPS, "targets": np.eye(5, dtype=bool)},
        {"targets": (None, "no", np.eye(5), np.eye(4, dtype=bool))},
    ),
    "rule": (head_finder.repeated_words, {"tokens": ("a", "b")}, {"tokens": (*NO_LIST, [0])}),
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
}
