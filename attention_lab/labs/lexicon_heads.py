"""Heads set by hand on the lexicon: each compares some named features and copies others.

A head is a list of columns, each with the features of the query and those of the key. The score is
the sum over the columns of query times key. The engine divides scores by √d_k, so W_Q contains this
factor, and the numbers below are those of the score itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.projections import Projections
from attention_core.trace import Trace, head_columns

from .lexicon import (
    LEXICON_FEATURES,
    MAX_LEXICON_TOKENS,
    PARTS_OF_SPEECH,
    LexiconSentence,
    section_slices,
)

# Features and their weights.
FeatureWeights = dict[str, float]
Columns = tuple[tuple[FeatureWeights, FeatureWeights], ...]

_ANGLE = 2 * math.pi / MAX_LEXICON_TOKENS  # between neighbours
# Every word has exactly one part of speech, so their sum is always 1.
EVERY_WORD: FeatureWeights = dict.fromkeys(PARTS_OF_SPEECH, 1.0)


@dataclass(frozen=True)
class LexiconHead:
    """A head set by hand.

    score: LaTeX. columns: the features of query and key, column by column. copies: the features of
    the value.
    """

    name: str
    description: str
    score: str
    columns: Columns
    copies: tuple[str, ...]


def same_features(features: tuple[str, ...], strength: float) -> Columns:
    """One column for each feature: its strength is added if query and key both have the feature."""
    return tuple(({feature: strength}, {feature: 1.0}) for feature in features)


def one_token_before(strength: float) -> Columns:
    """Two columns whose sum is strength · cos(angle_j - angle_i + 2π/16): largest for the token
    just before.
    """
    cosine, sine = strength * math.cos(_ANGLE), strength * math.sin(_ANGLE)
    return (
        ({"pos_cos": cosine, "pos_sin": sine}, {"pos_cos": 1.0}),
        ({"pos_cos": -sine, "pos_sin": cosine}, {"pos_sin": 1.0}),
    )


LEXICON_HEADS = (
    LexiconHead(
        "gender",
        "Looks at nouns of its own gender, otherwise at the start token. Copies number, animacy and"
        " noun.",
        r"6\,g_i \cdot g_j + 2\,[\text{noun}_j] - 2\,[\text{pron}_j] + 5\,[\text{start}_j]",
        (
            *same_features(("masc", "fem", "neut"), 6.0),
            (EVERY_WORD, {"NOUN": 2.0, "PRON": -2.0, "START": 5.0}),
        ),
        ("sg", "pl", "anim", "NOUN"),
    ),
    LexiconHead(
        "number",
        "Looks at nouns of its own number, otherwise at the start token. Copies gender and"
        " animacy.",
        r"6\,n_i \cdot n_j + 2\,[\text{noun}_j] - 2\,[\text{pron, det, verb}_j] +"
        r" 5\,[\text{start}_j]",
        (
            *same_features(("sg", "pl"), 6.0),
            (EVERY_WORD, {"NOUN": 2.0, "PRON": -2.0, "DET": -2.0, "VERB": -2.0, "START": 5.0}),
            ({}, {}),
        ),
        ("masc", "fem", "neut", "anim"),
    ),
    LexiconHead(
        "previous word",
        "Looks at the token just before. Copies its part of speech.",
        r"60 \cos(\alpha_j - \alpha_i + \tfrac{2\pi}{16})",
        (*one_token_before(60.0), ({}, {}), ({}, {})),
        ("NOUN", "PRON", "VERB", "DET"),
    ),
    LexiconHead(
        "verb to subject",
        "A verb looks at living things, most of all just before it. Other words look at the start"
        " token. Copies gender and number.",
        r"30\,[\text{verb}_i][\text{anim}_j] + 30 \cos(\alpha_j - \alpha_i + \tfrac{2\pi}{16}) "
        r"+ 120\,[\text{not verb}_i][\text{start}_j]",
        (
            ({"VERB": 30.0}, {"anim": 1.0}),
            *one_token_before(30.0),
            ({part: 120.0 for part in PARTS_OF_SPEECH if part != "VERB"}, {"START": 1.0}),
        ),
        ("masc", "fem", "sg", "pl"),
    ),
)
CONJUNCTION_HEAD = LexiconHead(
    "gender and number",
    "Compares gender and number at once: a conjunction is a sum of scores, so one head is enough.",
    r"8\,(g_i \cdot g_j + n_i \cdot n_j) + 2\,[\text{noun}_j] - 2\,[\text{pron}_j] +"
    r" 13\,[\text{start}_j]",
    (
        *same_features(("masc", "fem", "neut", "sg", "pl"), 8.0),
        (EVERY_WORD, {"NOUN": 2.0, "PRON": -2.0, "START": 13.0}),
    ),
    ("masc", "fem", "neut", "sg", "pl", "anim"),
)


def lexicon_projections(heads: tuple[LexiconHead, ...] = LEXICON_HEADS) -> Projections:
    """The weights of heads with the same number of columns and of copies. W_O puts every feature
    back into its own place.
    """
    triples, rows = [], []
    for head in heads:
        w_q = math.sqrt(len(head.columns)) * np.stack(
            [_feature_vector(query) for query, _ in head.columns], axis=1
        )
        w_k = np.stack([_feature_vector(key) for _, key in head.columns], axis=1)
        copied = np.stack([_feature_vector({feature: 1.0}) for feature in head.copies])
        triples.append((w_q, w_k, copied.T))
        rows.append(copied)
    return Projections.from_heads(triples, np.vstack(rows))


def run_lexicon(
    sentence: LexiconSentence,
    heads: tuple[LexiconHead, ...] = LEXICON_HEADS,
    *,
    temperature: float = 1.0,
    causal: bool = False,
) -> Trace:
    """Heads set by hand on a sentence, labelled with its words.

    >>> from attention_lab.labs.lexicon import compose_sentence
    >>> trace = run_lexicon(compose_sentence("The queen saw her sons because they called her"))
    >>> round(float(trace.probabilities[0, 0, 9, 2]), 3)
    0.917
    """
    projections = lexicon_projections(heads)
    scale = 1 / (math.sqrt(projections.d_k) * temperature)
    return attend(sentence.vectors, projections, scale=scale, causal=causal).labelled(
        sentence.tokens
    )


def received_features(trace: Trace, position: int) -> dict[str, float]:
    """The features that a token receives from all heads together, the largest first, without those
    that are 0.
    """
    row = zip(LEXICON_FEATURES, trace.output[0, position].tolist(), strict=True)
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
    """How strongly each section of the query meets each section of the key: the norm of each block
    of M.

    Shapes: (16, 16) -> (sections, sections).
    """
    sections = section_slices().values()
    return np.array(
        [[np.linalg.norm(matrix[rows, columns]) for columns in sections] for rows in sections]
    )


def _feature_vector(weights: FeatureWeights) -> Array:
    """The weights of features as one vector. Shapes: (16,)."""
    return np.array([weights.get(feature, 0.0) for feature in LEXICON_FEATURES])
