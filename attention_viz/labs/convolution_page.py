"""The page *Convolution*: heads that each look at a fixed offset do what a convolution does."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from attention_core import AttentionError
from attention_core.checks import Array
from attention_lab.cache import cached
from attention_lab.labs.convolution import (
    TOKEN_KINDS,
    ConvolutionRun,
    OneByOne,
    error_curve,
    expected_error,
    one_by_one_example,
    run_convolution,
    run_one_by_one,
    run_two_heads,
)
from attention_lab.labs.convolution_heads import PADDINGS
from attention_lab.labs.facts import (
    ConvolutionFacts,
    OneByOneFacts,
    TwoHeadFacts,
    convolution_facts,
    one_by_one_facts,
)
from attention_lab.labs.images import IMAGES, KERNELS, as_image, as_kernel, for_two_channels
from attention_lab.words.numbers import Number

from .. import blocks as b
from ..block_page import page_of_facts
from ..markdown import escape_markdown
from ..page_choices import Places, Select, Words, by_name
from ..reference.glossary import meaning
from ..story.story_view import StoryView
from .content_page import ASKING, content_blocks, pixel_asking
from .convolution import (
    convolution_board,
    error_figure,
    kernel_board,
    kernel_heads_board,
    one_by_one_board,
)

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
EVEN_KERNEL = " An even kernel has no middle: it begins at the pixel and reaches down and right."
# What W_O multiplies by, by whether there are two channels.
W_O_HOLDS = {
    False: "Each title shows the number of the kernel: W_O multiplies what the head finds by it.",
    True: (
        "A head copies both channels of what it reads; W_O holds the kernel, a number for each"
        " head, channel in and channel out."
    ),
}
FIRST_PIXEL, SHARP = (3, 3), 40.0
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


ALONE = "none"
IMAGE = Select("conv_image", "Picture", "disc", by_name(IMAGES))
SECOND = Select(
    "conv_second",
    "Second channel",
    ALONE,
    by_name((ALONE, *IMAGES)),
    help=(
        "With it two channels go in and two come out. Output 0 is the kernel on channel 0 plus the"
        " transposed kernel on channel 1; output 1 is the kernel on channel 1 minus the transposed"
        " kernel on channel 0. With Sobel x they are divergence and curl of a field of arrows."
    ),
)
KERNEL = Select("conv_kernel", "Kernel", next(iter(KERNELS)), by_name((*KERNELS, OWN_KERNEL)))
PADDING = Select(
    "conv_padding",
    "Beyond the edge",
    "frame",
    by_name(PADDINGS),
    help="\n\n".join(f"**{name}**: {one.description}" for name, one in PADDINGS.items()),
)
SHARPNESS = Select(
    "conv_sharpness",
    "Sharpness α of the heads",
    "4.0",
    {str(one): f"{one:g}" for one in SHARPNESSES},
    "scale",
    help="The score of a token is −α times its squared distance from where the head looks.",
)
OWN = Words(
    "conv_own",
    "Own kernel: one, two or three rows of as many numbers",
    "0 1 0, 1 -4 1, 0 1 0",
    most=300,  # nine numbers of up to 24 characters, with spaces and commas
    reads=read_kernel,
)
PIXEL = Places("conv_pixel", "Pixel", FIRST_PIXEL, size=8, most=2, separator="-")
TOKENS = Select(
    "conv_tokens",
    "Tokens",
    "raw",
    by_name(TOKEN_KINDS),
    "buttons",
    help=f"LayerNorm: {meaning('LayerNorm')} Here the factors are 1 and the offsets 0.",
)
CHOICES = (IMAGE, SECOND, KERNEL, PADDING, SHARPNESS, OWN, PIXEL, TOKENS, ASKING)


@dataclass(frozen=True, eq=False)
class _Shown:
    """What the choices show: the picture, the kernel for it, and a layer that does the same."""

    images: tuple[str, ...]
    rows: Rows
    padding: str
    sharpness: float
    pixel: tuple[int, int]

    @classmethod
    def by(cls, values: b.Values) -> Self:
        """Those of some choices."""
        own, second, at = (values[one.key] for one in (OWN, SECOND, PIXEL))
        return cls(
            (values[IMAGE.key], *([] if second == ALONE else [second])),
            _rows(own) if values[KERNEL.key] == OWN_KERNEL else KERNELS[values[KERNEL.key]],
            values[PADDING.key],
            float(values[SHARPNESS.key]),
            at if len(at) == 2 else FIRST_PIXEL,
        )

    @property
    def arrays(self) -> tuple[Array, Array]:
        """The picture, with one or two channels, and the kernel for it."""
        return _arrays(self.images, self.rows)

    @property
    def run(self) -> ConvolutionRun:
        """Attention and convolution."""
        return _run(self.images, self.rows, self.padding, self.sharpness)

    def two_heads(self, sharpness: float) -> ConvolutionRun:
        """The same for one channel by a head for each sign. Raises: SettingsError."""
        return _run(self.images[:1], self.rows, self.padding, sharpness, run_two_heads)

    def two_head_facts(self) -> TwoHeadFacts | str:
        """Their errors, or why they cannot do it."""
        try:
            runs = (self.two_heads(one) for one in (self.sharpness, SHARP))
            return TwoHeadFacts(*(Number(one.largest_error) for one in runs))
        except AttentionError as error:
            return str(error)


def _one_by_one_run(values: b.Values) -> OneByOne:
    return run_one_by_one(*one_by_one_example(), float(values[SHARPNESS.key]), values[TOKENS.key])


def _facts(_: StoryView, values: b.Values) -> ConvolutionFacts:
    shown = _Shown.by(values)
    return convolution_facts(
        shown.run,
        shown.sharpness,
        shown.arrays[1].shape,
        pixel_asking(values),
        shown.two_head_facts,
        lambda: one_by_one_facts(_one_by_one_run(values)),
    )


def _blocks(view: StoryView, values: b.Values, facts: ConvolutionFacts) -> Sequence[b.Block]:
    """The picture by attention and by convolution, what the heads read, and how the error falls."""
    shown, is_own = _Shown.by(values), values[KERNEL.key] == OWN_KERNEL
    board = convolution_board(*shown.arrays, shown.run, shown.pixel)
    clicks = {name: {PIXEL.key: "{0}-{1}"} for name in board["arrays"]}
    side, (n_in, n_out) = facts.side, facts.channels
    return [
        b.Text(
            f"Yes, in the limit of sharp heads. Largest difference at α = {facts.sharpness}:"
            f" **{facts.error}**. Smallest weight of a head for the pixel it looks for:"
            f" **{facts.target}**."
        ),
        b.row(values, IMAGE, SECOND, KERNEL, PADDING, SHARPNESS),
        *([b.row(values, OWN)] if is_own else []),
        b.Board(board, "convolution", fits=True, sets=clicks),
        b.caption(
            "A picture, what attention and what a convolution make of it, and their difference,"
            f" which has its own colour scale. Every pixel is a token. The kernel reads {side} ×"
            f" {side} offsets, and for each there is a head that looks at **one offset** from the"
            f" pixel: heads: {facts.heads}; channels: {n_in} in, {n_out} out."
            f"{EVEN_KERNEL * (side % 2 == 0)} Padding of the convolution:"
            f" *{PADDINGS[shown.padding].convolution_padding}*. Click a pixel."
        ),
        b.Beside((_what_is_read(shown), _errors(shown)), (1, 1)),
        *content_blocks(facts.content, side),
        b.Folded("Two heads are enough for one channel", lambda: _two_heads(shown, facts)),
        b.Folded(
            "When attention is a 1 × 1 convolution", lambda: _one_by_one(values, facts.one_by_one())
        ),
        *map(b.Text, ABOUT),
    ]


def _what_is_read(shown: _Shown) -> list[b.Block]:
    """What every head reads for the pixel in focus, and the numbers it is multiplied by."""
    _, kernel = shown.arrays
    two, heads = len(shown.images) == 2, kernel_heads_board(shown.run, shown.pixel, kernel)
    return [
        b.Heading(f"What the heads read for pixel ({shown.pixel[0]}, {shown.pixel[1]})"),
        b.Board(heads, "convolution heads"),
        b.caption(f"{W_O_HOLDS[two]} {PADDINGS[shown.padding].description}"),
        *([b.Board(kernel_board(shown.run, kernel), "convolution kernel")] if two else []),
    ]


def _errors(shown: _Shown) -> list[b.Block]:
    """The largest error at every sharpness, measured and expected by theory."""
    errors = _error_curves(shown.images, shown.rows, shown.padding)
    law = ERROR_LABELS[shown.padding]
    figure = error_figure(SHARPNESSES, *errors, shown.sharpness, law)
    return [
        b.Heading("Sharper heads, smaller error"),
        b.Chart(figure, "convolution errors"),
        b.caption(
            "A softmax never gives exactly 0, so the two are equal only in the limit of ever larger"
            " $\\alpha$."
        ),
        b.caption(SCORE_DESCRIPTIONS[shown.padding == "circular"]),
    ]


def _arrays(images: tuple[str, ...], rows: Rows) -> tuple[Array, Array]:
    kernel = as_kernel(rows)
    picture = as_image(*(IMAGES[name] for name in images))
    return picture, for_two_channels(kernel) if len(images) == 2 else kernel


@cached
def _run(
    images: tuple[str, ...], rows: Rows, padding: str, sharpness: float, run: Run = run_convolution
) -> ConvolutionRun:
    return run(*_arrays(images, rows), sharpness, padding)


@cached
def _error_curves(
    images: tuple[str, ...], rows: Rows, padding: str
) -> tuple[list[float], list[float]]:
    picture, kernel = _arrays(images, rows)
    expected = [expected_error(picture, kernel, alpha, padding) for alpha in SHARPNESSES]
    return error_curve(picture, kernel, SHARPNESSES, padding), expected


def _two_heads(shown: _Shown, facts: ConvolutionFacts) -> list[b.Block]:
    """The same by one head for the kernel's positive numbers and one for its negative numbers."""
    two = facts.two_heads()
    if isinstance(two, str):
        return [b.Note(escape_markdown(two), "wrong")]
    pair = shown.two_heads(shown.sharpness)
    sizes = np.asarray(pair.trace.projections.w_o)
    return [
        b.Text(
            "A one-hot position has one feature for each place. With it a head can spread its"
            " attention in any pattern. One head spreads it like the positive numbers of the"
            " kernel, one like the negative numbers; a kernel without negative or without positive"
            f" numbers needs one head only. W_O restores sizes and signs. Largest error:"
            f" **{two.error}** here, **{two.sharp_error}** with α = {SHARP:g} (the scores of"
            " all other tokens are lower by α). So K² heads are enough, but not necessary."
        ),
        b.Board(kernel_heads_board(pair, shown.pixel, sizes), "convolution two"),
    ]


