"""What an act of a visitor means: with what a page opens, and which choices follow from those
before a control was moved or a cell was clicked. The app and the site ask here.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from attention_core.derivation import derive
from attention_core.errors import AttentionError
from attention_core.trace import STEPS, Trace

from .choices import kind_of, readable
from .focus import Focus, moved_places
from .mask_kinds import PADDING
from .page_list import Page, page_of, step_of
from .practice import n_telling
from .presets import (
    KEEP_EXAMPLE,
    Preset,
    cell_worth_a_look,
    example_for,
    in_model,
    own_sentence,
    preset_named,
    preset_of,
    presets,
)
from .scenario import LEFT_OPEN, Scenario, first_step, sequence_of, trace_of
from .sentences import embedding_of, longer_sequence, weights_in_force
from .story.cuts import explained_field
from .url_choices import PARAMETERS, THREE, UrlChoices, names_no_layer, read_url, write_url
from .url_values import url_text
from .user_data.edits import EDITABLE_ARRAYS, Edit, Edits
from .weight_kinds import BY_HAND, LANGUAGE_MODEL, MODELS
from .whose_heads import LANGUAGE
from .words.embeddings import derive_input, is_sum_of_words

# The choices that decide how many tokens there are, and which.
DECIDE_TOKENS = ("text", "n_tokens", "piece", "batch")


def opened(
    url_path: str, parameters: Mapping[str, Sequence[str]], model: str = LANGUAGE
) -> UrlChoices:
    """With what the URL of a page opens. One that chooses no layer opens the example of the page,
    or its own sentence in the language model. Where an example suits a page, so does one that
    still has the first example.

    model: whose heads the page shows, if it is one about the heads of a model.

    >>> opened("scores", {}).focus.query, opened("scores", {"n_heads": ["2"]}).focus.query
    (8, 0)
    """
    choices, example = read_url(parameters), example_for(url_path, model)
    if names_no_layer(parameters, page_of(url_path).section):
        own = "text" in parameters
        return with_example(choices, own_sentence(choices.scenario.text) if own else example)
    has_first = example.name and choices.scenario == presets()[0].scenario != example.scenario
    return with_example(choices, example) if has_first and url_path not in KEEP_EXAMPLE else choices


def with_example(choices: UrlChoices, example: Preset) -> UrlChoices:
    """The choices with the layer of an example and its cell in focus."""
    return replace(choices, scenario=example.scenario, focus=Focus(*example.cell), sentence=0)


def moved(choices: UrlChoices, changes: Mapping[str, Any]) -> UrlChoices:
    """The choices after a visitor has set some, by their names in a URL; other names are ignored.
    One that is set alone may bring others along. Raises: AttentionError for a value that its choice
    cannot have.

    >>> moved(UrlChoices(Scenario("we saw it")), {"n_tokens": "1"}).scenario.n_tokens
    3
    """
    if isinstance(name := changes.get("example"), str):
        example = preset_named(name)
        return with_example(choices, example) if example else choices
    wanted = {name: value for name, value in changes.items() if name in PARAMETERS}
    for name, value in wanted.items():
        PARAMETERS[name].read(url_text(value))
    if len(wanted) == 1:
        wanted |= _brought_along(choices, *wanted.popitem())
    named = write_url(choices) | {name: url_text(value) for name, value in wanted.items()}
    if "mask" in wanted:
        named.pop("unmasked", None)  # the mask says it
    return read_url({name: [text] for name, text in named.items()})


def _brought_along(choices: UrlChoices, name: str, value: Any) -> dict[str, Any]:
    """A choice that is set alone, as it counts, with those that it sets, too."""
    scenario = weights_in_force(choices.scenario)
    if name == "head":
        with suppress(AttentionError):
            trace = sequence_of(scenario, choices.sentence)
            here = choices.focus.inside(trace)
            there = replace(here, head=int(value)).inside(trace).head
            return {"head": value, "key": here.in_head(trace, there).key}
    if name == "model":
        scenario = replace(scenario, model=value)
    if (name == "weights" and value in MODELS) or (name == "model" and kind_of(scenario).writes):
        there_in, cell = in_model(scenario, value if name == "weights" else scenario.weights)
        return {name: value, "layer": there_in.layer} | cell._asdict()
    if name == "weights" and value == choices.scenario.weights == BY_HAND.name:
        return readable(choices.scenario)  # chosen again, at sizes at which they mean nothing
    if name == "weights":
        return {"weights": value, "layer": 0}  # others have no layers
    if name == "mask" and value == PADDING.name and (length := longer_sequence(scenario)):
        return {"mask": value, "n_tokens": length}
    if name in LEFT_OPEN and str(value).isdecimal():
        return {name: first_step(choices.scenario, name, int(str(value)[:9]))}
    return {name: value}


def pinned(
    choices: UrlChoices, axes: Sequence[tuple[str, int | None]], index: Sequence[int]
) -> UrlChoices:
    """The choices after a click on a cell of an array; see `moved_places`."""
    return replace(choices, focus=replace(choices.focus, **moved_places(axes, index)), pin="")


def edited(choices: UrlChoices, array: str, row: int, column: int, value: float) -> UrlChoices:
    """The choices after a number was typed into a cell. array: its name on the board. Raises:
    SettingsError.
    """
    edit = Edit(EDITABLE_ARRAYS[array], row, column, value)
    return _with_edits(choices, Edits.from_url(choices.scenario.edits).add(edit))


def undone(choices: UrlChoices) -> UrlChoices:
    """The choices without the last edit."""
    return _with_edits(choices, Edits.from_url(choices.scenario.edits).undo())


def _with_edits(choices: UrlChoices, edits: Edits) -> UrlChoices:
    return replace(choices, scenario=replace(choices.scenario, edits=edits.url_value()))


def at_step(choices: UrlChoices, field: str) -> tuple[UrlChoices, str]:
    """The choices after a click on a matrix, and the URL path of the step that it opens: queries,
    keys and values share pages.

    >>> at_step(UrlChoices(), "key_heads")[0].which, at_step(UrlChoices(), "key_heads")[1]
    ('keys', 'split')
    """
    of_three = field.replace("query_heads", "queries").replace("_heads", "s")
    which = of_three if of_three in THREE else choices.which
    return replace(choices, which=which), step_of(field).url_path


def looked_at(before: Scenario, after: Scenario, focus: Focus) -> Focus:
    """The cell that is looked at once a layer has become another, before and after as they are run:
    the same. If its tokens are new and nobody has chosen a cell, or if they lack the cell, one that
    is worth a look.
    """
    if before == after:
        return focus
    with suppress(AttentionError):
        sizes = trace_of(after).sizes
        is_gone = focus.query >= sizes["T"] or focus.key >= sizes["S"]
        is_new = any(getattr(before, name) != getattr(after, name) for name in DECIDE_TOKENS)
        usual = (Focus(0, 0, 0, 0), _first_cell(before, focus.head))
        is_unchosen = any(focus == one for one in usual)
        if is_gone or (is_new and is_unchosen):
            # In the language model the head was chosen for the visitor.
            head = 0 if before.weights == LANGUAGE_MODEL.name else focus.head
            return _first_cell(after, head) or Focus(0, 0, 0, 0)
    return focus


def _first_cell(scenario: Scenario, head: int) -> Focus | None:
    """The cell that is shown first: that of an example, else one that is worth a look in a head."""
    with suppress(AttentionError):
        example = preset_of(scenario)
        return Focus(*((example and example.focus) or cell_worth_a_look(scenario, head)))
    return None


TELLING = 2  # terms that are not 0 make a sum worth working out


def opening_feature(
    trace: Trace, scenario: Scenario, page: Page, focus: Focus, which: str = THREE[0]
) -> int:
    """The feature with which a step opens where nobody has chosen one: of the row in focus the
    first number whose sum has two terms that are not 0; without one, the first with the most. 0 on
    a page that explains no feature.

    scenario: of the trace, as it is run. which: queries, keys or values, where a step shows one.
    """
    if page.section != "story" or "feature" not in page.looks_into or not page.fields:
        return 0
    if (field := explained_field(page, which)) not in trace.steps:
        return 0
    counts: list[int] = []
    for feature in range(trace.sizes[STEPS[field].letters[-1].split("·")[-1]]):
        counts.append(_terms_told(trace, scenario, field, replace(focus, feature=feature)))
        if counts[-1] >= TELLING:
            return feature
    return counts.index(max(counts))


def _terms_told(trace: Trace, scenario: Scenario, field: str, focus: Focus) -> int:
    """How many terms of the number in focus are not 0."""
    if field == "inputs":
        embedding = embedding_of(scenario)
        if is_sum_of_words(trace, embedding):
            return n_telling(derive_input(embedding, focus.query, focus.feature))
    return n_telling(derive(trace, field, focus.index(trace, field)))
