"""The pictures of heads: side by side, together, by query and by key, as lines; what is drawn is
the trace.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from attention_core import Projections, Trace, attend
from attention_lab.heads.habits import all_habits
from attention_lab.heads.keys_read import MAX_DRAWN_LINES, strongest_lines
from attention_lab.heads.reruns import rerun
from attention_lab.heads.shared_keys import share_heads
from attention_lab.words.numbers import format_percent
from attention_viz.heads.all_heads import field_limit, habit_table, heads_grid
from attention_viz.heads.attention_lines import attention_lines
from attention_viz.heads.compare import MAX_KEYS_FULL_SIZE, shared_keys_board, strongest_colour
from attention_viz.payload import JSON, Stage
from attention_viz.scene_formats import scene_to_bytes
from attention_viz.theme import Figure
from tests.viz.example_traces import CASES, H, example, square
from tests.viz.reading_figures import as_sent, strings
from tests.viz.reading_scenes import flags, numbers, written_and_read
from tests.viz.reading_words import numbers_said

FIELDS = ("scores", "scaled_scores", "masked_scores", "probabilities")


def grid(trace: Trace, field: str, heads: list[int], cell: tuple[int, int, int]) -> JSON:
    """The board of some heads, as a browser reads it."""
    return written_and_read(heads_grid(Stage(trace), field, heads, cell=cell))


@pytest.mark.parametrize(
    ("field", "case"), [*product(FIELDS, ["no mask"]), *product(["probabilities"], CASES)]
)
def test_each_tile_is_its_head(field: str, case: str) -> None:
    trace = example(case)
    board = grid(trace, field, [2, 5, 16], (5, 2, 1))
    array, (panel,) = board["arrays"][field], board["panels"]
    np.testing.assert_array_equal(numbers(array), getattr(trace, field).astype("f4"))
    if field == "probabilities" and trace.hidden.any():
        np.testing.assert_array_equal(flags(array, "hatched"), trace.hidden)
    assert panel["only"] == [2, 5, 16]
    assert (panel["tiles"], panel["rows"], panel["columns"]) == (1, 2, 3)
    assert board["cell"] == {"array": field, "index": [0, 5, 2, 1]}
    assert board["axes"]["S"]["labels"] == list(trace.labels("S"))
    assert array["limit"] == pytest.approx(field_limit(trace, field), rel=1e-5)
    scale = "share" if field == "probabilities" else "score"
    masked = ["masked"] if "masked" in array or "hatched" in array else []
    assert [part["scale"] for part in board["legend"]] == [scale, *masked]


def test_a_focus_on_a_head_that_is_not_chosen() -> None:
    assert grid(example(), "scores", [2, 5], (3, 2, 1))["cell"]["index"] == [0, 2, 2, 1]
    assert "only" not in grid(example(), "scores", list(range(17)), (3, 2, 1))["panels"][0]


def test_scores_of_all_stages_share_one_scale() -> None:
    trace = example()
    assert (
        field_limit(trace, "scaled_scores")
        == field_limit(trace, "masked_scores")
        == np.abs(trace.scores).max()
    )
    assert field_limit(trace, "probabilities") == trace.probabilities.max()


def test_what_a_head_does_stands_under_it_and_in_the_table() -> None:
    before, itself, even = np.eye(5, k=-1), np.eye(5), np.full((5, 5), 0.2)
    before[0, 0] = 1
    trace = replace(
        square(5, 3, causal=False), probabilities=np.stack([before, itself, even])[None]
    )
    (panel,) = grid(trace, "probabilities", [1, 2], (1, 0, 0))["panels"]
    assert [panel["only"], len(panel["captions"])] == [[1, 2], 3]
    assert [re.findall(r"[\d.]+", said) for said in panel["captions"]] == [
        ["100"],
        ["100"],
        ["5.0"],
    ]
    (one, two) = habit_table(all_habits(trace, [0, 2])).rows
    assert one == ("0", "20.0 %", "**100.0 %**", "40.0 %", "1.0")
    assert two == ("2", "20.0 %", "20.0 %", "20.0 %", "5.0")
    single = attend([[1.0]], Projections.weightless(1))
    (alone,) = habit_table(all_habits(single, [0])).rows
    assert alone[2] == "–"


def test_the_size_of_what_is_sent() -> None:
    usual = heads_grid(Stage(square(12, 4, causal=False)), "scores", range(4), cell=(0, 0, 0))
    assert len(scene_to_bytes(usual)) < 10_000
    largest = heads_grid(Stage(square(64, 16)), "masked_scores", range(16), cell=(0, 0, 0))
    assert len(scene_to_bytes(largest)) < 300_000


def lines(figure: Figure) -> dict[tuple[int, int, int], float]:
    """The width of every line by its head, query and key, read from where it begins and ends."""
    found = {}
    for part in figure["data"]:
        if part.get("mode") == "lines" and part["x"][0] is not None:
            starts, stops = (part["y"][np.asarray(part["x"]) == side] for side in (0, 1))
            for a, b in zip(starts, stops, strict=True):
                place = int(part["legendgroup"]), round(float(a)), round(float(b))
                found[place] = part["line"]["width"]
    return found


def ends(figure: Figure) -> set[tuple[int, int, int]]:
    """Head, query and key of every line."""
    return set(lines(figure))


def test_masked_keys_get_no_line() -> None:
    figure = attention_lines(square(7), (0, 1), "query", 2, 0)
    assert ends(figure) == {(head, 2, key) for head in (0, 1) for key in (0, 1, 2)}
    assert ends(attention_lines(example("empty row"), (0,), "query", 2, 0)) == set()
    as_sent(attention_lines(example("all hidden"), range(H), "all", 0, 0))


def test_the_strongest_are_drawn() -> None:
    trace = square(17, 2, causal=False)
    weights = np.sort(trace.probabilities[0].ravel())
    kept = ends(attention_lines(trace, (0, 1), "all", 0, 0))
    assert len(kept) == MAX_DRAWN_LINES
    found = strongest_lines(trace.probabilities[0], "all", 0, 0)
    assert {tuple(map(int, one)) for one in found.drawn} == kept
    assert found.left_out == 2 * 17 * 17 - MAX_DRAWN_LINES
    assert min(trace.probabilities[0][place] for place in kept) == weights[-MAX_DRAWN_LINES]


@pytest.mark.parametrize("which", ["query", "key", "all"])
def test_a_dot_on_the_line_shows_its_weight(which: str) -> None:
    trace = square(5, causal=False)
    figure = attention_lines(trace, (0, 1), which, 1, 3)
    queries, keys = ([1] if which == "query" else range(5)), ([3] if which == "key" else range(5))
    assert ends(figure) == {*product((0, 1), queries, keys)}
    dots = {
        (part["legendgroup"], text)
        for part in figure["data"]
        if part.get("mode") == "markers"
        for text in part["text"]
    }
    shares = {place: float(trace.probabilities[0][place]) for place in ends(figure)}
    assert dots == {
        (str(h), f"head {h}<br>{t} t{t} → {s} t{s}<br><b>{format_percent(share)}</b>")
        for (h, t, s), share in shares.items()
    }
    widths: dict[float, list[float]] = {}
    for place, width in lines(figure).items():
        widths.setdefault(width, []).append(shares[place])
    ordered = [widths[width] for width in sorted(widths)]
    assert all(max(thin) <= min(thick) + 1e-12 for thin, thick in itertools.pairwise(ordered))


def test_tokens_stay_text() -> None:
    figure = attention_lines(example(), range(4), "all", 1, 2)
    as_sent(figure)
    around = figure["layout"]
    assert around["yaxis"]["ticktext"][1] == "<b>1 @query</b>"
    assert around["yaxis2"]["ticktext"][2].startswith("<b>2 &amp;lt;")
    for text in strings([part.get("text") for part in figure["data"]]):
        assert not re.search(r"<(?!/?b>|br>)", text), text


def board(
    n_tokens: int, n_heads: int, *, causal: bool = False
) -> tuple[JSON, dict[str, np.ndarray]]:
    """The board of three kinds, and the shares that it should hold."""
    trace = square(n_tokens, n_heads, causal=causal)
    sets = {"MHA": n_heads, "GQA": 2, "MQA": 1}
    kinds = {
        name: rerun(trace, projections=share_heads(trace.projections, count))
        for name, count in sets.items()
    }
    sent = shared_keys_board(kinds, (1, 2, 0), 0.5, "GQA")
    return sent, {name: one.probabilities[0] for name, one in kinds.items()}


@pytest.mark.parametrize("causal", [False, True])
def test_every_share_is_in_its_place(causal: bool) -> None:
    sent, shares = board(5, 4, causal=causal)
    assert [panel["title"] for panel in sent["panels"]] == ["MHA", "GQA", "MQA"]
    assert [panel["place"] for panel in sent["panels"]] == [[0, 0], [0, 1], [0, 2]]
    for name, expected in shares.items():
        array = sent["arrays"][name]
        np.testing.assert_array_equal(numbers(array), expected.astype("f4"))
        assert array["limit"] == 0.5
        hidden = np.triu(np.full((5, 5), causal), 1)
        np.testing.assert_array_equal(flags(array, "hatched"), np.broadcast_to(hidden, (4, 5, 5)))
    assert sent["cell"] == {"array": "GQA", "index": [1, 2, 0]}


def test_heads_name_the_keys_they_read() -> None:
    sent, _ = board(3, 4)
    named = {panel["title"]: panel["captions"] for panel in sent["panels"]}
    assert named == {
        "MHA": ["K/V 0", "K/V 1", "K/V 2", "K/V 3"],
        "GQA": ["K/V 0", "K/V 0", "K/V 1", "K/V 1"],
        "MQA": ["K/V 0"] * 4,
    }
    assert [numbers_said(panel["badge"]) for panel in sent["panels"]] == [[4], [2], [1]]


def test_many_cells_are_drawn_small() -> None:
    assert 4 * 12 <= MAX_KEYS_FULL_SIZE < 16 * 16
    assert {panel["size"] for panel in board(12, 4)[0]["panels"]} == {"full"}
    assert {panel["size"] for panel in board(16, 16)[0]["panels"]} == {"small"}


def test_the_strongest_colour_is_rarely_exceeded() -> None:
    trace = square(20, 4)
    assert (trace.probabilities > strongest_colour(trace)).mean() == pytest.approx(0.01, abs=0.001)
