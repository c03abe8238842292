"""What the address asks for and no page offers: the default is shown, and a sentence says so."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.scenario import LIMITS, Scenario
from tests.ui.app import EVERY_PAGE, ROOT, errors, figures, here, opened, said, scenes, texts


@pytest.mark.parametrize(
    ("page", "name", "label", "shown"),
    [
        ("scores", "d_model", "Embedding size", "16"),
        ("scores", "seed", "Seed", "0"),
        ("training", "train_steps", "Steps (0: as the task has them)", "0"),
        ("growth", "growth_seed", "Seed", "0"),
        ("invariances", "inv_shuffle", "Shuffle number", "0"),
    ],
)
@pytest.mark.parametrize("endless", ["1e400", "-inf", "Infinity"])
def test_infinity_for_a_whole_number(
    page: str, name: str, label: str, shown: str, endless: str
) -> None:
    """An address that asks a field of whole numbers for infinity gets its default, and a
    sentence that says so.
    """
    app = opened(page, **{name: endless})
    assert not errors(app)
    assert name not in app.query_params
    assert said(app) == [f"The address asks for “{endless}” under “{label}”; {shown} is shown."]


def test_every_wish_that_is_refused_is_said() -> None:
    """Infinity ends a run half-way; what was refused before it in the same address is said all
    the same.
    """
    app = opened("scores", layer="-1", seed="inf", d_model="1e400", head="NaN", query="999")
    assert not errors(app)
    sentences = " ".join(said(app))
    assert all(f"“{asked}”" in sentences for asked in ("-1", "inf", "1e400", "NaN", "999"))
    assert len(app.toast) == 5


@pytest.mark.parametrize(
    ("widget", "files"),
    [
        (r"\.number_input\b", {"whole_numbers.py", "head_place.py", "controls.py"}),
        (r"\.segmented_control\b", {"one_of.py", "heads_choice.py", "heads_shown.py"}),
        ("query-params", {"address.py"}),
    ],
)
def test_every_bound_widget_is_guarded(widget: str, files: set[str]) -> None:
    """Only a field for a fraction, which Streamlit guards itself, or what is not bound, is drawn
    directly.

    And one function binds widgets, which notes what they are called.
    """
    found = [*(ROOT / "attention_ui").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    assert {file.name for file in found if re.search(widget, file.read_text("utf-8"))} == files


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
        ("seed", str(LIMITS["seed"][1] + 1)),
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
    """A hand-made address with a value that no control offers shows the default, and a notice
    says so.
    """
    app = opened("scores", **{name: junk})
    assert not errors(app)
    assert here(app).scenario == Scenario()
    assert len(app.toast) == 1
    assert "<script>" not in app.toast[0].value


@pytest.mark.parametrize(
    ("page", "name", "junk", "label", "shown"),
    [
        ("geometry", "plane_of", "banana", "What is drawn", "points"),
        ("geometry", "plane_token", "99", "Chosen token", "the last one, 5,"),
        ("all-heads", "heads_stage", "<script>", "What is shown", "probabilities"),
        ("growth", "growth_causal", "perhaps", "Causal mask", "off"),
        ("growth", "growth_n", "5", "Tokens N", "4, 16, 64, 256"),
        ("head-portraits", "portrait", "", "Look closer at", "entropy"),
        ("practice", "pr_step", "99", "Step", "any"),
        ("mask-workshop", "mw_window", "99", "Window: tokens to each side", "2"),
        ("scores", "own_scale", "2", "Each head its own colours", "off"),
        ("glossary", "notation", "martian", "Notation", "ours"),
        ("scores", "head", "100000", "Head", "the last one, 3,"),
        ("scores", "head", "9" * 5000, "Head", "the last one, 3,"),
    ],
)
def test_nonsense_for_a_choice_of_one_page(
    page: str, name: str, junk: str, label: str, shown: str
) -> None:
    """A choice that belongs to one page alone falls back to its default; a notice by its label
    says so, once.
    """
    app = opened(page, **{name: junk})
    assert not errors(app)
    assert said(app) == [f"The address asks for “{junk[:40]}” under “{label}”; {shown} is shown."]
    app.run()
    assert not app.toast


@pytest.mark.parametrize(
    ("asked", "quoted"),
    [("\u202e", "\\u202e"), ("4\x00", "4\\x00"), ("4\r5", "4\\r5"), ("👩\u200d🚀", "👩\\u200d🚀")],
)
def test_what_shows_nothing_is_said_by_its_code(asked: str, quoted: str) -> None:
    """A notice about characters that cannot be seen names them, instead of quoting what looks
    like nothing.
    """
    (toast,) = opened("scores", n_heads=asked).toast
    assert (
        toast.value.replace("\\\\", "\\")
        == f"The address asks for “{quoted}” under “Heads”; 4 is shown."
    )


@pytest.mark.parametrize(
    ("page", "name", "asked", "label", "most"),
    [
        ("change-a-word", "cw_new", "a" * 60, "by", "40"),
        ("change-a-word", "cw_old", "tired " * 10, "Replace the word", "40"),
        ("lexicon", "lex_text", "the cat " * 30, "A sentence of the lexicon’s words", "200"),
        ("self-attention-mass", "lab_numbers", "3,3; " * 500, "Such as 3,3; 10,0", "2,000"),
    ],
)
def test_a_text_that_a_field_cuts_off(
    page: str, name: str, asked: str, label: str, most: str
) -> None:
    """Where the address holds more characters than a field takes, how many it takes is said."""
    app = opened(page, lab_tokens="numbers", **{name: asked})
    assert (
        f"The address asks for “{asked[:40]}” under “{label}”: {most} characters are the most."
        in said(app)
    )


@pytest.mark.parametrize(
    ("page", "name"),
    [("mask-workshop", "mw_masks"), ("growth", "growth_n"), ("growth", "growth_lines")],
)
def test_nothing_chosen_is_a_choice(page: str, name: str) -> None:
    """Where every choice of a group is taken back, the app writes an empty text, and follows it
    without a word.
    """
    app = opened(page, **{name: ""})
    assert app.session_state[name] == []
    assert not app.toast


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_every_choice_of_a_page_is_understood(page: str) -> None:
    """An address with every choice of a page, none of them its default, is followed without a
    word, at once.
    """
    address = dict(choices(opened(page)))
    app = opened(page, **address)
    assert not app.toast
    first = texts(app), scenes(app), figures(app)
    app.run()
    assert (texts(app), scenes(app), figures(app)) == first
    shown = {name: app.session_state[name] for name in address if name in app.session_state}
    assert {
        name: str(*one) if isinstance(one, list) else str(one) for name, one in shown.items()
    }.items() <= address.items()


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_a_choice_set_to_nothing(page: str) -> None:
    """Where one is always chosen, an address that sets every choice of a page to nothing gives
    the first one.
    """
    plain = opened(page)
    wished = [name for name, _ in choices(plain) if not isinstance(plain.session_state[name], list)]
    app = opened(page, **dict.fromkeys(wished, ""))
    assert not errors(app)
    assert (texts(app), scenes(app), figures(app)) == (texts(plain), scenes(plain), figures(plain))
    assert len(app.toast) == len(wished)


def choices(app: AppTest) -> Iterator[tuple[str, str]]:
    """Each widget with a few choices that is bound to the address, with one that it does not
    show.
    """
    for widget in app.main:
        options, name = (
            getattr(widget, "options", None),
            getattr(widget.proto, "query_param_key", ""),
        )
        if name and options:
            yield name, next(option for option in options if option != str(app.session_state[name]))


def test_a_kernel_keeps_its_digits() -> None:
    """Nine numbers of the most digits are taken as they stand, and so they are shown and stay
    in the address.
    """
    given = ", ".join([" ".join(["0.123456789", "-1.2345678901234567e-101", "4"])] * 3)
    app = opened("convolution", conv_kernel="own", conv_own=given)
    assert app.session_state["conv_own"] == given
    assert app.query_params["conv_own"] in (given, [given])
    assert not app.toast


def test_an_own_word_that_stands_there_twice() -> None:
    """Of two entries for one word neither is taken silently."""
    app = opened("lexicon", lex_words="horse:neut.sg.anim.NOUN;horse:masc.sg.anim.NOUN")
    assert app.session_state["lex_words"] == ""
    assert "stands there twice: leave one of them out" in app.toast[0].value.replace("\\", "")


def test_parameters_that_nobody_knows_do_nothing() -> None:
    """Foreign names in the address are left alone, even those that no widget can have or that
    the session uses.
    """
    foreign = {
        "utm_source": "x",
        "__proto__": "1",
        "here": "2",
        "preset": "3",
        "example": "banana",
        "": "4",
        "$$ID-1": "5",
        "visit": "6",
    }
    app = opened("scores", **foreign)
    assert here(app).scenario == Scenario()
    assert not app.toast
    assert not app.exception


@pytest.mark.parametrize(
    ("page", "name", "label"),
    [
        ("layers", "layer", "Trained layer"),
        ("training", "layer", "Trained layer"),
        ("depth", "seed", "Seed"),
    ],
)
def test_a_control_of_other_pages_is_not_said_to_be_shown(page: str, name: str, label: str) -> None:
    """What a page has no use for keeps its value for others, and the notice does not say that
    the page shows it.
    """
    app = opened(page, **{name: "-9"})
    assert said(app) == [f"The address asks for “-9” under “{label}”; 0 stays set for other pages."]


def test_a_step_back_takes_a_choice_back_once() -> None:
    """An address that says "unset" gives up what the app wrote there; said again, too late, it
    takes nothing.
    """
    app = opened("scores", head=2, query=3)
    del app.query_params["head"]
    app.query_params["unset"] = "head.n_heads.subset"
    app.run()
    assert (app.session_state["head"], app.session_state["query"]) == (0, 3)
    assert "unset" not in app.query_params
    app.query_params["unset"] = "head"
    app.selectbox(key="head").set_value(1).run()
    assert app.session_state["head"] == 1
    assert not app.toast
    assert not errors(app)
