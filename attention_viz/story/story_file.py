"""The whole story, or a lesson, as one HTML file that needs no server and loads nothing.

The file holds the finished scenes that `stages.py` makes, for every head and for queries, keys and
values. Scenes share most of their parts, so each part is written once.
"""

import base64
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs

from attention_core import AttentionError
from attention_lab.block import block_of
from attention_lab.choices import options_on
from attention_lab.export.step_code import block_code
from attention_lab.focus import FOCUS_AXES
from attention_lab.heads.keys_read import strongest_keys
from attention_lab.lessons.lesson import Lesson, Moment
from attention_lab.page_list import Page, page_of, page_row, step_of
from attention_lab.url_choices import read_url
from attention_lab.words.numbers import format_percent

from ..handout import BOARD_FOLDER, packed_page, quotations_html
from ..overview import FLOW, WEIGHT_STEPS
from ..payload import JSON
from ..theme import BOARD_PALETTES
from .misplaced import short_quote
from .products import PROJECTION_FACTORS, token_board
from .stages import STEPS_OF_STORY, shown_view, step_scene, strip_of
from .story_view import StoryView, view_of

HOW_TO_RUN = (
    "For another sentence and every other choice get Attention Lab: “make run” in its folder opens"
    " it; without make, “pip install -r requirements.txt”, then “streamlit run app.py”."
)
NEEDS = "This page needs JavaScript, in a browser of 2023 or later."
MOST_NUMBERS = 500_000  # of all heads together; of larger layers the file holds the head in focus
OF_THREE = {
    **dict.fromkeys(("projections", "split"), ("queries", "keys", "values")),
    **dict.fromkeys(("qk-norm", "rotary"), ("queries", "keys")),
}
LESSON_CSS_FILE = BOARD_FOLDER.parent / "page" / "lesson.css"
STORY_CSS = """
:root { color-scheme: light dark; font-family: system-ui, sans-serif; }
body { margin: 0.4rem auto; padding: 0 1rem; }
footer, #below > p { max-width: 60rem; margin: 1rem 0; overflow-wrap: anywhere; }
footer { font-size: 0.85rem; }
#code { white-space: pre-wrap; }
#below h1 { font-size: 1.6rem; margin: 0.5rem 0; }
.lecture footer { display: none; }
[hidden] { display: none; }
.skip-to-board:not(:focus) { position: absolute; clip-path: inset(50%); }
"""


def story_file(view: StoryView, path: str = "overview") -> str:
    """The story of a view as HTML. path: the step at which it opens. Raises: AttentionError."""
    view = replace(view, before=None, lesson="", present=False)
    heads = _heads(view)
    scenes = {page.url_path: _scenes(view, page.url_path, heads) for page in _pages(view)}
    steps: list[JSON] = [
        {
            "title": page.title,
            "path": page.url_path,
            "scenes": scenes[page.url_path],
            "code": code_of(view, page),
        }
        for page in _pages(view)
    ]
    steps[-1] |= {
        "below": token_board(view.stage, view.focus.query) | {"fits": True},
        "says": list(seen_sentences(view)),
    }
    held = f"Heads in this file: {', '.join(map(str, heads))}."
    start = {"path": path, "which": view.which, "head": view.focus.head}
    data = _data(steps, "Attention Lab", start) | {"heads": list(heads), "links": _links()}
    return _page(data, "Attention Lab", (view.sentence, held, HOW_TO_RUN))


def lesson_file(lesson: Lesson) -> str:
    """A lesson as a page for students: its moments with text, question and answers, without the
    notes for the teacher. A moment on another page of the app says so.
    """
    steps = [_moment(lesson, place) for place in range(len(lesson.moments))]
    data = _data(steps, lesson.title, {"path": "1", "which": "", "head": 0})
    data |= {"heads": [0], "links": {}, "lesson": True}
    return _page(data, lesson.title, (HOW_TO_RUN,), LESSON_CSS_FILE.read_text(encoding="utf-8"))


def seen_sentences(view: StoryView) -> tuple[str, str]:
    """What has become of the token in focus, and what each head reads for it, as plain text."""
    trace, query = view.trace, view.focus.query
    words = trace.labels("S")
    reads = [
        f"Head {head} reads most from {short_quote(words, key)}: {format_percent(share)}."
        for head in range(trace.sizes["H"])
        for key, share in strongest_keys(trace, head, query, count=1)
    ]
    asking = short_quote(trace.labels("T"), query)
    text = " ".join(reads) or "It may see no key, so no head brings it anything."
    return f"{asking} came in as a vector of X and leaves as one of Y.", text


