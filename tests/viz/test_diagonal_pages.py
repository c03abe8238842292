"""The pages of the section on the diagonal: what they are set to, search, measure and say."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

from attention_core import AttentionError, ShapeError
from attention_lab.diagonal.depth import FOUR_TOKENS, Stack, levels, skip_draws
from attention_lab.diagonal.facts import check_facts, pair_facts
from attention_lab.diagonal.growth import TOKEN_COUNTS, Growth, estimates
from attention_lab.diagonal.growth_curves import half_mass_width
from attention_lab.diagonal.modern.statements import STATEMENTS
from attention_lab.diagonal.propositions.catalogue import PROPOSITIONS
from attention_lab.diagonal.propositions.checks import tokens_of_trace
from attention_lab.diagonal.settings import DIAGONAL_PRESETS, DiagonalSettings, trace_of_settings
from attention_lab.scenario import Scenario
from attention_lab.words.numbers import format_number
from attention_lab.words.text import tokenize_at_most
from attention_viz.block_page import BlockPage
from attention_viz.blocks import Field, Folded, Later, Note, Table
from attention_viz.diagonal import growth_page
from attention_viz.diagonal.depth_page import DEPTH
from attention_viz.diagonal.geometry_page import BEATING_CONDITIONS, GEOMETRY, read_points
from attention_viz.diagonal.growth_page import GROWTH
from attention_viz.diagonal.in_words import describe_pair
from attention_viz.diagonal.modern_page import MODERN
from attention_viz.diagonal.propositions_page import PROOFS, PROPOSITION_PAGE, describe_check
from attention_viz.diagonal.self_attention_page import SELF_ATTENTION
from attention_viz.markdown import escape_markdown
from attention_viz.page_choices import Number
from attention_viz.story.story_view import StoryView
from tests.viz.reading_blocks import all_of, boards, buttons, charts, inside, shown, texts
from tests.viz.reading_scenes import sent

PAIR = DiagonalSettings(tokens="numbers", numbers="3; 2; 1", weights="weightless")
TEXT = Scenario().text


def of_text(text: str) -> StoryView:
    return StoryView(scenario=Scenario(text=text))


@pytest.mark.parametrize(
    ("given", "n_stacks"),
    [
        ({"depth_compare": "remedies", "depth_c": "32"}, 7),
        ({"depth_weights": "random", "depth_skip": "true"}, 4),
        ({"depth_tokens": "sentence", "depth_norm": "true", "depth_log": "true"}, 4),
        ({"depth_layers": "1"}, 4),
    ],
)
def test_kinds_of_depth(given: dict[str, str], n_stacks: int) -> None:
    for figure in charts(shown(DEPTH, **given)).values():
        assert sum(line.get("fill") is None for line in figure["data"]) == n_stacks


CHOICES: list[dict[str, Any]] = [
    {"tokens": "drawn", "n_tokens": 7, "d_model": 5, "seed": 3, "spread": 1.5, "layer_norm": True}
    | {"weights": "angle", "angle": 120.0, "d_k": 4},
    {"weights": "tied orthonormal", "d_k": 8, "positions": "concatenated"}
    | {"temperature": 0.5, "scaled": False, "causal": True},
    {"tokens": "numbers", "numbers": "3,3; 10,0; 11,-20"},
]


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_a_url_sets_the_laboratory(choice: dict[str, Any]) -> None:
    (board,) = boards(shown(SELF_ATTENTION, **{f"lab_{name}": one for name, one in choice.items()}))
    expected = trace_of_settings(DiagonalSettings(**{"text": TEXT} | choice)).probabilities[0, 0]
    np.testing.assert_array_equal(sent(board, "probabilities"), expected.astype("f4"))


def test_an_example_says_what_to_look_at() -> None:
    for preset in DIAGONAL_PRESETS:
        held = {f"lab_{name}": one for name, one in asdict(preset.settings).items()}
        held["lab_d_k"] = held.pop("lab_d_k") or "as C"
        view = of_text(str(held.pop("lab_text")))
        for page in (SELF_ATTENTION, PROPOSITION_PAGE):
            assert preset.hint in texts(shown(page, view, **held))
        if preset.name == "inside":
            points = {"plane": preset.settings.numbers}
            assert buttons(shown(GEOMETRY))[preset.title] == points


@pytest.mark.parametrize(
    ("page", "given"),
    [
        (SELF_ATTENTION, {"lab_numbers": "3", "lab_cell": "1-2"}),
        (SELF_ATTENTION, {"lab_tokens": "sentence", "lab_weights": "orthonormal", "lab_d_k": "64"}),
        (MODERN, {"lab_numbers": "3", "modern_token": "40", "modern_cell": "1-40-40"}),
        (MODERN, {"lab_numbers": "0,0; 0,0", "modern_alibi": "1/8"}),
        (PROPOSITION_PAGE, {"lab_numbers": "3"}),
    ],
)
def test_strange_tokens_are_shown_or_refused(page: BlockPage, given: dict[str, str]) -> None:
    with suppress(AttentionError):
        assert boards(shown(page, **{"lab_tokens": "numbers"} | given))


def test_the_cell_that_is_explained_first() -> None:
    plain, free = (
        trace_of_settings(DiagonalSettings(text=TEXT, weights=one))
        for one in ("weightless", "free")
    )
    least = int(np.diagonal(plain.probabilities[0, 0]).argmin())
    assert plain.probabilities[0, 0, least].argmax() != least
    # The controls stand behind the picture: they are open when one was moved.
    for given, cell, head, is_open in (
        ({}, (least, least), plain, False),
        ({"lab_cell": "1-2", "lab_weights": "free"}, (1, 2), free, True),
    ):
        found = shown(SELF_ATTENTION, **given)
        assert boards(found)[0]["cell"]["index"][-2:] == list(cell)
        assert describe_pair(head, pair_facts(head, cell)) in texts(found)
        (group,) = (one for one in found if isinstance(one, Folded) and "weights" in one.label)
        assert group.opened == is_open


def test_a_pair_is_named_by_its_words_or_by_its_places() -> None:
    equal, places = (trace_of_settings(one) for one in (DiagonalSettings(text="a a a"), PAIR))
    for trace, cell, named in (
        (equal, (0, 1), "i = “0 a”, j = “1 a”"),
        (places, (2, 1), "i = 2, j = 1"),
        (places, (2, 2), "i = j = 2"),
    ):
        assert named in describe_pair(trace, pair_facts(trace, cell))


@pytest.mark.parametrize(
    ("page", "with_words", "without"),
    [
        (SELF_ATTENTION, {}, {"lab_tokens": "drawn"}),
        (PROPOSITION_PAGE, {}, {"lab_tokens": "drawn"}),
        (GEOMETRY, {"plane_of": "free"}, {}),
        (DEPTH, {"depth_tokens": "sentence"}, {}),
    ],
)
def test_a_sentence_that_is_cut_is_said_to_be(
    page: BlockPage, with_words: dict[str, str], without: dict[str, str]
) -> None:
    view = of_text(" ".join(["tea"] * 100))
    (cut,) = tokenize_at_most(view.scenario.text, 64).notes
    assert texts(shown(page, view, **with_words)).count(escape_markdown(cut)) == 1
    assert escape_markdown(cut) not in texts(shown(page, view, **without))


@pytest.mark.parametrize("plane", ["banana", "1,2,3", "1,2; 999,0", "1,2;" * 13, "nan,1"])
def test_nonsense_in_the_plane(plane: str) -> None:
    with pytest.raises((AttentionError, ShapeError)):
        read_points(plane)


@pytest.mark.parametrize(
    ("text", "given", "scales"),
    [
        ("a b c d e f g h i j k", {"plane_of": "tied", "plane_token": "10"}, [(10, 10)]),
        ("tea", {"plane_of": "free", "plane_token": "3"}, []),
        ("tea", {"plane": "0,0; 2,1; 1,3", "plane_token": "9"}, [(2, 2)]),
    ],
)
def test_the_chosen_token_is_drawn(text: str, given: dict[str, str], scales: list[Any]) -> None:
    found = shown(GEOMETRY, of_text(text), **given)
    fields = [one for one in all_of(found, Field) if isinstance(one.choice, Number)]
    assert [(one.choice.high, one.value) for one in fields] == scales
    assert BEATING_CONDITIONS[given.get("plane_of", "points")] in texts(found)


def test_a_token_at_the_origin_has_no_half_plane() -> None:
    assert BEATING_CONDITIONS[False] in texts(shown(GEOMETRY, plane="0,0;1,3;2,1"))


def test_measuring_growth(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"growth_error": "0.02", "growth_seed": 7}
    assert "0 of 28 points" in texts(shown(GROWTH, **given))
    for seconds, is_done in ((0.001, False), (60, True)):
        monkeypatch.setattr(growth_page, "SECONDS", seconds)
        found = shown(GROWTH, **given, growth_now="true")
        assert ("28 of 28 points" in texts(found)) is is_done is not bool(all_of(found, Later))
    *_, point = estimates(Growth(seed=7).experiment(16, 8), error=0.02)
    for name, height, error in (
        ("growth mass", point.self_mass, point.self_mass_error),
        ("growth argmax", point.argmax_rate, point.argmax_rate_error),
    ):
        (mine,) = (one for one in charts(found)[name]["data"] if one["name"] == "N = 16, measured")
        place = mine["x"].tolist().index(8)
        drawn = mine["y"][place], mine["error_y"]["array"][place]
        assert drawn == (np.float32(height), np.float32(error))


@pytest.mark.parametrize(
    ("given", "last"),
    [
        ({"growth_causal": "true", "growth_lines": "uniform", "growth_n": "16"}, 16),
        ({"growth_scaled": "false", "growth_kind": "tied"}, TOKEN_COUNTS[-1]),
        ({"growth_lines": "", "growth_n": ""}, TOKEN_COUNTS[-1]),
    ],
)
def test_the_formula_of_the_half_mass(given: dict[str, str], last: int) -> None:
    divisor, half = r"\sqrt C", r"\left(\ln(N-1)+\tfrac12\right)^2"
    if "growth_scaled" in given:
        divisor, half = "1", r"2 \ln(N-1)"
    assert len(charts(shown(GROWTH, **given))) == 2
    assert rf"$\tau = {divisor}$" in texts(inside(GROWTH, "The curves", **given))
    rule = inside(GROWTH, "The half-mass rule", **given)
    assert half in texts(rule)
    (table,) = all_of(rule, Table)
    widths = [f"{half_mass_width(last, scaled=scaled):.1f}" for scaled in (True, False)]
    assert table.rows[-1][:3] == [str(last), *widths]


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        # Token 1 of (1, 2, 2) is beaten by two, which tie with each other.
        (
            {"lab_tokens": "numbers", "lab_numbers": "1; 2; 2"},
            ["**2 of 3**", "ties: 2", "**3** (QK-norm, linear, delta rule)", "(ALiBi"],
        ),
        ({"lab_tokens": "numbers", "lab_numbers": "1; -1; 2"}, ["**2 of 3**", "ties: 0"]),
        ({"lab_tokens": "numbers", "lab_numbers": "1; -1"}, ["**2 of 2**", "8 variants: **2**"]),
    ],
)
def test_variants_with_most_and_fewest_rows(given: dict[str, str], parts: list[str]) -> None:
    (said, *_) = texts(shown(MODERN, **given)).split("\n\n", 1)
    assert [part for part in parts if part not in said] == []


def test_what_becomes_of_four_tokens_with_skip_connections() -> None:
    found = inside(DEPTH, "With a skip connection", depth_seed=3)
    example, drawn = all_of(found, Table)
    passed = [one.distance for one in levels(FOUR_TOKENS, Stack(skip=True))]
    layers = map(int, example.head[1:])
    assert list(example.rows[0][1:]) == [format_number(passed[layer], 4) for layer in layers]
    assert "in the end: 1." in texts(found)
    for width, equal, one_peak in drawn.rows:
        draws = skip_draws(int(width), 3)
        assert (equal, one_peak) == (f"{draws.collapsed} of 20", f"{draws.with_one_peak} of 20")


def test_tokens_that_are_turned_away() -> None:
    given = {"plane": "0.5,0; -0.1,1; -3,0; -3,0; -3,0; -3,0; -3,0; -3,0", "plane_token": 0}
    *_, table = all_of(shown(GEOMETRY, **given), Table)
    assert [row[0] for row in table.rows] == list("1234567")
    assert table.rows[0][2] == "0.23, 0.25, 0.24, 0.12"
    assert "rises here: 1." in texts(shown(GEOMETRY, **given))
    assert "No token is turned away" in texts(shown(GEOMETRY, plane="1,0; 0,1", plane_token=0))


def test_every_statement_about_a_variant_has_its_card() -> None:
    found = shown(MODERN)
    for one in STATEMENTS:
        proof = texts(inside(MODERN, f"Proof of {one.number}"))
        title = f"**{one.number} · {one.title}**"
        assert all(part in texts(found) for part in (title, one.latex, one.statement, one.ends))
        assert all(line in proof for line in one.proof)
    assert [one.tone for one in all_of(found, Note)] == ["right"] * len(STATEMENTS)
    assert "| 12 of 12 | 0.998 | 0 |" in texts(shown(MODERN, modern_norm="16"))


def test_every_proposition_has_its_card() -> None:
    found = shown(PROPOSITION_PAGE)
    for one in PROPOSITIONS:
        proof = texts(inside(PROPOSITION_PAGE, f"{PROOFS[one.status]} of {one.number}"))
        title = f"**{one.number} · {one.title}**"
        assert all(part in texts(found) for part in (title, one.latex, one.statement))
        assert all(part in proof for part in (one.failing_step, *one.proof))
        assert f"Search for a counterexample of {one.number}" in buttons(found)


@pytest.mark.parametrize("numbers", ["3; 2; 1", "3", "1,0; 0,1", "0,0; 1,1; -2,5"])
def test_every_verdict_is_that_of_the_engine(numbers: str) -> None:
    trace = trace_of_settings(replace(PAIR, numbers=numbers))
    for one in PROPOSITIONS:
        check = one.verify(tokens_of_trace(trace))
        verdict = ("holds" if check.holds else "is violated") if check.applies else "does not apply"
        said = describe_check(check_facts(one.number, check, trace.sizes["T"]), trace)
        assert said.startswith(verdict)
        assert "“" not in said  # the token 2 stands in place 1: quoted, a place would be a token


def test_a_violation_has_its_place_its_tone_and_its_verdict() -> None:
    small = {"lab_tokens": "numbers", "lab_numbers": "1; 2; 3"}
    notes = dict(
        zip(
            [one.number for one in PROPOSITIONS],
            all_of(shown(PROPOSITION_PAGE, **small), Note),
            strict=True,
        )
    )
    wrong = [number for number, note in notes.items() if note.tone == "wrong"]
    assert wrong == ["S4", "S5"]
    assert "row 0, column 1" in notes["S4"].text
    trace = trace_of_settings(replace(PAIR, numbers="1; 2; 3"))
    for cell, fails in (((0, 1), True), ((2, 1), False)):
        assert ("**fails**" in describe_pair(trace, pair_facts(trace, cell))) == fails
    assert all(
        "** holds" in one.text or "it holds.**" in one.text for one in all_of(shown(MODERN), Note)
    )


@pytest.mark.parametrize(("number", "tone"), [("S7", "right"), ("S4", "wrong")])
def test_searching_a_counterexample(number: str, tone: str) -> None:
    before, found = (shown(PROPOSITION_PAGE, **given) for given in ({}, {"truths_search": number}))
    assert boards(before) == boards(found)
    tones, more = ([one.tone for one in all_of(part, Note)] for part in (before, found))
    assert sorted(more) == sorted([*tones, tone])
