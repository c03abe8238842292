"""Pages that are described once: choices in a URL, Markdown as parts, blocks of the site."""

from __future__ import annotations

from typing import Any

import pytest

from attention_core import AttentionError
from attention_viz import blocks as b
from attention_viz.markdown import escape_markdown
from attention_viz.page_choices import (
    Choice,
    Number,
    Places,
    Select,
    Several,
    Switch,
    Words,
    by_name,
)
from attention_viz.site_blocks import BlockWriter, markdown_parts
from attention_viz.widgets import choice_widget

WHICH = Select("which", "Which", "one", {"one": "First", "two": "Second"}, resets=("what",))
WHAT = Several("what", "What", (), by_name(["0", "1", "2"]))
CHOICES = (
    WHICH,
    WHAT,
    Number("size", "Size", 3, 1, 9),
    Number("part", "Part", 0.5, 0, 1, 0.1, "scale"),
    Words("said", "Said", "", 5),
    Switch("on", "On", False),
)
VALUES = {"which": "two", "what": ("0", "2"), "size": 7, "part": 0.25, "said": "a b", "on": True}


@pytest.mark.parametrize("choice", CHOICES, ids=lambda one: one.key)
def test_a_choice_comes_back_from_the_url(choice: Choice) -> None:
    for value in (choice.default, VALUES[choice.key]):
        again = choice.read(choice.text(value))
        assert again == value
        assert type(again) is type(value)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        *(("which", "three"), ("what", "0.3"), ("size", "1e400"), ("size", "2.5")),
        *(("part", "nan"), ("said", "123456"), ("on", "maybe"), ("size", "")),
    ],
)
def test_what_a_choice_cannot_be_is_refused(key: str, text: str) -> None:
    with pytest.raises(AttentionError):
        next(one for one in CHOICES if one.key == key).read(text)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("one\ntwo\n\nthree", [["p", {}, "one two"], ["p", {}, "three"]]),
        (
            "so:\n- a\n- *b*",
            [["p", {}, "so:"], ["ul", {}, ["li", {}, "a"], ["li", {}, ["em", {}, "b"]]]],
        ),
        ("- a\n  b\n- c", [["ul", {}, ["li", {}, "a b"], ["li", {}, "c"]]]),
        (
            "**a :blue[*b*] c**",
            [["p", {}, ["strong", {}, "a ", ["span", {"class": "blue"}, ["em", {}, "b"]], " c"]]],
        ),
        (
            "[a `*`](x?y=1) [b]",
            [["p", {}, ["a", {"href": "x?y=1"}, "a ", ["code", {}, "*"]], " [b]"]],
        ),
        ("a ] ** b", [["p", {}, "a ] ", ["strong", {}, " b"]]]),
        ("", [["p", {}]]),
    ],
)
def test_markdown_is_read_as_parts(text: str, parts: list[Any]) -> None:
    assert markdown_parts(text) == parts


def test_a_formula_is_mathml_and_a_left_out_link_its_words() -> None:
    ((_, _, formula, space, link),) = markdown_parts("$x$ [y](z)", lambda target: None)
    assert (formula[0], space, link) == ("math", " ", ["span", {}, "y"])


@pytest.mark.parametrize("typed", ["<b>**x**</b>", "a_b*c*[d](e) $f$ `g` :red[h]", "\\ | # - 1."])
def test_what_a_user_typed_stays_words(typed: str) -> None:
    ((_, _, words),) = markdown_parts(escape_markdown(typed))
    assert words == typed


def test_every_block_reaches_the_site_as_its_kind() -> None:
    figure = {"data": [], "layout": {"height": 9, "meta": {"description": "d"}}}
    fields = b.row(VALUES, *CHOICES)
    blocks: list[b.Block] = [
        *(b.Text("t"), b.Heading("h"), b.Note("n"), b.Formula("x"), b.Code("c"), fields),
        *(b.Button("b", {"size": 2}), b.Link("l", "scores"), b.Chart(figure, "f")),
        b.Table(("a", "b"), (("1", "2"),)),
        b.Beside(([b.Text("x")], [b.Text("y")]), (1, 2)),
        b.Folded("more", [b.Link("there", "depth", {"head": 2})]),
    ]
    found = BlockWriter(CHOICES, {"scores"}).write(blocks)
    kinds = "text heading note formula code row row row chart table beside folded"
    assert [one["kind"] for one in found] == kinds.split()
    assert [one["value"] for one in found[5]["items"]] == ["two", "0.2", 7, 0.25, "a b", True]
    assert found[6]["items"][0]["changes"] == {"size": "2"}
    assert found[7]["items"][0]["to"] == "scores"
    assert [one["align"] for one in found if one["kind"] == "beside"] == ["top"]
    pictured = b.Beside(([b.Text("x")], [b.Chart(figure, "f")]), (1, 1))
    assert pictured.align == "center"
    chosen = b.Beside(([b.Chart(figure, "f")], [b.Row((b.Button("b", {}),))]), (1, 1))
    assert chosen.align == "top"
    (link,) = found[11]["blocks"][0]["items"]
    assert (link["to"], link["changes"]) == (None, {"head": "2"})
    assert choice_widget(CHOICES[2], 7).kind == "number"


@pytest.mark.parametrize(("low", "high", "step"), [(1, 4, 1), (0, 7, 2), (3, 3, 1), (-2, 1, 1)])
def test_a_scale_ends_with_its_last_value(low: int, high: int, step: int) -> None:
    shown = choice_widget(Number("n", "N", low, low, high, step, look="scale"), low)
    assert (shown.kind, shown.low, shown.high, shown.step) == ("scale", low, high, step)


def test_several_options_stand_once_and_in_their_order() -> None:
    heads = Several("heads", "Heads", (), by_name(["0", "1", "2", "10"]))
    assert heads.read("10.2.0.2") == ("0", "2", "10")
    assert heads.text(heads.read("10.2.0.2")) == "0.2.10"
    assert heads.read("") == ()


def test_places_keep_their_order_and_what_comes_twice() -> None:
    """They are a text that was written; the same piece may come again."""
    written = Places("ids", "Ids", (), size=512, most=4)
    assert written.read("7.3.3.7") == (7, 3, 3, 7)
    assert written.text((7, 3, 3, 7)) == "7.3.3.7"
    for beyond in ("512", "1.2.3.4.5", "-1"):
        with pytest.raises(AttentionError):
            written.read(beyond)
