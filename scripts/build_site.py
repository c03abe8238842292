"""Build the static site: `python -m scripts.build_site [FOLDER] [--url URL] [--pyodide DIR]`.

The folder then holds the page, the stage's modules, and the engine in parts (`site_engine.py`). Any
web server serves it; it asks no other host.
"""

import argparse
import hashlib
import json
import shutil
import sys
import zipfile
from collections.abc import Mapping
from html import escape
from importlib.metadata import distribution
from io import BytesIO
from pathlib import Path
from string import Template
from typing import Any

from attention_lab.home import weights_folder
from attention_lab.lessons.lesson import Lesson
from attention_lab.lessons.lesson_file import shipped_lessons
from attention_lab.page_list import OLD_URLS, PAGES, book, page_of
from attention_lab.trained.language_model import MODEL_FOLDER
from attention_lab.url_choices import PARAMETERS
from attention_viz.every_page import IN_THE_APP
from attention_viz.site import SHOWN, answer
from attention_viz.story.stages import STEPS_OF_STORY
from attention_viz.story.story_file import lesson_file

from .site_engine import ROOT, BuildError, engine_files, from_npm, pyodide_parts
from .site_pages import head_of, list_of_pages, said_of, write_folders, write_for_robots
from .site_pictures import icon

MODEL = weights_folder()
# plotly.js with scatter and bar charts alone, of the version in the Python package; loaded when a
# page first has a chart. Charts in space need all of it.
CHARTS, PLOTLY_JS_VERSION = "plotly.js-basic-dist-min", "4.1.1"
CHARTS_FILE, PLOTLY_JS = "plotly-basic.min.js", "plotly/package_data/plotly.min.js"
CHARTS_SHA512 = (
    "1oNF8PeQx2hv/y7tqEVWKD3JGwn/MGEMQ8mL9HUwsaqG9FGy/OU5FHUHvzqbqxN4mnwZGI9abTiE775C4kkjMQ=="
)
ICONS = (192, 512)
# What is not kept for a visit without a network: it is large, or asked for by others.
NOT_KEPT = ("model/*", "*/picture.png", "licences/*", "robots.txt", "sitemap.xml", "sw.js")


