"""A task that depends on content: attention learns it, a fixed kernel cannot.

Every mark stands on two pixels of a small picture: one has a colour, the other is grey. Which
colour belongs to a grey pixel? Attention compares marks, wherever they stand; a kernel multiplies
what stands at fixed offsets by fixed numbers. `content_training` trains both. At the end: four
pictures on which no kernel of any size can be right.

B batch, T pixel, row by row, C content, F colour, K side of the kernel.
"""

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array

from ..cache import cached
from .convolution_heads import kernel_offsets

HEIGHT, WIDTH = 4, 5  # of the picture
N_PIXELS, N_MARKS, N_COLOURS = HEIGHT * WIDTH, HEIGHT * WIDTH // 2, 3
N_CONTENTS = N_MARKS + N_COLOURS
UNSEEN_SEED, N_UNSEEN = 999, 400


@dataclass(frozen=True, eq=False)
class Pictures:
    """Pictures with marks and colours.

    Shapes: contents (B, T, C): the mark, then the colour, each as a single 1, without a colour in
    grey; colours (B, T, F): the colour that belongs to each pixel's mark; grey (B, T) bool.
    """

    contents: Array
    colours: Array
    grey: Array

    @property
    def marks(self) -> Array:
        """The number of each pixel's mark. Shapes: (B, T) integers."""
        marks_BT: Array = self.contents[..., :N_MARKS].argmax(axis=2)
        return marks_BT


def make_pictures(mark_BT: Array, grey_BT: Array, of_mark_BM: Array) -> Pictures:
    """Pictures from marks and colours. Shapes: mark (B, T) integers, grey (B, T) bool, of_mark
    (B, marks) integers: the colour of each mark.
    """
    colour_BTF = np.eye(N_COLOURS)[np.take_along_axis(of_mark_BM, mark_BT, axis=1)]
    shown_BTF = colour_BTF * ~grey_BT[..., np.newaxis]
    contents = np.concatenate([np.eye(N_MARKS)[mark_BT], shown_BTF], axis=2)
    return Pictures(contents, colour_BTF, grey_BT)


def draw_pictures(rng: np.random.Generator, n: int) -> Pictures:
    """Pictures in which every mark has a random colour and two random places."""
    order_BT = rng.permuted(np.tile(np.arange(N_PIXELS), (n, 1)), axis=1)
    of_mark_BM = rng.integers(N_COLOURS, size=(n, N_MARKS))
    return make_pictures(order_BT // 2, order_BT % 2 == 1, of_mark_BM)


@cached
def unseen_pictures() -> Pictures:
    """Pictures that no training sees."""
    return draw_pictures(np.random.default_rng(UNSEEN_SEED), N_UNSEEN)


def at_offsets(contents_BTC: Array, side: int) -> list[Array]:
    """What a kernel reads at every pixel, offset by offset: the contents there, 0 beyond the edge.

    Shapes: (B, T, C) -> K·K times the same.
    """
    before, after = (side - 1) // 2, side // 2
    image_BHWC = contents_BTC.reshape(len(contents_BTC), HEIGHT, WIDTH, -1)
    padded = np.pad(image_BHWC, ((0, 0), (before, after), (before, after), (0, 0)))
    return [
        padded[:, before + down :, before + across :][:, :HEIGHT, :WIDTH].reshape(
            contents_BTC.shape
        )
        for down, across in kernel_offsets(side)
    ]


ASKS = 0  # the pixel of the pictures below whose colour is asked for, in a corner


def same_within_reach() -> Pictures:
    """Two pictures that differ only in the last pixel, the farthest from the one that asks: in its
    colour, which is the answer.
    """
    mark_T = np.roll(np.arange(N_PIXELS) // 2, 1)  # the first and the last pixel share a mark
    grey_T = np.roll(np.arange(N_PIXELS) % 2 == 1, 1)
    of_mark_BM = np.zeros((2, N_MARKS), int)
    of_mark_BM[1, mark_T[ASKS]] = 1
    return make_pictures(np.tile(mark_T, (2, 1)), np.tile(grey_T, (2, 1)), of_mark_BM)


def four_pictures() -> Pictures:
    """Four pictures x₀₀, x₀₁, x₁₀, x₁₁ with x₀₀ + x₁₁ = x₀₁ + x₁₀, cell by cell, and with the
    colours 0, 1, 1, 0 for the pixel that asks.

    The first number exchanges the marks of two grey pixels, one of which asks, the second those of
    the two pixels with the colours 0 and 1. A kernel and a bias give a colour a number that is a
    weighted sum of cells: what it gives for x₀₀ and x₁₁ together is what it gives for the others
    together. So it cannot prefer colour 0 in the first and the last, and colour 1 in the others.
    """
    grey_T, mark_T = np.arange(N_PIXELS) % 2 == 0, np.arange(N_PIXELS) // 2
    other, coloured = 2, (1, 3)  # pixels: the marks of 0 and 1 are 0, those of 2 and 3 are 1
    marks, colours = [], []
    for first in (0, 1):
        for second in (0, 1):
            mine, of_mark = mark_T.copy(), np.zeros(N_MARKS, int)
            mine[[ASKS, other]] = first, 1 - first
            mine[list(coloured)] = second, 1 - second
            of_mark[1 - second] = 1  # the pixel 3 has colour 1
            marks.append(mine)
            colours.append(of_mark)
    return make_pictures(np.stack(marks), np.tile(grey_T, (4, 1)), np.stack(colours))
