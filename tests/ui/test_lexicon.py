"""The lexicon: where each head looks, words of one's own, and what its verb finds."""

from __future__ import annotations

import pytest

from attention_lab.labs.lexicon import LEXICON_SENTENCES, START_TOKEN, compose_sentence
from attention_lab.labs.lexicon_heads import LEXICON_HEADS, run_lexicon
from tests.ui.app import errors, facts, opened
from tests.ui.laboratories import opened_at, press


def test_lexicon_follows_they() -> None:
    words, share = facts(opened("lexicon"))["number_looks_at"]
    trace = run_lexicon(compose_sentence(LEXICON_SENTENCES[0]))
    assert words == ["sons"]
    assert share == trace.probabilities[0, 1, trace.labels("T").index("they"), 5]
    assert share == pytest.approx(0.93, abs=0.01)


@pytest.mark.parametrize(
    ("url", "words", "share"),
    [
        ({"lex_text": LEXICON_SENTENCES[2]}, ["dogs", "book"], 0.482),
        ({"lex_text": "saw saw saw saw", "lex_start": "false"}, ["saw"] * 4, 0.25),
    ],
)
def test_words_that_a_head_finds_alike(url: dict[str, str], words: list[str], share: float) -> None:
    found, most = facts(opened("lexicon", **url))["gender_looks_at"]
    assert found == words
    assert most == pytest.approx(share, abs=5e-4)


def test_what_a_verb_looks_at() -> None:
    trace = run_lexicon(compose_sentence("the boy that lost it saw her"))
    assert trace.labels("T")[0] == START_TOKEN
    assert LEXICON_HEADS[3].name == "verb to subject"
    assert trace.labels("S")[int(trace.probabilities[0, 3, 6].argmax())] == "her"


def test_a_word_that_is_not_in_the_lexicon() -> None:
    (said,) = errors(opened("lexicon", lex_text="The <b>horse</b> saw her"))
    assert "'<'" in said


def test_an_own_word() -> None:
    app = opened("lexicon", lex_words="mare:fem.sg.anim.NOUN", lex_text="The mare called her")
    assert errors(app) == []
    assert facts(app)["gender_looks_at"][0] == ["mare"]
    app = opened_at(app, "lex list")
    app.text_input(key="lex new word").set_value("<i>")
    app.pills(key="lex new features").set_value(["NOUN"])
    app = press(app, "Add the word")
    assert len(errors(app)) == 1
    assert app.session_state["lex_words"] == "mare:fem.sg.anim.NOUN"


def test_buttons_of_the_lexicon() -> None:
    app = opened("lexicon", lex_words="mare:fem.sg.anim.NOUN")
    app.button(key="lex example 1").click().run()
    assert app.session_state["lex_text"] == LEXICON_SENTENCES[1]
    app.session_state["lex list"] = True
    app.run().button(key="lex drop").click().run()
    assert app.session_state["lex_words"] == ""
    assert "lex_words" not in app.query_params
