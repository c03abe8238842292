"""What the static site asks its engine: one call gives the scene of a step, the controls beside it,
and the URL that shows the same. It runs in a browser's worker, with NumPy alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlencode

from attention_core import AttentionError, FileError
from attention_lab.choices import (
    MODEL_CHOICES,
    Scenario,
    has_uneven_heads,
    modern_notes,
    resolve,
    shown_on,
)
from attention_lab.export.script import notebook, script
from attention_lab.export.trace_files import field_csv, trace_to_npz
from attention_lab.focus import FOCUS_HELP, Focus, moved_places
from attention_lab.home import weights_folder
from attention_lab.page_list import OLD_URLS, page_now, page_of, step_of
from attention_lab.presets import Preset, example_for, in_model, own_sentence, preset_named, presets
from attention_lab.scenario import LEFT_OPEN, first_step
from attention_lab.trained.language_model import MODEL_FOLDER
from attention_lab.uneven_heads import uneven_heads, ways_out
from attention_lab.url_choices import (
    PARAMETERS,
    Parameter,
    UrlChoices,
    names_no_layer,
    read_url,
    read_values,
    write_url,
)
from attention_lab.url_values import quoted, url_text
from attention_lab.user_data.edits import EDITABLE_ARRAYS, Edit, Edits
from attention_lab.whose_heads import MINILM

from .blocks import (
    Block,
    BlockPage,
    Board,
    Choice,
    File,
    InTheApp,
    Text,
    Values,
    caption,
    every_block,
)
from .diagonal.depth_page import DEPTH
from .diagonal.geometry_page import GEOMETRY
from .diagonal.growth_page import GROWTH
from .diagonal.modern_page import MODERN
from .diagonal.propositions_page import PROPOSITION_PAGE
from .diagonal.self_attention_page import SELF_ATTENTION
from .heads.all_heads_page import ALL_HEADS
from .heads.construct_page import CONSTRUCT
from .heads.head_worth_page import HEAD_WORTH
from .heads.one_matrix_page import ONE_MATRIX
from .heads.shared_keys_page import SHARED_KEYS
from .labs.convolution_page import CONVOLUTION
from .labs.stiefel_page import STIEFEL
from .labs.training_page import TRAINING
from .masks.changes_page import WHAT_CHANGES
from .masks.encoder_decoder_page import ENCODER_DECODER
from .masks.workshop_page import MASK_WORKSHOP
from .payload import JSON
from .practice_page import PRACTICE, practice_sheet
from .reference.glossary_page import GLOSSARY
from .reference.questions_page import QUESTIONS
from .reference.sources_page import SOURCES
from .scene import coloured_scene
from .scene_formats import scene_to_text
from .site_blocks import BlockWriter
from .site_controls import TRAINED, controls
from .story.stages import STEPS_OF_STORY, stage_of, strip_of
from .story.story_file import code_of, seen_sentences, story_file
from .story.story_view import StoryView, view_of
from .teach.for_teachers_page import FOR_TEACHERS
from .trained.cache import CACHE
from .trained.change_word_page import CHANGE_A_WORD
from .trained.find_head_page import FIND_A_HEAD
from .trained.head_pages import MODEL
from .trained.one_head_page import ONE_HEAD_PAGE
from .trained.trained_heads_page import TRAINED_HEADS
from .trained.why_word import WHY_THIS_WORD
from .trained.writing import WRITING

# The pages of the site that are no step.
BLOCK_PAGES: Mapping[str, BlockPage] = {
    page.url_path: page
    for page in (
        *(
            ALL_HEADS,
            HEAD_WORTH,
            SHARED_KEYS,
            CONSTRUCT,
            ONE_MATRIX,
            MASK_WORKSHOP,
            ENCODER_DECODER,
            WHAT_CHANGES,
        ),
        *(WRITING, WHY_THIS_WORD, CACHE),
        *(TRAINED_HEADS, ONE_HEAD_PAGE, FIND_A_HEAD, CHANGE_A_WORD),
        *(SELF_ATTENTION, PROPOSITION_PAGE, GEOMETRY, MODERN, DEPTH, GROWTH),
        *(TRAINING, CONVOLUTION, STIEFEL, PRACTICE),
        *(FOR_TEACHERS, QUESTIONS, GLOSSARY, SOURCES),
    )
}
SHOWN = (*STEPS_OF_STORY, "seen", *BLOCK_PAGES)
# The pages that the app alone has, and why.
IN_THE_APP = {"class": "A class meets on a server, which counts the answers of all its members."}
LECTURE_ZOOM = 1.35
NO_PAGE = "There is no page “{}”; you see the first one."


def answer(request: str) -> str:
    """The answer to a request as JSON; both are objects. An `AttentionError` becomes its sentence.

    request: "path" of a page, "query" of the URL, and "act" with what a visitor did, if anything.
    "want" may ask for a file in the place of the page, see `FILES`. "model": whether the site has
    the trained model. If it or the language model is needed and has not been loaded yet, the answer
    asks for it. "open": the labels of what is opened on the page.
    """
    try:
        return _answer(json.loads(request))
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
    path, act, unknown = page.url_path, asked.get("act") or {}, []
    if asked["path"] not in (path, *OLD_URLS):
        unknown = [NO_PAGE.format(quoted(asked["path"]))]
    opened = path
    choices = _choices(parameters, path)
    own = {name: texts[-1] for name, texts in parameters.items() if name not in PARAMETERS}
    refused: list[str] = []
    before = choices.scenario
    try:
        if act.get("press"):
            act = {"changes": _pressed(path, _view(choices, path), parameters, act)}
        choices, path = acted(choices, path, act)
        if choices.scenario.weights == TRAINED and asked.get("model") and not has_model():
            return json.dumps({"needs": "model"})
        view = replace(_view(choices, path), home=str(asked.get("home", "")))
        if act.get("name") in PARAMETERS:
            view = replace(view, before=before)
        known, values, refused = _own_choices(path, view, parameters, act)
        if values.get(MODEL.key) == MINILM and asked.get("model") and not has_model():
            return json.dumps({"needs": "model"})
        notes = modern_notes(choices.scenario, page_of(path))
        said = _said(asked, view, path, known, values, notes)
        own = {
            one.key: one.text(values[one.key])
            for one in known
            if one.implied or values[one.key] != one.default
        }
    except AttentionError as error:
        if isinstance(error, FileError) and not _has_language_model():
            raise
        said = _refused(choices.scenario, error)
        path = opened
    page = page_of(path)
    about = {
        "path": path,
        "query": urlencode(write_url(choices) | own),
        "refused": [*unknown, *choices.refused, *refused],
        "controls": controls(choices, offers_trained(asked), page.own_controls),
        "title": page.title,
    }
    return scene_to_text(about | said)


def _view(choices: UrlChoices, path: str) -> StoryView:
    """What a page shows of the choices of a URL. Raises: AttentionError."""
    return view_of(replace(choices, scenario=shown_on(choices.scenario, page_of(path))))


def _has_language_model() -> bool:
    return (MODEL_FOLDER / "checksums.json").exists()


def _own_choices(
    path: str, view: StoryView, parameters: Mapping[str, Sequence[str]], act: Mapping[str, Any]
) -> tuple[Sequence[Choice], dict[str, Any], list[str]]:
    """The choices of a page that is no step, their values after an act, and a sentence for each
    that the URL asks for in vain. Raises: AttentionError for a choice that the act cannot make.
    """
    changes, refused = _changes_of(act), list[str]()

    def value_of(choice: Choice) -> Any:
        if choice.key in changes:
            given = changes[choice.key]
            return choice.read(given if isinstance(given, str) else choice.text(given))
        reader = Parameter(choice.label, choice.unsaid(parameters), choice.read)
        values, sentences = read_values({choice.key: reader}, parameters)
        refused.extend(sentences)
        return values[choice.key]

    if path not in BLOCK_PAGES:
        return (), {}, []
    known, values = BLOCK_PAGES[path].read(view, value_of)
    back = {name for one in known if one.key in changes for name in one.resets} - changes.keys()
    values |= {one.key: one.default for one in known if one.key in back}
    return known, values, refused


def _pressed(
    path: str, view: StoryView, parameters: Mapping[str, Sequence[str]], act: Mapping[str, Any]
) -> Mapping[str, Any]:
    """What a click on a cell of a board of the page sets. Raises: AttentionError."""
    _, values, _ = _own_choices(path, view, parameters, {})
    match act:
        case {"press": str(name), "cell": {"array": str(array), "index": list(index)}}:
            for block in every_block(BLOCK_PAGES[path].blocks(view, values)):
                if isinstance(block, Board) and block.name == name:
                    return block.pressed(array, index)
    return {}


def _changes_of(act: Mapping[str, Any]) -> dict[str, Any]:
    """The choices that an act makes, by their names."""
    changes = act.get("changes")
    found = dict(changes) if isinstance(changes, dict) else {}
    if isinstance(act.get("name"), str) and "value" in act:
        found[act["name"]] = act["value"]
    return found


def _said(
    asked: JSON,
    view: StoryView,
    path: str,
    known: Sequence[Choice],
    values: Values,
    notes: Sequence[str],
) -> JSON:
    """The file that is wanted, the blocks of a page, or the scene of a step. notes: on what a page
    leaves out. Raises: AttentionError.
    """
    shown: Sequence[Block] = (Text(IN_THE_APP.get(path, "")), InTheApp(path))
    if path in BLOCK_PAGES:
        shown = [*map(caption, notes), *BLOCK_PAGES[path].blocks(view, values)]
    if want := asked.get("want"):
        if want in FILES:
            return {"file": FILES[want](view, path, values)}
        files = (one for one in every_block(shown) if isinstance(one, File))
        return {"file": next(one.make() for one in files if one.name == want)}
    if path not in BLOCK_PAGES and path in SHOWN:
        return _step(view, path)
    opened = list(map(str, asked.get("open") or ()))
    writer, page = BlockWriter(known, SHOWN, bool(asked.get("dark")), opened), page_of(path)
    question = {"kind": "question", "title": page.title, "text": page.question}
    row = coloured_scene(strip_of(view, path), "both")
    return {"row": row, "blocks": [question, *writer.write(shown)], "made_of": view.sentence}


def _refused(scenario: Scenario, error: AttentionError) -> JSON:
    """Why there is no layer, and buttons that make one where the heads do not fit."""
    with suppress(AttentionError):
        if has_uneven_heads(resolve(scenario)):
            ways = [{"label": way.label, "changes": way.changes} for way in ways_out(scenario)]
            return {"error": ": ".join(uneven_heads(scenario)), "ways": ways}
    return {"error": str(error)}


def _choices(parameters: Mapping[str, Sequence[str]], path: str) -> UrlChoices:
    """The choices of a URL; one that chooses no layer opens the example of the page, or its own
    sentence in the language model, as in the app. On pages with an example of their own, so does
    one that still has the first example.
    """
    found, example = read_url(parameters), example_for(path)
    if names_no_layer(parameters, page_of(path).section):
        own = "text" in parameters
        return _with_example(found, own_sentence(found.scenario.text) if own else example)
    has_first = found.scenario == presets()[0].scenario != example.scenario
    return _with_example(found, example) if has_first else found


def _with_example(choices: UrlChoices, example: Preset) -> UrlChoices:
    """The choices with the layer of an example and its cell in focus."""
    focus = {name: example.session_values[name] for name in FOCUS_HELP}
    return replace(
        choices, scenario=example.scenario, focus=replace(choices.focus, **focus), sentence=0
    )


def _step(view: StoryView, path: str) -> JSON:
    """The scene of a step, and what stands below it."""
    zoom = LECTURE_ZOOM if view.present else 1.0
    scene = coloured_scene(stage_of(view, path), "both", zoom)
    said: JSON = {"scene": scene, "made_of": view.sentence}
    if path in STEPS_OF_STORY and path != "overview":
        said["code"] = code_of(view, page_of(path))
    elif path == "seen":
        said["says"] = list(seen_sentences(view))
    return said


def has_model() -> bool:
    """Whether the files of the trained model are there."""
    return (weights_folder() / "checksums.json").exists()


def offers_trained(asked: JSON) -> bool:
    """Whether trained weights can be chosen: the model is there, or the site can load it."""
    return has_model() or bool(asked.get("model"))


def _story(view: StoryView, path: str, _: Values) -> str:
    return story_file(view, path if path in STEPS_OF_STORY else "overview").html


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
    """The choices after an act of a visitor, and the step that is shown then. Raises:
    AttentionError.
    """
    match act:
        case {"pin": {"array": str(array), "index": list(index)}, "axes": list(axes)}:
            moved = moved_places([(letter, block) for letter, block in axes], index)
            pinned = replace(choices, focus=replace(choices.focus, **moved), pin="")
            return _with_changes(pinned, _of_layer(_changes_of(act))), path
        case {"edit": {"array": str(array), "index": [*_, row, column], "value": value}}:
            edit = Edit(EDITABLE_ARRAYS[array], row, column, value)
            edits = Edits.from_url(choices.scenario.edits).add(edit).url_value()
            return replace(choices, scenario=replace(choices.scenario, edits=edits)), path
        case {"open": str(field)}:
            which = field if field in ("queries", "keys", "values") else choices.which
            return replace(choices, which=which), step_of(field).url_path
        case {"name": "example", "value": str(name)} if example := preset_named(name):
            return _with_example(choices, example), path
        case {"undo": bool()}:
            edits = Edits.from_url(choices.scenario.edits).undo().url_value()
            return replace(choices, scenario=replace(choices.scenario, edits=edits)), path
        case {"changes": dict(changes)}:
            to = act.get("to")
            return _with_changes(choices, _of_layer(changes)), to if to in SHOWN else path
        case {"name": "head", "value": int(head)}:
            focus = view_of(choices).focus
            with suppress(AttentionError):
                focus = focus.in_head(view_of(choices).trace, head)
            return replace(choices, focus=focus), path
        case {"name": "weights", "value": str(weights)} if weights in MODEL_CHOICES:
            there, cell = in_model(view_of(choices).scenario, weights)
            changed = _with_changes(choices, {"weights": weights, "layer": there.layer})
            return replace(changed, focus=Focus(*cell)), path
        case {"name": str(name), "value": str(size)} if name in LEFT_OPEN and size.isdecimal():
            held = first_step(choices.scenario, name, int(size[:9]))
            return _with_changes(choices, {name: held}), path
        case {"name": str(name), "value": value} if name in PARAMETERS:
            return _with_changes(choices, {name: value}), path
    return choices, path


def _of_layer(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Those of some changes that are no choices of a page's own."""
    return {name: value for name, value in changes.items() if name in PARAMETERS}


def _with_changes(choices: UrlChoices, changes: Mapping[str, Any]) -> UrlChoices:
    """The choices after some have changed."""
    texts = write_url(choices) | {name: url_text(value) for name, value in changes.items()}
    return read_url({name: [text] for name, text in texts.items()})
