"""Print every text of the app in the order of the menu, as one Markdown document to proof-read.

Run it as `.venv/bin/python -m scripts.print_texts > texts.md`, or with the URL paths of some pages.
It opens each page as a visitor does, with every box and pop-up. It prints titles, sentences,
formulas, labels, choices, help, and the words of boards and charts.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from attention_lab.page_list import PAGES, Page, page_of

SCRIPT = Path(__file__).resolve().parents[1] / "attention_ui" / "main_script.py"
MAX_PAGE_SECONDS = 120
MAX_RUNS = 4  # boxes may stand in boxes
BOX_TYPES = ("expander", "popover")


def main() -> None:
    """Print the texts of the pages that the command line names, or of all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("pages", nargs="*", help="URL paths, such as scores; all pages if none")
    wanted = parser.parse_args().pages or [page.url_path for page in PAGES]
    for url_path in wanted:
        print("\n\n".join(page_texts(page_of(url_path))), end="\n\n")


def page_texts(page: Page) -> list[str]:
    """The texts of a page, from top to bottom, without repetitions."""
    app = AppTest.from_file(str(SCRIPT), default_timeout=MAX_PAGE_SECONDS)
    app.query_params["head"] = "0"  # a URL without choices opens the first example
    app.run()
    app.switch_page(page.path).run()
    for _ in range(MAX_RUNS):
        state = app.session_state
        closed = [key for key in _boxes(app.main) if key not in state or not state[key]]
        if not closed:
            break
        for key in closed:
            app.session_state[key] = True
        app.run()
    return list(dict.fromkeys([f"# {page.title} (/{page.url_path})", *_texts(app.main)]))


def _boxes(main: Any) -> Iterator[str]:
    """The keys of the boxes and pop-ups of a page that can be opened from the server."""
    for child in main:
        if child.type in BOX_TYPES:
            # An id is "$$ID-<hash>-<key>"; a box without a key cannot be opened from here.
            named = getattr(child.proto, child.type, child.proto).id
            yield from filter(None, named.split("-", 2)[2:])


def _texts(main: Any) -> Iterator[str]:
    """The texts of a page, in its order."""
    for child in main:
        proto = getattr(child, "proto", None)
        if child.type == "bidi_component":
            yield from _drawing_texts(proto)
        elif child.type not in ("html", "toast"):
            yield from _element_texts(child.type, getattr(proto, child.type, proto))


def _element_texts(kind: str, proto: Any) -> Iterator[str]:
    """The text of an element, its label with its choices, and its help."""
    if body := getattr(proto, "body", ""):
        yield {"title": "# ", "header": "## ", "subheader": "### "}.get(kind, "") + str(body)
    if label := getattr(proto, "label", ""):
        options = [str(getattr(one, "content", one)) for one in getattr(proto, "options", [])]
        yield f"*{kind.replace('_', ' ')}:* {label}" + (f" ({', '.join(options)})" * bool(options))
    if help_text := getattr(proto, "help", ""):
        yield f"*help:* {help_text}"


def _drawing_texts(proto: Any) -> Iterator[str]:
    """The words of a board or chart: those of its stage, and its description for screen readers."""
    if not proto.bytes:
        layout = json.loads(proto.json or "{}").get("figure", {}).get("layout", {})
        if "meta" in layout:
            yield f"*chart:* {layout['meta'].get('description', '')}"
        return
    length = int.from_bytes(proto.bytes[:4], "little")
    scene = json.loads(proto.bytes[4 : 4 + length])
    stage = scene.get("stage", {})
    for part in ("title", "question", "says"):
        if stage.get(part):
            yield f"*stage:* {stage[part]}"
    yield from (f"*note:* {note['text']}" for note in stage.get("notes", []))
    yield f"*board:* {scene['description']}"


if __name__ == "__main__":
    main()
