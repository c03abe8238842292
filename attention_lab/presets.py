"""The examples of assets/data/presets.json: each sets every control and the cell in focus."""

import json
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from attention_core.errors import AttentionError

from .by_hand import Cell, choose_example_cell
from .choices import DECLARED, kind_of, resolve
from .home import ASSETS
from .page_list import page_of
from .scenario import Scenario, trace_of
from .sentences import in_batch, weights_in_force
from .trained.language_text import telling_cell
from .weight_kinds import LANGUAGE_MODEL, TRAINED, ModelWeights
from .whose_heads import HEAD_PAGES, LANGUAGE

SENTENCE_KEY = "sentence"  # the number of the shown sentence of a batch
PRESET_FILE = ASSETS / "data" / "presets.json"

# The examples with which pages open that show little of the first one: more heads, words for which
# the target is a translation.
_OF_MODELS = (
    *("whole-model", "writing", "why-this-word", "cache", "trained-heads", "find-a-head"),
    "change-a-word",
)
# These begin a visit with an example of their own, and keep another one: any layer will do.
KEEP_EXAMPLE = ("head-worth", "shared-keys", "encoder-decoder")
SUITED_EXAMPLES = dict.fromkeys(_OF_MODELS, "A language model: why “frog”?") | dict.fromkeys(
    KEEP_EXAMPLE, "The animal and the street"
)


@dataclass(frozen=True)
class Preset:
    """An example. hint: what to look at; focus: the cell, or None for a cell that is chosen."""

    name: str
    hint: str
    scenario: Scenario
    focus: Cell | None = None

    @property
    def cell(self) -> Cell:
        """The cell in focus. Raises: AttentionError."""
        return self.focus or cell_worth_a_look(weights_in_force(self.scenario))

    @property
    def session_values(self) -> dict[str, Any]:
        """The values of the session that the example sets."""
        return widget_values(self.scenario) | self.cell._asdict() | {SENTENCE_KEY: 0}


@lru_cache(maxsize=1)
def presets() -> tuple[Preset, ...]:
    """All examples, in the order of the file."""
    entries = json.loads(PRESET_FILE.read_text(encoding="utf-8"))
    return tuple(
        Preset(
            entry["name"],
            entry["hint"],
            Scenario(**entry["scenario"]),
            Cell(**entry["focus"]) if "focus" in entry else None,
        )
        for entry in entries
    )


# With what a page opens that does not use every control, unless an example suits it.
USUAL = Preset("", "", Scenario(), Cell())


def example_for(url_path: str, model: str = LANGUAGE) -> Preset:
    """The example with which a page opens, until the visitor chooses something. model: whose heads
    a page about the heads of a model shows.

    >>> example_for("scores").scenario.n_heads, example_for("depth").scenario.n_heads
    (2, 4)
    """
    name = SUITED_EXAMPLES.get(url_path)
    if name is None:
        return USUAL if page_of(url_path).own_controls else presets()[0]
    if url_path in HEAD_PAGES and model != LANGUAGE:
        return USUAL
    return next(preset for preset in presets() if preset.name == name)


def preset_named(name: str | None) -> Preset | None:
    """The example with this name, if there is one."""
    return next((preset for preset in presets() if preset.name == name), None)


def own_sentence(text: str) -> Preset:
    """With what a URL opens that names a sentence and nothing else: the last layer of the language
    model, which has a meaning for every sentence.
    """
    model = LANGUAGE_MODEL
    return Preset("", "", Scenario(text, weights=model.name, layer=model.first_layer))


def preset_of(scenario: Scenario) -> Preset | None:
    """The example whose scenario this is, if there is one."""
    return next((preset for preset in presets() if preset.scenario == scenario), None)


def widget_values(scenario: Scenario) -> dict[str, Any]:
    """A scenario as the session holds it: the values of all widgets, and the user's own numbers."""
    held = {name: one.held(getattr(scenario, name)) for name, one in DECLARED.items()}
    if not scenario.painted:  # a painting of before stays for later
        del held["painted"]
    return held


def cell_worth_a_look(scenario: Scenario, head: int = 0) -> Cell:
    """The cell of a layer that is shown first. In the language model: the last token in the head
    that the next token needs most, at its largest share. Raises: AttentionError.
    """
    if resolve(scenario).weights.writes:
        one = resolve(in_batch(scenario, 0)).chosen
        return Cell(*telling_cell(one.text, one.layer, one.n_tokens, one.model))
    trace = trace_of(scenario)
    return choose_example_cell(trace, min(head, trace.sizes["H"] - 1))


PRONOUN_HEAD = 1  # in the first layer of the trained model: a pronoun attends to its noun


def opening_cell(scenario: Scenario) -> Cell:
    """The cell with which a layer of a model opens where nobody has chosen one. Raises:
    AttentionError.
    """
    is_known = (scenario.weights, scenario.layer) == (TRAINED.name, TRAINED.first_layer)
    return cell_worth_a_look(scenario, PRONOUN_HEAD if is_known else 0)


def in_model(scenario: Scenario, weights: str) -> tuple[Scenario, Cell]:
    """The same sentence in a layer of a model, one of `MODELS`, that is worth a look, and a cell of
    it.
    """
    there, cell = replace(scenario, weights=weights), Cell()
    if isinstance(kind := kind_of(there), ModelWeights):
        there = replace(there, layer=kind.first_layer)
    with suppress(AttentionError):  # whoever runs the layer shows the error
        cell = opening_cell(there)
    return there, cell
