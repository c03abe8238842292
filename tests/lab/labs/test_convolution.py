"""Attention that is a convolution: against plain loops, for every padding, kernel and number of
heads.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from attention_core import SettingsError
from attention_lab.labs.convolution import (
    convolve,
    error_curve,
    expected_error,
    leak,
    pixel_attention,
    run_convolution,
    run_two_heads,
)
from attention_lab.labs.convolution_heads import position_features
from attention_lab.labs.images import IMAGES, KERNELS
from attention_lab.labs.padding import PADDINGS, kernel_offsets, shift_matrix, token_grid
from tests.lab.refusal import refused

H, W = 5, 7
RNG = np.random.default_rng(0)
IMAGE = RNG.random((H, W))
KERNEL = RNG.normal(size=(3, 3))
# Where each padding is as exact as float64 gets.
SHARP = {"nothing": 40.0, "frame": 40.0, "sink": 80.0, "circular": 110.0}


def looped(image: np.ndarray, kernel: np.ndarray, padding: str) -> np.ndarray:
    """The convolution by plain loops over pixels and kernel cells."""
    height, width = image.shape
    reach = len(kernel) // 2
    result = np.zeros(image.shape)
    for row, column, down, across in product(
        range(height), range(width), range(-reach, reach + 1), range(-reach, reach + 1)
    ):
        r, c = row + down, column + across
        if padding == "circular":
            r, c = r % height, c % width
        elif padding == "nothing":
            r, c = min(max(r, 0), height - 1), min(max(c, 0), width - 1)
        if 0 <= r < height and 0 <= c < width:
            result[row, column] += kernel[down + reach, across + reach] * image[r, c]
    return result


@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("side", [1, 3])
def test_the_plain_convolution(padding: str, side: int) -> None:
    """Shifting, weighting and adding gives what loops over all pixels and kernel cells give."""
    kernel = RNG.normal(size=(side, side))
    np.testing.assert_allclose(
        convolve(IMAGE, kernel, padding)[..., 0], looped(IMAGE, kernel, padding), atol=1e-13
    )


@pytest.mark.parametrize("padding", PADDINGS)
def test_sharp_heads_are_the_convolution(padding: str) -> None:
    """With enough sharpness nine heads of the ordinary engine give the convolution to rounding,
    with its padding.
    """
    run = run_convolution(IMAGE, KERNEL, SHARP[padding], padding)
    np.testing.assert_allclose(
        run.output[..., 0], looped(IMAGE, KERNEL, padding), rtol=0, atol=1e-14
    )
    assert run.trace.sizes["H"] == 9
    assert run.trace.sizes["K"] == 4
    assert run.hit > 1 - 1e-14


@pytest.mark.parametrize("padding", PADDINGS)
def test_blunt_heads_are_not(padding: str) -> None:
    """At sharpness 2 no padding is near the convolution: the heads leak to the neighbours."""
    assert run_convolution(IMAGE, KERNEL, 2.0, padding).largest_error > 0.3


@pytest.mark.parametrize(
    ("sharpness", "hit"),
    [(0.25, 0.087), (1, 0.318), (2, 0.619), (4, 0.931), (8, 0.99866), (12, 0.999975)],
)
def test_the_smallest_hit(sharpness: float, hit: float) -> None:
    """What a head gives to its target at each sharpness: θ⁻² with θ = 1 + 2 Σ e^(-α k²) on a
    large enough picture.
    """
    run = run_convolution(RNG.random((6, 6)), KERNEL, sharpness, "nothing")
    assert run.hit == pytest.approx(hit, abs=6e-4)
    theta = 1 + 2 * sum(math.exp(-sharpness * k * k) for k in range(1, 30))
    assert run.hit >= theta**-2 - 1e-15


def test_what_leaks_out_of_a_hit() -> None:
    """4·e^-α to the four neighbours, e^-α/2 to a sink, and around a circle of 6 the neighbours
    lie α/2 below.
    """
    assert (
        leak(3.0, "frame", (6, 6))
        == leak(3.0, "nothing", (6, 6))
        == pytest.approx(4 * math.exp(-3), rel=1e-15)
    )
    assert leak(3.0, "sink", (6, 6)) == pytest.approx(math.exp(-1.5), rel=1e-15)
    assert leak(3.0, "circular", (6, 6)) == pytest.approx(4 * math.exp(-1.5), rel=1e-12)
    assert leak(3.0, "circular", (2, 6)) == pytest.approx(
        math.exp(-6) + 2 * math.exp(-1.5), rel=1e-12
    )
    assert leak(3.0, "circular", (1, 1)) == 0


@pytest.mark.parametrize("padding", PADDINGS)
def test_the_error_falls_along_its_line(padding: str) -> None:
    """The error falls with the sharpness below 4·e^-α (e^-α/2 with a sink) times what the
    picture and kernel allow.
    """
    sharpnesses = np.array([6.0, 9.0, 12.0])
    errors = error_curve(IMAGE, KERNEL, sharpnesses, padding)
    bounds = [expected_error(IMAGE, KERNEL, alpha, padding) for alpha in sharpnesses]
    assert (errors < bounds).all()
    assert (errors > np.array(bounds) / 6).all()
    slope = np.diff(np.log(errors)) / np.diff(sharpnesses)
    gap = {"sink": 0.5, "circular": 1 - math.cos(2 * math.pi / W)}.get(padding, 1.0)
    np.testing.assert_allclose(slope, -gap, atol=0.12)


def test_a_whole_number_is_a_sharpness() -> None:
    """6 and 6.0 are one sharpness, alone, in a list and in an array."""
    wanted = error_curve(IMAGE, KERNEL, [6.0, 9.0])
    for sharpnesses in ([6, 9], [6, 9.0], np.array([6, 9]), np.array([6, 9], np.float32)):
        assert error_curve(IMAGE, KERNEL, sharpnesses).tolist() == wanted.tolist()
    assert error_curve(IMAGE, KERNEL, 6).tolist() == wanted[:1].tolist()


def test_nothing_is_not_zero_padding() -> None:
    """Without extra tokens the edge is repeated: inside it is the convolution, at the border
    zero padding is missed.
    """
    run = run_convolution(IMAGE, KERNEL, 40, "nothing")
    distance = np.abs(run.output - convolve(IMAGE, KERNEL, "frame"))
    assert distance[1:-1, 1:-1].max() < 1e-14
    assert distance.max() > 0.5


@pytest.mark.parametrize("padding", PADDINGS)
def test_exact_matrices(padding: str) -> None:
    """Shift matrices, one per kernel cell, give the convolution without any limit; every row is
    a single 1.
    """
    grid = token_grid(padding, H, W, reach=1)
    contents = grid.contents(IMAGE[..., np.newaxis])
    total = 0
    for offset, weight in zip(kernel_offsets(3), KERNEL.ravel(), strict=True):
        matrix = shift_matrix(grid, offset)
        assert (matrix.sum(axis=1) == 1).all()
        assert set(np.unique(matrix)) <= {0.0, 1.0}
        total = total + weight * matrix @ contents
    np.testing.assert_allclose(
        np.reshape(total, (H, W)), looped(IMAGE, KERNEL, padding), atol=1e-14
    )


def test_colours() -> None:
    """Three channels become four: each head hands on all channels, W_O holds the kernel's
    slices.
    """
    image, kernel = RNG.random((H, W, 3)), RNG.normal(size=(3, 3, 3, 4))
    run = run_convolution(image, kernel, 80, "sink")
    assert run.output.shape == (H, W, 4)
    expected = sum(looped(image[..., i], kernel[..., i, 2], "sink") for i in range(3))
    np.testing.assert_allclose(run.output[..., 2], expected, atol=1e-13)


@pytest.mark.parametrize("padding", PADDINGS)
def test_two_heads_are_enough_for_one_channel(padding: str) -> None:
    """One head spreads like the positive part of the kernel, one like the negative; e^-β leaks
    to the others.
    """
    errors = [run_two_heads(IMAGE, KERNEL, beta, padding).largest_error for beta in (10, 20, 40)]
    assert 1e-4 < errors[0] < 2e-2
    assert errors[1] < 2e-6
    assert errors[2] < 1e-14
    assert run_two_heads(IMAGE, KERNEL, 40, padding).trace.sizes["H"] == 2


def test_a_box_blur_needs_one_head() -> None:
    """A kernel without negative numbers is one pattern: every head's share is 1/9 on each of
    nine pixels.
    """
    run = run_two_heads(IMAGE, KERNELS["box blur"], 40, "circular")
    assert run.trace.sizes["H"] == 1
    on_grid, sink = pixel_attention(run, 2, 3)
    np.testing.assert_allclose(on_grid[0, 1:4, 2:5], 1 / 9, atol=1e-14)
    assert sink.tolist() == [0]


@pytest.mark.parametrize(
    ("padding", "shape"), [("nothing", (H, W)), ("frame", (H + 2, W + 2)), ("sink", (H, W))]
)
def test_what_a_clicked_pixel_reads(padding: str, shape: tuple[int, int]) -> None:
    """Head (down, across) of pixel (0, 3) finds its target on the grid; upwards it finds edge,
    frame or sink.
    """
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


def test_the_features_of_the_positions() -> None:
    """1, row, column and their squares' sum; the frame starts at -1; around circles all tokens
    have length √2.
    """
    framed = position_features(token_grid("frame", 2, 3, reach=1))
    assert framed[0].tolist() == [1, -1, -1, 2, 0]
    assert position_features(token_grid("sink", 2, 3, reach=1))[-1].tolist() == [0, 0, 0, 0, 1]
    around = position_features(token_grid("circular", 4, 3, reach=1))
    np.testing.assert_allclose(np.square(around).sum(axis=1), 2)


@pytest.mark.parametrize("name", KERNELS)
def test_every_preset_runs(name: str) -> None:
    """Every kernel on every picture is found by nine heads and by at most two."""
    for image in IMAGES.values():
        assert run_convolution(image, KERNELS[name], 40).largest_error < 1e-13
    assert run_two_heads(IMAGES["letter A"], KERNELS[name], 40).largest_error < 1e-12


def test_bad_requests() -> None:
    """Unknown padding, sharpness, pixel or channels are errors with a sentence."""
    with refused(SettingsError, "padding", "mirror", "nothing", "frame", "sink", "circular"):
        run_convolution(IMAGE, KERNEL, 8, "mirror")
    for sharpness in (0, -1.0, float("nan"), 201, True, "8"):
        with refused(SettingsError, "sharpness", 0, 200):
            run_convolution(IMAGE, KERNEL, sharpness)  # type: ignore[arg-type]
    with refused(SettingsError, "row 5", "column 0", 5, 7):
        pixel_attention(run_convolution(IMAGE, KERNEL, 8), 5, 0)
    with refused(SettingsError, "image", 1, 3):
        run_convolution(IMAGE, RNG.normal(size=(3, 3, 3, 4)), 8)
    with refused(SettingsError, 3, 4):
        run_two_heads(RNG.random((H, W, 3)), RNG.normal(size=(3, 3, 3, 4)), 8)
    with refused(SettingsError, "kernel", 0):
        run_two_heads(IMAGE, np.zeros((3, 3)), 8)
