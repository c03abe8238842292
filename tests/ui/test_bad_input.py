"""Bad input gives a clear sentence in the page, keeps what the user had, and leaves no traceback in the log."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

import attention_ui.frame
from attention_core import SettingsError
from attention_core.scenario import Scenario
from attention_ui.controls import MAX_SEED, MAX_TEXT
from attention_ui.markdown import plain
from attention_ui.registry import PAGES, page_of
from tests.ui.app import EVERY_PAGE, ROOT, here, opened, scenes, texts, title


def errors(app: AppTest) -> list[str]:
    """The sentences of the error boxes, without the escapes."""
    assert not app.exception
    return [error.value.replace("\\", "") for error in app.error]


# Pages that show something without any word of the sentence.
WORDLESS = {
    "growth", "geometry", "depth", "claims", "training", "stiefel", "convolution", "lexicon", "glossary", "concepts",
    "about",
}  # fmt: skip


@pytest.mark.parametrize(
    ("page", "text"),
    [*((page, "") for page in EVERY_PAGE if page not in WORDLESS), ("scores", "   "), ("scores", "\u200b\u202e")],
)
def test_an_empty_sentence(page: str, text: str) -> None:
    """Without a word the page says what to do; the heading and the controls stay, and a new sentence works at once."""
    app = opened(page, n_heads=2, text="first words")
    app.text_area(key="text").set_value(text).run()
    assert errors(app) == ["The text holds no word, so there is nothing to attend to: type at least one"]
    assert title(app) == page_of(page).title
    app.text_area(key="text").set_value("back again").run()
    assert not app.error
    assert here(app).scenario == Scenario(text="back again", n_heads=2)


@pytest.mark.parametrize("page", sorted(WORDLESS))
def test_a_layer_that_a_page_does_not_show(page: str) -> None:
    """A page that shows nothing of the user's layer is there although no layer can be made."""
    app = opened(page, n_heads=5, d_model=64, text="")
    assert not errors(app)
    assert not app.warning
    assert title(app) == page_of(page).title


def test_ten_thousand_words() -> None:
    """A far too long text is cut to what the field holds, and the page says how many tokens are used."""
    app = opened("scores", n_tokens=64)
    app.text_area(key="text").set_value("word " * 10_000).run()
    assert not errors(app)
    assert len(here(app).scenario.text) == MAX_TEXT
    assert here(app).trace.sizes["T"] == 64
    assert "the first 64 are used" in texts(app)
    assert "holds 1,000 characters; what went beyond is left out" in texts(app)


