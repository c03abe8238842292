"""The app without a browser: opened at a page and an address, and what it shows as plain data."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from attention_core import AttentionError
from attention_lab.control_list import CONTROL_GROUPS, CONTROLS
from attention_lab.page_list import PAGES, Page, page_of
from attention_lab.state_file import FOCUS
from attention_ui.browser_files import COMPONENT_PREFIX
from attention_viz.markdown import JOINER
from attention_viz.story.story_view import StoryView
from tests.viz.reading_figures import refuse
from tests.viz.reading_scenes import scene_of

ROOT = Path(__file__).resolve().parents[2]
REFUSAL = re.compile("The URL asks for “(.*)” under “(.*?)”(.*)[.]", re.DOTALL)
SHOWN_INSTEAD = re.compile(
    r"; (?:the last one, |the nearest one, |the last head here is )?(.*?)"
    r"(?:,? is shown| stays set for other pages|$)"
)
ERRORS_SHOWN: dict[str, AttentionError] = {}  # by the text of their box; conftest.py fills it
MAIN = ROOT / "attention_ui" / "main_script.py"  # the script that Streamlit runs
EVERY_PAGE = [page.url_path for page in PAGES]


def opened(
    page: str = PAGES[0].url_path, *, theme: str = "light", bare: bool = False, **address: object
) -> AppTest:
    """The app as a visitor sees it who comes by the address of a page.

    An address that names neither a control nor a place opens the first example; unless bare, it is
    made to name the head, at its default, so that the layer is the usual one.
    """
    app = AppTest.from_file(str(MAIN), default_timeout=60)
    app.context = {"theme": theme}
    if not bare and address.keys().isdisjoint((*(control.name for control in CONTROLS), *FOCUS)):
        address["head"] = 0
    for name, value in address.items():
        app.query_params[name] = str(value)
    # Straight to the page, as a browser comes; AppTest alone would begin at the first one.
    app._page_hash = calc_hash(page)
    return app.run()


def gone_to(app: AppTest, page: str) -> AppTest:
    """The app after a visitor went to another page."""
    return app.switch_page(page_of(page).path).run()


def unfolded(app: AppTest) -> AppTest:
    """The app with every group of controls in the sidebar open."""
    for group in (*CONTROL_GROUPS[1:], "View"):
        app.session_state[f"group {group}"] = True
    return app.run()


def page_context(app: AppTest) -> StoryView:
    """The scenario, trace and focus of the last run."""
    found: StoryView = app.session_state["session"].page_context
    return found


def errors(app: AppTest) -> list[str]:
    """The sentences of the error boxes, without the escapes."""
    assert not app.exception
    return [error.value.replace("\\", "") for error in app.error]


def said(app: AppTest) -> list[str]:
    """The notices about an address that could not be followed, without the escapes."""
    return [toast.value.replace("\\", "") for toast in app.toast]


def title(app: AppTest) -> str:
    """The heading of the page that is shown: on the stage where it has one."""
    return str(app.title[0].value) if app.title else str(stage(app)["title"])


def stage(app: AppTest) -> dict[str, Any]:
    """What the stage of a step says."""
    return next((dict(s["stage"]) for s in _all_scenes(app) if "stage" in s), {})


def page_shown(app: AppTest) -> Page:
    """The page whose heading is shown."""
    return next(page for page in PAGES if page.title == title(app))


def figures(app: AppTest) -> list[dict[str, Any]]:
    """Every Plotly figure, as the browser gets it; JSON that a browser would refuse is an error."""
    return [chart["figure"] for chart in charts(app)]


def charts(app: AppTest) -> list[dict[str, Any]]:
    """What the browser gets of every chart."""
    return [json.loads(proto.json, parse_constant=refuse) for proto in sent_to(app, "chart")]


def scenes(app: AppTest) -> list[dict[str, Any]]:
    """Every matrix board, as the browser gets it."""
    return [scene for scene in _all_scenes(app) if scene["panels"]]


def _all_scenes(app: AppTest) -> list[dict[str, Any]]:
    """The same, and the strip of steps where it stands alone."""
    return [scene_of(proto.bytes) for proto in sent_to(app, "board") if not at_rest(proto)]


def resting(app: AppTest) -> list[str]:
    """The names of the boards that keep the last picture, greyed."""
    return [proto.id.split("-board ")[-1] for proto in sent_to(app, "board") if at_rest(proto)]


def at_rest(proto: Any) -> bool:
    """Whether a board is told to keep its last picture."""
    return bool(proto.json) and json.loads(proto.json) == {"rests": True}


def letters(formula: Any) -> list[str]:
    """What a formula of a stage writes, sign by sign."""
    if isinstance(formula, str):
        return [formula]
    return [sign for part in (formula or [])[2:] for sign in letters(part)]


def numbers_of_scene(scene: dict[str, Any]) -> np.ndarray:
    """Every number that a board is sent, as float32."""
    sent = [array["data"] for array in scene["arrays"].values() if "data" in array]
    return np.frombuffer(b"".join(sent), "<f4")


def html(app: AppTest) -> list[str]:
    """Everything that is sent as HTML, but for the style sheet and the script of the frame."""
    bodies = [str(element.proto.body) for element in app.html]
    return [body for body in bodies if not body.lstrip().startswith(("<script>", "<style>"))]


def texts(app: AppTest) -> str:
    """All Markdown and captions, and the words of the stage, in one string; spaces at which no line
    ends are spaces.
    """
    shown = [str(element.value) for kind in (app.markdown, app.caption) for element in kind]
    on_stage = stage(app)
    notes = [note["text"] for note in on_stage.get("notes", [])]
    said = [*shown, *(on_stage.get(part, "") for part in ("question", "says")), *notes]
    return "\n".join(said).replace("\u00a0", " ")


def numbers_of(spec: Any) -> np.ndarray:
    """Every number of a figure's arrays, as float32."""
    parts = [np.asarray(part, dtype="f4").ravel() for part in _arrays(spec)]
    return np.concatenate([np.zeros(0, "f4"), *parts])


