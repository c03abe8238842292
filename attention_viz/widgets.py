"""Which widget a choice becomes, as plain data, which the app and the site draw."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from attention_core import AttentionError
from attention_lab.choices import fitting_heads
from attention_lab.control import MAX_TEXT_LENGTH, Control
from attention_lab.control_list import (
    CONTROL_GROUPS,
    CONTROLS,
    VIEW_SWITCHES,
    effects_of,
    readable_at,
)
from attention_lab.focus import FOCUS_HELP, focus_lengths
from attention_lab.notation.texts import NOTATIONS
from attention_lab.page_list import PAGES, Page
from attention_lab.presets import SENTENCE_KEY, preset_of, presets
from attention_lab.url_choices import UrlChoices
from attention_lab.url_values import url_text
from attention_lab.user_data.matrix_names import MAX_HEADS
from attention_lab.weight_kinds import TRAINED

from .page_choices import SEPARATOR, Choice, Number, Select, Several, Words, by_name
from .payload import JSON
from .story.story_view import view_of

VIEW = "View"  # the group of what changes no number
PLACE = "Cell in focus"


@dataclass(frozen=True)
class Widget:
    """A widget. name: of its choice in a URL. options: by their keys, the names of what can be
    chosen; a scale without options goes from low to high. most: how many letters a text has at
    most. is_wide: whether a text has many. on: whether it has an effect. mark: what stands below.
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
    mark: str = ""

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
    about: dict[str, Any] = {"name": control.name, "label": control.label, "help": control.help}
    about |= {"group": control.group, "value": control.held(value)}
    match control.kind:
        case "select":
            return Widget("menu", options=by_name(control.options), **about)
        case "switch":
            return Widget("switch", **about)
        case "text" | "lines" as kind:
            return Widget(kind, most=MAX_TEXT_LENGTH, **about)
        case "scale" if control.zero:
            return Widget("scale", options=by_name(control.steps), **about)
    low, high = map(type(control.default), control.bounds)
    about |= {"low": low, "high": high, "step": 0.1 if control.kind == "number" else 1}
    return Widget("scale" if control.kind == "scale" else "number", **about)


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
    choices: UrlChoices, has_trained: bool = True, page: Page = PAGES[0]
) -> list[Widget]:
    """The widgets beside a page, in their order. has_trained: whether the weights of MiniLM can be
    chosen. page: has those that it uses.
    """
    every, own = _all_widgets(choices, has_trained), page.own_controls
    if own is not None:
        return [one for one in every if one.name in own.used or one.group == VIEW]
    return [one for one in every if page.runs_modern or one.group != CONTROL_GROUPS[-1]]


def _all_widgets(choices: UrlChoices, has_trained: bool) -> list[Widget]:
    effects = effects_of(choices.scenario)
    widgets = [_example_widget(choices)]
    for control in CONTROLS:
        value = effects.decided.get(control.name, getattr(choices.scenario, control.name))
        widget = replace(control_widget(control, value), on=effects.has(control))
        marked = replace(widget, mark=readable_at(control.name, choices.scenario))
        widgets.append(_fitted(marked, choices, has_trained))
    return [*widgets, *_place_widgets(choices), *view_widgets(choices.view)]


def _fitted(widget: Widget, choices: UrlChoices, has_trained: bool) -> Widget:
    """A widget that offers what there is: weights, and heads that the features can share."""
    fitting, n_heads = fitting_heads(choices.scenario), choices.scenario.n_heads
    if widget.name == "weights" and not has_trained:
        offered = [one for one in widget.options if one != TRAINED.name]
        return replace(widget, options=by_name(offered))
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
    widgets = []
    if len(view.sentences) > 1:
        texts = [text[:40] for text in view.sentences]
        widgets.append((SENTENCE_KEY, "Which sentence of the batch.", texts, view.sequence))
    for name, text in FOCUS_HELP.items():
        labels = list(words.get(name, [""] * lengths[name]))
        widgets.append((name, text, labels, getattr(view.focus, name)))
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
        for name, text, labels, place in widgets
    ]
