"""Pictures of the page *Layer by layer*: one number for each head, what the layers add to the
tokens, and attention without weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_lab.trained.added_parts import AddedParts
from attention_lab.trained.encoded_text import WeightlessAttention
from attention_lab.trained.layers import MeasuredHeads

from ..curves import LEGEND_ABOVE
from ..labels import format_number
from ..matrices import Matrix, Side, matrix_board
from ..parts import Part, layout
from ..payload import JSON
from ..theme import Figure
from ..thumbnails import HEAD_NUMBER_CAPTIONS

DOT_SPREAD = 0.5  # from the first head of a layer to the last, in layers


def heads_matrix(
    values_LH: Array, cell: tuple[int, int], title: str, *, shares: bool = False
) -> JSON:
    """One number for each head: layers as rows, heads as columns. A number that cannot be measured
    is hatched.

    shares: whether the numbers are shares, from 0 to 1.
    """
    matrix = Matrix(
        "ranking",
        np.where(np.isnan(values_LH), -np.inf, values_LH),
        Side("layer"),
        Side("head"),
        (0, 0),
        title,
        kind="probability" if shares else "logit",
        says="This head has",
    )
    return matrix_board(
        [matrix], ("ranking", *cell), f"{title} of every head: layers as rows, heads as columns."
    )


def measure_by_layer(measured: MeasuredHeads) -> Figure:
    """Every head as a dot over its layer, the mean of each layer as a line, and a head without
    preferences as a dashed line.
    """
    values_LH, title = measured.values, measured.measure.title
    layers = list(range(len(values_LH)))
    data = [_means(layers, measured.means), _dots(values_LH)]
    if measured.even is not None:
        data.append(_even(layers, measured.even))
    description = (
        f"{title}. Layers: {len(layers)}, heads: {values_LH.size}. Every head is a dot, the line is"
        " the mean."
    )
    axis = {"gridcolor": "@line", "zeroline": False, "fixedrange": True}
    parts = {
        "margin": {"l": 60, "r": 8, "t": 34, "b": 44},
        "showlegend": True,
        "legend": LEGEND_ABOVE,
        "xaxis": axis | {"title": {"text": "layer"}, "tickvals": layers, "showgrid": False},
        "yaxis": axis | {"title": {"text": title}},
    }
    return {"data": data, "layout": layout(330, description, **parts)}


def _means(layers: list[int], means: list[float | None]) -> Part:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "mean of the layer",
        "x": layers,
        "y": means,
        "line": {"color": "@primary", "width": 2},
        "hovertemplate": "mean %{y:.3f}<extra></extra>",
    }


def _dots(values_LH: Array) -> Part:
    """A dot for every head; a click on it sends "layer-head"."""
    n_layers, n_heads = values_LH.shape
    # Side by side, so that equal dots do not hide each other.
    offsets_H = (np.arange(n_heads) - (n_heads - 1) / 2) * DOT_SPREAD / max(1, n_heads - 1)
    heads = list(np.ndindex(n_layers, n_heads))
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "one head",
        "x": (np.arange(n_layers)[:, np.newaxis] + offsets_H).ravel().astype("f4"),
        "y": [None if np.isnan(value) else float(value) for value in values_LH.ravel()],
        "text": [
            f"layer {layer}, head {head}<br><b>{format_number(float(values_LH[layer, head]))}</b>"
            for layer, head in heads
        ],
        "customdata": [f"{layer}-{head}" for layer, head in heads],
        "marker": {"color": "@query", "size": 8, "opacity": 0.75},
        "hovertemplate": "%{text}<extra></extra>",
    }


def _even(layers: list[int], even_L: Array) -> Part:
    """The value of a head without preferences in each layer."""
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "a head that reads all keys equally",
        "x": layers,
        "y": [float(value) for value in even_L],
        "line": {"color": "@muted", "width": 2, "dash": "dash"},
        "hovertemplate": "all keys equally %{y:.3f}<extra></extra>",
    }


def added_parts_board(parts: AddedParts, cell: tuple[int, int]) -> JSON:
    """How long the two parts are that each layer adds to each token: layers as rows, tokens as
    columns.
    """
    limit = float(max(parts.attention.max(), parts.feed_forward.max()))
    adds: dict[str, Any] = {"kind": "logit", "limit": limit, "says": "This layer adds"}
    has: dict[str, Any] = {"kind": "probability", "says": "Attention has"}
    sides = Side("layer"), Side("token", parts.tokens)
    matrices = [
        Matrix(
            name,
            np.where(np.isnan(numbers_LT), -np.inf, numbers_LT),
            *sides,
            (0, row),
            title,
            **about,
        )
        for row, (name, numbers_LT, title, about) in enumerate(
            (
                ("attention", parts.attention, "attention adds", adds),
                ("feed-forward", parts.feed_forward, "feed-forward adds", adds),
                ("share", parts.share, "attention’s share", has),
            )
        )
    ]
    return matrix_board(
        matrices, ("share", *cell), "What each layer adds to each token: layers as rows."
    )


def weightless_board(
    kinds: Sequence[WeightlessAttention], trained_TS: Array, title: str, cell: tuple[int, int]
) -> JSON:
    """Attention without weights over each kind of vectors, beside a trained head."""
    tokens = kinds[0].trace.tokens
    sides = Side("query", tokens), Side("key", tokens)
    heads = [(kind.name, kind.trace.probabilities[0, 0], kind.name, "no weights") for kind in kinds]
    heads.append(("trained", trained_TS, title, "trained"))
    matrices = [
        Matrix(
            name,
            shares_TS,
            *sides,
            (column, 0),
            words,
            badge,
            "probability",
            says=HEAD_NUMBER_CAPTIONS["probability"],
        )
        for column, (name, shares_TS, words, badge) in enumerate(heads)
    ]
    return matrix_board(
        matrices, (matrices[2].name, *cell), "Attention without weights on three kinds of vectors."
    )
