"""All choices of the story in a URL: read, with a sentence for each that is impossible, and written
so that the same URL shows the same numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from attention_core.errors import AttentionError, SettingsError

from .block import BLOCK_CONTROLS, BlockChoices
from .choices import DECLARED
from .control import Control
from .control_list import CONTROLS, VIEW_DEFAULTS, VIEW_SWITCHES
from .focus import Focus
from .mask_kinds import MASKS
from .notation.texts import NOTATIONS
from .presets import SENTENCE_KEY, opening_cell
from .scenario import Scenario
from .sentences import weights_in_force
from .state_file import FOCUS
from .url_values import REFUSAL, SWITCH_LABELS, parse_place, quoted, url_text
from .weight_kinds import MODELS

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


def read_unmasked(text: str) -> bool:
    """Whether the mask step is shown without a mask. Raises: SettingsError."""
    if text == "true":
        return True
    raise SettingsError("It is “true” or left out, so the page stays as it is")


_OF_VIEW = (
    Control(VIEW_DEFAULTS["notation"], "Notation", options=tuple(NOTATIONS), name="notation"),
    *(Control(False, label, name=key) for label, key, _ in VIEW_SWITCHES),
    Control(THREE[0], "Which of the three", options=THREE, name="which"),
)
# In the order of the sidebar; then what no control holds.
_DECLARED = (*CONTROLS, *(one for one in DECLARED.values() if not one.group), *_OF_VIEW)
PARAMETERS: Mapping[str, Parameter] = {
    **{
        one.name: Parameter(one.label, one.default, one.read)
        for one in (*_DECLARED, *BLOCK_CONTROLS.values())
    },
    **{name: Parameter(name.capitalize(), 0, parse_place) for name in (*FOCUS, SENTENCE_KEY)},
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
    scenario = Scenario(**{name: values[name] for name in DECLARED})
    if "painted" not in MASKS[scenario.mask].asks:
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
        BlockChoices(**{name: values[name] for name in BLOCK_CONTROLS}),
        values["unmasked"] or says_none,
        values["pin"],
        tuple(refused),
    )


def opens_at_a_cell(scenario: Scenario) -> bool:
    """Whether a URL that names no place opens at a cell that is worth a look, not at the first one:
    in the layer of a model, whose first token is no word.
    """
    return weights_in_force(scenario).weights in MODELS


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


def write_url(choices: UrlChoices, feature: int = 0) -> dict[str, str]:
    """The parameters of a URL, without defaults; `read_url` gives the choices back. feature: with
    which the page opens.

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
        if values[name] != (feature if name == "feature" else one.default)
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
    return DECLARED[name].held(value) if name in DECLARED else value
