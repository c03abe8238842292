"""The controls of the static site, from the declarations of the app."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from attention_core import AttentionError
from attention_lab.choices import FIELD_BOUNDS, FIELD_CHOICES, MAX_TEXT_LENGTH, fitting_heads
from attention_lab.control_list import (
    CONTROL_DEFAULTS,
    CONTROL_GROUPS,
    CONTROLS,
    VIEW_SWITCHES,
    Control,
    decided_values,
    readable_at,
    widget_value,
)
from attention_lab.focus import FOCUS_HELP, focus_lengths
from attention_lab.notation.texts import NOTATIONS
from attention_lab.page_list import OwnControls
from attention_lab.presets import SENTENCE_KEY, presets
from attention_lab.url_choices import UrlChoices
from attention_lab.user_data.matrix_names import MAX_HEADS

from .payload import JSON
from .story.story_view import view_of

MOST_SLIDER_STEPS = 16  # of a whole number; larger ones are typed
TRAINED = "trained"
VIEW = "View"  # the group of what changes no number


def controls(
    choices: UrlChoices, has_trained: bool = True, own: OwnControls | None = None
) -> list[JSON]:
    """The controls as the page draws them, from the declarations of the app: what each is called,
    what it can be, what it is now, and whether it has an effect. own: which of them a page uses;
    None for all.
    """
    if own is not None:
        every = controls(choices, has_trained)
        return [one for one in every if one["name"] in own.used or one["group"] == VIEW]
    values = asdict(choices.scenario)
    del values["edits"], values["own"]
    decided = decided_values(values)
    example = next((one.name for one in presets() if one.scenario == choices.scenario), "")
    about = "Sets every control and the cell in focus."
    offered = ["", *(one.name for one in presets())]
    found = [_field("example", "Example", CONTROL_GROUPS[0], about, example, "choice", offered)]
    for control in CONTROLS:
        value = decided.get(control.name, values[control.name])
        is_on = control.matters(values)
        shown = widget_value(control, value)
        field = _field(control.name, control.label, control.group, control.help, shown)
        field["mark"] = readable_at(control.name, values)
        found.append(field | {"on": is_on} | _kind(control, has_trained))
        fitting, n_heads = fitting_heads(choices.scenario), choices.scenario.n_heads
        if control.name == "n_heads" and is_on:
            found[-1]["options"] = [str(count) for count in sorted({*fitting, n_heads})]
        if control.name == "d_model" and len(fitting) < MAX_HEADS:
            found[-1] |= {"step": n_heads, "low": n_heads}  # the next size that the heads can share
    found += _places(choices)
    return [*found, *_switches(choices)]


def _kind(control: Control, has_trained: bool) -> JSON:
    """Which kind of field a control is, by its type and bounds, as in the app."""
    name, default = control.name, CONTROL_DEFAULTS[control.name]
    if name in FIELD_CHOICES:
        options = [one for one in FIELD_CHOICES[name] if one != TRAINED or has_trained]
        return {"kind": "choice", "options": options}
    if isinstance(default, bool):
        return {"kind": "switch"}
    if isinstance(default, str):
        return {"kind": "lines" if name == "batch" else "text", "most": MAX_TEXT_LENGTH}
    low, high = FIELD_BOUNDS[name]
    if control.zero:
        options = [widget_value(control, number) for number in range(int(high) + 1)]
        return {"kind": "scale", "options": options}
    if isinstance(default, int) and high <= MOST_SLIDER_STEPS:
        return {"kind": "scale", "options": [str(one) for one in range(int(low), int(high) + 1)]}
    return {
        "kind": "number",
        "low": low,
        "high": high,
        "step": 1 if isinstance(default, int) else 0.1,
    }


def _places(choices: UrlChoices) -> list[JSON]:
    """The cell in focus, once there is a layer."""
    try:
        view = view_of(choices)
        lengths, trace = focus_lengths(view.trace), view.trace
    except AttentionError:
        return []
    words = {"query": trace.labels("T"), "key": trace.labels("S")}
    found = []
    if len(view.sentences) > 1:
        options = [f"{place} · {text[:40]}" for place, text in enumerate(view.sentences)]
        found.append((SENTENCE_KEY, "Which sentence of the batch.", options, view.sequence))
    for name, text in FOCUS_HELP.items():
        labels = words.get(name)
        options = [
            f"{place} · {labels[place]}" if labels else str(place) for place in range(lengths[name])
        ]
        found.append((name, text, options, getattr(view.focus, name)))
    return [
        _field(name, name.capitalize(), "Cell in focus", text, value, "place", options)
        for name, text, options, value in found
    ]


def _switches(choices: UrlChoices) -> list[JSON]:
    titles = "; ".join(f"{key}: {text.title}" for key, text in NOTATIONS.items())
    notation, offered = choices.view["notation"], list(NOTATIONS)
    return [
        _field("notation", "Notation", VIEW, f"{titles}.", notation, "choice", offered),
        *(
            _field(key, label, VIEW, text, choices.view[key], "switch")
            for label, key, text in VIEW_SWITCHES
        ),
    ]


def _field(
    name: str,
    label: str,
    group: str,
    help: str,
    value: Any,
    kind: str = "",
    options: Sequence[str] | None = None,
) -> JSON:
    """A field that has an effect. kind: how it is drawn."""
    about = {"name": name, "label": label, "group": group, "help": help, "value": value}
    return about | {"kind": kind, "on": True} | ({} if options is None else {"options": options})
