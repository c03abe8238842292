"""Tokens of three features in the planes of heads."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.labs.subspaces import example_planes
from attention_viz.labs.subspaces import plane_figure, space_figure


@pytest.mark.parametrize("orthonormal", [True, False])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_foot_is_the_nearest_point_of_the_plane(seed: int, orthonormal: bool) -> None:
    planes = example_planes(3, seed, orthonormal)
    assert planes.feet.shape == (3, 6, 3)
    rest = planes.points - planes.feet
    np.testing.assert_allclose(rest @ planes.bases, 0, atol=1e-12)
    for basis, feet in zip(planes.bases, planes.feet, strict=True):
        again = np.linalg.lstsq(basis, feet.T, rcond=None)[0]
        np.testing.assert_allclose(basis @ again, feet.T, atol=1e-12)


def test_only_orthonormal_columns_keep_lengths() -> None:
    tight, free = (example_planes(2, orthonormal=kind) for kind in (True, False))
    assert tight.stretch < 1e-12 < 0.1 < free.stretch
    products = (part @ part.swapaxes(-1, -2) for part in (tight.coordinates, tight.feet))
    np.testing.assert_allclose(*products, atol=1e-12)
    shares = (tight.feet**2).sum(axis=-1) / (tight.points**2).sum(axis=-1)
    np.testing.assert_allclose(tight.length_shares, shares)
    assert np.all((shares >= 0) & (shares <= 1))


def test_the_pictures_of_the_planes() -> None:
    planes = example_planes(2)
    grid, drops, tokens, feet, origin = (
        np.stack([trace[letter] for letter in "xyz"], axis=1)
        for trace in space_figure(planes, 1)["data"]
    )
    np.testing.assert_allclose(tokens, planes.points, rtol=1e-6)
    np.testing.assert_allclose(feet, planes.feet[1], rtol=1e-5)
    np.testing.assert_allclose(drops[0::3], tokens)
    np.testing.assert_allclose(drops[1::3], feet)
    assert not origin.any()
    normal = np.cross(*planes.bases[1].T)
    np.testing.assert_allclose(grid[~np.isnan(grid[:, 0])] @ normal, 0, atol=1e-6)
    (dots,) = plane_figure(planes, 1)["data"]
    np.testing.assert_allclose(
        np.stack([dots["x"], dots["y"]], axis=1), planes.coordinates[1], rtol=1e-6
    )
