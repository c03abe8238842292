"""Pictures of the page *Lexicon*: what each head set by hand looks at, which sections of the
embedding it compares, and what a word receives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core import Trace
from attention_lab.labs.lexicon import FEATURE_SECTIONS, LEXICON_FEATURES
from attention_lab.labs.lexicon_heads import LexiconHead, comparison_matrix, section_blocks

from ..curves import LEGEND_ABOVE, chart_axis
from ..labels import format_number, shorten
from ..matrices import Matrix, Side, matrix_board, softmax_rule
from ..parts import layout
from ..payload import JSON
from ..theme import Figure


def lexicon_heads_board(
    trace: Trace, heads: Sequence[LexiconHead], cell: tuple[int, int, int]
) -> JSON:
    """The probabilities of every head under its name, words as rows and columns; each cell is
    explained by its row of scores.

    cell: head, query and key of the pinned cell.
    """
    words = tuple(trace.labels("T"))
    queries, keys = Side("word that reads", words), Side("word that is read", words)
    drawn = []
    for place, head in enumerate(heads):
        scores = trace.masked_scores[0, place]
        drawn += [
            Matrix(
                f"scores {place}", scores, queries, keys, None, f"score, {head.name}", kind="logit"
            ),
            Matrix(
                f"head {place}",
                trace.probabilities[0, place],
                queries,
                keys,
                (place % 2, place // 2),
                f"{place} {head.name}",
                kind="probability",
                rule=softmax_rule(f"scores {place}", len(words)),
            ),
        ]
    says = (
        f"The attention of heads set by hand. Heads: {len(heads)}. Tokens of the sentence:"
        f" {len(words)}."
    )
    return matrix_board(drawn, (f"head {cell[0]}", cell[1], cell[2]), says)


def blocks_board(trace: Trace, heads: Sequence[LexiconHead]) -> JSON:
    """For every head the Frobenius norm of each block of s W_Q W_Kᵀ: how strongly it compares a
    section of the query with a section of the key.
    """
    asks, answers = (
        Side(word, tuple(FEATURE_SECTIONS))
        for word in ("section of the query", "section of the key")
    )
    drawn = [
        Matrix(
            f"blocks {place}",
            section_blocks(comparison_matrix(trace, place)),
            asks,
            answers,
            (place % 2, place // 2),
            f"{place} {head.name}",
            badge="‖block of s W_Q W_Kᵀ‖",
        )
        for place, head in enumerate(heads)
    ]
    says = (
        "Which sections of the embedding each head compares: the norm of each block of the scaled"
        f" product of W_Q and W_K. Heads: {len(heads)}."
    )
    return matrix_board(drawn, ("blocks 0", 0, 0), says) | {"arithmetic": False}


def comparison_matrix_board(trace: Trace, head: int, name: str) -> JSON:
    """One head's s W_Q W_Kᵀ in full, feature by feature."""
    asks, answers = (
        Side("feature of the query", LEXICON_FEATURES),
        Side("feature of the key", LEXICON_FEATURES),
    )
    matrix = comparison_matrix(trace, head)
    row, column = np.unravel_index(int(np.abs(matrix).argmax()), matrix.shape)
    drawn = [
        Matrix(
            "comparison", matrix, asks, answers, (0, 0), f"M of head {head}, {name}", kind="logit"
        )
    ]
    says = (
        f"The matrix by which head {head} compares words. The largest absolute value is"
        f" {format_number(float(np.abs(matrix).max()))}."
    )
    return matrix_board(drawn, ("comparison", int(row), int(column)), says) | {"arithmetic": False}


def words_board(trace: Trace) -> JSON:
    """The vectors of the sentence: words as rows, named features as columns."""
    words = tuple(trace.labels("T"))
    drawn = [
        Matrix(
            "x",
            trace.inputs[0],
            Side("word", words),
            Side("feature", LEXICON_FEATURES),
            (0, 0),
            "X words",
        )
    ]
    says = (
        f"The vectors of the words: 1 in each named feature that a word has. Tokens: {len(words)}."
    )
    return matrix_board(drawn, ("x", 0, 0), says) | {"arithmetic": False}


N_NAMED_FEATURES = len(LEXICON_FEATURES) - 2  # without the two numbers of the position


def received_figure(trace: Trace, position: int) -> Figure:
    """The features of a word beside what it receives from all heads together."""
    own, brought = (
        trace.inputs[0, position, :N_NAMED_FEATURES],
        trace.output[0, position, :N_NAMED_FEATURES],
    )
    names = list(LEXICON_FEATURES[:N_NAMED_FEATURES])
    data = [
        {
            "type": "bar",
            "name": title,
            "x": names,
            "y": np.asarray(numbers, "f4"),
            "marker": {"color": color},
            "hovertemplate": "%{x}: <b>%{y:.3f}</b><extra>" + title + "</extra>",
        }
        for title, numbers, color in (
            ("own features", own, "@muted"),
            ("receives from the heads", brought, "@output"),
        )
    ]
    most = int(np.argmax(brought))
    says = (
        f"Bars: the features of “{shorten(trace.labels('T')[position])}” and what it receives."
        f" Most: {names[most]}, {format_number(float(brought[most]))}."
    )
    parts = {
        "barmode": "group",
        "bargap": 0.25,
        "showlegend": True,
        "legend": LEGEND_ABOVE,
        "margin": {"l": 44, "r": 8, "t": 44, "b": 60},
        "xaxis": chart_axis("", type="category", showgrid=False, tickangle=-45),
        "yaxis": chart_axis("", rangemode="tozero"),
    }
    return {"data": data, "layout": layout(320, says, **parts)}
