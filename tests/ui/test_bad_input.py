"""Bad input gives a clear sentence in the page, keeps what the user had, and leaves no
traceback in the log.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

import attention_ui.frame
from attention_core import SettingsError, TextError
from attention_lab.control_list import WayOut, ways_out
from attention_lab.page_list import page_of
from attention_lab.scenario import Scenario, trace_of
from attention_viz.markdown import JOINER, escape_markdown
from attention_viz.story.notes import sentence_notes
from tests.ui.app import (
    EVERY_PAGE,
    error,
    errors,
    gone_to,
    named_in,
    opened,
    page_context,
    pressed,
    resting,
    scenes,
    title,
)

# Pages that show something without any word of the sentence.
WORDLESS = {
    "growth",
    "geometry",
    "depth",
    "training",
    "stiefel",
    "convolution",
    "glossary",
    "questions",
    "sources",
    "class",
    "two-layers",
}


OF_THE_LANGUAGE_MODEL = {"writing", "why-this-word", "cache"}  # the start alone is a text


@pytest.mark.parametrize("text", ["", "   ", "\u200b\u202e"])
def test_an_empty_sentence(text: str) -> None:
    app = opened("scores", n_heads=2, text="first words")
    app.text_input(key="text").set_value(text).run()
    assert isinstance(error(app), TextError)
    assert resting(app)
    app.text_input(key="text").set_value("back again").run()
    assert not app.error
    assert page_context(app).scenario == Scenario(text="back again", n_heads=2)


def test_an_empty_sentence_is_refused_on_every_page_that_shows_words() -> None:
    app = opened("scores", text="", n_heads=2, th_model="MiniLM")
    for page in EVERY_PAGE:
        if page not in WORDLESS | OF_THE_LANGUAGE_MODEL:
            app = gone_to(app, page)
            assert isinstance(error(app), TextError), page


def test_a_layer_that_a_page_does_not_show() -> None:
    app = opened("glossary", n_heads=5, d_model=64, text="")
    for page in sorted(WORDLESS):
        app = gone_to(app, page)
        assert not errors(app)
        assert not app.warning
        assert title(app) == page_of(page).title


@pytest.mark.parametrize(("text", "n_notes"), [("the cat", 0), ("القط رأى الصندوق", 1)])
def test_the_order_of_a_sentence_from_right_to_left(text: str, n_notes: int) -> None:
    (*said,) = sentence_notes(page_context(opened("scores", text=text)).scenario)
    assert len(said) == n_notes
    captions = [caption.value for caption in opened("what-changes", text=text).caption]
    assert [captions.count(escape_markdown(note)) for note in said] == [1] * n_notes


UNEVEN = Scenario(d_model=64, n_heads=5)


def test_the_remedies_of_uneven_heads() -> None:
    assert {one.label: one.changes for one in ways_out(UNEVEN)} == {
        "Heads: 4": {"n_heads": 4},
        "Heads: 8": {"n_heads": 8},
        "Embedding size: 60": {"d_model": 60},
        "Embedding size: 65": {"d_model": 65},
        "Heads: 5, each 13 wide": {"d_k": 13, "d_v": 13},
    }


@pytest.mark.parametrize("way", ways_out(UNEVEN), ids=lambda way: way.label)
def test_a_remedy_brings_the_page_back(way: WayOut) -> None:
    app = opened("output", d_model=64, n_heads=5)
    (warning,) = app.warning
    assert "5 heads cannot share 64 features evenly" in warning.value
    assert not scenes(app)
    assert [one.label for one in app.main.button] == [one.label for one in ways_out(UNEVEN)]
    pressed(app, way.label)
    assert not app.warning
    assert page_context(app).scenario == replace(UNEVEN, **way.changes)
    assert scenes(app)


@pytest.mark.parametrize(
    ("d_model", "n_heads", "weights"),
    [(1, 16, "random"), (13, 16, "tied"), (2, 3, "orthonormal"), (509, 16, "weightless")],
)
def test_every_remedy_works_at_every_size(d_model: int, n_heads: int, weights: str) -> None:
    uneven = Scenario(d_model=d_model, n_heads=n_heads, weights=weights)
    assert ways_out(uneven)
    for way in ways_out(uneven):
        assert trace_of(replace(uneven, **way.changes)), way.label


def test_an_impossible_layer_is_explained() -> None:
    app = opened("softmax", weights="orthonormal", d_v=128)
    assert {"128", "16"} <= named_in(str(error(app)))
    assert app.error[0].value == escape_markdown(str(error(app)))
    assert not scenes(app)
    assert title(app) == page_of("softmax").title


def test_an_error_of_the_engine_is_shown_and_not_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(scenario: Scenario, sequence: int) -> None:
        raise SettingsError("<b>no</b> **way** [x](http://x) $1$ :red[x]")

    monkeypatch.setattr(attention_ui.frame, "sequence_of", refuse)
    app = opened()
    (box,) = app.error
    assert box.value == escape_markdown("<b>no</b> **way** [x](http://x) $1$ :red[x]")
    assert not app.exception


def test_any_other_error_is_logged(monkeypatch: pytest.MonkeyPatch, logged: list[str]) -> None:
    def fail(scenario: Scenario, sequence: int) -> None:
        raise RuntimeError("a bug of ours")

    monkeypatch.setattr(attention_ui.frame, "sequence_of", fail)
    app = opened()
    assert len(app.exception) == 1
    assert not app.error
    assert any("a bug of ours" in message for message in logged)
    logged.clear()


def test_user_text_in_markdown_is_escaped() -> None:
    signs = "\\`*_{}[]()<>#+-.!|$~:&"
    assert escape_markdown(signs) == "".join("\\" + sign for sign in signs)
    assert escape_markdown("a\nb\rc é 😀") == "a b c é 😀"
    assert (
        escape_markdown("*שלום*") == "\u2068\\*שלום\\*\u2069"
    )  # apart, so that the words around it keep their order
    assert escape_markdown("a\u202eb\u2069c") == "abc"  # marks that would turn all that follows


def test_what_the_browser_seeks_after_the_escapes_is_broken_up() -> None:
    web, icons = ("www.a.b", "http://a.b", "a@b.c"), (":material/home:", ":streamlit:")
    for sought in (*web, *icons, "--", "->", "<->", ">=", "~="):
        shown = escape_markdown(f"a {sought} b").replace("\\", "")
        assert sought not in shown
        assert shown.replace(JOINER, "") == f"a {sought} b"
