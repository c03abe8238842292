"""Attention that is a convolution, compared with plain loops for every padding, kernel and number
of heads; pictures and kernels.
"""

from __future__ import annotations

import math
from itertools import pairwise, product

import numpy as np
import pytest

from attention_core import SettingsError
from attention_lab.labs.convolution import (
    convolve,
    error_curve,
    expected_error,
    leaked_attention,
    one_by_one_example,
    pixel_attention,
    run_convolution,
    run_one_by_one,
    run_two_heads,
)
from attention_lab.labs.convolution_heads import PADDINGS
from attention_lab.labs.images import KERNELS, as_kernel, for_two_channels
from tests.lab.refusal import Facts, refused

H, W, C_IN, C_OUT = 5, 7, 2, 3
SIDES = (1, 2, 3)
RNG = np.random.default_rng(0)
IMAGE = RNG.random((H, W, 1))
CHANNELS = RNG.random((H, W, C_IN))
KERNEL = RNG.normal(size=(3, 3, 1, 1))
# Where each padding is as exact as float64 gets.
EXACT_SHARPNESS = {"nothing": 40.0, "frame": 40.0, "sink": 80.0, "circular": 110.0}


def convolved_by_loops(image: np.ndarray, kernel: np.ndarray, padding: str) -> np.ndarray:
    """The convolution by plain loops over pixels, kernel cells and channels. An even kernel begins
    at its pixel. Shapes: (H, W, Cin), (K, K, Cin, Cout) -> (H, W, Cout).
    """
    (height, width, n_in), n_out = image.shape, kernel.shape[3]
    first = {1: 0, 2: 0, 3: -1}[len(kernel)]
    result = np.zeros((height, width, n_out))
    for row, column, i, j in product(
        range(height), range(width), range(len(kernel)), range(len(kernel))
    ):
        r, c = row + first + i, column + first + j
        if padding == "circular":
            r, c = r % height, c % width
        elif padding == "nothing":
            r, c = min(max(r, 0), height - 1), min(max(c, 0), width - 1)
        if 0 <= r < height and 0 <= c < width:
            for source, target in product(range(n_in), range(n_out)):
                number = kernel[i, j, source, target]
                result[row, column, target] += number * image[r, c, source]
    return result


@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("side", SIDES)
def test_heads_and_the_plain_convolution_of_every_side_and_channel(padding: str, side: int) -> None:
    kernel = RNG.normal(size=(side, side, C_IN, C_OUT))
    expected = convolved_by_loops(CHANNELS, kernel, padding)
    np.testing.assert_allclose(convolve(CHANNELS, kernel, padding), expected, atol=1e-13)
    run = run_convolution(CHANNELS, kernel, EXACT_SHARPNESS[padding], padding)
    np.testing.assert_allclose(run.output, expected, rtol=0, atol=2e-14)
    assert [run.trace.sizes[letter] for letter in "HKVO"] == [side**2, 4, C_IN, C_OUT]
    assert run.target_share > 1 - 1e-14


def test_two_channels_are_divergence_and_curl() -> None:
    """Of a field that turns around the origin: its x is −row, its y is column; and of one that
    grows away from it.
    """
    row, column = np.indices((H, W)).astype(float)
    kernel = for_two_channels(as_kernel(KERNELS["Sobel x"]) / 8)
    for field, divergence, curl in (((-row, column), 0, 2), ((column, row), 2, 0)):
        made = convolve(np.stack(field, axis=2), kernel, "frame")[1:-1, 1:-1]
        np.testing.assert_allclose(made[..., 0], divergence, atol=1e-13)
        np.testing.assert_allclose(made[..., 1], curl, atol=1e-13)


@pytest.mark.parametrize("shape", [(0, 0), (1, 2), (4, 4), (2, 3)])
def test_a_kernel_is_a_square_of_at_most_three(shape: tuple[int, int]) -> None:
    with refused(SettingsError, str(shape)):
        as_kernel(np.ones(shape))


@pytest.mark.parametrize("padding", PADDINGS)
def test_two_heads_are_enough_for_one_channel(padding: str) -> None:
    errors = [run_two_heads(IMAGE, KERNEL, beta, padding).largest_error for beta in (10, 20, 40)]
    assert 1e-4 < errors[0] < 2e-2
    assert errors[1] < 2e-6
    assert errors[2] < 1e-14
    assert run_two_heads(IMAGE, KERNEL, 40, padding).trace.sizes["H"] == 2


def test_a_box_blur_needs_one_head() -> None:
    run = run_two_heads(IMAGE, as_kernel(KERNELS["box blur"]), 40, "circular")
    assert run.trace.sizes["H"] == 1
    on_grid, sink = pixel_attention(run, 2, 3)
    np.testing.assert_allclose(on_grid[0, 1:4, 2:5], 1 / 9, atol=1e-14)
    assert sink.tolist() == [0]


