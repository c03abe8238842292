"""A URL: what is written is read back; what no control can have is refused, with its default."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qs, urlencode

import pytest

from attention_lab.by_hand import SPECIAL_TOKENS
from attention_lab.choices import DECLARED
from attention_lab.control_list import VIEW_DEFAULTS, VIEW_SWITCHES
from attention_lab.focus import Focus
from attention_lab.lessons.lesson_file import shipped_lessons
from attention_lab.page_list import story_steps
from attention_lab.presets import presets, widget_values
from attention_lab.scenario import Scenario, trace_of
from attention_lab.sentences import weights_in_force
from attention_lab.state_file import State, read_state, write_state
from attention_lab.url_choices import PARAMETERS, UrlChoices, read_url, write_url
from attention_lab.url_values import url_text
from attention_lab.user_data.user_matrices import UserMatrices
from tests.lab.test_scenario import CHANGES

OWN = UserMatrices(x=[[1.0] * 16]).url_value()
MOVED = UrlChoices(
    Scenario("a\tb “c”", mask="painted", painted="3_AQ", edits="wq_0_3_9", own=OWN, batch="d\ne"),
    Focus(1, 2, 3, 4),
    sentence=1,
    view=VIEW_DEFAULTS | {"notation": "gml"} | {key: True for _, key, _ in VIEW_SWITCHES},
    which="values",
    unmasked=True,
    pin="scores.scores.0-0-1-1",
)


def through_a_url(choices: UrlChoices) -> UrlChoices:
    return read_url(parse_qs(urlencode(write_url(choices)), keep_blank_values=True))


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset.name)
def test_an_example_comes_back(preset: object) -> None:
    choices = UrlChoices(preset.scenario, Focus(0, 3, 1, 2))
    assert through_a_url(choices) == choices


def test_every_choice_comes_back() -> None:
    painted = replace(MOVED.scenario, painted="")
    choices = replace(MOVED, scenario=painted)
    assert through_a_url(choices) == choices
    assert len(write_url(choices)) > 15


@pytest.mark.parametrize("name", CHANGES)
def test_a_choice_goes_to_its_widget_the_url_and_a_file_and_comes_back(name: str) -> None:
    """Every option, both bounds and numbers beside them, both sides of a switch; and a text."""
    control, (base, moved) = DECLARED[name], CHANGES[name]
    kind, values = control.kind, [control.default, moved, *control.options]
    if kind in ("scale", "whole", "number"):
        step = 0.125 if kind == "number" else 1
        low, high = (type(control.default)(bound) for bound in control.bounds)
        values += [low, low + step, high - step, high]
    elif kind == "switch":
        values += [True, False]
    for value in values:
        scenario = replace(base, **{name: value})
        assert control.read(url_text(control.held(value))) == value
        assert control.check(value) == value
        by_url = through_a_url(UrlChoices(scenario)).scenario
        by_file = read_state(write_state(State(by_url))).scenario
        assert by_url == by_file == scenario
        assert type(getattr(by_file, name)) is type(control.default)
        assert widget_values(by_file).get(name, "") == control.held(value)


def test_no_choice_is_not_the_first_example() -> None:
    assert write_url(UrlChoices()) == {"head": "0"}
    assert read_url({}) == UrlChoices()


@pytest.mark.parametrize("name", PARAMETERS)
def test_nonsense_is_refused_or_is_text(name: str) -> None:
    found = read_url({name: ["\x00banana"]})
    is_text = name in ("text", "batch", "pin")
    assert len(found.refused) == (0 if is_text else 1)
    if not is_text:
        assert PARAMETERS[name].label in found.refused[0]
        assert replace(found, refused=()) == UrlChoices()


def test_numbers_beyond_their_bounds_are_refused() -> None:
    heads = [("n_heads", text) for text in ("17", "0", "2.5", "inf")]
    others = [("seed", "1" * 400), ("scale", "nan"), ("d_k", "-1"), ("query", "-1"), ("query", "٣")]
    for name, text in [*heads, *others, ("residual", "maybe")]:
        found = read_url({name: [text]})
        assert len(found.refused) == 1, (name, text)
        assert replace(found, refused=()) == UrlChoices()


def test_the_last_of_several_counts_and_a_long_text_is_cut() -> None:
    found = read_url({"mask": ["none", "CAUSAL"], "text": ["a" * 2000], "unknown": ["1"]})
    assert found.scenario.mask == "causal"
    assert len(found.scenario.text) == 1000
    assert len(found.refused) == 1


def test_the_lessons_ask_for_nothing_that_is_refused() -> None:
    steps = {page.url_path for page in story_steps()}
    moments = [one for lesson in shipped_lessons().values() for one in lesson.moments]
    told = [one for one in moments if one.page in steps]
    assert len(told) > 20
    for moment in told:
        assert read_url(parse_qs(moment.state, keep_blank_values=True)).refused == ()


IN_MODELS = (
    Scenario(weights="trained"),
    Scenario(weights="trained", layer=3),
    Scenario("the dog sat", weights="language model", layer=1),
    Scenario("What is love?", d_model=8, n_heads=2, weights="by hand"),  # which find nothing in it
)


@pytest.mark.parametrize("scenario", IN_MODELS)
def test_a_url_of_a_model_without_a_place_opens_where_a_word_looks(scenario: Scenario) -> None:
    named = write_url(UrlChoices(scenario))
    assert named.pop("head") == "0"
    found = read_url({name: [text] for name, text in named.items()})
    place, shown = found.focus, weights_in_force(scenario)
    labels = trace_of(shown).labels("T")
    assert not {labels[place.query], labels[place.key]} & {"<s>", *SPECIAL_TOKENS}
    assert place.query != place.key
    assert through_a_url(found) == found


@pytest.mark.parametrize("scenario", IN_MODELS)
def test_the_first_cell_of_a_model_can_be_shared_too(scenario: Scenario) -> None:
    assert through_a_url(UrlChoices(scenario)) == UrlChoices(scenario)
