"""Values in a URL that no control has: the default is shown, with a notice."""

from __future__ import annotations

import pytest

from attention_lab.choices import FIELD_BOUNDS
from attention_lab.scenario import Scenario
from attention_ui.markdown import escape_markdown
from tests.ui.app import (
    errors,
    facts,
    opened,
    page_context,
    refused,
)


@pytest.mark.parametrize(
    ("page", "name", "label", "shown"),
    [
        ("scores", "d_model", "Embedding size", 16),
        ("scores", "seed", "Seed", 0),
        ("training", "train_steps", "Steps (0: set by the task)", 0),
        ("growth", "growth_seed", "Seed", 0),
        ("invariances", "inv_shuffle", "Shuffle number", 0),
    ],
)
@pytest.mark.parametrize("endless", ["1e400", "-inf", "Infinity"])
def test_infinity_for_a_whole_number(
    page: str, name: str, label: str, shown: int, endless: str
) -> None:
    app = opened(page, **{name: endless})
    assert not errors(app)
    assert name not in app.query_params
    assert refused(app) == [(label, endless, shown)]


def test_every_refused_value_has_a_notice() -> None:
    app = opened("scores", layer="-1", seed="inf", d_model="1e400", head="NaN", query="999")
    assert not errors(app)
    asked = [one for _, one, _ in refused(app)]
    assert sorted(asked) == sorted(["-1", "inf", "1e400", "NaN", "999"])
    assert len(app.toast) == 5


@pytest.mark.parametrize(
    ("name", "junk"),
    [
        ("n_heads", "banana"),
        ("n_heads", "17"),
        ("n_heads", "0"),
        ("n_heads", "nan"),
        ("d_model", "513"),
        ("d_model", "-5"),
        ("d_model", "1e9"),
        ("n_tokens", "65"),
        ("n_tokens", "<script>alert(1)</script>"),
        ("seed", str(2**64)),
        ("seed", str(FIELD_BOUNDS["seed"][1] + 1)),
        ("seed", "-1"),
        ("scale", "inf"),
        ("scale", "101"),
        ("window", "3.7x"),
        ("mask", "'; DROP TABLE"),
        ("weights", ""),
        ("layer", "6"),
        ("embedding", "glove"),
        ("residual", "perhaps"),
        ("d_k", "129"),
        ("piece", "-1"),
    ],
)
def test_nonsense_in_the_url_gives_the_default(name: str, junk: str) -> None:
    app = opened("scores", **{name: junk})
    assert not errors(app)
    assert page_context(app).scenario == Scenario()
    assert [asked for _, asked, _ in refused(app)] == [junk[:40]]
    assert "<script>" not in app.toast[0].value


@pytest.mark.parametrize(
    ("page", "name", "junk", "label", "shown"),
    [
        ("geometry", "plane_of", "banana", "What is drawn", "points"),
        ("geometry", "plane_token", "99", "Chosen token", 5),
        ("all-heads", "heads_stage", "<script>", "What is shown", "probabilities"),
        ("growth", "growth_causal", "perhaps", "Causal mask", "off"),
        ("growth", "growth_n", "5", "Tokens N", "4, 16, 64, 256"),
        ("head-portraits", "portrait", "", "Look closer at", "entropy"),
        ("practice", "pr_step", "99", "Step", "any"),
        ("mask-workshop", "mw_window", "99", "Window", "2"),
        ("scores", "own_scale", "2", "Each head its own colours", "off"),
        ("glossary", "notation", "martian", "Notation", "ours"),
        ("scores", "head", "100000", "Head", 3),
        ("scores", "head", "9" * 5000, "Head", 3),
    ],
)
def test_nonsense_for_a_choice_of_one_page(
    page: str, name: str, junk: str, label: str, shown: object
) -> None:
    app = opened(page, **{name: junk})
    assert not errors(app)
    assert refused(app) == [(label, junk[:40], shown)]
    assert escape_markdown(junk[:40]) in app.toast[0].value
    app.run()
    assert not app.toast


@pytest.mark.parametrize(
    ("asked", "quoted"),
    [("\u202e", "\\u202e"), ("4\x00", "4\\x00"), ("4\r5", "4\\r5"), ("👩\u200d🚀", "👩\\u200d🚀")],
)
def test_invisible_characters_are_named_by_their_code(asked: str, quoted: str) -> None:
    app = opened("scores", n_heads=asked)
    assert refused(app) == [("Heads", quoted, "4")]
    assert escape_markdown(quoted) in app.toast[0].value


@pytest.mark.parametrize(
    ("page", "name", "asked", "label", "most"),
    [
        ("change-a-word", "cw_new", "a" * 60, "by", 40),
        ("change-a-word", "cw_old", "tired " * 10, "Replace the word", 40),
        ("lexicon", "lex_text", "the cat " * 30, "A sentence of the lexicon’s words", 200),
        ("self-attention-mass", "lab_numbers", "3,3; " * 500, "Tokens, such as 3,3; 10,0", 2000),
    ],
)
def test_a_text_that_a_field_cuts_off(
    page: str, name: str, asked: str, label: str, most: int
) -> None:
    app = opened(page, lab_tokens="numbers", **{name: asked})
    assert (label, asked[:40], asked[:most]) in refused(app)
    assert any(f"{most:,}" in toast.value for toast in app.toast)


def test_an_own_word_that_stands_there_twice() -> None:
    app = opened("lexicon", lex_words="horse:neut.sg.anim.NOUN;horse:masc.sg.anim.NOUN")
    assert app.session_state["lex_words"] == ""
    ((_, asked, shown),) = refused(app)
    assert (asked.startswith("horse"), shown) == (True, "")


@pytest.mark.parametrize(
    ("page", "name", "label"),
    [
        ("layers", "layer", "Trained layer"),
        ("training", "layer", "Trained layer"),
        ("depth", "seed", "Seed"),
    ],
)
def test_a_control_of_other_pages_is_not_said_to_be_shown(page: str, name: str, label: str) -> None:
    app = opened(page, **{name: "-9"})
    (refusal,) = facts(app)["refused"]
    assert (refusal.label, refusal.asked, refusal.shown) == (label, "-9", "0")
    assert refusal.elsewhere is True
