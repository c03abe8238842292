"""The task that depends on content: its pictures, what is trained on it, and why no kernel can."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from attention_lab.labs.content_task import (
    ASKS,
    HEIGHT,
    N_CONTENTS,
    N_MARKS,
    WIDTH,
    Pictures,
    at_offsets,
    draw_pictures,
    four_pictures,
    same_within_reach,
)
from attention_lab.labs.content_training import (
    SIDES,
    WHOLE,
    Learner,
    attention_learner,
    content_example,
    content_scores,
    four_answers,
    kernel_learner,
    run_attention,
    run_kernel,
    score_output,
    stored_weights,
    trained_attention,
)
from scripts.make_training_runs import contents_to_store

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    "pictures",
    [draw_pictures(RNG, 40), four_pictures(), same_within_reach()],
    ids=["drawn", "four", "two"],
)
def test_the_colour_of_a_mark_stands_on_its_other_pixel(pictures: Pictures) -> None:
    for contents, colours, grey in zip(
        pictures.contents, pictures.colours, pictures.grey, strict=True
    ):
        for mark in range(N_MARKS):
            places = [i for i, one in enumerate(contents) if one[mark] == 1]
            (asks,), (shows,) = ([i for i in places if grey[i] == one] for one in (True, False))
            assert not contents[asks, N_MARKS:].any()
            assert contents[shows, N_MARKS:].tolist() == colours[shows].tolist()
            assert colours[asks].tolist() == colours[shows].tolist()


@pytest.mark.parametrize("side", SIDES)
def test_a_kernel_reads_fixed_offsets(side: int) -> None:
    contents, kernel = (
        RNG.random((2, HEIGHT * WIDTH, N_CONTENTS)),
        RNG.random((side**2, N_CONTENTS, 3)),
    )
    made = run_kernel({"kernel": kernel, "bias": np.array([1.0, 2.0, 3.0])}, contents, side)
    first = {1: 0, 2: 0, 3: -1, 9: -4}[side]
    for row, column in ((0, 0), (3, 4), (1, 2)):
        expected = np.array([1.0, 2.0, 3.0])
        for i, j in product(range(side), range(side)):
            r, c = row + first + i, column + first + j
            if 0 <= r < HEIGHT and 0 <= c < WIDTH:
                expected += contents[1, r * WIDTH + c] @ kernel[i * side + j]
        np.testing.assert_allclose(made[1, row * WIDTH + column], expected)


@pytest.mark.parametrize(
    "learner", [attention_learner(), kernel_learner(2)], ids=["head", "kernel"]
)
def test_gradients_are_slopes(learner: Learner) -> None:
    weights = {name: RNG.normal(size=one.shape) for name, one in learner.weights.items()}
    contents, step = draw_pictures(RNG, 3).contents, 1e-6
    wanted = RNG.normal(size=learner.output(weights, contents).shape)
    gradients = learner.gradients(weights, contents, wanted)
    for name, array in weights.items():
        place = tuple(RNG.integers(size) for size in array.shape)
        moved = [dict(weights), dict(weights)]
        for one, sign in zip(moved, (1, -1), strict=True):
            one[name] = array.copy()
            one[name][place] += sign * step
        up, down = (np.vdot(learner.output(one, contents), wanted) for one in moved)
        assert gradients[name][place] == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-6)


def test_training_again_gives_the_stored_weights() -> None:
    stored = {
        f"{name}/{weight}": array
        for name, weights in stored_weights().items()
        for weight, array in weights.items()
    }
    again = contents_to_store()
    assert again.keys() == stored.keys()
    for name, array in again.items():
        np.testing.assert_allclose(array, stored[name], rtol=1e-3, atol=1e-3)


def test_attention_solves_it_and_no_kernel_does() -> None:
    scores = content_scores()
    assert list(scores) == ["attention", *(f"kernel {side}" for side in SIDES)]
    attention, *kernels = scores.values()
    assert attention.right == 1
    assert attention.loss < 1e-3
    assert attention.n_weights == N_CONTENTS * (12 + 12 + 3) + 3 * 3 + 3
    assert [one.n_weights for one in kernels] == [side**2 * N_CONTENTS * 3 + 3 for side in SIDES]
    assert [one.right for one in kernels] == sorted(one.right for one in kernels)
    assert 0.3 < kernels[0].right < 0.36  # one colour in three
    assert kernels[-1].right < 0.5
    assert min(one.loss for one in kernels) > 1 > attention.loss


def test_only_grey_pixels_are_scored() -> None:
    pictures = draw_pictures(RNG, 5)
    right = np.where(pictures.grey[..., np.newaxis], 50 * pictures.colours, -50 * pictures.colours)
    score = score_output(right, pictures, 1)
    assert (score.right, score.loss < 1e-12) == (1, True)
    assert score_output(-right, pictures, 1).right == 0


def test_on_four_pictures_every_kernel_fails() -> None:
    """Their cells add up in pairs and their answers do not, so no kernel tells all four."""
    pictures = four_pictures()
    outer, inner = pictures.contents[[0, 3]], pictures.contents[[1, 2]]
    assert outer.sum(axis=0).tolist() == inner.sum(axis=0).tolist()
    assert pictures.grey[:, ASKS].all()
    assert pictures.colours[:, ASKS].argmax(axis=1).tolist() == [0, 1, 1, 0]
    for side in SIDES:
        kernel = RNG.normal(size=(side**2, N_CONTENTS, 3))
        given = run_kernel({"kernel": kernel, "bias": RNG.normal(size=3)}, pictures.contents, side)
        np.testing.assert_allclose(given[0] + given[3], given[1] + given[2], atol=1e-12)
    answers = four_answers()
    assert answers.right == answers.said["attention"] == (1, 2, 2, 1)
    assert all(answers.said[f"kernel {side}"] != answers.right for side in SIDES)
    assert (answers.cells, answers.kernels, answers.near) == ("are equal",) * 3


def test_two_pictures_agree_within_reach_and_differ_in_the_answer() -> None:
    pictures = same_within_reach()
    one, other = pictures.contents
    assert np.flatnonzero((one != other).any(axis=1)).tolist() == [HEIGHT * WIDTH - 1]
    assert pictures.colours[:, ASKS].argmax(axis=1).tolist() == [0, 1]
    for side in SIDES[:-1]:
        read = np.stack([part[:, ASKS] for part in at_offsets(pictures.contents, side)])
        assert (read[:, 0] == read[:, 1]).all()
    whole = np.stack([part[:, ASKS] for part in at_offsets(pictures.contents, WHOLE)])
    assert (whole[:, 0] != whole[:, 1]).any()
    named = trained_attention(pictures.contents).output[:, ASKS].argmax(axis=1)
    assert named.tolist() == [0, 1]
    assert four_answers().n_near == 4  # the pixel, right, below, and right below


def test_a_head_reads_the_mark_wherever_it_is() -> None:
    """Shuffled pixels give shuffled outputs: the head knows no positions."""
    contents, order = draw_pictures(RNG, 1).contents, RNG.permutation(HEIGHT * WIDTH)
    weights = stored_weights()["attention"]
    before, after = (run_attention(weights, x).output[0] for x in (contents, contents[:, order]))
    np.testing.assert_allclose(after, before[order], atol=1e-12)


@pytest.mark.parametrize(("pixel", "side"), [((0, 0), 1), ((3, 4), 2), ((1, 2), 3)])
def test_an_example_is_told_pixel_by_pixel(pixel: tuple[int, int], side: int) -> None:
    example = content_example(*pixel, side)
    assert example.marks.shape == (HEIGHT, WIDTH)
    assert example.twin != pixel
    assert example.marks[example.twin] == example.marks[pixel]
    assert sum((example.shown[one] == 0) for one in (pixel, example.twin)) == 1
    assert example.shares.sum() == pytest.approx(1)
    both = example.shares[pixel] + example.shares[example.twin]
    assert both > 0.95
    grey = example.shown == 0
    assert example.grey == grey.sum() == N_MARKS
    assert (example.shown[~grey] == example.said["right"][~grey]).all()
    for name, hits in example.hits.items():
        assert hits == (example.said[name] == example.said["right"])[grey].sum()
    assert example.hits["attention"] == example.grey > example.hits["kernel"]
