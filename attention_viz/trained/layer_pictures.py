"""Many heads at once: one number for each, the best of them, before and after a change, with
and without weights.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core.checks import Array
from attention_lab.trained.added_parts import AddedParts
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.change_a_word import ChangedWord
from attention_lab.trained.encoded_text import WeightlessAttention
from attention_lab.trained.layers import MeasuredHeads

from ..curves import LEGEND
from ..labels import counted, number, percent
from ..matrices import Matrix, Side, board, difference
from ..parts import Part, layout
from ..payload import JSON
from ..theme import Figure
from ..thumbnails import GIVEN, part_of, side_sent


def heads_matrix(
    values_LH: Array, cell: tuple[int, int], title: str, *, shares: bool = False
) -> JSON:
    """Layers as rows, heads as columns; what cannot be measured is hatched. shares: numbers
    from 0 to 1.
    """
    shown = np.where(np.isnan(values_LH), -np.inf, values_LH)
    kind = "probability" if shares else "logit"
    matrix = Matrix(
        "ranking",
        shown,
        Side("layer"),
        Side("head"),
        (0, 0),
        title,
        kind=kind,
        says="This head has",
    )
    return board(
        [matrix], ("ranking", *cell), f"{title} of every head: layers as rows, heads as columns."
    )


def best_heads(
    maps: AttentionMaps, best: Sequence[tuple[int, int, float]], cell: tuple[int, int]
) -> JSON:
    """The matrices of some heads side by side, each with what it was chosen for."""
    side = side_sent(max(1, len(best)) * 8)
    rows, columns = part_of(maps.sizes["T"], cell[0], side), part_of(maps.sizes["S"], cell[1], side)
    sides = Side("query", maps.tokens[rows]), Side("key", maps.memory_tokens[columns])
    matrices = [
        Matrix(
            f"head {layer} {head}",
            maps.layers[layer][head][rows, columns],
            *sides,
            (place, 0),
            f"layer {layer}, head {head}",
            percent(score),
            kind="probability",
            small=True,
            says=GIVEN["probability"],
        )
        for place, (layer, head, score) in enumerate(best)
    ]
    first = (matrices[0].name, cell[0] - rows.start, cell[1] - columns.start)
    return board(matrices, first, f"{BEST(len(matrices))}.")


def BEST(count: int) -> str:
    """What stands over so many heads.

    >>> BEST(1), BEST(5)
    ('The head that does it most', 'The 5 heads that do it most')
    """
    return "The head that does it most" if count == 1 else f"The {count} heads that do it most"


def measure_by_layer(measured: MeasuredHeads) -> Figure:
    """Every head as a dot over its layer, the mean of each layer as a line, and a head without
    preferences dashed.
    """
    values_LH, title = measured.values, measured.measure.title
    layers = list(range(len(values_LH)))
    data = [_means(layers, measured.means), _dots(values_LH)]
    if measured.even is not None:
        data.append(_even(layers, measured.even))
    heads = f"{counted(values_LH.size, 'head')} over {counted(len(layers), 'layer')}"
    says = f"{title} of {heads}: every head is a dot, the line is the mean."
    axis = {"gridcolor": "@line", "zeroline": False, "fixedrange": True}
    parts = {
        "margin": {"l": 60, "r": 8, "t": 34, "b": 44},
        "showlegend": True,
        "legend": LEGEND,
        "xaxis": axis | {"title": {"text": "layer"}, "tickvals": layers, "showgrid": False},
        "yaxis": axis | {"title": {"text": title}},
    }
    return {"data": data, "layout": layout(330, says, **parts)}


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
    """A dot for every head; clicks name its layer and its place."""
    n_layers, n_heads = values_LH.shape
    # Side by side, so that equal dots do not hide each other.
    spread_H = np.linspace(-0.25, 0.25, n_heads) if n_heads > 1 else np.zeros(1)
    places = list(np.ndindex(n_layers, n_heads))
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "one head",
        "x": (np.arange(n_layers)[:, np.newaxis] + spread_H).ravel().astype("f4"),
        "y": [None if np.isnan(value) else float(value) for value in values_LH.ravel()],
        "text": [
            f"layer {layer}, head {head}<br><b>{number(float(values_LH[layer, head]))}</b>"
            for layer, head in places
        ],
        "customdata": [f"{layer}-{head}" for layer, head in places],
        "marker": {"color": "@query", "size": 8, "opacity": 0.75},
        "hovertemplate": "%{text}<extra></extra>",
    }


def _even(layers: list[int], even_L: Array) -> Part:
    """What a head without preferences would have in each layer."""
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "a head that reads all alike",
        "x": layers,
        "y": [float(value) for value in even_L],
        "line": {"color": "@muted", "width": 2, "dash": "dash"},
        "hovertemplate": "all alike %{y:.3f}<extra></extra>",
    }


def before_and_after(change: ChangedWord, layer: int, head: int, query: int, key: int) -> JSON:
    """One head on both sentences, and the difference, which the board works out cell by cell."""
    before, after = (
        Matrix(
            name,
            shares[layer, head],
            Side("query", words),
            Side("key", words),
            (place, 0),
            name,
            "",
            "probability",
        )
        for place, name, shares, words in (
            (0, "before", change.before, change.tokens_before),
            (1, "after", change.after, change.tokens_after),
        )
    )
    gap = difference(after, before, (2, 0), "after − before")
    return board(
        [before, after, gap],
        (gap.name, query, key),
        f"Head {head} of layer {layer} on both sentences.",
    )


def added_parts_board(parts: AddedParts, cell: tuple[int, int]) -> JSON:
    """How long the parts are that each layer adds to each token: layers as rows, tokens as
    columns.
    """
    limit = float(max(parts.attention.max(), parts.feed_forward.max()))
    sides = Side("layer"), Side("token", parts.tokens)
    shown = (
        ("attention", parts.attention, "attention adds", "logit", limit),
        ("feed-forward", parts.feed_forward, "feed-forward adds", "logit", limit),
        ("share", parts.share, "attention’s share", "probability", None),
    )
    matrices = [
        Matrix(
            name,
            np.where(np.isnan(numbers_LT), -np.inf, numbers_LT),
            *sides,
            (0, place),
            title,
            kind=kind,
            limit=most,
            says="This layer adds" if kind == "logit" else "Attention has",
        )
        for place, (name, numbers_LT, title, kind, most) in enumerate(shown)
    ]
    return board(matrices, ("share", *cell), "What each layer adds to each token: layers as rows.")


def weightless_board(
    kinds: Sequence[WeightlessAttention], trained_TS: Array, title: str, cell: tuple[int, int]
) -> JSON:
    """Attention without weights over the model's vectors, kind by kind, beside a trained head."""
    tokens = kinds[0].trace.tokens
    sides = Side("query", tokens), Side("key", tokens)
    shown = [(kind.name, kind.trace.probabilities[0, 0], kind.name, "no weights") for kind in kinds]
    matrices = [
        Matrix(
            name,
            shares_TS,
            *sides,
            (place, 0),
            words,
            badge,
            "probability",
            says=GIVEN["probability"],
        )
        for place, (name, shares_TS, words, badge) in enumerate(
            [*shown, ("trained", trained_TS, title, "trained")]
        )
    ]
    return board(
        matrices, (matrices[2].name, *cell), "Attention without weights on three kinds of vectors."
    )