@pytest.mark.parametrize(
    ("padding", "shape"), [("nothing", (H, W)), ("frame", (H + 2, W + 2)), ("sink", (H, W))]
)
def test_what_a_clicked_pixel_reads(padding: str, shape: tuple[int, int]) -> None:
    run = run_convolution(IMAGE, KERNEL, 100, padding)
    on_grid, sink = pixel_attention(run, 0, 3)
    assert on_grid.shape == (9, *shape)
    margin = (shape[0] - H) // 2
    for head, (down, across) in enumerate(run.offsets):
        row = max(down, 0) if padding != "frame" else down
        missing = padding == "sink" and down < 0
        assert sink[head] == pytest.approx(float(missing), abs=1e-12)
        assert on_grid[head, row + margin, 3 + across + margin] == pytest.approx(
            float(not missing), abs=1e-12
        )


def test_a_kernel_of_zeros_has_no_pattern() -> None:
    with refused(SettingsError, "kernel", 0):
        run_two_heads(IMAGE, np.zeros((3, 3, 1, 1)), 8)


@pytest.mark.parametrize(
    ("sharpness", "share"),
    [(0.25, 0.087), (1, 0.318), (2, 0.619), (4, 0.931), (8, 0.99866), (12, 0.999975)],
)
def test_the_smallest_share_of_a_target(sharpness: float, share: float) -> None:
    run = run_convolution(RNG.random((6, 6, 1)), KERNEL, sharpness, "nothing")
    assert run.target_share == pytest.approx(share, abs=6e-4)
    theta = 1 + 2 * sum(math.exp(-sharpness * k * k) for k in range(1, 30))
    assert run.target_share >= theta**-2 - 1e-15


@pytest.mark.parametrize(
    ("padding", "shape", "expected"),
    [
        ("frame", (6, 6), 4 * math.exp(-3)),
        ("nothing", (6, 6), 4 * math.exp(-3)),
        ("sink", (6, 6), math.exp(-1.5)),
        ("circular", (6, 6), 4 * math.exp(-1.5)),
        ("circular", (2, 6), math.exp(-6) + 2 * math.exp(-1.5)),
        ("circular", (1, 1), 0),
    ],
)
def test_leaked_attention(padding: str, shape: tuple[int, int], expected: float) -> None:
    assert leaked_attention(3.0, padding, shape) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("padding", PADDINGS)
def test_the_error_falls_along_its_line(padding: str) -> None:
    sharpnesses = [6.0, 9.0, 12.0]
    errors = np.array(error_curve(IMAGE, KERNEL, sharpnesses, padding))
    bounds = [expected_error(IMAGE, KERNEL, alpha, padding) for alpha in sharpnesses]
    assert (errors < bounds).all()
    assert (errors > np.array(bounds) / 6).all()
    decay = -np.diff(np.log(errors)) / np.diff(sharpnesses)
    gap = {"sink": 0.5, "circular": 1 - math.cos(2 * math.pi / W)}.get(padding, 1.0)
    np.testing.assert_allclose(decay, gap, atol=0.12)


def test_a_longer_token_wins_unless_lengths_are_equal() -> None:
    assert run_one_by_one(*one_by_one_example(), sharpness=40, kind="raw").n_choosing_themselves < 6
    rng = np.random.default_rng(3)
    x, kernel = rng.normal(size=(7, 5)), rng.normal(size=(5, 3))
    for kind in ("layer-normed", "with positions"):
        runs = [run_one_by_one(x, kernel, sharpness, kind) for sharpness in (2, 5, 20, 100)]
        assert all(a.error > b.error for a, b in pairwise(runs))
        assert runs[0].error > 0.1
        assert runs[-1].error < 1e-9
        assert runs[-1].n_choosing_themselves == 7
    np.testing.assert_allclose(runs[-1].expected, x @ kernel)
    assert runs[-1].self_weights.min() == 1


@pytest.mark.parametrize(
    ("cell", "facts"),
    [
        ("x<b>", ("x<b>",)),
        (None, ()),
        ("", ()),
        ("nan", ("nan",)),
        ("1_0", ("1_0",)),
        ("٣", ("٣",)),
        ("inf", ("inf", -1000, 1000)),
        (1e9, ("1e+09", -1000, 1000)),
    ],
)
def test_a_cell_that_is_not_a_number(cell: object, facts: Facts) -> None:
    with refused(SettingsError, "row 2", "column 3", *facts):
        as_kernel([[1, 2, 3], [4, 5, cell], [7, 8, 9]])