def test_a_long_sentence_at_its_own_length() -> None:
    """A sentence as long as the field allows gives at most as many tokens as the app can show."""
    app = opened("scores", text="a " * (MAX_TEXT // 2))
    assert not errors(app)
    assert here(app).trace.sizes["T"] <= 64


@pytest.mark.parametrize(("page", "name", "shown"), [
    ("scores", "d_model", "16"), ("scores", "seed", "0"), ("training", "train_steps", "0"),
    ("growth", "growth_seed", "0"), ("invariances", "inv_shuffle", "0"),
])  # fmt: skip
@pytest.mark.parametrize("endless", ["1e400", "-inf", "Infinity"])
def test_infinity_for_a_whole_number(page: str, name: str, shown: str, endless: str) -> None:
    """An address that asks a field of whole numbers for infinity gets its default, and a sentence that says so."""
    app = opened(page, **{name: endless})
    assert not errors(app)
    assert name not in app.query_params
    (toast,) = (toast.value.replace("\\", "") for toast in app.toast)
    assert toast.endswith(f"“{endless}”; {shown} is shown.")


def test_every_wish_that_is_refused_is_said() -> None:
    """Infinity ends a run half-way; what was refused before it in the same address is said all the same."""
    app = opened("scores", layer="-1", seed="inf", d_model="1e400", head="NaN", query="999")
    assert not errors(app)
    said = " ".join(toast.value.replace("\\", "") for toast in app.toast)
    assert all(f"“{asked}”" in said for asked in ("-1", "inf", "1e400", "NaN", "999"))
    assert len(app.toast) == 5


def test_every_bound_field_of_whole_numbers_is_guarded() -> None:
    """Only a field for a fraction, which Streamlit guards itself, or one that is not bound, is drawn directly."""
    files = [*(ROOT / "attention_ui").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    drawn = {file.name: file.read_text("utf-8").count(".number_input(") for file in files}
    found = {name: count for name, count in drawn.items() if count}
    assert found == {"whole_numbers.py": 1, "head_place.py": 1, "controls.py": 1}


REMEDIES = {
    "4 heads": {"n_heads": 4},
    "8 heads": {"n_heads": 8},
    "Embedding size 60": {"d_model": 60},
    "Embedding size 65": {"d_model": 65},
    "Keep 5 heads, each 13 wide": {"d_k": 13, "d_v": 13},
}


@pytest.mark.parametrize("page", ["overview", "scores", "output"])
@pytest.mark.parametrize("label", REMEDIES)
def test_a_remedy_brings_the_page_back(label: str, page: str) -> None:
    """Five heads cannot share 64 evenly: the page says so, and each button offered makes it whole with one click."""
    app = opened(page, d_model=64, n_heads=5)
    assert "5 heads cannot share 64 columns evenly" in app.warning[0].value
    assert not scenes(app)
    buttons = {button.label: button for button in app.button}
    assert set(REMEDIES) == set(buttons)
    buttons[label].click().run()
    assert not app.warning
    assert not errors(app)
    assert here(app).scenario == Scenario(**({"d_model": 64, "n_heads": 5} | REMEDIES[label]))
    assert scenes(app)


@pytest.mark.parametrize(
    ("d_model", "n_heads", "weights"),
    [
        (1, 16, "random"),
        (7, 5, "random"),
        (13, 16, "tied"),
        (512, 15, "random"),
        (2, 3, "orthonormal"),
        (13, 16, "orthonormal"),
        (509, 16, "weightless"),
        (7, 5, "weightless"),
        (1, 2, "weightless"),
    ],
)
def test_every_remedy_works_at_every_size(d_model: int, n_heads: int, weights: str) -> None:
    """Whatever the sizes and weights, there is a way out and each leads to a page without an error."""
    labels = [button.label for button in opened(d_model=d_model, n_heads=n_heads, weights=weights).button]
    assert labels
    for label in labels:
        app = opened(d_model=d_model, n_heads=n_heads, weights=weights)
        next(button for button in app.button if button.label == label).click().run()
        assert not app.warning, label
        assert not errors(app), label


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
        ("seed", str(MAX_SEED + 1)),
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
def test_nonsense_in_the_address_gives_the_default(name: str, junk: str) -> None:
    """A hand-made address with a value that no control offers shows the default, and a notice says so."""
    app = opened("scores", **{name: junk})
    assert not errors(app)
    assert here(app).scenario == Scenario()
    assert len(app.toast) == 1
    assert "<script>" not in app.toast[0].value


def test_parameters_that_nobody_knows_do_nothing() -> None:
    """Foreign names in the address are left alone."""
    app = opened("scores", utm_source="x", __proto__="1", here="2", preset="3")
    assert here(app).scenario == Scenario()
    assert not app.toast


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ({"weights": "orthonormal", "d_k": 17}, "17 orthonormal columns do not fit into 16 dimensions"),
        ({"weights": "orthonormal", "d_v": 128}, "128 orthonormal columns do not fit into 16 dimensions"),
    ],
)
@pytest.mark.parametrize("page", ["overview", "softmax"])
def test_an_impossible_layer_is_explained(address: dict[str, object], words: str, page: str) -> None:
    """What the engine refuses is shown as its own sentence in the place of the page."""
    app = opened(page, **address)
    assert len(errors(app)) == 1
    assert errors(app)[0].startswith(words)
    assert not scenes(app)
    assert title(app) == page_of(page).title


def test_an_error_of_the_engine_is_shown_and_not_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence of an AttentionError appears letter by letter, whatever is in it; nothing reaches the log."""

    def refuse(scenario: Scenario) -> None:
        raise SettingsError("<b>no</b> **way** [x](http://x) $1$ :red[x]")

    monkeypatch.setattr(attention_ui.frame, "trace_of", refuse)
    app = opened()
    assert [error.value for error in app.error] == [plain("<b>no</b> **way** [x](http://x) $1$ :red[x]")]
    assert not app.exception


def test_any_other_error_is_logged(monkeypatch: pytest.MonkeyPatch, logged: list[str]) -> None:
    """A bug is not swallowed: it is in the log with its message, and the visitor sees that something is wrong."""

    def fail(scenario: Scenario) -> None:
        raise RuntimeError("a bug of ours")

    monkeypatch.setattr(attention_ui.frame, "trace_of", fail)
    app = opened()
    assert len(app.exception) == 1
    assert not app.error
    assert any("a bug of ours" in message for message in logged)
    logged.clear()


def test_user_text_in_markdown_is_escaped() -> None:
    """Every ASCII sign that Markdown could take for markup is preceded by a backslash; a line break is a space."""
    signs = "\\`*_{}[]()<>#+-.!|$~:&"
    assert plain(signs) == "".join("\\" + sign for sign in signs)
    assert plain("a\nb é 😀") == "a b é 😀"
    assert plain("*שלום*") == "\u2068\\*שלום\\*\u2069"  # apart, so that the words around it keep their order
    assert len(PAGES) == len(EVERY_PAGE)
