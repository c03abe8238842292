"""The stages of the split hold the same numbers in another order; without the swap they go astray."""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import Projections, Trace, attend
from attention_core.checks import Array
from attention_core.decompositions import split_without_swap
from attention_viz.heatmap import limit_of
from attention_viz.split import FUSED, MOST_FEATURES, MOST_HEADS, MOST_TOKENS, split_stages, window_of
from attention_viz.theme import HUES, PALETTES
from tests.viz.example_traces import square

TRACE = attend(np.random.default_rng(1).normal(size=(5, 7)), Projections.random(7, 3, d_k=2, d_v=11))
LARGE = attend(np.random.default_rng(2).normal(size=(37, 7)), Projections.random(7, 11, d_k=23, d_v=19))


def numbers(trace: Trace, field: str, boards: list[dict[str, Array]]) -> tuple[Array, Array]:
    """The values and the owning heads' hues that a stage's colours stand for."""
    hued = np.stack([board["z"] for board in boards]).astype(float)
    hue = np.floor(hued)
    return ((hued - hue - 0.005) / 0.98 * 2 - 1) * limit_of(trace, field), hue


@pytest.mark.parametrize("field", FUSED)
def test_the_three_right_stages_show_every_number_in_its_head_s_hue(field: str) -> None:
    """Fused, reshaped and swapped are the same numbers, head by head."""
    drawn = [part for part in split_stages(TRACE, field, 0, 0, 0)["data"] if part["type"] == "heatmap"]
    for stage in range(3):
        values, hue = numbers(TRACE, field, drawn[3 * stage : 3 * stage + 3])
        np.testing.assert_allclose(values, getattr(TRACE, field)[0], atol=1e-5)
        assert (hue == np.arange(3)[:, None, None]).all()


@pytest.mark.parametrize("field", FUSED)
def test_the_wrong_stage_shows_the_bare_reshape(field: str) -> None:
    """The numbers beside the fence are those of the reshape without the swap, in the hue of their true head."""
    drawn = [part for part in split_stages(TRACE, field, 0, 0, 0)["data"] if part["type"] == "heatmap"]
    values, hue = numbers(TRACE, field, drawn[9:])
    np.testing.assert_allclose(values, split_without_swap(getattr(TRACE, FUSED[field]), 3)[0], atol=1e-5)
    heads = np.broadcast_to(np.arange(3)[:, None], (5, 3, getattr(TRACE, field).shape[3]))
    np.testing.assert_array_equal(hue, heads.reshape(hue.shape))


@pytest.mark.parametrize("field", FUSED)
def test_of_a_large_field_a_part_with_the_cell_in_focus_is_drawn(field: str) -> None:
    """The part drawn holds the head, the token and the feature in focus, and is small enough."""
    window = window_of(LARGE, field, 9, 36, 17)
    assert window.cuts(getattr(LARGE, field).shape)
    for (first, last), place, most in zip(
        (window.heads, window.tokens, window.features), (9, 36, 17), (MOST_HEADS, MOST_TOKENS, MOST_FEATURES),
        strict=True,
    ):  # fmt: skip
        assert first <= place < last
        assert last - first == most
    drawn = [part for part in split_stages(LARGE, field, 9, 36, 17)["data"] if part["type"] == "heatmap"]
    values, _ = numbers(LARGE, field, drawn[:MOST_HEADS])
    np.testing.assert_allclose(values, window.cut(getattr(LARGE, field)[0]), atol=1e-5)


def test_small_fields_are_drawn_whole() -> None:
    """Nothing is left out of a field that fits."""
    assert not window_of(TRACE, "query_heads", 0, 0, 0).cuts(TRACE.query_heads.shape)


def test_a_click_names_head_token_and_feature() -> None:
    """The three right stages can be clicked, and a click tells the same place in each."""
    clicks = split_stages(TRACE, "query_heads", 0, 0, 0)["data"][-1]
    assert [tuple(place) for place in clicks["customdata"]] == list(np.ndindex(3, 5, 2)) * 3


@pytest.mark.parametrize(("n_heads", "title"), [(1, "<b>no swap</b>"), (2, "<b>✗ wrong</b>")])
def test_nothing_is_called_wrong_where_nothing_is(n_heads: int, title: str) -> None:
    """With one head the reshape alone is right."""
    figure = split_stages(square(4, n_heads), "key_heads", 0, 0, 0)
    assert title in [word["text"] for word in figure["layout"]["annotations"]]


@pytest.mark.parametrize("mode", PALETTES)
def test_the_scale_of_heads_is_ordered_and_has_a_band_for_each_hue(mode: str) -> None:
    """The places of the scale never go back, begin at 0 and end at 1."""
    places = [place for place, _ in PALETTES[mode]["heads"]]
    assert places == sorted(places)
    assert (places[0], places[-1], len(places)) == (0, 1, 2 * len(HUES))
