"""The laboratories' pictures hold the numbers that were computed."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.labs.content_training import content_example, content_scores, four_answers
from attention_lab.labs.convolution import pixel_attention, run_convolution, run_two_heads
from attention_lab.labs.evaluation import Score, offset_profile, unseen_trace
from attention_lab.labs.images import IMAGES, KERNELS, as_image, as_kernel, for_two_channels
from attention_lab.labs.julia_mapping import JuliaHeads, check_mapping
from attention_lab.labs.stiefel import sphere_step
from attention_lab.labs.training import first_checkpoint
from attention_lab.labs.training_settings import TrainingSettings
from attention_lab.words.numbers import format_percent
from attention_viz.blocks import Board, Folded, Note, Table
from attention_viz.labs import convolution as convolution_boards
from attention_viz.labs.convolution import error_figure
from attention_viz.labs.convolution_page import CONVOLUTION, read_kernel
from attention_viz.labs.stiefel import mapping_board, singular_value_figure, sphere_figure
from attention_viz.labs.training import (
    comparison_figure,
    loss_figure,
    offset_figure,
    score_figure,
    sequence_board,
)
from attention_viz.story.story_view import StoryView
from tests.viz.reading_blocks import boards, inside, shown, texts
from tests.viz.reading_figures import as_sent
from tests.viz.reading_scenes import flags, sent, worked_out
from tests.viz.reading_words import missing, numbers_said


def test_loss_figure_draws_losses_and_floor() -> None:
    figure = loss_figure({"loss": [(0, 1.25), (10, 0.75), (20, 0.5)]}, 20, floor=0.25, marked=10)
    as_sent(figure)
    assert figure["data"][0]["y"].tolist() == [1.25, 0.75, 0.5]
    assert figure["layout"]["shapes"][0]["y0"] == 0.25
    assert figure["layout"]["shapes"][1]["x0"] == 10


def test_offset_bars() -> None:
    settings = TrainingSettings(n_heads=3)
    offsets, masses = offset_profile(unseen_trace(settings, first_checkpoint(settings).projections))
    figure = offset_figure(offsets, masses)
    as_sent(figure)
    np.testing.assert_array_equal([bars["y"] for bars in figure["data"]], masses.astype("f4"))
    assert figure["data"][0]["x"][0] == "−5"


def test_score_bars() -> None:
    figure = score_figure(
        ("a", "b"), {"whole": Score(0.5, (0.0, 1.0), False), "less": Score(1, (1.5, 0.5), False)}
    )
    as_sent(figure)
    assert [bars["y"].tolist() for bars in figure["data"]] == [[0, 1], [1.5, 0.5]]
    assert figure["layout"]["yaxis"]["range"][1] >= 1.5


def test_sequence_board() -> None:
    settings = TrainingSettings(n_heads=3)
    trace = unseen_trace(settings, first_checkpoint(settings).projections)
    board = sequence_board(trace, tuple("abcdefghijkl"))
    for head in range(3):
        np.testing.assert_array_equal(
            sent(board, f"probabilities {head}"), trace.probabilities[0, head].astype("f4")
        )
        # The arithmetic of a cell says of which head its scores are.
        assert numbers_said(board["arrays"][f"scores {head}"]["title"]) == [head]


def test_stiefel_figures() -> None:
    values = np.array([2.0, 1.0, 0.5])
    np.testing.assert_array_equal(singular_value_figure({"normal": values})["data"][0]["y"], values)
    step = sphere_step(np.array([1.0, 0, 0]), np.array([0.3, 1, 0]), 1.0)
    globe = sphere_figure(step)
    as_sent(globe)
    for bit in globe["data"]:
        if way := {"QR, Polar": "qr", "Geodesic": "geodesic"}.get(bit.get("name", "")):
            landed = [float(bit[letter][0]) for letter in "xyz"]
            np.testing.assert_allclose(landed, step.landing_points[way], atol=1e-6)


def test_mapping_board() -> None:
    z = np.random.default_rng(3).standard_normal((6, 5))
    check = check_mapping(z, JuliaHeads.random(6, 2), "code")
    board = mapping_board(check)
    np.testing.assert_array_equal(sent(board, "theirs"), check.theirs.astype("f4"))
    assert np.abs(sent(board, "ours minus theirs")).max() < 1e-12


@pytest.mark.parametrize("padding", ["nothing", "frame", "sink", "circular"])
@pytest.mark.parametrize("name", ["emboss", "2 × 2: Roberts", "1 × 1: negative"])
def test_comparison_board_explains_itself(padding: str, name: str) -> None:
    letter, kernel = IMAGES["letter A"], as_kernel(KERNELS[name])
    two = as_image(letter, IMAGES["ramp"])
    for picture, numbers in ((as_image(letter), kernel), (two, for_two_channels(kernel))):
        run = run_convolution(picture, numbers, 2.0, padding)
        board = convolution_boards.convolution_board(picture, numbers, run, (0, 3))
        for channel, end in enumerate([""] if picture.shape[2] == 1 else [" 0", " 1"]):
            for index in ((0, 0), (3, 4), (7, 7)):
                for made, pixels in (("attention", run.output), ("convolution", run.expected)):
                    shown = worked_out(board, f"{made}{end}", index)
                    assert shown == pytest.approx(pixels[index][channel], abs=1e-5)


def test_heads_board_shows_what_is_read() -> None:
    picture, kernel = as_image(IMAGES["disc"]), as_kernel(KERNELS["Sobel x"])
    both, two = as_image(IMAGES["disc"], IMAGES["ramp"]), for_two_channels(kernel)
    for run, numbers in (
        (run_convolution(picture, kernel, 4.0, "sink"), kernel),
        (run_two_heads(picture, kernel, 4.0, "frame"), np.ones(2)),
        (run_convolution(both, two, 4.0, "frame"), two),
    ):
        maps, _ = pixel_attention(run, 3, 5)
        board = convolution_boards.kernel_heads_board(run, (3, 5), numbers)
        assert len(board["panels"]) == len(maps)
        np.testing.assert_array_equal(sent(board, f"head {len(maps) - 1}"), maps[-1].astype("f4"))
    held = run.trace.projections.w_o
    np.testing.assert_array_equal(sent(convolution_boards.kernel_board(run, two), "kernel"), held)


def test_a_kernel_keeps_its_digits() -> None:
    given = ", ".join(["0.123456789 -1.2345678901234567e-101 4"] * 3)
    assert read_kernel(given) == given


def test_a_kernel_of_zeros_leaves_the_rest_of_the_page() -> None:
    """Two heads have nothing to look for then, which is said where they would stand."""
    values = {one.key: one.default for one in CONVOLUTION.choices(StoryView())}
    values |= {"conv_kernel": "own", "conv_own": "0 0 0, 0 0 0, 0 0 0"}
    _, two, one = (b for b in CONVOLUTION.blocks(StoryView(), values) if isinstance(b, Folded))
    assert [type(block) for block in two.inside] == [Note]
    assert any(isinstance(block, Board) for block in one.inside)


CURVES = {f"{n} heads": [(0, 1.5), (10, 1 / n), (25, 0.5 / n**4)] for n in (1, 2, 3, 4, 6)}


def test_the_error_of_a_convolution_and_its_law() -> None:
    figure = error_figure([1.0, 2.0], [0.5, 0.0], [1.0, 0.25], 2.0, "law")
    as_sent(figure)
    drawn = [part["y"].tolist() for part in figure["data"][:2]]
    assert drawn == [[0.5, np.float32(1e-17)], [1.0, 0.25]]


def test_curves_levels_and_marks() -> None:
    figure = comparison_figure(CURVES, {"level": 0.75}, {"top": 2.0, "floor": 0.25}, "error")
    drawn = {part["name"]: list(zip(part["x"], part["y"], strict=True)) for part in figure["data"]}
    for name, points in CURVES.items():
        assert [number for point in drawn[name] for number in point] == pytest.approx(
            [number for point in points for number in point]
        )
    for name, value in (("level", 0.75), ("top", 2.0), ("floor", 0.25)):
        assert drawn[name] == [(0, value), (25, value)]
    low, high = figure["layout"]["yaxis"]["range"]
    assert 10**low < 0.5 / 6**4
    assert 10**high > 2
    looks = [part["line"] for part in figure["data"] if part["name"] in CURVES]
    assert len({line["dash"] for line in looks}) == len({line["color"] for line in looks}) == 5
    assert figure["layout"]["showlegend"]
    as_sent(figure)


@pytest.mark.parametrize(
    ("kernel", "heads"), [("Sobel x", 9), ("2 × 2: Roberts", 4), ("1 × 1: negative", 1)]
)
def test_a_side_has_a_head_for_each_offset_and_trained_kernels_are_told(
    kernel: str, heads: int
) -> None:
    blocks = shown(CONVOLUTION, conv_kernel=kernel, conv_second="ramp", conv_asks="3-4")
    said, scores = texts(blocks), content_scores()
    assert f"heads: {heads}; channels: 2 in, 2 out" in said
    (table,) = (block for block in blocks if isinstance(block, Table))
    assert [row[3] for row in table.rows] == [format_percent(one.right) for one in scores.values()]
    side = int(heads**0.5)
    example = content_example(3, 4, side)
    assert missing(said, f"{side} × {side} kernel", *example.twin, *example.hits.values()) == []
    content = next(board for board in boards(blocks) if "mark" in board["arrays"])
    np.testing.assert_array_equal(sent(content, "kernel"), example.said["kernel"].astype("f4"))
    wrong = (example.shown == 0) & (example.said["kernel"] != example.said["right"])
    assert flags(content["arrays"]["kernel"], "changed").tolist() == wrong.tolist()
    beyond = shown(CONVOLUTION, conv_kernel=kernel, conv_second="ramp", conv_asks="4-4")
    assert texts(beyond) == said  # the picture has four rows
    told = texts(inside(CONVOLUTION, "Why no fixed kernel can do it"))
    assert missing(told, "00", "11", four_answers().n_near) == []
