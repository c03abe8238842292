"""The diagonal section: its laboratory, its statements, its Monte Carlo, its plane, its stacks
and its claims.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.diagonal.claims.catalogue import CLAIMS, FALSE, TEXTS, claim
from attention_lab.diagonal.growth import estimates
from attention_lab.diagonal.growth_table import Growth
from attention_lab.diagonal.presets import DIAGONAL_PRESETS
from attention_lab.diagonal.propositions import PROPOSITIONS
from attention_lab.diagonal.scenes import DiagonalScene, trace_of_scene
from attention_ui.markdown import plain
from attention_ui.registry import PAGES
from tests.ui.app import figures, numbers_of, numbers_of_scene, opened, scenes, texts

DIAGONAL = [page.url_path for page in PAGES if page.section == "diagonal"]
LAB = "self-attention-mass"


def clicked(app: AppTest, key: str) -> AppTest:
    """The app after a button was clicked."""
    return app.button(key=key).click().run()


def drawn(app: AppTest) -> np.ndarray:
    """The numbers of the first board."""
    return numbers_of_scene(scenes(app)[0])


def test_the_pages_of_the_section() -> None:
    """The section has its six pages, in their order."""
    assert DIAGONAL == [LAB, "truths", "growth", "geometry", "depth", "claims"]


@pytest.mark.parametrize("preset", DIAGONAL_PRESETS, ids=lambda preset: preset.name)
def test_examples_set_the_laboratory(preset: Any) -> None:
    """A click on an example shows its probabilities, and says what there is to see."""
    app = clicked(
        opened(LAB, lab_weights="free", lab_temperature="3.0"), f"lab example {preset.name}"
    )
    expected = trace_of_scene(preset.scene).probabilities[0, 0].astype("f4").ravel()
    assert np.isin(expected, drawn(app)).all()
    assert preset.says in texts(app)
    address = {f"lab_{name}": value for name, value in asdict(preset.scene).items()}
    assert preset.says in texts(opened("truths", **address))


CHOICES: list[dict[str, Any]] = [
    {"tokens": "drawn", "n_tokens": 7, "d_model": 5, "seed": 3},
    {"weights": "angle", "angle": 120.0, "d_k": 4},
    {"weights": "tied orthonormal", "d_k": 8},
    {"spread": 1.5, "layer_norm": True},
    {"positions": "concatenated"},
    {"temperature": 0.5, "scaled": False, "causal": True},
    {"tokens": "numbers", "numbers": "3,3; 10,0; 11,-20"},
]


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_an_address_sets_the_laboratory(choice: dict[str, Any]) -> None:
    """What stands in the address is what is computed, and the bars are the margins of the same
    matrix.
    """
    app = opened(LAB, **{f"lab_{name}": value for name, value in choice.items()})
    assert not app.exception
    expected = trace_of_scene(DiagonalScene(**choice)).probabilities[0, 0].astype("f4").ravel()
    assert np.isin(expected, drawn(app)).all()


@pytest.mark.parametrize(
    "address",
    [
        {
            "lab_tokens": "banana",
            "lab_weights": "",
            "lab_temperature": "nan",
            "lab_d_k": "9999",
            "lab_cell": "x",
        },
        {"lab_tokens": "numbers", "lab_numbers": "1; banana"},
        {"lab_tokens": "numbers", "lab_numbers": ""},
        {"lab_cell": "999-999"},
        {"lab_cell": "1-2-3"},
        {"lab_weights": "orthonormal", "lab_d_k": "64"},
    ],
)
@pytest.mark.parametrize("page", [LAB, "truths"])
def test_nonsense_in_the_address(page: str, address: dict[str, str]) -> None:
    """A hand-made address gives defaults or one sentence, never a traceback."""
    assert not opened(page, **address).exception


def test_every_statement_has_its_card() -> None:
    """Each statement is shown with its status, its formula, a live verdict, a search, and its
    proof when opened.
    """
    app = opened("truths")
    for statement in PROPOSITIONS:
        assert not any(line in texts(app) for line in statement.proof)
        app.session_state[f"proof {statement.number}"] = True
    said = texts(app.run())
    for statement in PROPOSITIONS:
        assert f"**{statement.number} · {statement.title}**" in said
        assert statement.says in said
        assert all(line in said for line in statement.proof)
        assert statement.fails in said
        assert app.button(key=f"search {statement.number}")
    assert said.count("**On these tokens:**") == len(PROPOSITIONS)


@pytest.mark.parametrize(
    ("number", "found"), [("S4", True), ("S5", True), ("S7", False), ("S11", False)]
)
def test_searching_a_counterexample(number: str, found: bool) -> None:
    """A false statement's counterexample is loaded, and violates it; for a theorem there is
    none, and nothing moves.
    """
    app = opened("truths")
    before = scenes(app)
    app = clicked(app, f"search {number}")
    assert not app.exception
    if found:
        assert app.session_state["lab_tokens"] == "numbers"
        assert "Found and loaded" in app.success[0].value
        assert ":red-badge[violated]" in texts(app)
    else:
        assert "none violates it" in app.info[0].value
        assert scenes(app) == before


def test_measuring_growth() -> None:
    """The button measures every point with the precision asked for; the numbers are the
    engine's, and they stay.
    """
    app = opened("growth", growth_error="0.02", growth_seed=7)
    assert "0 of 28" in texts(app)
    app.button[
        [button.label for button in app.button].index("Draw tokens and measure")
    ].click().run()
    assert not app.exception
    assert "28 of 28" in texts(app)
    *_, point = estimates(Growth(seed=7).experiment(16, 8), error=0.02)
    assert np.isin(
        np.float32([point.self_mass, point.self_mass_error]), numbers_of(figures(app)[0])
    ).all()
    assert np.isin(np.float32(point.argmax_rate), numbers_of(figures(app)[1])).all()
    assert "28 of 28" in texts(opened("growth", growth_error="0.02", growth_seed=7))


@pytest.mark.parametrize(
    "address",
    [
        {"growth_kind": "tied"},
        {"growth_scaled": "false"},
        {"growth_causal": "true", "growth_lines": "uniform"},
        {"growth_n": "banana"},
        {"growth_n": "64"},
        {"growth_error": "0", "growth_seed": "-1"},
        {"growth_lines": ""},
    ],
)
def test_kinds_of_growth(address: dict[str, str]) -> None:
    """Every choice of the growth page, sensible or not, draws two pictures."""
    app = opened("growth", **address)
    assert not app.exception
    assert len(figures(app)) == 2


def test_moving_a_token_in_the_plane() -> None:
    """A slider moves the chosen token, in the picture and in the address; the examples set all
    points.
    """
    app = opened("geometry", plane_token="1")
    app.slider(key="plane_x").set_value(-3.0).run()
    assert app.session_state["plane"].split("; ")[1] == "-3,3"
    assert app.query_params["plane"] == app.session_state["plane"]
    app = clicked(app, "plane inside")
    assert app.session_state["plane"] == "1,1; 4,0; 0,4; -1,-1"


def test_the_table_of_points() -> None:
    """The table of the plane's points opens, and opening it moves nothing."""
    app = opened("geometry")
    app.session_state["plane points"] = True
    before = figures(app)
    app.run()
    assert not app.exception
    assert figures(app) == before


