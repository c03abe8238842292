"""Heads set by hand on the lexicon: each compares some named features and hands on others.

A head is a list of columns: what the query holds there and what the key holds there; the score is
the sum over the columns of query times key. The engine divides scores by √d_k, so W_Q carries that
factor and the numbers below are those of the score itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from attention_core.attention import attend
from attention_core.checks import (
    Array,
    as_list,
    as_mapping,
    as_numbers,
    check_choice,
    number_between,
    whole_number,
)
from attention_core.errors import SettingsError, ShapeError
from attention_core.head_blocks import head_columns
from attention_core.number_types import check_range
from attention_core.projections import Projections
from attention_core.trace import Trace

from .lexicon import FEATURES, MAX_TOKENS, PARTS_OF_SPEECH, LexiconSentence, section_slices

# Features and their weights.
Mix = dict[str, float]

_TURN = 2 * math.pi / MAX_TOKENS
# Every word has exactly one part of speech, so together they are a feature that is always 1.
ALWAYS: Mix = dict.fromkeys(PARTS_OF_SPEECH, 1.0)
NOT_VERB: Mix = {part: weight for part, weight in ALWAYS.items() if part != "VERB"}


@dataclass(frozen=True)
class HandHead:
    """columns: (query, key) of every column. copies: the features that the value holds. score:
    LaTeX.
    """

    name: str
    says: str
    score: str
    columns: tuple[tuple[Mix, Mix], ...]
    copies: tuple[str, ...]


def times(mix: Mix, factor: float) -> Mix:
    """All weights multiplied. Raises: SettingsError."""
    number_between("factor", factor)
    return {feature: factor * weight for feature, weight in as_mapping("mix", mix).items()}


def same(features: tuple[str, ...], strength: float) -> tuple[tuple[Mix, Mix], ...]:
    """One column per feature: the score grows when query and key both have it. Raises:
    SettingsError.
    """
    number_between("strength", strength)
    names = [
        check_choice("features", feature, FEATURES) for feature in as_list("features", features)
    ]
    return tuple(({feature: strength}, {feature: 1.0}) for feature in names)


def one_before(strength: float) -> tuple[tuple[Mix, Mix], ...]:
    """Two columns whose sum is strength · cos(angle_j - angle_i + 2π/16): largest for the token
    just before.
    """
    number_between("strength", strength)
    cosine, sine = strength * math.cos(_TURN), strength * math.sin(_TURN)
    return (
        ({"pos_cos": cosine, "pos_sin": sine}, {"pos_cos": 1.0}),
        ({"pos_cos": -sine, "pos_sin": cosine}, {"pos_sin": 1.0}),
    )


HEADS = (
    HandHead(
        "gender",
        "Looks for nouns of its own gender, else rests on the start token; brings number, animacy"
        " and noun.",
        r"6\,g_i \cdot g_j + 2\,[\text{noun}_j] - 2\,[\text{pron}_j] + 5\,[\text{start}_j]",
        (*same(("masc", "fem", "neut"), 6.0), (ALWAYS, {"NOUN": 2.0, "PRON": -2.0, "START": 5.0})),
        ("sg", "pl", "anim", "NOUN"),
    ),
    HandHead(
        "number",
        "Looks for nouns of its own number, else rests on the start token; brings gender and"
        " animacy.",
        r"6\,n_i \cdot n_j + 2\,[\text{noun}_j] - 2\,[\text{pron, det, verb}_j] +"
        r" 5\,[\text{start}_j]",
        (
            *same(("sg", "pl"), 6.0),
            (ALWAYS, {"NOUN": 2.0, "PRON": -2.0, "DET": -2.0, "VERB": -2.0, "START": 5.0}),
            ({}, {}),
        ),
        ("masc", "fem", "neut", "anim"),
    ),
    HandHead(
        "previous word",
        "Looks at the token just before; brings its part of speech.",
        r"60 \cos(\alpha_j - \alpha_i + \tfrac{2\pi}{16})",
        (*one_before(60.0), ({}, {}), ({}, {})),
        ("NOUN", "PRON", "VERB", "DET"),
    ),
    HandHead(
        "verb to subject",
        "From a verb to a living thing, best of all just before it; other words go to the start"
        " token; brings gender and number.",
        r"30\,[\text{verb}_i][\text{anim}_j] + 30 \cos(\alpha_j - \alpha_i + \tfrac{2\pi}{16}) "
        r"+ 120\,[\text{not verb}_i][\text{start}_j]",
        (
            ({"VERB": 30.0}, {"anim": 1.0}),
            *one_before(30.0),
            (times(NOT_VERB, 120.0), {"START": 1.0}),
        ),
        ("masc", "fem", "sg", "pl"),
    ),
)
AND_HEAD = HandHead(
    "gender and number",
    "Asks for gender and number at once: a conjunction is a sum of scores, so one head is enough.",
    r"8\,(g_i \cdot g_j + n_i \cdot n_j) + 2\,[\text{noun}_j] - 2\,[\text{pron}_j] +"
    r" 13\,[\text{start}_j]",
    (
        *same(("masc", "fem", "neut", "sg", "pl"), 8.0),
        (ALWAYS, {"NOUN": 2.0, "PRON": -2.0, "START": 13.0}),
    ),
    ("masc", "fem", "neut", "sg", "pl", "anim"),
)


def hand_set(heads: tuple[HandHead, ...] = HEADS) -> Projections:
    """The weights of heads with equally many columns and copies; W_O puts every feature back
    into its own dimension.
    """
    triples, rows = [], []
    if len({(len(head.columns), len(head.copies)) for head in as_list("heads", heads)}) != 1:
        raise SettingsError(
            "heads must hold at least one head, all with as many columns and copies"
        )
    for head in heads:
        w_q = math.sqrt(len(head.columns)) * np.stack(
            [_dimensions(query) for query, _ in head.columns], axis=1
        )
        w_k = np.stack([_dimensions(key) for _, key in head.columns], axis=1)
        copied = np.stack([_dimensions({feature: 1.0}) for feature in head.copies])
        triples.append((w_q, w_k, copied.T))
        rows.append(copied)
    return Projections.from_heads(triples, np.vstack(rows))


def run_lexicon(
    sentence: LexiconSentence,
    heads: tuple[HandHead, ...] = HEADS,
    *,
    temperature: float = 1.0,
    causal: bool = False,
) -> Trace:
    """Hand-set heads on a sentence, labelled with its words. Raises: SettingsError.

    >>> from attention_lab.labs.lexicon import compose
    >>> trace = run_lexicon(compose("The queen saw her sons because they called her"))
    >>> round(float(trace.probabilities[0, 0, 9, 2]), 3)
    0.917
    """
    number_between("temperature", temperature, 0.01, 100)
    projections = hand_set(heads)
    scale = 1 / (math.sqrt(projections.d_k) * float(temperature))
    return attend(sentence.vectors, projections, scale=scale, causal=causal).labelled(
        sentence.tokens
    )


def received(trace: Trace, position: int) -> dict[str, float]:
    """What a token receives from all heads together, feature by feature, the largest first; nothing
    that is 0.

    Raises: SettingsError.
    """
    if not 0 <= whole_number("position", position) < trace.sizes["T"]:
        raise SettingsError(
            f"There is no token {position} among {trace.sizes['T']}: choose another"
        )
    if trace.sizes["O"] != len(FEATURES):
        raise ShapeError(
            f"the output has {trace.sizes['O']} features, not the lexicon's {len(FEATURES)}: use"
            " its own"
        )
    row = zip(FEATURES, trace.output[0, position].tolist(), strict=True)
    return dict(
        sorted(((name, number) for name, number in row if number != 0), key=lambda pair: -pair[1])
    )


def comparison_matrix(trace: Trace, head: int) -> Array:
    """M = W_Q W_Kᵀ times the scale: the score of query i and key j is x_iᵀ M x_j. Shapes: (16,
    16).
    """
    p = trace.projections
    w_q, w_k = (
        p.w_q[:, head_columns(trace, "queries", head)],
        p.w_k[:, head_columns(trace, "keys", head)],
    )
    matrix: Array = trace.scale * (w_q @ w_k.T)
    return matrix


def section_blocks(matrix: Array) -> Array:
    """How strongly each section of the query meets each section of the key: the length of every
    block of M.

    Shapes: (16, 16) -> (sections, sections).
    """
    if as_numbers("matrix", matrix).shape != (len(FEATURES), len(FEATURES)):
        raise ShapeError(
            f"matrix has shape {np.shape(matrix)} but must have {(len(FEATURES), len(FEATURES))}"
        )
    sections, matrix = section_slices().values(), np.asarray(matrix)
    with np.errstate(over="ignore"):
        blocks = np.array(
            [[np.linalg.norm(matrix[rows, columns]) for columns in sections] for rows in sections]
        )
    check_range(blocks)
    return blocks


def _dimensions(mix: Mix) -> Array:
    """Weights by feature as one vector. Shapes: (16,). Raises: SettingsError."""
    for feature, weight in mix.items():
        number_between(check_choice("feature", feature, FEATURES), weight)
    return np.array([mix.get(feature, 0.0) for feature in FEATURES])
