"""The numbers in what pages say, in their order, against plain loops; of pages whose sentences take
them from laboratories one by one.
"""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.focus import Focus
from attention_lab.heads.shared_keys import with_shared_keys
from attention_lab.scenario import Scenario
from attention_lab.sentences import tokens_of
from attention_lab.trained.language_model import language_model
from attention_viz import blocks as b
from attention_viz.every_page import BLOCK_PAGES
from attention_viz.story.story_view import StoryView
from tests.viz.reading_blocks import all_of, blocks_of
from tests.viz.reading_scenes import numbers
from tests.viz.reading_words import numbers_said

FROG = "One day, a little frog was very sad. The"
LAYER = Scenario("the cat saw it there", mask="window", window=2, seed=3)
VIEW = StoryView(LAYER, Focus(2, 1, 3, 0))
SHARES = VIEW.trace.probabilities[0]
MARKS = str.maketrans("", "", "\\\u2068\u2069")


def texts(path: str, view: StoryView = VIEW, **chosen: object) -> list[str]:
    found = all_of(blocks_of(BLOCK_PAGES[path], view, **chosen), b.Text | b.Note)  # type: ignore[arg-type]
    return [one.text.translate(MARKS) for one in found]


def of(said: list[str], words: str) -> list[float]:
    """The numbers of the only text with these words."""
    (text,) = [one for one in said if words in one]
    return numbers_said(text)


def test_a_column_has_the_sum_of_its_shares_and_a_cell_its_share() -> None:
    said = texts("all-heads", heads_view="Row and column")
    column = sum(SHARES[2, query, 3] for query in range(5))
    assert of(said, "Who reads") == pytest.approx(
        [2, round(column, 2), round(100 * SHARES[2, 1, 3], 1)]
    )


def effective(row: np.ndarray) -> float:
    seen = [share for share in row if share > 0]
    return float(np.exp(-sum(share * np.log(share) for share in seen)))


def test_an_average_hides_how_narrow_heads_are() -> None:
    said = texts("all-heads", subset=("0", "3"))
    chosen = SHARES[[0, 3]]
    in_a_head = np.mean([effective(row) for head in chosen for row in head])
    in_the_mean = np.mean([effective(row) for row in chosen.mean(axis=0)])
    largest = max(
        sum(max(one) for one in zip(*rows, strict=True)) for rows in zip(*chosen, strict=True)
    )
    assert of(said, "An average hides") == pytest.approx(
        [in_a_head, in_the_mean, largest], abs=0.051
    )
    assert in_the_mean > in_a_head


def test_the_head_that_is_missed_most_and_least() -> None:
    p, merged = VIEW.trace.projections, VIEW.trace.merged[0]
    width, w_o = p.d_v, p.w_o
    assert w_o is not None
    parts = [
        merged[:, width * h : width * (h + 1)] @ w_o[width * h : width * (h + 1)] for h in range(4)
    ]
    lengths = [np.linalg.norm(part) / np.linalg.norm(sum(parts)) for part in parts]
    most, least = int(np.argmax(lengths)), int(np.argmin(lengths))
    expected = [most, 100 * lengths[most], least, 100 * lengths[least]]
    assert numbers_said(texts("head-worth")[0]) == pytest.approx(expected, abs=0.051)


def test_how_many_sets_of_keys_the_heads_of_the_language_model_share() -> None:
    view = StoryView(Scenario("Lily", weights="language model"), Focus(6, 0, 0, 0))
    assert of(texts("one-matrix-or-many", view), "every head adds features") == [4]
    assert numbers_said(texts("shared-keys", view)[0])[:2] == [8, 4]


def test_what_qk_norm_bounds_for_the_keys_that_are_seen() -> None:
    view = StoryView(
        Scenario("the cat saw it there", mask="causal", qk_norm=True), Focus(2, 1, 0, 0)
    )
    # Unit gains: both lengths are √4, the scale is 1/2. The second token sees two keys.
    largest = abs(view.trace.scaled_scores[0, 2]).max()
    share = 100 / (1 + np.exp(-4))
    expected = [1, 4, 2, 2, 2, 0.5, 2, round(largest, 2), 2, round(share, 1)]
    assert of(texts("qk-norm", view), "With gain 1")[:10] == pytest.approx(expected, abs=0.051)


def test_how_far_the_output_moves_when_keys_are_shared() -> None:
    def moved(groups: int) -> float:
        other = with_shared_keys(VIEW.trace, groups).output
        return 100 * float(
            np.linalg.norm(other - VIEW.trace.output) / np.linalg.norm(VIEW.trace.output)
        )

    shared = numbers_said(texts("shared-keys", groups="2")[0])
    assert shared[:2] == pytest.approx([moved(2), moved(1)], abs=0.051)
    assert shared[0] != shared[1]


def test_one_head_has_nothing_to_share() -> None:
    alone = StoryView(Scenario("the cat saw it", n_heads=1))
    assert len(numbers_said(texts("shared-keys", alone)[0])) == 1
    single = StoryView(Scenario("Lily"))
    assert not any("Rotary positions stand between" in one for one in texts("shared-keys", single))


def test_the_head_of_the_largest_sink() -> None:
    said = texts("trained-heads", StoryView(Scenario(FROG)))
    run = language_model().run(language_model().encode(FROG))
    means = {
        (layer, head): np.mean([trace.probabilities[0, head, t, 0] for t in range(1, 16)])
        for layer, trace in enumerate(run.traces)
        for head in range(8)
    }
    layer, head = max(means, key=lambda place: means[place])
    assert of(said, "What to look for")[-3:] == pytest.approx(
        [layer, head, 100 * means[layer, head]], abs=0.051
    )


@pytest.mark.parametrize("text", ["we saw it", "the cat saw it there", FROG])
def test_who_looks_at_itself_in_words_and_in_the_picture(text: str) -> None:
    view = StoryView(Scenario(text))
    board = all_of(blocks_of(BLOCK_PAGES["self-attention-mass"], view), b.Board)[0].scene
    shares = next(
        numbers(one) for one in board["arrays"].values() if one["kind"] == "probability"
    ).reshape(-1, *[len(tokens_of(view.scenario).tokens)] * 2)[0]
    size = len(shares)
    mine = sum(shares[i, i] >= max(shares[i]) for i in range(size))
    mass = 100 * sum(shares[i, i] for i in range(size)) / size
    broken = sum(
        shares[i, j] > max(shares[i, i], shares[j, j]) + 1e-7
        for i in range(size)
        for j in range(size)
        if i != j
    )
    said = numbers_said(texts("self-attention-mass", view)[0])
    assert said == [mine, size, said[2], round(mass), round(100 / size), broken]
    assert said[2] <= mine