@pytest.mark.parametrize("plane", ["banana", "1,2,3", "1,2; 999,0", "1,2;" * 13, "nan,1"])
def test_nonsense_in_the_plane(plane: str) -> None:
    """Points that are none, too many, too far or of too many features leave those that are
    shown.
    """
    app = opened("geometry", plane=plane)
    assert not app.exception
    assert app.session_state["plane"].startswith("2,1; 1,3")
    assert app.toast


@pytest.mark.parametrize("kind", ["tied", "free"])
def test_the_plane_of_a_head(kind: str) -> None:
    """The words of the sentence go through a head with d_k = 2, and the caption says with which
    weights.
    """
    app = opened("geometry", plane_of=kind, plane_token="11")
    assert not app.exception
    assert len(figures(app)) == 1
    assert {"tied": "weights of its queries", "free": "weights are unrelated"}[kind] in texts(app)


@pytest.mark.parametrize(
    ("address", "n_tokens", "chosen"),
    [
        (
            {
                "plane_of": "tied",
                "text": "a b c d e f g h i j k l m n o p q r s t",
                "plane_token": "19",
            },
            20,
            19,
        ),
        ({"plane_of": "free", "text": "tea", "plane_token": "3"}, 1, 0),
        ({"plane": "2,1; 1,3; 0,1", "plane_token": "9"}, 3, 2),
    ],
)
def test_the_chosen_token_is_what_is_drawn(
    address: dict[str, str], n_tokens: int, chosen: int
) -> None:
    """The slider has a place for every token and no other, and it stands at the token whose row
    is explained.
    """
    app = opened("geometry", **address)
    slider = app.select_slider(key="plane_token")
    assert slider.options == [str(place) for place in range(n_tokens)]
    assert slider.value == chosen
    assert f"**Token “{chosen}" in texts(app)
    assert app.query_params.get("plane_token") == (str(chosen) if chosen else None)


