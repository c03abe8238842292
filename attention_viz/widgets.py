"""Which widget a choice becomes, as plain data, which the app and the site draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from attention_core import AttentionError
from attention_lab.choices import FIELD_BOUNDS, FIELD_CHOICES, MAX_TEXT_LENGTH, fitting_heads
from attention_lab.control_list import (
    CONTROL_DEFAULTS,
    CONTROL_GROUPS,
    CONTROLS,
    VIEW_SWITCHES,
    Control,
    decided_values,
    widget_value,
)
from attention_lab.focus import FOCUS_HELP, focus_lengths
from attention_lab.notation.texts import NOTATIONS
from attention_lab.page_list import OwnControls
from attention_lab.presets import SENTENCE_KEY, preset_of, presets
from attention_lab.url_choices import UrlChoices
from attention_lab.url_values import url_text
from attention_lab.user_data.matrix_names import MAX_HEADS

from .page_choices import SEPARATOR, Choice, Number, Select, Several, Words, by_name
from .payload import JSON
from .story.story_view import view_of

MOST_SLIDER_STEPS = 16  # of a whole number of the sidebar; larger ones are typed
TRAINED = "trained"
VIEW = "View"  # the group of what changes no number
PLACE = "Cell in focus"


@dataclass(frozen=True)
class Widget:
    """A widget. name: of its choice in a URL. options: by their keys, the names of what can be
    chosen; a scale without options goes from low to high. most: how many letters a text has at
    most. is_wide: whether a text has many. on: whether it has an effect.
    """

    kind: Literal["menu", "buttons", "scale", "number", "text", "lines", "several", "switch"]
    name: str
    label: str
    value: Any
    help: str = ""
    group: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    low: float = 0
    high: float = 0
    step: float = 1
    most: int = 0
    is_wide: bool = False
    on: bool = True

    @property
    def json(self) -> JSON:
        """The widget for the site; several keys are one text."""
        value = SEPARATOR.join(self.value) if isinstance(self.value, tuple) else self.value
        return asdict(self) | {"value": value, "options": [[*one] for one in self.options.items()]}


def choice_widget(choice: Choice, value: Any) -> Widget:
    """The widget of a choice of a page with its present value."""
    about: dict[str, Any] = {"name": choice.key, "label": choice.label, "help": choice.help}
    match choice:
        case Select(options=options, look=look):
            return Widget(look, value=url_text(value), options=options, **about)
        case Several(options=options):
            return Widget("several", value=tuple(value), options=options, **about)
        case Number(low=low, high=high, step=step, look=look):
            low, high, value = (type(step)(one) for one in (low, high, value))
            kind: Any = "scale" if look == "scale" else "number"
            return Widget(kind, value=value, low=low, high=high, step=step, **about)
        case Words(most=most, short=short):
            return Widget("text", value=choice.text(value), most=most, is_wide=not short, **about)
    return Widget("switch", value=value, **about)


def control_widget(control: Control, value: Any) -> Widget:
    """The widget of a control of the sidebar with a value of its field: its type and bounds decide
    which it is.
    """
    name, default = control.name, CONTROL_DEFAULTS[control.name]
    about: dict[str, Any] = {"name": name, "label": control.label, "help": control.help}
    about |= {"group": control.group, "value": widget_value(control, value)}
    if name in FIELD_CHOICES:
        return Widget("menu", options=by_name(FIELD_CHOICES[name]), **about)
    if isinstance(default, bool):
        return Widget("switch", **about)
    if isinstance(default, str):
        return Widget("lines" if name == "batch" else "text", most=MAX_TEXT_LENGTH, **about)
    low, high = map(type(default), FIELD_BOUNDS[name])
    if control.zero:
        words = [widget_value(control, number) for number in range(int(high) + 1)]
        return Widget("scale", options=by_name(words), **about)
    is_whole = isinstance(default, int)
    about |= {"low": low, "high": high, "step": 1 if is_whole else 0.1}
    return Widget("scale" if is_whole and high <= MOST_SLIDER_STEPS else "number", **about)


def view_widgets(values: Mapping[str, Any]) -> list[Widget]:
    """The notation and the switches that change only how things look, with their values."""
    titles = "; ".join(f"{key}: {text.title}" for key, text in NOTATIONS.items())
    options = by_name(NOTATIONS)
    return [
        Widget("menu", "notation", "Notation", values["notation"], f"{titles}.", VIEW, options),
        *(
            Widget("switch", key, label, values[key], text, VIEW)
            for label, key, text in VIEW_SWITCHES
        ),
    ]


def widgets_of(
    choices: UrlChoices, has_trained: bool = True, own: OwnControls | None = None
) -> list[Widget]:
    """All widgets beside a page, in their order. has_trained: whether the weights of MiniLM can be
    chosen. own: which of the controls the page uses; None for all.
    """
    values = asdict(choices.scenario)
    del values["edits"], values["own"]
    decided = decided_values(values)
    found = [_example_widget(choices)]
    for control in CONTROLS:
        value = decided.get(control.name, values[control.name])
        widget = replace(control_widget(control, value), on=control.matters(values, decided))
        found.append(_fitted(widget, choices, has_trained))
    found += [*_place_widgets(choices), *view_widgets(choices.view)]
    if own is None:
        return found
    return [one for one in found if one.name in own.used or one.group == VIEW]


def _fitted(widget: Widget, choices: UrlChoices, has_trained: bool) -> Widget:
    """A widget that offers what there is: weights, and heads that the features can share."""
    fitting, n_heads = fitting_heads(choices.scenario), choices.scenario.n_heads
    if widget.name == "weights" and not has_trained:
        return replace(widget, options=by_name([one for one in widget.options if one != TRAINED]))
    if widget.name == "n_heads" and widget.on:
        counts = map(str, sorted({*fitting, n_heads}))
        return replace(widget, options=by_name(list(counts)), value=str(widget.value))
    if widget.name == "d_model" and len(fitting) < MAX_HEADS:
        return replace(widget, step=n_heads, low=n_heads)  # the next size that they can share
    return widget


def _example_widget(choices: UrlChoices) -> Widget:
    """The menu of the examples; it shows the one that is chosen, if there is one."""
    shown = preset_of(choices.scenario)
    about = "Sets every control and the cell in focus."
    offered = by_name(["", *(one.name for one in presets())])
    name = shown.name if shown else ""
    return Widget("menu", "example", "Example", name, about, CONTROL_GROUPS[0], offered)


def _place_widgets(choices: UrlChoices) -> list[Widget]:
    """The cell in focus, once there is a layer."""
    try:
        view = view_of(choices)
        lengths, trace = focus_lengths(view.trace), view.trace
    except AttentionError:
        return []
    words = {"query": trace.labels("T"), "key": trace.labels("S")}
    found = []
    if len(view.sentences) > 1:
        texts = [text[:40] for text in view.sentences]
        found.append((SENTENCE_KEY, "Which sentence of the batch.", texts, view.sequence))
    for name, text in FOCUS_HELP.items():
        labels = list(words.get(name, [""] * lengths[name]))
        found.append((name, text, labels, getattr(view.focus, name)))
    return [
        Widget(
            "menu",
            name,
            name.capitalize(),
            str(place),
            text,
            PLACE,
            {str(n): f"{n} · {label}" if label else str(n) for n, label in enumerate(labels)},
        )
        for name, text, labels, place in found
    ]
