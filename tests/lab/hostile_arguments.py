"""The doors for notebooks beside the layer: arguments that each takes, and hostile ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from attention_core import (
    HeadNorm,
    Projections,
    Rotary,
    alibi_bias,
    causal_mask,
    reordered_pairs,
    softmax,
)
from attention_core.derivation import derive
from attention_lab.export import step_code
from attention_lab.heads.head_worth import ablated_output, without_heads
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.encoded_text import pieces_of
from attention_lab.trained.head_finder import previous_token, rank_heads
from attention_lab.trained.language_model import language_model
from attention_lab.words.embeddings import embed
from tests.lab.small_layer import SHARES, TRACE, X

NO_NUMBER = (None, "no", [], {}, True, math.nan, math.inf, 1j, np.timedelta64(2, "s"))
NO_COUNT = (*NO_NUMBER, 1.0, -1, 2**70, 10**5000, np.ones((2, 2)))
NO_SWITCH = (None, "no", 0, 1, [], np.ones(2))
NO_NAME = (None, "nonsense", "", 0, [], {}, np.array(["a"]))
NO_TEXT = (None, 0, [], b"no", np.ones(2))
NO_LIST = (None, "no", 0, 1.5, {}, np.array(1.0))
HUGE = np.broadcast_to(np.float64(1), (10**6, 10**6))

# A function, valid arguments, and for each argument values that are refused.
Case = tuple[Callable[..., Any], dict[str, Any], dict[str, tuple[Any, ...]]]

NO_HEADS = (*NO_LIST, [2], [-3], [0.5], ["0"])
MAPS = AttentionMaps.of([SHARES])
MODEL = language_model()
NO_IDS = (*NO_LIST, [], [512], [-1], [0.5], ["1"], [True])
NO_PAIRS = (*NO_LIST, [4], [(4,)], [(5, 0)], [(0, 8)], [(0, -1)], [(0.5, 0)], ["44"])


def case(function: Callable[..., Any], valid: dict[str, Any], **hostile: tuple[Any, ...]) -> Case:
    """A function with arguments that it takes, and for some of them values that it refuses."""
    return function, valid, hostile


CASES: dict[str, Case] = {
    "softmax": case(
        softmax,
        {"scores": X},
        axis=(*NO_COUNT[:-4], 2, -3, 2**70),
        scores=("no", None, [[1.0], []], HUGE),
    ),
    "causal mask": case(
        causal_mask, {"T": 2}, T=(10**10, -1, "no", 2**70), S=(10**10, []), align=NO_NAME
    ),
    "ALiBi": case(
        alibi_bias,
        {"n_heads": 3, "T": 2},
        n_heads=(0, 10**10, *NO_COUNT),
        T=(10**10, -1, "no"),
        S=(10**10, []),
    ),
    "rotary positions": case(
        Rotary,
        {},
        base=(0, 0.5, -1, 1e13, np.nan, np.inf, "10", True, None),
        pairs=NO_NAME,
        start=(2**40, -(2**40), 1.5, "0", None, True),
    ),
    "QK-norm": case(
        HeadNorm,
        {},
        query_gain=("no", None, np.nan, [[1.0]], [1.0, np.inf]),
        key_gain=("no", None, [1j], [[1.0], [2.0]]),
        epsilon=(0, -1, 2.0, np.nan, "0.1", None, True),
    ),
    "pairs in another layout": case(
        reordered_pairs,
        {"projections": Projections.weightless(4)},
        projections=(None, "w", Projections.weightless(3)),
        to=NO_NAME,
    ),
    **{
        f"{of.__name__} of a field": case(of, {"name": "output"}, name=("heads", *NO_NAME))
        for of in (TRACE.code, TRACE.rule, TRACE.sentence, TRACE.axes, TRACE.needs)
    },
    "cell": case(
        derive,
        {"trace": TRACE, "field": "scores", "index": (0, 0, 0, 0)},
        field=NO_NAME,
        index=(*NO_LIST, [0], [0, 0, 0, 5], [0, 0, 0, 1.5], [0, 0, 0, True], "0000"),
    ),
    "labels": case(
        TRACE.labelled,
        {"tokens": list("abcde")},
        tokens=([0] * 5, "abcde", *NO_LIST),
        memory_tokens=([None] * 5, *NO_LIST),
    ),
    "embedding": case(
        embed,
        {"tokens": ["a"], "d_model": 4},
        tokens=([], [0], "one", *NO_LIST),
        d_model=(0, *NO_COUNT),
        kind=NO_NAME,
        positions=NO_SWITCH,
    ),
    "labels of an axis": case(TRACE.labels, {"axis": "H·V"}, axis=("X", "H·", *NO_NAME)),
    "lines": case(
        step_code.numpy_lines, {"trace": TRACE, "field": "output"}, field=("heads", *NO_NAME)
    ),
    "output without heads": case(ablated_output, {"trace": TRACE, "heads": [0]}, heads=NO_HEADS),
    "weights without heads": case(
        without_heads, {"projections": TRACE.projections, "heads": (-1, 1)}, heads=NO_HEADS
    ),
    "maps": case(
        AttentionMaps.of,
        {"attentions": [SHARES], "tokens": list("abcde")},
        attentions=(0, object(), [[[[1.0, 0.0], [1.0]]]]),
        tokens=([0] * 5, "abcde", *NO_LIST),
        memory_tokens=([None] * 5, *NO_LIST),
    ),
    "pieces": case(pieces_of, {"text": "one"}, text=NO_TEXT, n_tokens=(65, *NO_COUNT)),
    "ranked heads": case(
        rank_heads,
        {"maps": MAPS, "targets": np.eye(5, dtype=bool)},
        targets=(None, "no", np.eye(5), np.eye(4, dtype=bool)),
    ),
    "ids of a text": case(MODEL.encode, {"text": "one"}, text=NO_TEXT),
    "text of ids": case(MODEL.decode, {"ids": []}, ids=(*NO_LIST, [512], ["1"])),
    "pieces of ids": case(MODEL.pieces, {"ids": []}, ids=(*NO_LIST, [512], ["1"])),
    "language model": case(
        MODEL.run, {"ids": [1]}, ids=NO_IDS, without=NO_PAIRS, replaced_by=(None, 0, "no", ["zero"])
    ),
    "language model again": case(MODEL.rerun, {"run": MODEL.run([1])}, without=NO_PAIRS),
    "next piece": case(
        MODEL.run([1]).probabilities,
        {},
        temperature=(-1, *NO_NUMBER),
        top_p=(0, -0.1, 1.1, *NO_NUMBER[:4]),
    ),
    "words of ids": case(MODEL.words, {"ids": []}, ids=(*NO_LIST, [512], ["1"])),
    "shares of words": case(
        MODEL.run([1]).word_shares, {"words": ["frog"]}, words=(*NO_LIST, [1], [None])
    ),
    "next words": case(MODEL.run([1]).next_words, {}, k=(0, 101, *NO_COUNT)),
    "contributions": case(
        MODEL.run([1]).contributions,
        {"token": 0},
        token=(512, *NO_COUNT),
        against=(512, "no", 0.5, [1]),
    ),
    "loss of a head": case(
        MODEL.run([1]).loss,
        {"head": (0, 1), "token": 0},
        head=(None, 1, (5, 0), (0, 8)),
        token=(512,),
    ),
    "sources of a head": case(
        MODEL.run([1]).sources, {"head": (0, 1), "token": 0}, head=(None, 1, (5, 0)), token=(512,)
    ),
    "new pieces": case(
        MODEL.generate,
        {"ids": [1], "n_tokens": 2},
        ids=NO_IDS,
        n_tokens=(512, *NO_COUNT),
        temperature=(-1, *NO_NUMBER),
        top_p=(0, 1.1, *NO_NUMBER[:4]),
        seed=(-1, 1.5, "no", None),
    ),
    "rule": case(previous_token, {"tokens": ("a", "b")}, tokens=(*NO_LIST, [0])),
}
