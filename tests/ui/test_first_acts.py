"""Nothing that a newcomer does first fails: a group that is opened changes nothing, a control that
is moved one step gives a layer or one message, and the message stands before all else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from attention_core.projection_checks import divisors
from attention_lab.choices import MAX_TEXT_LENGTH
from attention_lab.control_list import CONTROLS, VIEW_DEFAULTS, VIEW_SWITCHES
from attention_lab.presets import Preset, presets
from attention_lab.sentences import tokens_of
from attention_lab.user_data.matrix_names import MAX_HEADS
from attention_ui.uneven_heads import HEADS, OFFERED
from attention_viz.story.notes import sentence_notes
from tests.ui.app import errors, named_in, opened, page_context, resting, scenes, stage, unfolded


@pytest.mark.parametrize("page", ["overview", "output"])
def test_opening_the_groups_changes_nothing(page: str) -> None:
    app = opened(page, bare=True).run()
    before = dict(app.query_params), page_context(app), stage(app)
    assert (dict(unfolded(app).query_params), page_context(app), stage(app)) == before


def test_every_switch_is_drawn_with_its_default() -> None:
    """A switch that the browser takes for another default would leave the URL with a reload."""
    app = unfolded(opened("scores"))
    found = {key: app.get_by_key(key).proto.default for _, key, _ in VIEW_SWITCHES}
    assert found == {key: VIEW_DEFAULTS[key] for key in found}


def neighbours(widget: Any) -> Iterator[Any]:
    """The values of a widget one step up and one step down; a text gets a word more, or none."""
    value, kind = widget.value, widget.type
    if kind == "toggle":
        yield not value
    elif kind in ("text_input", "text_area"):
        yield from (f"{value} more", "")
    elif kind == "number_input":
        yield from (one for one in (value - widget.step, value + widget.step) if one >= widget.min)
    elif kind == "slider":
        yield from (one for one in (value - 1, value + 1) if widget.min <= one <= widget.max)
    else:
        options = list(widget.options)
        place = options.index(str(value))
        yield from options[max(0, place - 1) : place] + options[place + 1 : place + 2]


def steps_of(app: AppTest) -> Iterator[tuple[str, Any]]:
    """Every control of the sidebar with each of its neighbours; heads as they are offered."""
    names = {*(control.name for control in CONTROLS), *VIEW_DEFAULTS, OFFERED} - {HEADS}
    for widget in app.sidebar:
        if getattr(widget, "key", None) in names and not widget.disabled:
            yield from ((widget.key, one) for one in neighbours(widget))


STEPPED = [  # the first, one whose residual makes the heads fit, one with widths of its own
    presets()[0],
    *[preset for preset in presets() if preset.scenario.residual][:1],
    *[preset for preset in presets() if preset.scenario.d_k][:1],
]


@pytest.mark.parametrize("preset", STEPPED, ids=lambda preset: preset.name)
def test_one_step_from_an_example(preset: Preset) -> None:
    app = opened("scores")
    app.selectbox(key="example").select(preset.name).run()
    home = {name: app.get_by_key(name).value for name, _ in set(steps_of(unfolded(app)))}
    refused, moved = [], None
    for name, value in list(steps_of(app)):
        for one in {moved, "n_tokens"} - {None, name}:  # a mask of [pad] makes room for one
            app.get_by_key(one).set_value(home[one])
        if app.get_by_key(name).disabled:
            app.run()
        moved = name
        app.get_by_key(name).set_value(value).run()
        assert not app.exception, (name, value)
        messages = [*app.error, *app.warning]
        assert bool(scenes(app)) is not bool(messages), (name, value)
        if messages:
            assert (len(messages), resting(app)) == (1, ["scores"])
            refused.append((name, value))
    assert refused == [("text", "")]
    app.get_by_key(moved).set_value(home[moved]).run()
    assert page_context(app).scenario == preset.scenario


@pytest.mark.parametrize("d_model", [1, 7, 512])
def test_heads_are_offered_that_fit(d_model: int) -> None:
    fitting = [str(one) for one in divisors(d_model) if one <= MAX_HEADS]
    most = opened("scores", d_model=d_model, n_heads=fitting[-1])
    offered = most.get_by_key(OFFERED)
    assert offered.disabled is (d_model == 1)
    assert d_model == 1 or offered.options == fitting
    assert most.number_input(key="d_model").step == int(fitting[-1])
    free = opened("scores", d_model=d_model, n_heads=1, d_k=3)
    assert len(free.get_by_key(OFFERED).options) == MAX_HEADS
    assert free.number_input(key="d_model").step == 1


def test_the_heads_keep_their_place() -> None:
    """A slider that the browser moves to another place loses the keyboard, and the arrow key that
    follows turns the step.
    """
    app = opened("scores")
    before = keys_near(OFFERED, app)
    assert keys_near(OFFERED, app.run()) == before


def keys_near(key: str, app: AppTest) -> Any:
    """The keys of the block of the sidebar that holds a widget."""
    return next(keys for keys in keys_in(app.sidebar) if key in str(keys))


def keys_in(block: Any) -> list[Any]:
    """The keys of the widgets of a block, in their order, those of a block in it as a list."""
    children = block.children.values()
    return [keys_in(one) if hasattr(one, "children") else one.key for one in children]


def test_a_url_may_ask_for_heads_that_do_not_fit() -> None:
    app = opened("scores", n_heads=3, d_model=8)
    assert "3 heads cannot share 8 features evenly" in app.warning[0].value
    assert app.query_params["n_heads"] == "3"
    assert app.get_by_key(OFFERED).options == ["1", "2", "3", "4", "8"]
    assert not resting(app)
    app.get_by_key(OFFERED).set_value(4).run()
    assert (page_context(app).trace.sizes["H"], app.get_by_key(HEADS).value) == (4, 4)
    assert app.get_by_key(OFFERED).options == ["1", "2", "4", "8"]


def test_the_picture_that_stays_is_the_one_of_this_step() -> None:
    app = opened("scores")
    names = [one.proto.id for one in app.get("bidi_component")]
    app.number_input(key="d_model").set_value(17).run()
    assert [one.proto.id for one in app.get("bidi_component")] == names
    assert (resting(app), len(app.title)) == (["scores"], 0)
    assert (resting(app.run()), len(app.warning)) == (["scores"], 1)
    app.number_input(key="d_model").set_value(16).run()
    assert not resting(app)
    app.number_input(key="d_model").set_value(17).run()
    app = opened("softmax", d_model=17)
    assert (resting(app), len(app.title), len(app.warning)) == ([], 1, 1)


def test_ten_thousand_words() -> None:
    app = opened("scores")
    app.text_input(key="text").set_value("word " * 10_000).run()
    assert not errors(app)
    scenario = page_context(app).scenario
    assert len(scenario.text) == MAX_TEXT_LENGTH
    assert page_context(app).trace.sizes["T"] == 64
    (field,), (used,) = sentence_notes(scenario), tokens_of(scenario).notes
    assert str(MAX_TEXT_LENGTH) in named_in(field)
    assert {"64", "200"} <= named_in(used)
    assert [note["text"] for note in stage(app)["notes"]][:2] == [field, used]
    assert not below(app) & {field, used}
    assert below(opened("all-heads", text=scenario.text)) >= {field, used}
    chosen = opened("scores", text=scenario.text, n_tokens=64)
    assert stage(chosen)["notes"][0]["text"] == field
    assert used in below(chosen)


def below(app: AppTest) -> set[str]:
    """The captions of a page, without the escapes."""
    return {caption.value.replace("\\", "") for caption in app.caption}


def test_a_long_sentence_at_its_own_length() -> None:
    app = opened("scores", text="a " * (MAX_TEXT_LENGTH // 2))
    assert not errors(app)
    assert page_context(app).trace.sizes["T"] <= 64