def main() -> None:
    """Build the site that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "build" / "site")
    parser.add_argument(
        "--url", default="", help="where the site will stand: for links with picture"
    )
    parser.add_argument(
        "--repository", default="", help="the URL of the program, for the site's links"
    )
    parser.add_argument("--pyodide", type=Path, help="a folder with a full Pyodide distribution")
    about_model = f"with the trained model ({_size(MODEL) / 1e6:.0f} MB), loaded on demand"
    parser.add_argument("--with-model", action="store_true", help=about_model)
    given = vars(parser.parse_args())
    folder: Path = given.pop("folder")
    try:
        build(folder, **given)
    except BuildError as error:
        sys.exit(str(error))
    print(f"Built {folder}. Serve it: python -m http.server --directory {folder}")


def build(
    folder: Path,
    pyodide: Path | None = None,
    with_model: bool = False,
    url: str = "",
    repository: str = "",
) -> None:
    """Fill a folder, which is emptied first. Raises: BuildError."""
    given = pyodide_parts(pyodide)
    engine = engine_files(given)
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "pyodide").mkdir(parents=True)
    for name, content in engine.items():
        (folder / "pyodide" / name).write_bytes(content)
    _copy_assets(folder, of_package=pyodide is not None)
    _write_first(folder / "first")
    _write_licences(folder / "licences", given)
    shutil.copytree(MODEL_FOLDER, folder / "language-model")
    if with_model:
        shutil.copytree(MODEL, folder / "model")
    lessons = _write_lessons(folder / "lessons")
    write_folders(folder, url)
    write_for_robots(folder, url)
    _write_page(folder, {"lessons": lessons, "repository": repository}, url)
    _write_manifest(folder)
    sizes: dict[str, Any] = {name: len(content) for name, content in engine.items()}
    for name in ("model", "language-model"):
        sizes[name] = {file.name: file.stat().st_size for file in (folder / name).glob("*")}
    _fill(folder / "worker.js", "SIZES", sizes)
    sums = _sums(folder)
    version = hashlib.sha256(json.dumps(sums, sort_keys=True).encode()).hexdigest()[:16]
    _fill(folder / "sw.js", "FILES", {"version": version, "sums": sums})


def _size(path: Path) -> int:
    """The bytes of a file, or of all files in a folder."""
    return sum(file.stat().st_size for file in (path, *path.rglob("*")) if file.is_file())


def _fill(script: Path, name: str, value: object) -> None:
    """Write a value into a script in the place of a name."""
    text = script.read_text(encoding="utf-8")
    script.write_text(text.replace(name, json.dumps(value), 1), encoding="utf-8")


def _copy_assets(folder: Path, of_package: bool) -> None:
    """The scripts, style sheets and pictures of the page, and plotly.js. of_package: that of the
    Python package, which needs no network.
    """
    for name in ("board", "chart"):
        shutil.copytree(ROOT / "assets" / name, folder / name)
    (folder / "plotly").mkdir()
    (folder / "plotly" / "plotly.js").write_bytes(plotly_js(of_package))
    (folder / "plotly" / "in-space.js").write_bytes(plotly_js(of_package=True))
    for file in (*(ROOT / "assets" / "site").glob("*.*"), *(ROOT / "assets").glob("*.svg")):
        shutil.copy(file, folder)
    for name in ("book.css", "book.js"):
        shutil.copy(ROOT / "assets" / "page" / name, folder)
    _fill(folder / "book.js", "BOOK", book(SHOWN))
    for side in ICONS:
        (folder / f"icon-{side}.png").write_bytes(icon(side))


def plotly_js(of_package: bool) -> bytes:
    """plotly.js: its part for basic charts from npm, or all of it from the Python package, which
    needs no network.
    """
    if of_package:
        return Path(str(distribution("plotly").locate_file(PLOTLY_JS))).read_bytes()
    return from_npm(CHARTS, PLOTLY_JS_VERSION, CHARTS_SHA512, (CHARTS_FILE,))[CHARTS_FILE]


def _write_page(folder: Path, about: Mapping[str, Any], url: str) -> None:
    """The page itself, with what the builder knows of the parts and, for who has no JavaScript,
    what the first page says.
    """
    told = about | {
        "total": _size(folder / "pyodide"),
        "model": _size(folder / "model"),
        "languageModel": _size(folder / "language-model"),
        "stored": [page.url_path for page in PAGES],
        "away": list(IN_THE_APP),
        "old": {old: page_of(old).url_path for old in OLD_URLS},
        "layer": list(PARAMETERS),
    }
    page = Template((folder / "index.html").read_text(encoding="utf-8"))
    shown = page.substitute(
        head=head_of(PAGES[0], url, ""),
        about=json.dumps(told).replace("<", "\\u003c"),
        said=said_of(PAGES[0], folder, ""),
        pages=list_of_pages(SHOWN),
    )
    (folder / "index.html").write_text(shown, encoding="utf-8")


def _write_first(folder: Path) -> None:
    """The example of every page, which is shown until the engine is there."""
    folder.mkdir()
    for page in PAGES:
        said = answer(json.dumps({"path": page.url_path, "query": ""}))
        (folder / f"{page.url_path}.json").write_text(said, encoding="utf-8")


def _write_lessons(folder: Path) -> list[dict[str, str]]:
    """The lessons as pages of their own; gives their titles and their places in the site."""
    folder.mkdir()
    lessons = shipped_lessons()
    for name, lesson in lessons.items():
        html = lesson_file(lesson).replace("</footer>", f"{_ways_on(lesson)}</footer>")
        (folder / f"{name}.html").write_text(html, encoding="utf-8")
    return [
        {"title": lesson.title, "file": f"lessons/{name}.html"} for name, lesson in lessons.items()
    ]


def _ways_on(lesson: Lesson) -> str:
    """How a reader of a lesson goes on: links to the site, as HTML. Moments on pages that are no
    step are there alone.
    """
    places = [
        (f"Moment {number}: {page_of(moment.page).title}", moment)
        for number, moment in enumerate(lesson.moments, 1)
        if moment.page not in STEPS_OF_STORY
    ]
    links = [("Change every number of this lesson yourself", lesson.moments[0]), *places]
    items = "\n".join(
        f'<li><a href="../?{escape(moment.state)}#{moment.page}">{escape(text)}</a></li>'
        for text, moment in links
    )
    return f"<p>Go on in Attention Lab:</p>\n<ul>\n{items}\n</ul>\n"


def _write_manifest(folder: Path) -> None:
    """What puts the site on the first screen of a tablet."""
    icons = [
        {"src": f"icon-{side}.png", "sizes": f"{side}x{side}", "type": "image/png"}
        for side in ICONS
    ]
    about = {
        "name": "Attention Lab",
        "short_name": "Attention",
        "start_url": "./",
        "scope": "./",
        "display": "standalone",
        "background_color": "#ffffff",
        "theme_color": "#4338ca",
        "icons": icons,
    }
    (folder / "manifest.webmanifest").write_text(json.dumps(about), encoding="utf-8")


def _sums(folder: Path) -> dict[str, str]:
    """The first half of the SHA-256 of each file that is kept for a visit without a network."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    paths = [file.relative_to(folder) for file in files]
    return {
        path.as_posix(): hashlib.sha256((folder / path).read_bytes()).hexdigest()[:32]
        for path in paths
        if not any(path.match(one) for one in NOT_KEPT)
    }


def _write_licences(folder: Path, parts: Mapping[str, bytes]) -> None:
    """The licences of all that is in the site."""
    shutil.copytree(ROOT / "assets" / "site" / "licences", folder)
    shutil.copy(ROOT / "LICENSE", folder / "ATTENTION_LAB.txt")
    wheel = next(content for name, content in parts.items() if name.endswith(".whl"))
    with zipfile.ZipFile(BytesIO(wheel)) as members:
        for name in members.namelist():
            if "LICENSE" in name and ".dist-info/" in name:
                target = folder / f"NUMPY-{name.rsplit('/', 1)[1]}"
                target.write_bytes(members.read(name))


if __name__ == "__main__":
    main()