def _pages(view: StoryView) -> list[Page]:
    """The pages of the story that a file has: the steps, and what one has seen."""
    pages = page_row("story", options_on(view.scenario)).lecture
    return [page for page in pages if page.url_path in (*STEPS_OF_STORY, "seen")]


def code_of(view: StoryView, page: Page) -> str:
    """The NumPy lines of a step. Raises: AttentionError."""
    if page.url_path == "overview":
        return ""
    if page.url_path == "block":
        return block_code(block_of(view.scenario, view.block, view.sequence))
    trace = shown_view(view, page.url_path).trace
    return "\n".join(filter(None, (trace.code(field) for field in page.fields)))


def _heads(view: StoryView) -> tuple[int, ...]:
    """The heads that a file holds."""
    sizes = view.trace.sizes
    n_numbers = sizes["H"] * sizes["H"] * sizes["T"] * (sizes["S"] + sizes["K"] + sizes["V"])
    if n_numbers > MOST_NUMBERS:
        return (view.focus.head,)
    return tuple(range(sizes["H"]))


def _scenes(view: StoryView, path: str, heads: Sequence[int]) -> dict[str, JSON]:
    """The scenes of a page by what is chosen: queries, keys or values, then a dot and the head."""
    if path not in STEPS_OF_STORY:
        return {".": strip_of(view, path)}
    three = OF_THREE.get(path, ("",))
    per_head = heads if "head" in page_of(path).looks_into else ("",)
    return {
        f"{which}.{head}": _held(
            step_scene(_looking(view, which, head), path), len(heads) if head != "" else 1
        )
        for which in three
        for head in per_head
    }


def _looking(view: StoryView, which: str, head: int | str) -> StoryView:
    """The view of another head, at the key from which the query reads most in it, as a click on the
    head shows it.
    """
    view = replace(view, which=which or view.which)
    if head in ("", view.focus.head):
        return view
    return replace(view, focus=view.focus.in_head(view.trace, int(head)))


def _held(scene: JSON, n_heads: int) -> JSON:
    """A scene without what a file cannot do: edits, and choices that need the engine."""
    panels = [
        {name: one for name, one in panel.items() if name != "editable"}
        for panel in scene["panels"]
    ]
    stage = dict(scene["stage"])
    if "notes" in stage:
        stage["choices"] = [one for one in stage["choices"] if one["name"] == "which"]
        stage["notes"] = [{"text": note["text"]} for note in stage["notes"]]
    if stage.get("reasons"):
        stage["reasons"] = stage["reasons"] | {"tries": _tries(stage["reasons"]["tries"], n_heads)}
    if n_heads == 1 and "heads" in stage:
        stage["heads"] = stage["heads"] | {"count": 1}
    if stage["lesson"]:
        stage["choices"] = []
    return scene | {"panels": panels, "stage": stage}


def _tries(tries: Sequence[JSON], n_heads: int) -> list[JSON]:
    """What can be tried in a file; if nothing can, the first one without its button."""
    held = ("pin", "which", *(["head"] if n_heads > 1 else []))
    possible = [one for one in tries if one["act"] in held]
    return possible or [{"text": one["text"]} for one in tries[:1]]


def _links() -> dict[str, list[str]]:
    """For each link of the overview the step that it opens, and which of the three matrices."""
    fields = {WEIGHT_STEPS.get(name, name) for names in FLOW for name in names}
    fields |= {"scores", "scaled_scores", "masked_scores"}
    return {
        field: [step_of(field).url_path, field if field in PROJECTION_FACTORS else ""]
        for field in sorted(fields)
    }


def _moment(lesson: Lesson, place: int) -> JSON:
    """A moment: its words, and its scene if it is at a step."""
    moment, asked = lesson.moments[place], lesson.question_at(place)
    path, lesson_place = moment.page, f"{lesson.title}.{place + 1}"
    step: JSON = {"title": moment.title, "path": str(place + 1), "text": moment.text}
    if asked:
        step["question"] = {
            "of": lesson_place,
            "ask": asked.text,
            "why": asked.why,
            "options": [one.label for one in asked.options],
            "right": asked.right,
        }
    scene = strip_of(StoryView(lesson=lesson_place), "practice")
    step["away"] = f"This moment is on the page “{page_of(path).title}” of the app."
    if path in STEPS_OF_STORY:
        try:
            scene = _scene_of(moment, lesson_place, moment.covered)
            step["away"] = ""
        except AttentionError as error:
            step["away"] = str(error)
    return step | {"scenes": {".": _held(scene, 1)}}


