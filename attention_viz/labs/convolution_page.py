"""The page *Convolution*: heads that each look at a fixed offset do what a convolution does."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from attention_core import AttentionError
from attention_core.checks import Array
from attention_lab.cache import cached
from attention_lab.labs.convolution import (
    TOKEN_KINDS,
    ConvolutionRun,
    error_curve,
    expected_error,
    one_by_one_example,
    run_convolution,
    run_one_by_one,
    run_two_heads,
)
from attention_lab.labs.convolution_heads import PADDINGS
from attention_lab.labs.images import IMAGES, KERNELS, as_image, as_kernel

from .. import blocks as b
from ..labels import format_number, format_percent
from ..markdown import escape_markdown
from ..reference.glossary import meaning
from ..story.story_view import StoryView
from .convolution import convolution_board, error_figure, kernel_heads_board, one_by_one_board

SHARPNESSES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 20.0, 30.0, 40.0, 60.0, 80.0)
OWN_KERNEL = "own"
ERROR_LABELS = {
    "nothing": "expected: 4 e^−α × range × Σ|kernel|",
    "frame": "expected: 4 e^−α × range × Σ|kernel|",
    "sink": "expected: e^(−α/2) × range × Σ|kernel|",
    "circular": "expected: 2 Σ e^(−α (1 − cos 2π/side)) × range × Σ|kernel|",
}
# How the scores are made, by whether positions lie on circles.
SCORE_DESCRIPTIONS = {
    False: (
        "In 64-bit numbers the error falls to the size of rounding. The score is $-\\alpha\\,"
        "\\lVert p_j - (p_i + \\Delta)\\rVert^2$ plus a number that is the same for a whole row."
        " Real query and key matrices make it from the features 1, row, column,"
        " row² + column²."
    ),
    True: (
        "The score is $\\alpha$ times the sum of two cosines of the angles between places on"
        " circles: one circle for the rows, one for the columns. Neighbours on a circle lie close"
        " together, so this needs a much larger $\\alpha$."
    ),
}
FIRST_PIXEL = (3, 3)
Rows = tuple[tuple[float | str, ...], ...]  # of a kernel
Run = Callable[[Array, Array, float, str], ConvolutionRun]


def read_kernel(text: str) -> str:
    """A kernel as text, in the shortest form that reads back as the same numbers. Raises:
    SettingsError, ShapeError.

    >>> read_kernel("0 1.0 0,1 -4 1,0 1 0.50")
    '0 1 0, 1 -4 1, 0 1 0.5'
    """
    return ", ".join(
        " ".join(repr(number).removesuffix(".0") for number in numbers)
        for numbers in as_kernel(_rows(text))[..., 0, 0].tolist()
    )


def _rows(text: str) -> Rows:
    return tuple(tuple(numbers.split()) for numbers in text.split(","))


IMAGE = b.Select("conv_image", "Picture", "disc", b.by_name(IMAGES))
KERNEL = b.Select("conv_kernel", "Kernel", next(iter(KERNELS)), b.by_name((*KERNELS, OWN_KERNEL)))
PADDING = b.Select(
    "conv_padding",
    "Beyond the edge",
    "frame",
    b.by_name(PADDINGS),
    "buttons",
    help="\n\n".join(f"**{name}**: {one.description}" for name, one in PADDINGS.items()),
)
SHARPNESS = b.Select(
    "conv_sharpness",
    "Sharpness α of the heads",
    "4.0",
    {str(one): f"{one:g}" for one in SHARPNESSES},
    "scale",
    help="The score of a token is −α times its squared distance from where the head looks.",
)
OWN = b.Words(
    "conv_own",
    "Own kernel: three rows of three numbers",
    "0 1 0, 1 -4 1, 0 1 0",
    most=300,  # nine numbers of up to 24 characters, with spaces and commas
    reads=read_kernel,
)
PIXEL = b.Places("conv_pixel", "Pixel", FIRST_PIXEL, size=8, most=2, separator="-")
TOKENS = b.Select(
    "conv_tokens",
    "Tokens",
    "raw",
    b.by_name(TOKEN_KINDS),
    "buttons",
    help=f"LayerNorm: {meaning('LayerNorm')} Here the factors are 1 and the offsets 0.",
)
CHOICES = (IMAGE, KERNEL, PADDING, SHARPNESS, OWN, PIXEL, TOKENS)


def _blocks(view: StoryView, values: b.Values) -> Sequence[b.Block]:
    """The picture by attention and by convolution, what the heads read, and how the error falls."""
    is_own, padding = values[KERNEL.key] == OWN_KERNEL, values[PADDING.key]
    rows = _rows(values[OWN.key]) if is_own else KERNELS[values[KERNEL.key]]
    image, sharpness = values[IMAGE.key], float(values[SHARPNESS.key])
    run = _run(image, rows, padding, sharpness)
    pixel = values[PIXEL.key] if len(values[PIXEL.key]) == 2 else FIRST_PIXEL
    picture, kernel = as_image(IMAGES[image]), as_kernel(rows)
    board = convolution_board(picture, kernel, run, pixel)
    clicks = {name: {PIXEL.key: "{0}-{1}"} for name in board["arrays"]}
    heads = kernel_heads_board(run, pixel, kernel.ravel().tolist())
    errors = error_figure(
        SHARPNESSES, *_errors(image, rows, padding), sharpness, ERROR_LABELS[padding]
    )
    return [
        b.Text(_answer(run, sharpness)),
        b.row(values, IMAGE, KERNEL, PADDING, SHARPNESS),
        *([b.row(values, OWN)] if is_own else []),
        b.Board(board, "convolution", fits=True, sets=clicks),
        b.caption(
            "A picture, what attention and what a convolution make of it, and their difference,"
            " which has its own colour scale. Every pixel is a token. The kernel has"
            f" {len(run.offsets)} numbers, and each is a head that looks at **one offset** from the"
            f" pixel. Padding of the convolution: *{PADDINGS[padding].convolution_padding}*. Click"
            " a pixel."
        ),
        b.Beside(
            (
                [
                    b.Heading(f"What the heads read for pixel ({pixel[0]}, {pixel[1]})"),
                    b.Board(heads, "convolution heads"),
                    b.caption(
                        "Each title shows the number of the kernel: W_O multiplies what the head"
                        f" finds by it. {PADDINGS[padding].description}"
                    ),
                ],
                [
                    b.Heading("Sharper heads, smaller error"),
                    b.Chart(errors, "convolution errors"),
                    b.caption(
                        "A softmax never gives exactly 0, so the two are equal only in the limit of"
                        " ever larger $\\alpha$."
                    ),
                    b.caption(SCORE_DESCRIPTIONS[padding == "circular"]),
                ],
            ),
            (1, 1),
        ),
        b.Folded(
            "Two heads are enough for one channel",
            lambda: _two_heads(image, rows, padding, sharpness, pixel),
        ),
        b.Folded("When attention is a 1 × 1 convolution", lambda: _one_by_one(values, sharpness)),
        *map(b.Text, ABOUT),
    ]


@cached
def _run(
    image: str, rows: Rows, padding: str, sharpness: float, run: Run = run_convolution
) -> ConvolutionRun:
    return run(as_image(IMAGES[image]), as_kernel(rows), sharpness, padding)


@cached
def _errors(image: str, rows: Rows, padding: str) -> tuple[list[float], list[float]]:
    """The largest error at every sharpness, measured and expected by theory."""
    picture, kernel = as_image(IMAGES[image]), as_kernel(rows)
    expected = [expected_error(picture, kernel, alpha, padding) for alpha in SHARPNESSES]
    return error_curve(picture, kernel, SHARPNESSES, padding), expected


def _answer(run: ConvolutionRun, sharpness: float) -> str:
    return (
        f"Yes, in the limit of sharp heads. Largest difference at α = {sharpness:g}:"
        f" **{format_number(run.largest_error)}**. Smallest weight of a head for the pixel it looks"
        f" for: **{format_percent(run.target_share)}**."
    )


def _two_heads(
    image: str, rows: Rows, padding: str, sharpness: float, pixel: tuple[int, int]
) -> list[b.Block]:
    """The same by one head for the kernel's positive numbers and one for its negative numbers."""
    try:
        pair, sharp = (_run(image, rows, padding, one, run_two_heads) for one in (sharpness, 40.0))
    except AttentionError as error:
        return [b.Note(escape_markdown(str(error)), "wrong")]
    sizes = np.asarray(pair.trace.projections.w_o)[:, 0].tolist()
    return [
        b.Text(
            "A one-hot position has one feature for each place. With it a head can spread its"
            " attention in any pattern. One head spreads it like the positive numbers of the"
            " kernel, one like the negative numbers; a kernel without negative or without positive"
            " numbers needs one head only. W_O restores sizes and signs. Largest error:"
            f" **{format_number(pair.largest_error)}** here,"
            f" **{format_number(sharp.largest_error)}** with α = 40 (the scores of all other tokens"
            " are lower by α). So K² heads are enough, but not necessary."
        ),
        b.Board(kernel_heads_board(pair, pixel, sizes), "convolution two"),
    ]


