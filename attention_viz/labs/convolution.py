"""Pictures of the page *Convolution*: picture, attention, convolution and their difference; what
each head reads; how the error falls with the sharpness of the heads."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.rules import RUNNING, Position, Rule, read
from attention_lab.labs.convolution import ConvolutionRun, OneByOne, pixel_attention
from attention_lab.words.numbers import format_number

from ..curves import CHART_MARGINS, WITH_LEGEND, chart_axis, line_series
from ..matrices import Matrix, Side, difference_matrix, head_matrices, matrix_board
from ..parts import dashed_line, layout
from ..payload import JSON, largest_magnitude
from ..theme import Figure

ROWS, COLUMNS = Side("row"), Side("column")


def convolution_board(
    picture: Array, kernel: Array, run: ConvolutionRun, pixel: tuple[int, int]
) -> JSON:
    """The picture, what attention makes of it, what the convolution makes of it, and the
    difference, in a line for each channel.

    Each pixel is a sum over the numbers of the kernel: each times what its head finds (attention)
    or times the pixel at its offset (convolution).
    """
    (n_in, n_out), (names, numbers) = kernel.shape[2:], _kernel_numbers(run, kernel)
    limit = max(largest_magnitude(run.output), largest_magnitude(run.expected))
    pixels, contents_TC = Side("pixel"), run.grid.contents(picture)
    there_KNC = np.stack([contents_TC[run.grid.targets(offset)] for offset in run.offsets])
    there = there_KNC.swapaxes(1, 2).reshape(len(numbers), -1)
    found = run.trace.merged[0, run.grid.pixels].T
    drawn = [
        Matrix("kernel", numbers, names, Side("channel"), None, "kernel", role="key"),
        Matrix("found", found, names, pixels, None, "head finds", role="value"),
        Matrix("there", there, names, pixels, None, "pixel at the offset", role="query"),
    ]
    for channel in range(n_in):
        name = _of_channel("picture", channel, n_in)
        drawn.append(Matrix(name, picture[..., channel], ROWS, COLUMNS, (0, channel), name))
    for channel in range(n_out):
        drawn += _both(run, channel, len(numbers), limit)
    says = "A picture, its convolution by attention and by the plain sum. Largest difference: "
    cell = (_of_channel("attention", 0, n_out), *pixel)
    return matrix_board(drawn, cell, f"{says}{format_number(run.largest_error)}.")


def _both(run: ConvolutionRun, channel: int, n_numbers: int, limit: float) -> list[Matrix]:
    """A channel by attention and by convolution, and the difference."""
    n_channels, made = run.output.shape[2], []
    for place, (name, image, source, role) in enumerate(
        (
            ("attention", run.output, "found", "output"),
            ("convolution", run.expected, "there", "text"),
        ),
        start=1,
    ):
        called, at = _of_channel(name, channel, n_channels), (place, channel)
        about: dict[str, Any] = {"role": role, "limit": limit}
        about["rule"] = _weighted(source, run, n_numbers, channel)
        shown = image[..., channel]
        made.append(Matrix(called, shown, ROWS, COLUMNS, at, f"by {called}", **about))
    return [*made, difference_matrix(made[0], made[1], (3, channel), "difference")]


def _of_channel(name: str, channel: int, n_channels: int) -> str:
    return f"{name} {channel}" if n_channels > 1 else name


def _kernel_numbers(run: ConvolutionRun, kernel: Array) -> tuple[Side, Array]:
    """The kernel as W_O holds it: a line for each head and channel in, with their names."""
    n_in = kernel.shape[2]
    names = [_of_channel(_arrow(one), c, n_in) for one in run.offsets for c in range(n_in)]
    return Side("head", tuple(names)), kernel.reshape(len(names), -1)


def _weighted(source: str, run: ConvolutionRun, n_numbers: int, channel: int) -> Rule:
    """The sum over the kernel's numbers for a channel, each times the number in its row of the
    source for the pixel.
    """
    pixel = Position(((0, run.grid.width), (1, 1)))
    kernel = read("kernel", RUNNING, Position(plus=channel))
    return Rule("sum", (read(source, RUNNING, pixel), kernel), n_numbers)


def kernel_heads_board(run: ConvolutionRun, pixel: tuple[int, int], kernel: Array) -> JSON:
    """What every head reads for one pixel, as maps over the tokens, laid out like the kernel.

    kernel: the numbers by which W_O multiplies what each head finds; with one channel the titles
    show them. Shapes: (K, K, Cin, Cout), or one number for each head.
    """
    weights = kernel.reshape(len(run.trace.probabilities[0]), -1)
    maps_HRC, sunk_H = pixel_attention(run, *pixel)
    side, badges = len(maps_HRC), ["pattern"] * len(maps_HRC)
    if run.offsets:
        side, badges = math.isqrt(len(maps_HRC)), [_arrow(offset) for offset in run.offsets]
    sides, drawn = (Side("row of tokens"), Side("column of tokens")), []
    row, column = (place + run.grid.margin for place in pixel)
    here_RC = np.zeros(run.grid.shape, bool)
    here_RC[row, column] = True
    one_map = partial(Matrix, kind="probability", small=True, changed=here_RC)
    for head, (shares, badge) in enumerate(zip(maps_HRC, badges, strict=True)):
        name, at = f"head {head}", (head % side, head // side)
        title = name
        if weights.shape[1] == 1:
            title += f" × {format_number(weights[head].item(), 2)}"
        if run.grid.has_sink:
            title += f", sink {format_number(float(sunk_H[head]), 2)}"
        drawn.append(one_map(name, shares, *sides, at, title, badge))
    says = (
        f"What each head reads for the pixel in row {pixel[0]}, column {pixel[1]}. Heads:"
        f" {len(maps_HRC)}."
    )
    return matrix_board(drawn, ("head 0", row, column), says) | {"arithmetic": False}


def kernel_board(run: ConvolutionRun, kernel: Array) -> JSON:
    """A kernel for several channels as W_O holds it."""
    names, numbers = _kernel_numbers(run, kernel)
    matrix = Matrix("kernel", numbers, names, Side("output channel"), (0, 0), "W_O: the kernel")
    says = "The kernel as W_O holds it: a line for each head and channel in."
    return matrix_board([matrix], ("kernel", 0, 0), says) | {"arithmetic": False}


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