@pytest.mark.parametrize(
    "address",
    [
        {"depth_compare": "remedies", "depth_c": "32"},
        {"depth_weights": "random", "depth_skip": "true"},
        {"depth_tokens": "sentence", "depth_norm": "true", "depth_log": "true"},
        {"depth_layers": "1"},
    ],
)
def test_kinds_of_depth(address: dict[str, str]) -> None:
    """Every choice of the depth page draws distances and self-masses of the seed, and can tell
    of the cubic rule.
    """
    app = opened("depth", **address)
    app.session_state["depth cubic"] = True
    app.run()
    assert not app.exception
    assert len(figures(app)) == 2
    assert (
        "depth_tokens" in address
        or figures(opened("depth", depth_seed=7, **address))[0] != figures(app)[0]
    )
    assert len(app.dataframe) == 1


@pytest.mark.parametrize("text", ["", " "])
def test_a_sentence_without_words_has_no_depth(text: str) -> None:
    """Where the sentence holds no word, the depth page says so and draws no other tokens in its
    place.
    """
    (error,) = opened("depth", text=text, depth_tokens="sentence").error
    assert "holds no word" in error.value


READ: list[tuple[str, dict[str, str], dict[str, str]]] = [
    (LAB, {}, {"lab_tokens": "drawn"}),
    ("truths", {}, {"lab_tokens": "numbers"}),
    ("geometry", {"plane_of": "free"}, {}),
    ("depth", {"depth_tokens": "sentence"}, {}),
]


@pytest.mark.parametrize(("page", "with_words", "without"), READ, ids=[page for page, *_ in READ])
def test_a_sentence_that_is_cut_is_said_to_be(
    page: str, with_words: dict[str, str], without: dict[str, str]
) -> None:
    """Where a page of the section reads the sentence, it says once that 64 tokens are used;
    elsewhere it does not.
    """
    text, cut = (
        " ".join(["tea"] * 100),
        plain("The sentence has 100 tokens; the first 64 are used."),
    )
    assert texts(opened(page, text=text, **with_words)).count(cut) == 1
    assert cut not in texts(opened(page, text=text, **without))
    assert "are used" not in texts(opened(page, **with_words))


def test_all_claims_are_shown() -> None:
    """Without a filter every claim is there with its correction and its live numbers; filters
    take the others away.
    """
    said = texts(opened("claims"))
    for one in CLAIMS:
        assert plain(one.said) in said
        assert plain(one.truth) in said
    assert said.count("**Checked here:**") == len(CLAIMS)
    filtered = opened("claims", claims_status=FALSE, claims_text="slides")
    few = texts(filtered)
    assert [heading.value for heading in filtered.subheader][-1:] == [TEXTS["slides"]]
    assert few.count("**Checked here:**") == sum(
        c.status == FALSE and c.text == "slides" for c in CLAIMS
    )
    assert "No claim fits" in texts(opened("claims", claims_words="zebra"))


@pytest.mark.parametrize(
    ("words", "name"), [("QKT", "note-divided-by-d"), ("N2", "popular-twice-as-long")]
)
def test_raised_signs_of_claims_are_found_as_plain_ones(words: str, name: str) -> None:
    """Who types QKT finds QKᵀ, and n2 finds n²: the claims are searched as the concepts and the
    glossary are.
    """
    said = texts(opened("claims", claims_words=words))
    assert said.count("**Checked here:**") == 1
    assert plain(claim(name).said) in said