def _one_by_one(values: b.Values, sharpness: float) -> list[b.Block]:
    """A head in which every token should choose itself."""
    (tokens, mixing), kind = one_by_one_example(), values[TOKENS.key]
    single = run_one_by_one(tokens, mixing, sharpness, kind)
    compared = "is α·I on the positions and 0 elsewhere" if kind == TOKEN_KINDS[2] else "= α·I"
    return [
        b.row(values, TOKENS),
        b.Text(
            "If every token reads only itself, $Y = X W_V W_O$: the same small linear map for each"
            f" token. That is a 1 × 1 convolution. Here W_Q W_Kᵀ {compared}. Tokens that choose"
            f" themselves: **{single.n_choosing_themselves} of {len(tokens)}**. Largest error:"
            f" **{format_number(single.error)}**."
        ),
        b.Board(one_by_one_board(single), "convolution one"),
        b.caption(
            "*raw*: token 5 is token 0 made twice as long. A longer token in the same direction"
            " always wins, so no sharpness helps. *layer-normed*: all tokens have the same length,"
            " so each prefers itself. Tokens 0 and 5 become equal, which changes no output. The"
            " error goes to 0 with growing α. *with positions*: one-hot positions are compared,"
            " which always works."
        ),
    ]


ABOUT = (
    "**Try:** [shift left](convolution?conv_kernel=shift+left): it moves the picture, and one head"
    " does all the work. [Nothing beyond the edge](convolution?conv_padding=nothing): the edge is"
    " repeated. [Sharp heads](convolution?conv_sharpness=40.0): the difference is rounding.",
    "Cordonnier, Loukas and Jaggi (2020) prove that K² heads with positions can express a K × K"
    " convolution. This needs positions, a rule for the edge, and unbounded scores.",
)

CONVOLUTION = b.BlockPage("convolution", lambda _: CHOICES, _blocks)
