"""What the static site asks its engine: one call gives the scene of a step, the controls beside it,
and the URL that shows the same. It runs in a browser's worker, with NumPy alone.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlencode

from attention_core import AttentionError, FileError, SettingsError
from attention_lab.acts import (
    at_step,
    edited,
    looked_at,
    moved,
    opened,
    opening_feature,
    pinned,
    undone,
)
from attention_lab.choices import Scenario, resolve, without_modern
from attention_lab.control_list import uneven_heads, ways_out
from attention_lab.export.script import notebook, script
from attention_lab.export.trace_files import field_csv, trace_to_npz
from attention_lab.home import weights_folder
from attention_lab.page_list import OLD_URLS, page_now, page_of
from attention_lab.sentences import weights_in_force
from attention_lab.trained.language_model import MODEL_FOLDER
from attention_lab.url_choices import LAYER_PARAMETERS, PARAMETERS, UrlChoices, write_url
from attention_lab.url_values import quoted
from attention_lab.user_data.edits import EDITABLE_ARRAYS
from attention_lab.weight_kinds import TRAINED
from attention_lab.whose_heads import MINILM

from .blocks import Block, Board, File, InTheApp, Link, Text, Values, every_block
from .every_page import BLOCK_PAGES, IN_THE_APP
from .page_choices import Choice
from .payload import JSON
from .practice_page import practice_sheet
from .scene import coloured_scene
from .scene_formats import scene_to_text
from .site_blocks import BlockWriter
from .story.stages import STEPS_OF_STORY, stage_of, strip_of
from .story.story_file import story_file
from .story.story_view import StoryView, view_of
from .trained.head_pages import MODEL
from .widgets import widgets_of

SHOWN = tuple(BLOCK_PAGES)
LECTURE_ZOOM = 1.35
NO_PAGE = "There is no page “{}”; you see the first one."


class _ModelNeededError(Exception):
    """The files of the trained model have to be loaded first."""


def answer(request: str) -> str:
    """The answer to a request as JSON; both are objects. An `AttentionError` becomes its sentence.

    request: "path" of a page, "query" of the URL, and "act" with what a visitor did, if anything.
    "want" may ask for a file in the place of the page, see `FILES`. "model": whether the site has
    the trained model. If it or the language model is needed and has not been loaded yet, the answer
    asks for it. "open": the labels of what is opened on the page.
    """
    try:
        return _answer(json.loads(request))
    except _ModelNeededError:
        return json.dumps({"needs": "model"})
    except FileError:
        if _has_language_model():
            raise
        return json.dumps({"needs": "language-model"})


def _answer(asked: JSON) -> str:
    """The answer to a request. Raises: FileError without the files of the language model, if they
    are needed.
    """
    given = parse_qs(asked.get("query", ""), keep_blank_values=True)
    page, parameters = page_now(asked["path"], given)
    path, act = page.url_path, asked.get("act") or {}
    unknown = [] if asked["path"] in (path, *OLD_URLS) else [NO_PAGE.format(quoted(asked["path"]))]
    choices = first = opened(path, parameters, MODEL.asked(parameters)[0])
    own = {name: texts[-1] for name, texts in parameters.items() if name not in PARAMETERS}
    refused: list[str] = []
    feature = 0  # with which the page opens
    known: Sequence[Choice] = ()
    try:
        choices, path, act, impossible = _after(act, choices, path, parameters)
        unknown += impossible
        choices, view, feature = _view(asked, choices, path, parameters, act)
        if act.get("name") in PARAMETERS:
            view = replace(view, before=first.scenario)
        known, values, refused = _own_choices(asked, view, path, parameters, act)
        said = _said(asked, view, path, known, values)
        own = _own_texts(known, values)
    except AttentionError as error:
        if isinstance(error, FileError) and not _has_language_model():
            raise
        said, path = _refused(choices.scenario, error), page.url_path
    page = page_of(path)
    about = {
        "shared": {one.key: own.get(one.key, "") for one in known if one.shared},
        "path": path,
        "query": urlencode(_named(choices, first, path, parameters, feature) | own),
        "refused": [*unknown, *choices.refused, *refused],
        "controls": [one.json for one in widgets_of(choices, offers_trained(asked), page)],
        "title": page.title,
    }
    return scene_to_text(about | said)


def _after(
    act: JSON, choices: UrlChoices, path: str, parameters: Mapping[str, Sequence[str]]
) -> tuple[UrlChoices, str, JSON, list[str]]:
    """The choices and the page after an act, and the act itself, with why it is none: if what was
    typed cannot be, all stays. Raises: AttentionError.
    """
    if act.get("press"):
        act = _pressed(path, view_of(choices), parameters, act)
    try:
        return *acted(choices, path, act), act, []
    except SettingsError as error:
        return choices, path, {}, [str(error)]


def _own_texts(known: Sequence[Choice], values: Values) -> dict[str, str]:
    """The choices of the page in the URL."""
    return {
        one.key: one.text(values[one.key])
        for one in known
        if one.implied or values[one.key] != one.default
    }


def _need_model(asked: JSON, is_needed: bool) -> None:
    if is_needed and asked.get("model") and not has_model():
        raise _ModelNeededError


def _view(
    asked: JSON,
    choices: UrlChoices,
    path: str,
    parameters: Mapping[str, Sequence[str]],
    act: JSON,
) -> tuple[UrlChoices, StoryView, int]:
    """The choices and what a page shows of them, both at the feature with which it opens if nothing
    names another, and that feature. Raises: AttentionError.
    """
    _need_model(asked, choices.scenario.weights == TRAINED.name)
    view, page = replace(view_of(choices), home=str(asked.get("home", ""))), page_of(path)
    if not page.runs_modern:
        view = replace(view, scenario=without_modern(view.scenario))
    feature = 0
    if page.section == "story":
        feature = opening_feature(view.trace, view.shown, page, view.focus, view.which)
    if not _chooses_feature(parameters, act):
        choices, view = _at_feature(choices, feature), _at_feature(view, feature)
    return choices, view, feature


def _own_choices(
    asked: JSON,
    view: StoryView,
    path: str,
    parameters: Mapping[str, Sequence[str]],
    act: JSON,
) -> tuple[Sequence[Choice], Values, list[str]]:
    """The choices of the page itself, see `BlockPage.after`."""
    if path not in BLOCK_PAGES:
        return (), {}, []
    known, values, refused = BLOCK_PAGES[path].after(view, parameters, _changes_of(act))
    _need_model(asked, values.get(MODEL.key) == MINILM)
    return known, values, refused


def _named(
    choices: UrlChoices,
    first: UrlChoices,
    path: str,
    parameters: Mapping[str, Sequence[str]],
    feature: int,
) -> dict[str, str]:
    """The choices of the layer in the URL. A page that uses no control does not begin the visit of
    a layer: the next one opens its own example. first: with what the page opened; feature: see
    `write_url`.
    """
    named, uses = write_url(choices, feature), page_of(path).own_controls
    if not uses or uses.used or choices.scenario != first.scenario:
        return named
    left_out = {*LAYER_PARAMETERS} - parameters.keys()
    return {name: text for name, text in named.items() if name not in left_out}


def _chooses_feature(parameters: Mapping[str, Sequence[str]], act: Mapping[str, Any]) -> bool:
    """Whether the URL or the act of a visitor names the feature that is explained."""
    changes = _changes_of(act)
    return (
        "pin" in act
        or "feature" in changes
        or ("feature" in parameters and "example" not in changes)
    )


Focused = TypeVar("Focused", UrlChoices, StoryView)


def _at_feature(one: Focused, feature: int) -> Focused:
    return replace(one, focus=replace(one.focus, feature=feature))


def _has_language_model() -> bool:
    return (MODEL_FOLDER / "checksums.json").exists()


def _pressed(
    path: str, view: StoryView, parameters: Mapping[str, Sequence[str]], act: JSON
) -> JSON:
    """What a click on a cell of a board of the page does, as an act. Raises: AttentionError."""
    _, values, _ = BLOCK_PAGES[path].after(view, parameters, {})
    match act:
        case {"press": str(name), "cell": {"array": str(array), "index": list(index)}}:
            for block in every_block(BLOCK_PAGES[path].blocks(view, values)):
                if isinstance(block, Board) and block.name == name:
                    match block.pressed(array, index):
                        case Link(_, page, sets):
                            return {"changes": sets, "to": page}
                        case sets:
                            return {"changes": sets}
    return {}


def _changes_of(act: Mapping[str, Any]) -> dict[str, Any]:
    """The choices that an act makes, by their names."""
    changes = act.get("changes")
    texts = dict(changes) if isinstance(changes, dict) else {}
    if isinstance(act.get("name"), str) and "value" in act:
        texts[act["name"]] = act["value"]
    return texts


def _said(asked: JSON, view: StoryView, path: str, known: Sequence[Choice], values: Values) -> JSON:
    """The file that is wanted, the blocks of a page, or the scene of a step. Raises:
    AttentionError.
    """
    shown: Sequence[Block] = (Text(IN_THE_APP.get(path, "")), InTheApp(path))
    if path in BLOCK_PAGES:
        shown = BLOCK_PAGES[path].blocks(view, values)
    if want := asked.get("want"):
        if want in FILES:
            return {"file": FILES[want](view, path, values)}
        files = (one for one in every_block(shown) if isinstance(one, File))
        return {"file": next(one.make() for one in files if one.name == want)}
    opened = list(map(str, asked.get("open") or ()))
    writer, page = BlockWriter(known, SHOWN, bool(asked.get("dark")), opened), page_of(path)
    if path in STEPS_OF_STORY:
        return {"blocks": writer.write(shown)} | _stage(view, path, asked)
    question = {"kind": "question", "title": page.title, "text": page.question}
    row = coloured_scene(strip_of(view, path), "both")
    return {"row": row, "blocks": [question, *writer.write(shown)], "made_of": view.sentence}


def _refused(scenario: Scenario, error: AttentionError) -> JSON:
    """Why there is no layer, and buttons that make one where the heads do not fit."""
    with suppress(AttentionError):
        if resolve(scenario).is_uneven:
            ways = [{"label": way.label, "changes": way.changes} for way in ways_out(scenario)]
            return {"error": ": ".join(uneven_heads(scenario)), "ways": ways}
    return {"error": str(error)}


def _stage(view: StoryView, path: str, asked: JSON) -> JSON:
    """The scene of a step, and the sentence that it was made of."""
    zoom = LECTURE_ZOOM if view.present else 1.0
    scene = coloured_scene(stage_of(view, path), "both", zoom)
    held = _held(scene["stage"], offers_trained(asked))
    return {"scene": scene | {"stage": held}, "made_of": view.sentence}


def _held(stage: JSON, has_trained: bool) -> JSON:
    """A stage without a button that needs the trained model, where the site is built without it."""
    if "notes" not in stage or has_trained:
        return stage
    notes = [
        {"text": note["text"]} if note.get("value") == TRAINED.name else note
        for note in stage["notes"]
    ]
    return stage | {"notes": notes}


def has_model() -> bool:
    """Whether the files of the trained model are there."""
    return (weights_folder() / "checksums.json").exists()


def offers_trained(asked: JSON) -> bool:
    """Whether trained weights can be chosen: the model is there, or the site can load it."""
    return has_model() or bool(asked.get("model"))


def _story(view: StoryView, path: str, _: Values) -> str:
    return story_file(view, path if path in STEPS_OF_STORY else "overview")


def _csv(view: StoryView, path: str, _: Values) -> str:
    fields = [field for field in page_of(path).fields if field in view.trace.steps]
    return field_csv(view.trace, fields[-1] if fields else "output")


# The files that a visitor can take along, by their kind; bytes travel as base64.
FILES: Mapping[str, Callable[[StoryView, str, Values], str | bytes]] = {
    "attention-story.html": _story,
    "attention-by-hand.html": lambda view, _, values: practice_sheet(view, values),
    "attention.ipynb": lambda view, *_: notebook(view.batch, view.labels),
    "attention.py": lambda view, *_: script(view.batch, view.labels),
    "step.csv": _csv,
    "trace.npz": lambda view, *_: trace_to_npz(view.batch, view.labels),
}


def acted(choices: UrlChoices, path: str, act: Mapping[str, Any]) -> tuple[UrlChoices, str]:
    """The choices after an act of a visitor, and the page that is shown then. Raises:
    AttentionError.
    """
    before = choices.scenario
    if changes := _changes_of(act):
        choices = moved(choices, changes)
    match act:
        case {"pin": {"array": str(), "index": list(index)}, "axes": list(axes)}:
            choices = pinned(choices, [(letter, block) for letter, block in axes], index)
        case {"edit": {"array": str(array), "index": [*_, row, column], "value": value}} if (
            array in EDITABLE_ARRAYS
        ):
            choices = edited(choices, array, row, column, value)
        case {"open": str(field)}:
            choices, path = at_step(choices, field)
        case {"undo": bool()}:
            choices = undone(choices)
    if (to := act.get("to")) in SHOWN:
        path = str(to)
    if page_of(path).own_controls is None:
        was, is_now = map(weights_in_force, (before, choices.scenario))
        choices = replace(choices, focus=looked_at(was, is_now, choices.focus))
    return choices, path
