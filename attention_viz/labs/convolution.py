"""Pictures of the page *Convolution*: picture, attention, convolution and their difference; what
each head reads; how the error falls with the sharpness of the heads."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from attention_core.checks import Array
from attention_core.rules import RUNNING, Position, Rule, read
from attention_lab.labs.convolution import ConvolutionRun, OneByOne, pixel_attention

from ..curves import CHART_MARGINS, WITH_LEGEND, chart_axis, line_series
from ..labels import format_number
from ..matrices import Matrix, Side, difference_matrix, head_matrices, matrix_board
from ..parts import dashed_line, layout
from ..payload import JSON, largest_magnitude, pack_bits
from ..theme import Figure

ROWS, COLUMNS = Side("row"), Side("column")


def convolution_board(
    picture: Array, kernel: Array, run: ConvolutionRun, pixel: tuple[int, int]
) -> JSON:
    """The picture, what attention makes of it, what the convolution makes of it, and the
    difference. One channel.

    Each pixel is a sum over the numbers of the kernel: each times what its head finds (attention)
    or times the pixel at its offset (convolution).
    """
    output, expected = run.output[..., 0], run.expected[..., 0]
    limit = max(largest_magnitude(output), largest_magnitude(expected))
    heads, pixels = Side("head", tuple(_arrow(offset) for offset in run.offsets)), Side("pixel")
    contents_T = run.grid.contents(picture)[:, 0]
    there_HN = np.stack([contents_T[run.grid.targets(offset)] for offset in run.offsets])
    found_HN = run.trace.head_outputs[0][:, run.grid.pixels, 0]
    drawn = [
        Matrix("picture", picture[..., 0], ROWS, COLUMNS, (0, 0), "picture"),
        Matrix("kernel", kernel.reshape(-1, 1), heads, Side(""), None, "kernel", role="key"),
        Matrix("found", found_HN, heads, pixels, None, "head finds", role="value"),
        Matrix("there", there_HN, heads, pixels, None, "pixel at the offset", role="query"),
        _result("attention", output, (1, 0), limit, _weighted("found", run), "output"),
        _result("convolution", expected, (2, 0), limit, _weighted("there", run)),
    ]
    drawn.append(difference_matrix(drawn[4], drawn[5], (3, 0), "difference"))
    says = "A picture, its convolution by attention and by the plain sum. Largest difference: "
    return matrix_board(drawn, ("attention", *pixel), f"{says}{format_number(run.largest_error)}.")


def _result(
    name: str, image: Array, place: tuple[int, int], limit: float, rule: Rule, role: str = "text"
) -> Matrix:
    """The image made by attention or by convolution."""
    return Matrix(
        name, image, ROWS, COLUMNS, place, f"by {name}", role=role, limit=limit, rule=rule
    )


def _weighted(source: str, run: ConvolutionRun) -> Rule:
    """The sum over the kernel's numbers, each times the number in its row of the source for the
    pixel.
    """
    pixel = Position(((0, run.grid.width), (1, 1)))
    return Rule(
        "sum", (read(source, RUNNING, pixel), read("kernel", RUNNING, Position())), len(run.offsets)
    )


def kernel_heads_board(
    run: ConvolutionRun, pixel: tuple[int, int], weights: Sequence[float]
) -> JSON:
    """What every head reads for one pixel, as maps over the tokens, laid out like the kernel.

    weights: the number of the kernel by which W_O multiplies what each head finds.
    """
    maps_HRC, sunk_H = pixel_attention(run, *pixel)
    side, badges = len(maps_HRC), ["pattern"] * len(maps_HRC)
    if run.offsets:
        side, badges = math.isqrt(len(maps_HRC)), [_arrow(offset) for offset in run.offsets]
    sides, look = (Side("row of tokens"), Side("column of tokens")), "probability"
    drawn = []
    for head, (shares, badge) in enumerate(zip(maps_HRC, badges, strict=True)):
        name, at = f"head {head}", (head % side, head // side)
        title = f"{name} × {format_number(float(weights[head]), 2)}"
        if run.grid.has_sink:
            title += f", sink {format_number(float(sunk_H[head]), 2)}"
        drawn.append(Matrix(name, shares, *sides, at, title, badge, look, small=True))
    row, column = (place + run.grid.margin for place in pixel)
    says = (
        f"What each head reads for the pixel in row {pixel[0]}, column {pixel[1]}. Heads:"
        f" {len(maps_HRC)}."
    )
    given = matrix_board(drawn, ("head 0", row, column), says) | {"arithmetic": False}
    here_RC = np.zeros(run.grid.shape, bool)
    here_RC[row, column] = True
    for matrix in drawn:  # the query pixel is outlined in every map
        given["arrays"][matrix.name]["changed"] = pack_bits(here_RC)
    return given


def one_by_one_board(run: OneByOne) -> JSON:
    """Scores and probabilities of a head in which every token should choose itself."""
    sides, places = (Side("query position"), Side("key position")), ((0, 0), (1, 0))
    titles, names = ("scores", "probabilities"), ("scores", "shares")
    drawn = head_matrices(run.trace, (0, 0), sides, names, places, titles)
    says = (
        "A head in which every token should choose itself. The smallest weight on the diagonal is"
        f" {format_number(float(run.self_weights.min()))}."
    )
    return matrix_board(drawn, ("shares", 0, 0), says)


def _arrow(offset: tuple[int, int]) -> str:
    """The direction in which a head looks, as an arrow."""
    down, across = offset
    return "↖↑↗←•→↙↓↘"[(int(np.sign(down)) + 1) * 3 + int(np.sign(across)) + 1]


MIN_SHOWN_ERROR = 1e-17  # an error of 0 has no place on a logarithmic axis


def error_figure(
    sharpnesses: Sequence[float],
    errors: Sequence[float],
    expected: Sequence[float],
    chosen: float,
    law: str,
) -> Figure:
    """The largest error at each sharpness, measured and expected, on a logarithmic scale.

    law: the name of the expected line.
    """
    shown = [max(error, MIN_SHOWN_ERROR) for error in errors]
    data = [
        line_series(sharpnesses, shown, "largest error", "@primary", mode="lines+markers"),
        line_series(sharpnesses, expected, law, "@focus", "dash"),
    ]
    at = int(np.argmin([abs(sharpness - chosen) for sharpness in sharpnesses]))
    says = (
        "Line chart: the largest error by sharpness. At sharpness"
        f" {format_number(chosen, 2)} it is about "
    )
    parts = WITH_LEGEND | {
        "margin": CHART_MARGINS | {"l": 64},
        "xaxis": chart_axis("sharpness α", range=[0, max(sharpnesses) * 1.02]),
        "yaxis": chart_axis("largest error", type="log", exponentformat="e", range=[-17.2, 1.2]),
        "shapes": [dashed_line(chosen, MIN_SHOWN_ERROR, chosen, 10, "@muted", 1, "dot")],
    }
    return {"data": data, "layout": layout(320, f"{says}{format_number(errors[at])}.", **parts)}
