"""The pages of the section on the diagonal: what they are set to, search, measure and say."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

from attention_core import AttentionError
from attention_lab.diagonal.claims.catalogue import CLAIMS, FALSE, TEXTS, find_claim
from attention_lab.diagonal.depth import Stack, sample_trajectories, stack_variants
from attention_lab.diagonal.growth import TOKEN_COUNTS, Growth, estimates
from attention_lab.diagonal.growth_curves import half_mass_width
from attention_lab.diagonal.modern.statements import STATEMENTS
from attention_lab.diagonal.propositions.catalogue import PROPOSITIONS
from attention_lab.diagonal.settings import DIAGONAL_PRESETS, DiagonalSettings, trace_of_settings
from attention_lab.words.text import tokenize_at_most
from attention_viz.diagonal.geometry_page import BEATING_CONDITIONS, read_points
from attention_viz.diagonal.in_words import describe_diagonal, describe_pair
from attention_viz.diagonal.propositions_page import (
    PROOFS,
    check_propositions,
    describe_check,
)
from attention_viz.labels import with_minus_signs
from attention_viz.markdown import escape_markdown
from tests.ui.app import (
    errors,
    figures,
    numbers_of,
    numbers_of_scene,
    opened,
    opened_at,
    page_context,
    pressed,
    scenes,
    texts,
)

LAB = "self-attention-mass"
PAIR = DiagonalSettings(tokens="numbers", numbers="3; 2; 1", weights="weightless")


def test_every_claim_is_shown_with_its_check_and_found_by_its_words() -> None:
    app = opened("claims")
    for text in TEXTS:
        app.session_state[f"claims of {text}"] = True
    said = texts(app.run())
    for one in CLAIMS:
        checked = with_minus_signs(one.check().sentence)
        for part in (one.statement, one.correction, checked):
            assert escape_markdown(part) in said
        assert not re.search(r"(?<![\w)-])-\d|\de-\d", checked)
    for words, name in (("QKT", "note-divided-by-d"), ("4nC2", "popular-twice-as-long")):
        app.text_input(key="claims_words").set_value(words).run()
        assert f"Claims: **1** of {len(CLAIMS)}" in texts(app)
        assert escape_markdown(find_claim(name).statement) in texts(app)
    app.text_input(key="claims_words").set_value("zebra").run()
    assert f"Claims: **0** of {len(CLAIMS)}" in texts(app)


def test_claims_of_a_verdict_and_a_text() -> None:
    app = opened("claims", claims_status=FALSE, claims_text="slides")
    few = [one for one in CLAIMS if one.status == FALSE and one.text == "slides"]
    assert f"Claims: **{len(few)}** of {len(CLAIMS)}" in texts(app)
    assert all(escape_markdown(one.statement) in texts(app) for one in few)
    assert [heading.value for heading in app.header][-1:] == [TEXTS["slides"]]


@pytest.mark.parametrize(
    "parameters",
    [
        {"depth_compare": "remedies", "depth_c": "32"},
        {"depth_weights": "random", "depth_skip": "true"},
        {"depth_tokens": "sentence", "depth_norm": "true", "depth_log": "true"},
        {"depth_layers": "1"},
    ],
)
def test_kinds_of_depth(parameters: dict[str, str]) -> None:
    app = opened("depth", **parameters)
    assert not app.exception
    assert len(figures(app)) == 2


def test_the_error_of_the_cubic_rule_and_a_sentence_without_words() -> None:
    app = opened("depth", depth_seed=7)
    app = opened_at(app, "depth Near the end, each layer cubes the distance")
    assert "relative error of the rule" in texts(app)
    app = opened("depth", text=" ", depth_tokens="sentence")
    assert len(errors(app)) == 1
    assert figures(app) == []


def layers_until_equal(stack: Stack, width: int = 16, text: str | None = None) -> int | None:
    """After how many layers the tokens of a stack count as equal."""
    return sample_trajectories(stack, width, text).median.layers_until(0.01)


def test_one_token_is_its_own_mean() -> None:
    for weights, heads in (("weightless", 1), ("random", 4)):
        stack = Stack(weights, heads, 24, False, 1.0, False, 0)
        sample = sample_trajectories(stack, 16, "a")
        assert sample.median.layers_until(0.01) == 0
        assert np.allclose(sample.median.self_masses, 1)


def test_what_delays_the_collapse() -> None:
    remedies = stack_variants(Stack(n_layers=24))
    ends = {name: layers_until_equal(one) for name, one in remedies.items()}
    assert ends["4 random heads, skip and gain 0.25"] is None
    assert ends["skip, LayerNorm before"] is ends["with skip"] is None
    after = remedies["skip, LayerNorm after"]
    assert layers_until_equal(after, 8) is not None
    assert layers_until_equal(after, 64) is None
    assert layers_until_equal(Stack("random", 4, 24, True)) == 20


def test_examples_set_the_laboratory() -> None:
    app = opened(LAB, lab_weights="free", lab_temperature="3.0")
    for preset in DIAGONAL_PRESETS:
        app = pressed(app, preset.title)
        expected = trace_of_settings(preset.settings).probabilities[0, 0].astype("f4").ravel()
        assert np.isin(expected, numbers_of_scene(scenes(app)[0])).all()
        assert preset.hint in texts(app)
    parameters = {f"lab_{name}": value for name, value in asdict(preset.settings).items()}
    assert preset.hint in texts(opened("propositions", **parameters))


CHOICES: list[dict[str, Any]] = [
    {"tokens": "drawn", "n_tokens": 7, "d_model": 5, "seed": 3, "spread": 1.5, "layer_norm": True}
    | {"weights": "angle", "angle": 120.0, "d_k": 4},
    {"weights": "tied orthonormal", "d_k": 8, "positions": "concatenated"}
    | {"temperature": 0.5, "scaled": False, "causal": True},
    {"tokens": "numbers", "numbers": "3,3; 10,0; 11,-20"},
]


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_an_address_sets_the_laboratory(choice: dict[str, Any]) -> None:
    app = opened(LAB, **{f"lab_{name}": value for name, value in choice.items()})
    assert not app.exception
    expected = trace_of_settings(DiagonalSettings(**choice)).probabilities[0, 0]
    assert np.isin(expected.astype("f4").ravel(), numbers_of_scene(scenes(app)[0])).all()


NONSENSE = {"lab_tokens": "banana", "lab_weights": "", "lab_temperature": "nan", "lab_d_k": "9999"}


@pytest.mark.parametrize(
    ("page", "parameters"),
    [
        (LAB, NONSENSE | {"lab_cell": "x"}),
        (LAB, {"lab_tokens": "numbers", "lab_numbers": "1; banana"}),
        (LAB, {"lab_tokens": "numbers", "lab_numbers": "3", "lab_cell": "1-2-3"}),
        (LAB, {"lab_weights": "orthonormal", "lab_d_k": "64", "lab_cell": "999-999"}),
        (
            "modern-diagonal",
            NONSENSE | {"modern_norm": "99", "modern_cell": "x", "modern_decay": ""},
        ),
        ("modern-diagonal", {"lab_tokens": "numbers", "lab_numbers": "3", "modern_token": "40"}),
        (
            "modern-diagonal",
            {"lab_tokens": "numbers", "lab_numbers": "0,0; 0,0", "modern_alibi": "1/8"},
        ),
        ("propositions", NONSENSE | {"lab_tokens": "numbers", "lab_numbers": ""}),
        ("propositions", {"lab_tokens": "numbers", "lab_numbers": "3"}),
    ],
)
def test_nonsense_in_the_url(page: str, parameters: dict[str, str]) -> None:
    assert not opened(page, **parameters).exception


@pytest.mark.parametrize(
    ("settings", "n_first", "n_tied"),
    [
        ({"weights": "tied"}, 8, 0),  # a tendency: of 12
        ({"text": "the the the"}, 3, 3),
        ({"tokens": "numbers", "numbers": "1,0; 1,0; 0,1", "spread": 0.0}, 3, 2),
        ({"text": "a"}, 1, 0),
    ],
)
def test_how_many_tokens_prefer_themselves(
    settings: dict[str, Any], n_first: int, n_tied: int
) -> None:
    now = page_context(opened(LAB)).scenario
    trace = trace_of_settings(DiagonalSettings(**{"text": now.text} | settings))
    said = describe_diagonal(trace, {"self_mass": 0.5})
    assert f"**{n_first} of {trace.sizes['T']}** (ties: {n_tied})" in said


def test_the_cell_that_is_explained_first() -> None:
    held, asked = opened(LAB), opened(LAB, lab_cell="1-2", lab_weights="free")
    text = page_context(held).scenario.text
    trace = trace_of_settings(DiagonalSettings(text=text))
    shares = trace.probabilities[0, 0]
    least = int(np.diagonal(shares).argmin())
    assert shares[least].argmax() != least
    assert scenes(held)[0]["cell"]["index"][-2:] == [least, least]
    assert describe_pair(trace, (least, least)) in texts(held)
    assert scenes(asked)[0]["cell"]["index"][-2:] == [1, 2]
    broken = trace_of_settings(DiagonalSettings(text=text, weights="free"))
    assert describe_pair(broken, (1, 2)) in texts(asked)
    # The controls stand behind the picture: they are open when one was moved.
    for app, is_open in ((held, False), (asked, True)):
        (group,) = [box for box in app.expander if box.label == "Other tokens, other weights"]
        assert group.proto.expanded == is_open


def test_a_bound_that_is_met_has_nothing_to_spare() -> None:
    said = describe_pair(trace_of_settings(DiagonalSettings(text="the the the")), (0, 1))
    assert "The pair bound **holds**: $a_{ij} - \\max(a_{ii}, a_{jj})$ = 0." in said


@pytest.mark.parametrize(
    ("page", "with_words"),
    [
        (LAB, {}),
        ("propositions", {}),
        ("geometry", {"plane_of": "free"}),
        ("depth", {"depth_tokens": "sentence"}),
    ],
)
def test_a_sentence_that_is_cut_is_said_to_be(page: str, with_words: dict[str, str]) -> None:
    text = " ".join(["tea"] * 100)
    (cut,) = tokenize_at_most(text, 64).notes
    app = opened(page, text=text, **with_words)
    assert texts(app).count(escape_markdown(cut)) == 1
    if page == LAB:  # where the page does not read it, nothing is said
        app = opened(page, text=text, lab_tokens="drawn")
        assert escape_markdown(cut) not in texts(app)


def test_moving_a_token_in_the_plane() -> None:
    app = opened("geometry", plane_token="1")
    before = figures(app)
    app.run()
    assert not app.exception
    assert figures(app) == before
    app = pressed(pressed(app, "← x"), "↑ y")
    assert app.session_state["plane"].split("; ")[1] == "0,4"
    assert app.query_params["plane"] == app.session_state["plane"]
    (inside,) = [one for one in DIAGONAL_PRESETS if one.name == "inside"]
    app = pressed(app, inside.title)
    assert app.session_state["plane"] == "1,1; 4,0; 0,4; -1,-1"


def test_nonsense_in_the_plane() -> None:
    for plane in ("banana", "1,2,3", "1,2; 999,0", "1,2;" * 13, "nan,1"):
        with pytest.raises(AttentionError):
            read_points(plane)
    app = opened("geometry", plane="banana")
    assert app.session_state["plane"].startswith("2,1; 1,3")
    assert app.toast


@pytest.mark.parametrize(
    ("parameters", "n_tokens", "chosen"),
    [
        (
            {"plane_of": "tied", "text": "a b c d e f g h i j k", "plane_token": "10"},
            11,
            10,
        ),
        ({"plane_of": "free", "text": "tea", "plane_token": "3"}, 1, 0),
        ({"plane": "0,0; 2,1; 1,3", "plane_token": "9"}, 3, 2),
    ],
)
def test_the_chosen_token_is_what_is_drawn(
    parameters: dict[str, str], n_tokens: int, chosen: int
) -> None:
    app = opened("geometry", **parameters)
    sliders = [one for one in app.slider if one.label == "Chosen token"]
    assert [(one.max, one.value) for one in sliders] == [(n_tokens - 1, chosen)] * (n_tokens > 1)
    assert len(figures(app)) == 1
    assert BEATING_CONDITIONS[parameters.get("plane_of", "points")] in texts(app)


def test_a_token_at_the_origin_has_no_half_plane() -> None:
    assert BEATING_CONDITIONS[False] in texts(opened("geometry", plane="0,0;1,3;2,1"))


def test_measuring_growth() -> None:
    parameters = {"growth_error": "0.02", "growth_seed": 7}
    app = opened("growth", **parameters)
    assert "0 of 28 points" in texts(app)
    app = pressed(app, "Draw tokens and measure")
    assert "28 of 28 points" in texts(app)
    *_, point = estimates(Growth(seed=7).experiment(16, 8), error=0.02)
    measured = np.float32([point.self_mass, point.self_mass_error])
    assert np.isin(measured, numbers_of(figures(app)[0])).all()
    assert np.isin(np.float32(point.argmax_rate), numbers_of(figures(app)[1])).all()
    assert "28 of 28 points" in texts(opened("growth", **parameters))


@pytest.mark.parametrize(
    ("parameters", "divisor", "half"),
    [
        (
            {"growth_causal": "true", "growth_lines": "uniform", "growth_n": "banana"},
            r"\sqrt C",
            r"\left(\ln(N-1)+\tfrac12\right)^2",
        ),
        ({"growth_scaled": "false", "growth_kind": "tied"}, "1", r"2 \ln(N-1)"),
    ],
)
def test_the_formula_of_the_half_mass(parameters: dict[str, str], divisor: str, half: str) -> None:
    app = opened("growth", **parameters)
    assert len(figures(app)) == 2
    assert rf"$\tau = {divisor}$" in texts(app)
    assert half in app.latex[-1].value
    dotted = half_mass_width(TOKEN_COUNTS[-1], scaled=divisor != "1")
    assert f"{dotted:.1f}" in app.table[0].value.iloc[-1].astype(str).tolist()


@pytest.mark.parametrize(
    "parameters",
    [{"growth_n": "64", "growth_lines": ""}, {"growth_error": "0", "growth_seed": "-1"}],
)
def test_kinds_of_growth(parameters: dict[str, str]) -> None:
    assert len(figures(opened("growth", **parameters))) == 2


def test_every_statement_about_a_variant_has_its_card() -> None:
    app = opened("modern-diagonal")
    for one in STATEMENTS:
        assert not any(line in texts(app) for line in one.proof)
        app.session_state[f"modern-diagonal Proof of {one.number}"] = True
    said = texts(app.run())
    for one in STATEMENTS:
        assert f"**{one.number} · {one.title}**" in said
        for part in (one.statement, one.ends, *one.proof):
            assert part in said
    assert len(app.success) == len(STATEMENTS)


def test_a_strength_moves_its_own_board_alone() -> None:
    usual, strong = (
        scenes(opened("modern-diagonal", **parameters))[0]["arrays"]
        for parameters in ({}, {"modern_norm": "16"})
    )
    moved = {name for name in usual if usual[name] != strong[name]}
    assert moved == {"norm", "norm scores"}
    told = "| 12 of 12 | 0.998 | 0 |"
    assert told in texts(opened("modern-diagonal", modern_norm="16"))


def test_every_proposition_has_its_card() -> None:
    app = opened("propositions")
    for one in PROPOSITIONS:
        assert not any(line in texts(app) for line in one.proof)
        app.session_state[f"propositions {PROOFS[one.status]} of {one.number}"] = True
    said = texts(app.run())
    for one in PROPOSITIONS:
        assert f"**{one.number} · {one.title}**" in said
        for part in (one.statement, one.failing_step, *one.proof):
            assert part in said
        assert app.button(key=f"propositions Search for a counterexample of {one.number}")


@pytest.mark.parametrize("numbers", ["3; 2; 1", "3", "1,0; 0,1", "0,0; 1,1; -2,5"])
def test_every_verdict_is_that_of_the_engine(numbers: str) -> None:
    trace = trace_of_settings(replace(PAIR, numbers=numbers))
    checks = check_propositions(trace)
    for one in PROPOSITIONS:
        check = checks[one.number]
        verdict = ("holds" if check.holds else "is violated") if check.applies else "does not apply"
        said = describe_check(one, check, trace)
        assert said.startswith(verdict)
        assert "“" not in said  # the token 2 stands in place 1: quoted, a place would be a token


def test_names_of_words_are_quoted_and_places_are_not() -> None:
    trace = trace_of_settings(PAIR)
    assert "i = 2, j = 1" in describe_pair(trace, (2, 1))
    assert "i = j = 2" in describe_pair(trace, (2, 2))


def test_searching_a_counterexample() -> None:
    app = opened("propositions")
    before, held = scenes(app), (len(app.success), len(app.warning))
    app = pressed(app, "Search for a counterexample of S7")
    assert (len(app.success), len(app.warning), scenes(app)) == (held[0] + 1, held[1], before)
    app = pressed(app, "Search for a counterexample of S4")
    assert (len(app.success), len(app.warning)) == (held[0], held[1] + 1)
    app = pressed(app, "Load the tokens that violate S4")
    assert app.session_state["lab_tokens"] == "numbers"
    assert "S4" in re.search(r"violate: \*\*(.*?)\*\*", texts(app)).group(1)