def entries(part: Any, names: frozenset[str]) -> Iterator[tuple[str, Any]]:
    """Every entry of a figure under one of some names, at any depth."""
    if isinstance(part, dict):
        for key, value in part.items():
            if key in names:
                yield key, value
            yield from entries(value, names)
    elif isinstance(part, list):
        for value in part:
            yield from entries(value, names)


def sent_to(app: AppTest, name: str) -> list[Any]:
    """What every component of a name is sent."""
    mounted = [element.proto for element in app.get("bidi_component")]
    return [proto for proto in mounted if proto.component_name == f"{COMPONENT_PREFIX}.{name}"]


def _arrays(part: Any) -> Iterator[Any]:
    if isinstance(part, dict) and "bdata" in part:
        yield np.frombuffer(base64.b64decode(part["bdata"]), dtype=np.dtype(part["dtype"]))
    elif isinstance(part, dict):
        for value in part.values():
            yield from _arrays(value)
    elif isinstance(part, list):
        if part and all(isinstance(value, (int, float)) for value in part):
            yield part
        for value in part:
            yield from _arrays(value)


def sent(array: dict[str, Any]) -> np.ndarray:
    """The numbers of an array of a board."""
    return np.frombuffer(array["data"], "<f4").reshape(array["shape"])


def refused(app: AppTest) -> list[tuple[str, str, Any]]:
    """What of the address could not be followed: the label of each choice, what was asked for,
    and what is shown instead; None where the notice gives a reason.
    """
    return [_read_refusal(unescaped(toast.value)) for toast in app.toast]


def _read_refusal(sentence: str) -> tuple[str, str, Any]:
    asked, label, answer = REFUSAL.fullmatch(sentence).groups()
    found = SHOWN_INSTEAD.match(answer)
    shown: Any = found and found[1]
    if answer.startswith("; the last of them"):
        shown = asked.split(", ")[-1]
    return label, asked, "" if "nothing" in answer[:10] else shown


def unescaped(text: str) -> str:
    """A text as it is read, without the escapes of Markdown and the marks around them."""
    return re.sub(rf"\\(.)|[{JOINER}\u2068\u2069]", r"\1", text)


def error(app: AppTest) -> AttentionError:
    """The error in the one box of errors that the page shows."""
    (box,) = app.error
    return ERRORS_SHOWN[box.value]


def named_in(sentence: str) -> set[str]:
    """The names and the whole numbers in a sentence: what an error must name, however worded."""
    found = re.findall(r"[^\W\d]\w*|\d[\d,]*", sentence)
    return {name.replace(",", "") for name in found}


def pressed(app: AppTest, label: str) -> AppTest:
    """The app after a button."""
    return next(button for button in app.button if button.label == label).click().run()


def opened_folds(app: AppTest) -> AppTest:
    """The app with everything open that a page folds."""
    page = page_shown(app).url_path
    for box in app.main.expander:
        app.session_state[f"{page} {box.label}"] = True
    return app.run()
