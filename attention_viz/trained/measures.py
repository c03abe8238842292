"""Pictures of one number for each head: a matrix of layers and heads, and its course over the
layers.
"""

import numpy as np

from attention_core.checks import Array
from attention_lab.trained.head_measures import MeasuredHeads
from attention_lab.words.numbers import format_number

from ..curves import WITH_LEGEND, chart_axis, line_series, marks
from ..matrices import Matrix, Side, matrix_board
from ..parts import Part, layout
from ..payload import JSON
from ..theme import Figure

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


def measure_by_layer(measured: MeasuredHeads, title: str) -> Figure:
    """Every head as a dot over its layer, the mean of each layer as a line, and a head without
    preferences as a dashed line.
    """
    values_LH = measured.values
    layers = list(range(len(values_LH)))
    says = "{} %{{y:.3f}}<extra></extra>".format
    means = line_series(layers, measured.means, "mean of the layer", "@primary")
    data = [means | {"hovertemplate": says("mean")}, _dots(values_LH)]
    if measured.even is not None:
        name, even = "a head that reads all keys equally", measured.even.tolist()
        line = line_series(layers, even, name, "@muted", "dash")
        data.append(line | {"hovertemplate": says("all keys equally")})
    description = (
        f"{title}. Layers: {len(layers)}, heads: {values_LH.size}. Every head is a dot, the line is"
        " the mean."
    )
    parts = WITH_LEGEND | {
        "margin": {"l": 60, "r": 8, "t": 34, "b": 44},
        "xaxis": chart_axis("layer", tickvals=layers, showgrid=False),
        "yaxis": chart_axis(title),
    }
    return {"data": data, "layout": layout(300, description, **parts)}


def _dots(values_LH: Array) -> Part:
    """A dot for every head; a click on it sends "layer-head"."""
    n_layers, n_heads = values_LH.shape
    # Side by side, so that equal dots do not hide each other.
    offsets_H = (np.arange(n_heads) - (n_heads - 1) / 2) * DOT_SPREAD / max(1, n_heads - 1)
    heads = list(np.ndindex(n_layers, n_heads))
    return marks(
        (np.arange(n_layers)[:, np.newaxis] + offsets_H).ravel().astype("f4"),
        [None if np.isnan(value) else float(value) for value in values_LH.ravel()],
        {"color": "@query", "size": 8, "opacity": 0.75},
        name="one head",
        text=[
            f"layer {layer}, head {head}<br><b>{format_number(float(values_LH[layer, head]))}</b>"
            for layer, head in heads
        ],
        customdata=[f"{layer}-{head}" for layer, head in heads],
        hovertemplate="%{text}<extra></extra>",
    )
