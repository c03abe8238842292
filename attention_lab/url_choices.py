"""All choices of the story in a URL: read, with a sentence for each that is impossible, and written
so that the same URL shows the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

from attention_core.errors import AttentionError, SettingsError

from .block import BLOCK_LABELS, BLOCK_OPTIONS, BlockChoices
from .choices import FIELD_BOUNDS, FIELD_CHOICES, MAX_TEXT_LENGTH, MODEL_CHOICES
from .control_list import (
    CONTROL_DEFAULTS,
    CONTROLS,
    VIEW_DEFAULTS,
    VIEW_SWITCHES,
    Control,
    widget_value,
)
from .focus import Focus
from .notation.texts import NOTATIONS
from .presets import SENTENCE_KEY, opening_cell
from .scenario import Scenario
from .sentences import weights_in_force
from .state_file import FOCUS
from .url_values import (
    REFUSAL,
    SWITCH_LABELS,
    parse_number,
    parse_option,
    parse_place,
    parse_switch,
    quoted,
    url_text,
)
from .user_data.edits import Edits
from .user_data.painted_masks import mask_from_text, mask_to_text
from .user_data.user_matrices import UserMatrices

THREE = ("queries", "keys", "values")


@dataclass(frozen=True)
class Parameter:
    """A parameter of a URL: the name of the choice on the page, its default, and how its text is
    read.

    read: gives the value. Raises: AttentionError.
    """

    label: str
    default: Any
    read: Callable[[str], Any]


@dataclass(frozen=True)
class UrlChoices:
    """What a URL chooses.

    scenario: as the controls hold it; `weights_in_force` says what is run. sentence: the place of
    the one that is shown in the batch. view: the notation, and by name the switches
    (`VIEW_SWITCHES`). which: queries, keys or values. block: of the step *Block*. unmasked: see
    `StoryView`. pin: the pinned cell that is not the board's own. refused: a sentence for each
    value that is impossible, which has its default.
    """

    scenario: Scenario = field(default_factory=Scenario)
    focus: Focus = field(default_factory=lambda: Focus(0, 0, 0, 0))
    sentence: int = 0
    view: Mapping[str, Any] = field(default_factory=lambda: dict(VIEW_DEFAULTS))
    which: str = THREE[0]
    block: BlockChoices = field(default_factory=BlockChoices)
    unmasked: bool = False
    pin: str = ""
    refused: tuple[str, ...] = ()


def read_own_matrices(text: str) -> str:
    """Own matrices in a URL, as a scenario holds them. Raises: AttentionError."""
    UserMatrices.from_url(text)
    return text


def read_unmasked(text: str) -> bool:
    """Whether the mask step is shown without a mask. Raises: SettingsError."""
    if text == "true":
        return True
    raise SettingsError("It is “true” or left out, so the page stays as it is")


def _read_control(control: Control, text: str) -> Any:
    """The value of a field of `Scenario`. Raises: SettingsError."""
    name, default = control.name, CONTROL_DEFAULTS[control.name]
    if name in FIELD_CHOICES:
        return parse_option(text, FIELD_CHOICES[name])
    if isinstance(default, bool):
        return parse_switch(text)
    if isinstance(default, str):
        lines = text[:MAX_TEXT_LENGTH].splitlines()
        return ("\n" if name == "batch" else " ").join(lines)
    low, high = FIELD_BOUNDS[name]
    if control.zero:  # a scale of texts, of which 0 is the first
        names = [widget_value(control, number) for number in range(int(high) + 1)]
        return 0 if text == "0" else names.index(parse_option(text, names))
    return parse_number(text, low, high, isinstance(default, int))


PARAMETERS: Mapping[str, Parameter] = {
    **{
        one.name: Parameter(one.label, CONTROL_DEFAULTS[one.name], partial(_read_control, one))
        for one in CONTROLS
    },
    "edits": Parameter("Edited cells", "", lambda text: Edits.from_url(text).url_value()),
    "own": Parameter("Own matrices", "", read_own_matrices),
    "painted": Parameter(
        "Painted mask", "", lambda text: mask_to_text(mask_from_text(text)) if text else ""
    ),
    **{name: Parameter(name.capitalize(), 0, parse_place) for name in (*FOCUS, SENTENCE_KEY)},
    "notation": Parameter(
        "Notation", VIEW_DEFAULTS["notation"], partial(parse_option, options=NOTATIONS)
    ),
    **{key: Parameter(label, False, parse_switch) for label, key, _ in VIEW_SWITCHES},
    "which": Parameter("Which of the three", THREE[0], partial(parse_option, options=THREE)),
    **{
        name: Parameter(
            BLOCK_LABELS[name], asdict(BlockChoices())[name], partial(parse_option, options=options)
        )
        for name, options in BLOCK_OPTIONS.items()
    },
    "unmasked": Parameter("Without a mask", False, read_unmasked),
    "pin": Parameter("Pinned cell", "", str),
}
# The parameters that choose a layer or a place in it. A URL without any opens the first example; in
# the story one with nothing but a sentence shows it in the language model.
LAYER_PARAMETERS = (*(one.name for one in CONTROLS), "edits", "own", *FOCUS, SENTENCE_KEY, "pin")


def names_no_layer(parameters: Mapping[str, object], section: str = "story") -> bool:
    """Whether a URL chooses no layer; in the story it may name a sentence.

    >>> names_no_layer({"text": ["I love you"]}), names_no_layer({"head": ["0"]})
    (True, False)
    """
    named = set(LAYER_PARAMETERS) & parameters.keys()
    return named <= ({"text"} if section == "story" else set())


def read_url(parameters: Mapping[str, Sequence[str]]) -> UrlChoices:
    """What the parameters of a URL choose; others are ignored.

    parameters: all texts of each, of which the last counts.

    >>> read_url({"n_heads": ["2"], "mask": ["banana"]}).refused
    ('The URL asks for “banana” under “Mask”; none is shown.',)
    """
    values, refused = read_values(PARAMETERS, parameters)
    scenario = Scenario(**{name: values[name] for name in CONTROL_DEFAULTS})
    if scenario.mask != "painted":
        scenario = replace(scenario, painted="")
    says_none = parameters.get("mask", [""])[-1] == "none"
    focus = Focus(*(values[name] for name in FOCUS))
    if opens_at_a_cell(scenario) and not parameters.keys() & {*FOCUS}:
        with suppress(AttentionError):  # whoever runs the layer shows the error
            focus = Focus(*opening_cell(weights_in_force(scenario)))
    return UrlChoices(
        scenario,
        focus,
        values[SENTENCE_KEY],
        {name: values[name] for name in VIEW_DEFAULTS},
        values["which"],
        BlockChoices(**{name: values[name] for name in BLOCK_OPTIONS}),
        values["unmasked"] or says_none,
        values["pin"],
        tuple(refused),
    )


def opens_at_a_cell(scenario: Scenario) -> bool:
    """Whether a URL that names no place opens at a cell that is worth a look, not at the first one:
    in the layer of a model, whose first token is no word.
    """
    return weights_in_force(scenario).weights in MODEL_CHOICES


def read_values(
    known: Mapping[str, Parameter], parameters: Mapping[str, Sequence[str]]
) -> tuple[dict[str, Any], list[str]]:
    """The values of known parameters, and a sentence for each that is impossible."""
    values = {name: one.default for name, one in known.items()}
    refused = []
    for name, one in known.items():
        texts = parameters.get(name, ())
        if not texts:
            continue
        if len(texts) > 1:
            refused.append(_refusal(one, ", ".join(texts), "; the last of them counts"))
        try:
            values[name] = one.read(texts[-1])
        except AttentionError as error:
            usual = one.default
            shown = SWITCH_LABELS[usual] if isinstance(usual, bool) else in_words(name, usual)
            answer = f": {error}" if shown in (None, "") else f"; {shown} is shown"
            refused.append(_refusal(one, texts[-1], answer))
    return values, refused


def write_url(choices: UrlChoices) -> dict[str, str]:
    """The parameters of a URL, without defaults; `read_url` gives the choices back.

    >>> write_url(UrlChoices(Scenario(n_heads=2), Focus(1, 0, 0, 0)))
    {'n_heads': '2', 'head': '1'}
    """
    values = asdict(choices.scenario) | dict(choices.view) | asdict(choices.focus)
    values |= asdict(choices.block)
    values |= {SENTENCE_KEY: choices.sentence, "which": choices.which, "pin": choices.pin}
    values["unmasked"] = choices.unmasked
    named = {
        name: in_url(name, values[name])
        for name, one in PARAMETERS.items()
        if values[name] != one.default
    }
    if names_no_layer(named) or (opens_at_a_cell(choices.scenario) and not named.keys() & {*FOCUS}):
        named["head"] = "0"
    return named


def in_url(name: str, value: Any) -> str:
    """A value as the URL holds it."""
    return url_text(in_words(name, value))


def _refusal(one: Parameter, asked: str, answer: str) -> str:
    return REFUSAL.format(asked=quoted(asked), label=one.label, answer=answer)


def in_words(name: str, value: Any) -> Any:
    """A value as its widget holds it, such as fit for a sequence length of 0."""
    control = next((one for one in CONTROLS if one.name == name), None)
    return value if control is None else widget_value(control, value)
