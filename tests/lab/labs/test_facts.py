"""What the pages of the laboratories say, against plain loops, known cases and other programs."""

import math
from dataclasses import replace

import numpy as np
import pytest

from attention_lab.labs.content_task import unseen_pictures
from attention_lab.labs.content_training import content_example, trained_attention
from attention_lab.labs.convolution import (
    one_by_one_example,
    run_convolution,
    run_one_by_one,
)
from attention_lab.labs.facts import (
    TwoHeadFacts,
    column_facts,
    content_facts,
    convolution_facts,
    one_by_one_facts,
    stack_facts,
    stiefel_facts,
    temperature_facts,
)
from attention_lab.labs.images import IMAGES, KERNELS, as_image, as_kernel, for_two_channels
from attention_lab.labs.julia_mapping import mapping_example
from attention_lab.labs.stiefel import ColumnEffect
from attention_lab.labs.subspaces import example_planes

SIZES = (16, 2, 5)


def number(said: str) -> float:
    return float(said.replace("−", "-"))


@pytest.mark.parametrize("name", ["emboss", "2 × 2: Roberts"])
def test_the_error_and_the_weight_of_a_convolution(name: str) -> None:
    kernel = for_two_channels(as_kernel(KERNELS[name]))
    picture = as_image(IMAGES["letter A"], IMAGES["ramp"])
    run = run_convolution(picture, kernel, 1.0, "frame")
    side, (height, width, n_in) = len(kernel), picture.shape
    starts = [-(side // 2) if side % 2 else 0 for _ in range(2)]
    largest, least = 0.0, 1.0
    for row in range(height):
        for column in range(width):
            sums = [0.0, 0.0]
            for head, (down, across) in enumerate(np.ndindex(side, side)):
                at = (row + starts[0] + down, column + starts[1] + across)
                inside = 0 <= at[0] < height and 0 <= at[1] < width
                for channel in range(n_in):
                    pixel = picture[(*at, channel)] if inside else 0.0
                    for out in range(2):
                        sums[out] += pixel * kernel[down, across, channel, out]
                margin = run.grid.margin
                key = (at[0] + margin) * (width + 2 * margin) + at[1] + margin
                query = (row + margin) * (width + 2 * margin) + column + margin
                least = min(least, run.trace.probabilities[0, head, query, key])
            gaps = [abs(a - b) for a, b in zip(run.output[row, column], sums, strict=True)]
            largest = max(largest, *gaps)
    none = TwoHeadFacts(1.0, 1.0)  # type: ignore[arg-type]
    ones = one_by_one_facts(run_one_by_one(*one_by_one_example(), 1.0))
    facts = convolution_facts(run, 1.0, kernel.shape, (3, 4), lambda: none, lambda: ones)
    assert facts.error == pytest.approx(largest)
    assert facts.target == pytest.approx(least)
    assert (facts.side, facts.heads, facts.channels) == (side, side * side, (2, 2))
    assert (facts.sharpness, facts.content.pixel) == ("1", (3, 4))


@pytest.mark.parametrize(("pixel", "side"), [((0, 0), 3), ((3, 4), 1), ((2, 1), 2)])
def test_the_pixel_that_asks_and_its_twin(pixel: tuple[int, int], side: int) -> None:
    pictures, example = unseen_pictures(), content_example(*pixel, side)
    marks, grey = pictures.marks[0], pictures.grey[0]
    place = pixel[0] * 5 + pixel[1]
    (twin,) = [one for one in range(20) if one != place and marks[one] == marks[place]]
    facts = content_facts(pixel, example)
    assert facts.mark == marks[place]
    assert facts.twin == divmod(twin, 5)
    scores = trained_attention(pictures.contents[:1]).scaled_scores[0, 0, place]
    powers = [math.exp(one - max(scores)) for one in scores]
    assert facts.share == pytest.approx(powers[twin] / sum(powers))
    right = pictures.colours[0].argmax(axis=1) + 1
    hits = {
        name: sum(
            bool(g) and said == r for g, said, r in zip(grey, one.ravel(), right, strict=True)
        )
        for name, one in example.said.items()
    }
    assert facts.grey == sum(map(bool, grey)) == hits["right"]
    assert (facts.by_attention, facts.by_kernel) == (hits["attention"], hits["kernel"])
    learners = facts.scores
    assert learners["attention"].right > max(
        one.right for name, one in learners.items() if name != "attention"
    )


@pytest.mark.parametrize("kind", ["raw", "layer-normed"])
def test_tokens_that_choose_themselves(kind: str) -> None:
    """Token 5 is token 0, twice as long; with equal lengths the two tie, and both may choose."""
    tokens, mixing = one_by_one_example()
    facts = one_by_one_facts(run_one_by_one(tokens, mixing, 2.0, kind))
    rows = [(row - row.mean()) / row.std() if kind == "layer-normed" else row for row in tokens]
    gap, choosing = 0.0, 0
    for one in rows:
        scores = [2.0 * float(one @ other) for other in rows]
        choosing += 2.0 * float(one @ one) >= max(scores) - 1e-9
        powers = [math.exp(score - max(scores)) for score in scores]
        mixed = sum(p * other for p, other in zip(powers, rows, strict=True)) / sum(powers)
        gap = max(gap, float(np.abs((mixed - one) @ mixing).max()))
    assert facts.error == pytest.approx(gap, rel=1e-4)
    assert (facts.choosing, facts.tokens) == (choosing, 6)
    assert (choosing == 6) == (kind == "layer-normed")


def effect(*values: float) -> ColumnEffect:
    return ColumnEffect(7.0, np.array(values), 0.5, 1.5)


def test_what_the_constraint_changes() -> None:
    effects = {"orthonormal": effect(1, 1), "normal": effect(2.25, 1, 0.5), "glorot": effect(9, 8)}
    planes, check = example_planes(2, 3, orthonormal=False), mapping_example("code", True, 2)
    facts = stiefel_facts(effects, "normal", SIZES, planes, check)
    assert (facts.normal.largest, facts.normal.smallest) == (2.25, 0.5)
    assert facts.columns["glorot"] == column_facts(effect(9, 8))
    normal = facts.normal
    assert [normal.condition, normal.spread, normal.entropy] == [7, 0.5, 1.5]
    assert facts.several
    assert (facts.unseen, facts.width, facts.heads, facts.head_width) == (8, 16, 2, 8)
    # A column of 16 numbers loses one for its length, and one for each column before it.
    free_in_a_head = sum(16 - 1 - before for before in range(8))
    assert (facts.free, facts.constrained) == (3 * 256, 3 * 2 * free_in_a_head)
    assert facts.part == pytest.approx(facts.constrained / facts.free)
    assert facts.even == pytest.approx(-sum(0.2 * math.log(0.2) for _ in range(5)))
    for shares, basis in zip(facts.lengths, planes.bases, strict=True):
        for share, token in zip(shares, planes.points, strict=True):
            fit, *_ = np.linalg.lstsq(basis, token, rcond=None)
            assert share == pytest.approx(sum((basis @ fit) ** 2) / sum(token**2))
    ratios = [
        np.linalg.norm(basis.T @ token) / np.linalg.norm(foot) - 1
        for basis, feet in zip(planes.bases, planes.feet, strict=True)
        for token, foot in zip(planes.points, feet, strict=True)
    ]
    assert facts.stretch == pytest.approx(max(map(abs, ratios)))
    assert (facts.agreement, facts.same) == ("are equal", True)
    for n_heads, unseen, several in ((1, None, True), (16, 15, False)):
        one = stiefel_facts(effects, "normal", (16, n_heads, 5), planes, check)
        assert (one.unseen, one.several) == (unseen, several)
    apart = replace(check, difference=0.25)
    straight = stiefel_facts(effects, "normal", SIZES, example_planes(2, 3), apart)
    assert straight.stretch is None
    assert (number(straight.agreement.split()[-1]), straight.same) == (0.25, False)


@pytest.mark.parametrize(
    ("errors", "best", "case"),
    [
        ({4.0: 0.3, 0.25: 0.2, 0.0625: 0.1}, 0.0625, "lowest"),
        ({0.0625: 0.4, 4.0: 0.3, 0.25: 0.1}, 0.25, "between"),
        ({4.0: 0.1, 0.25: 0.2, 0.0625: 0.4}, 4.0, "usual"),
        ({0.0625: 0.1, 4.0: 0.1, 0.25: 0.1}, 4.0, "usual"),
    ],
)
def test_the_best_temperature(errors: dict[float, float], best: float, case: str) -> None:
    facts = temperature_facts(errors)
    assert (facts.best, facts.case) == ((best, errors[best]), case)
    assert facts.usual == (4.0, errors[4.0])
    assert facts.lowest == (0.0625, errors[0.0625])
    assert str(facts.best[1]) == f"{errors[best]:.4f}"


@pytest.mark.parametrize(
    ("glorot", "case"),
    [
        *(((0.5, 9.0), "too large"), ((0.5, 2.0), "between"), ((0.85, 9.0), "between")),
        *(((0.9, 9.0), "no harm"), ((0.95, 1.0), "no harm")),
    ],
)
def test_a_stack_is_blamed_only_where_it_is_behind_all_and_larger(
    glorot: tuple[float, float], case: str
) -> None:
    results = {"scaled": (0.9, 3.0), "glorot": glorot, "stiefel": (0.8, 1.5)}
    facts = stack_facts("glorot", results)
    assert facts
    assert (facts.case, facts.right, facts.size) == (case, *glorot)
    assert (facts.others, facts.other_size) == ((0.8, 0.9), 3.0)
    assert stack_facts("glorot", {"glorot": glorot}) is None
    assert stack_facts("glorot", {"scaled": (0.9, 3.0), "stiefel": (0.8, 1.5)}) is None