def _one_by_one(values: b.Values, facts: OneByOneFacts) -> list[b.Block]:
    """A head in which every token should choose itself."""
    on_positions = values[TOKENS.key] == TOKEN_KINDS[2]
    compared = "is α·I on the positions and 0 elsewhere" if on_positions else "= α·I"
    return [
        b.row(values, TOKENS),
        b.Text(
            "If every token reads only itself, $Y = X W_V W_O$: the same small linear map for each"
            f" token. That is a 1 × 1 convolution. Here W_Q W_Kᵀ {compared}. Tokens that choose"
            f" themselves: **{facts.choosing} of {facts.tokens}**. Largest error:"
            f" **{facts.error}**."
        ),
        b.Board(one_by_one_board(_one_by_one_run(values)), "convolution one"),
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
    " repeated. [Sharp heads](convolution?conv_sharpness=40.0): the difference is rounding. [Two"
    " channels](convolution?conv_second=ramp): divergence and curl. [Four heads]"
    "(convolution?conv_kernel=2+%C3%97+2%3A+Roberts): a 2 × 2 kernel.",
    "Cordonnier, Loukas and Jaggi (2020) prove that K² heads with positions can express a K × K"
    " convolution. This needs positions, a rule for the edge, and unbounded scores.",
)

CONVOLUTION = page_of_facts("convolution", lambda _: CHOICES, _facts, _blocks)