def _scene_of(moment: Moment, place: str, covers: str = "") -> JSON:
    """The scene of a moment at a step. Raises: AttentionError."""
    chosen = read_url(parse_qs(moment.state, keep_blank_values=True))
    return step_scene(replace(view_of(chosen), lesson=place, covers=covers), moment.page)


PICTURE_HEIGHT = {False: 370, True: 480}  # px, on a sheet, of a step and of a layer


def moment_picture(moment: Moment, place: str = "", covers: str = "") -> JSON | None:
    """The scene of a moment without the way to other pages, to stand beside its question or on a
    sheet; None at a page without a picture. Raises: AttentionError.
    """
    if moment.page not in STEPS_OF_STORY:
        return None
    scene = _scene_of(moment, place, covers)
    bare = {"steps": [], "hide": False, "lecture": False}
    return scene | {"stage": scene["stage"] | bare, "player": False}


def moment_pictures(lesson: Lesson) -> tuple[dict[int, int], str]:
    """For each moment of a lesson that has a picture its number, and what `sheet.js` reads. Nothing
    is covered.
    """
    scenes: dict[int, JSON] = {}
    for place, moment in enumerate(lesson.moments):
        with suppress(AttentionError):
            if scene := moment_picture(moment, lesson.title):
                scenes[place] = _held(scene, 1) | {"height": PICTURE_HEIGHT["flow" in scene]}
    pool, places = pooled([*scenes.values()])
    data = {"pool": pool, "scenes": places, "palette": BOARD_PALETTES["light"]}
    return {place: number for number, place in enumerate(scenes)}, json.dumps(data)


def _data(steps: Sequence[JSON], title: str, start: JSON) -> JSON:
    """What the script of a file reads; scenes are places in a pool of parts."""
    pool, places = pooled([*(one for step in steps for one in _scenes_of(step))])
    waiting = iter(places)
    told = [
        step
        | {"scenes": {name: next(waiting) for name in step["scenes"]}}
        | ({"below": next(waiting)} if "below" in step else {})
        for step in steps
    ]
    return {
        "title": title,
        "pool": pool,
        "steps": told,
        "start": start | {"present": False},
        "axes": FOCUS_AXES,
        "palette": BOARD_PALETTES,
        "lesson": False,
    }


def _scenes_of(step: JSON) -> list[JSON]:
    return [*step["scenes"].values(), *([step["below"]] if "below" in step else [])]


def _page(data: JSON, title: str, footer: Sequence[str], more_css: str = "") -> str:
    """The page: a place for a lesson's bar, the stage, what stands below it, and the footer."""
    lines = "".join(f"<p>{quotations_html(line)}</p>\n" for line in footer)
    hidden = "" if data["lesson"] else " hidden"
    body = f"""<nav id="lesson" class="lesson-bar" aria-label="Lesson"{hidden}></nav>
<main id="steps"><p>{NEEDS}</p></main>
<section id="below" hidden></section>
<footer>
<pre id="code" hidden></pre>
{lines}</footer>"""
    return packed_page(title, STORY_CSS + more_css, body, "story.js", {"story": json.dumps(data)})


LEAST_LENGTH = 24  # characters of JSON; shorter parts are written where they stand


def pooled(values: Sequence[Any]) -> tuple[list[Any], list[int]]:
    """The pool of all parts, and for each value its place in the pool.

    A part {"$": place} stands for an entry of the pool; assets/board/scene/pool.js puts it in.
    Bytes become base64.

    >>> pooled([{"a": ["word"] * 4}, {"b": ["word"] * 4}])
    ([['word', 'word', 'word', 'word'], {'a': {'$': 0}}, {'b': {'$': 0}}], [1, 2])
    """
    pool: list[Any] = []
    known: dict[str, int] = {}

    def place_of(value: Any) -> int:
        text = json.dumps(value, allow_nan=False)
        if text not in known:
            known[text] = len(pool)
            pool.append(value)
        return known[text]

    def held(value: Any) -> Any:
        if isinstance(value, bytes):
            return base64.b64encode(value).decode()
        if isinstance(value, dict):
            return {str(name): shared(one) for name, one in value.items()}
        if isinstance(value, list | tuple):
            return [shared(one) for one in value]
        return value

    def shared(value: Any) -> Any:
        places = held(value)
        if not isinstance(places, dict | list) or len(json.dumps(places)) < LEAST_LENGTH:
            return places
        return {"$": place_of(places)}

    return pool, [place_of(held(value)) for value in values]
