"""Attention that is a convolution, compared with plain loops for every padding, kernel and number
of heads.
"""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import SettingsError
from attention_lab.labs.convolution import convolve, pixel_attention, run_convolution, run_two_heads
from attention_lab.labs.convolution_heads import (
    PADDINGS,
    kernel_offsets,
    position_features,
    shift_matrix,
    token_grid,
)
from attention_lab.labs.images import IMAGES, KERNELS, as_image, as_kernel
from tests.lab.labs.convolution_cases import (
    EXACT_SHARPNESS,
    IMAGE,
    KERNEL,
    RNG,
    H,
    W,
    convolved_by_loops,
)
from tests.lab.refusal import refused


@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("side", [1, 3])
def test_the_plain_convolution(padding: str, side: int) -> None:
    kernel = RNG.normal(size=(side, side, 1, 1))
    np.testing.assert_allclose(
        convolve(IMAGE, kernel, padding)[..., 0],
        convolved_by_loops(IMAGE, kernel, padding),
        atol=1e-13,
    )


@pytest.mark.parametrize("padding", PADDINGS)
def test_sharp_heads_are_the_convolution(padding: str) -> None:
    run = run_convolution(IMAGE, KERNEL, EXACT_SHARPNESS[padding], padding)
    np.testing.assert_allclose(
        run.output[..., 0], convolved_by_loops(IMAGE, KERNEL, padding), rtol=0, atol=1e-14
    )
    assert run.trace.sizes["H"] == 9
    assert run.trace.sizes["K"] == 4
    assert run.target_share > 1 - 1e-14


def test_nothing_is_not_zero_padding() -> None:
    run = run_convolution(IMAGE, KERNEL, 40, "nothing")
    distance = np.abs(run.output - convolve(IMAGE, KERNEL, "frame"))
    assert distance[1:-1, 1:-1].max() < 1e-14
    assert distance.max() > 0.5


@pytest.mark.parametrize("padding", PADDINGS)
def test_exact_matrices(padding: str) -> None:
    grid = token_grid(padding, H, W, reach=1)
    contents = grid.contents(IMAGE)
    total = 0
    for offset, weight in zip(kernel_offsets(3), KERNEL.ravel(), strict=True):
        matrix = shift_matrix(grid, offset)
        assert (matrix.sum(axis=1) == 1).all()
        assert set(np.unique(matrix)) <= {0.0, 1.0}
        total = total + weight * matrix @ contents
    np.testing.assert_allclose(
        np.reshape(total, (H, W)), convolved_by_loops(IMAGE, KERNEL, padding), atol=1e-14
    )


def test_colours() -> None:
    image, kernel = RNG.random((H, W, 3)), RNG.normal(size=(3, 3, 3, 4))
    run = run_convolution(image, kernel, 80, "sink")
    assert run.output.shape == (H, W, 4)
    expected = sum(
        convolved_by_loops(image[..., [i]], kernel[..., [i], 2:3], "sink") for i in range(3)
    )
    np.testing.assert_allclose(run.output[..., 2], expected, atol=1e-13)


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


def test_the_features_of_the_positions() -> None:
    framed = position_features(token_grid("frame", 2, 3, reach=1))
    assert framed[0].tolist() == [1, -1, -1, 2, 0]
    assert position_features(token_grid("sink", 2, 3, reach=1))[-1].tolist() == [0, 0, 0, 0, 1]
    around = position_features(token_grid("circular", 4, 3, reach=1))
    np.testing.assert_allclose(np.square(around).sum(axis=1), 2)


@pytest.mark.parametrize("name", KERNELS)
def test_every_example_is_its_convolution(name: str) -> None:
    kernel = as_kernel(KERNELS[name])
    for image in IMAGES.values():
        assert run_convolution(as_image(image), kernel, 40).largest_error < 1e-13
    assert run_two_heads(as_image(IMAGES["letter A"]), kernel, 40).largest_error < 1e-12


def test_a_kernel_of_zeros_has_no_pattern() -> None:
    with refused(SettingsError, "kernel", 0):
        run_two_heads(IMAGE, np.zeros((3, 3, 1, 1)), 8)
