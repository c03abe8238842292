"""The builder of the static site takes NumPy's wheel only with the sum of Pyodide's list."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import subprocess
import sys
import zipfile
from html import escape
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from attention_lab.page_list import OLD_URLS, PAGES, page_of
from attention_lab.questions import concepts, learner_questions
from attention_viz.reference.questions_page import entry_table
from attention_viz.site import FILES, SHOWN, answer
from attention_viz.site_blocks import BlockWriter
from scripts import site_engine
from scripts.build_site import BuildError, build
from scripts.site_engine import (
    LIBRARY,
    LIBRARY_LEFT_OUT,
    NUMPY_LEFT_OUT,
    PYODIDE_FILES,
    joined,
    modules,
    packed,
)
from scripts.site_pictures import SIZE

WHEEL = "numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl"


@pytest.fixture
def distribution(tmp_path: Path) -> Path:
    """A folder as a full Pyodide distribution has it."""
    return distribution_in(tmp_path)


def distribution_in(parent: Path) -> Path:
    """A distribution whose wheel holds a licence and two empty modules."""
    folder = parent / "pyodide"
    folder.mkdir()
    for name in PYODIDE_FILES:
        (folder / name).write_bytes(b"part")
    with zipfile.ZipFile(folder / LIBRARY, "w") as library:
        library.writestr("json/__init__.py", "")
        library.writestr("pydoc.py", "")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as wheel:
        wheel.writestr("numpy-2.0.2.dist-info/LICENSE.txt", "BSD")
        wheel.writestr("numpy/__init__.py", "")
        wheel.writestr("numpy/f2py/__init__.py", "")
    (folder / WHEEL).write_bytes(packed.getvalue())
    listed = {"file_name": WHEEL, "sha256": hashlib.sha256(packed.getvalue()).hexdigest()}
    lock = json.dumps({"info": {"python": "3.12.7"}, "packages": {"numpy": listed}})
    (folder / "pyodide-lock.json").write_text(lock, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site built from these parts, as on a machine without Node, for a URL."""
    folder = tmp_path_factory.mktemp("built")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site_engine.shutil, "which", lambda _: None)
        given = distribution_in(folder)
        build(folder / "site", given, with_model=True, url="https://lab.example/course")
    return folder / "site"


def about(folder: Path) -> dict[str, Any]:
    """What the page of a site knows of its parts."""
    text = (folder / "index.html").read_text(encoding="utf-8")
    return dict(json.loads(text.split('id="about">', 1)[1].split("</script>", 1)[0]))


def written(script: Path, name: str) -> dict[str, Any]:
    """What the builder wrote into a script as the value of a constant."""
    line = next(one for one in script.read_text("utf-8").splitlines() if f"{name} = " in one)
    return dict(json.JSONDecoder().raw_decode(line.split(f"{name} = ", 1)[1])[0])


def test_a_site_holds_its_parts_and_their_licences(site: Path) -> None:
    told, sizes = about(site), written(site / "worker.js", "PARTS")
    for name, folder in (("model", "model"), ("languageModel", "language-model")):
        held = {file.name: file.stat().st_size for file in (site / folder).iterdir()}
        assert sizes[folder] == held
        assert told[name] == sum(held.values())
    assert {one["file"] for one in told["lessons"]} == {
        f"lessons/{file.name}" for file in (site / "lessons").iterdir()
    }
    engine = {file.name: file.stat().st_size for file in (site / "pyodide").iterdir()}
    assert sizes.items() >= engine.items()
    assert told["total"] == sum(engine.values())
    licences = {file.name for file in (site / "licences").iterdir()}
    assert {"MPL-2.0.txt", "NUMPY-LICENSE.txt", "ORIGINS.txt", "ATTENTION_LAB.txt"} <= licences
    first = json.loads((site / "first" / "overview.json").read_text(encoding="utf-8"))
    assert first["scene"]["arrays"]
    outside = [
        file.name
        for file in site.glob("*.*")
        if file.suffix in (".js", ".css") and "://" in file.read_text(encoding="utf-8")
    ]
    assert outside == []
    for path, page in OLD_URLS.items():
        assert json.loads(answer(json.dumps({"path": path, "query": ""})))["path"] == page


def test_every_file_but_large_and_foreign_ones_is_kept_by_its_sum(site: Path) -> None:
    kept = written(site / "sw.js", "const { version, sums }")["sums"]
    for path, sum_of in kept.items():
        assert hashlib.sha256((site / path).read_bytes()).hexdigest().startswith(sum_of), path
    there = {file.relative_to(site).as_posix() for file in site.rglob("*") if file.is_file()}
    left_out = {path.split("/")[0] for path in there - kept.keys() if "picture.png" not in path}
    assert left_out == {"model", "licences", "robots.txt", "sitemap.xml", "sw.js"}


def test_every_page_has_a_folder_with_its_words_and_its_picture(site: Path) -> None:
    seen = set[str]()
    for path in (*(page.url_path for page in PAGES), *OLD_URLS):
        page, text = page_of(path), (site / path / "index.html").read_text(encoding="utf-8")
        assert f"<title>{escape(page.title)} · Attention Lab</title>" in text
        assert f'"https://lab.example/course/{page.url_path}/"' in text
        image = f"{page.url_path}/picture.png"
        assert f'property="og:image" content="https://lab.example/course/{image}"' in text
        assert f'<img src="../{image}"' in text
        assert f'location.search + "#{path}"' in text
        with Image.open(site / image) as drawn:
            assert drawn.size == SIZE
            colours = len(drawn.getcolors() or ())
        assert colours > 8, path
        seen.add((site / image).read_bytes().hex())
    assert len(seen) == len(PAGES)
    assert about(site)["stored"] == [page.url_path for page in PAGES]
    listed = (site / "sitemap.xml").read_text(encoding="utf-8")
    assert listed.count("<loc>") == len(PAGES) + 1
    assert "https://lab.example/course/sitemap.xml" in (site / "robots.txt").read_text("utf-8")


def test_lessons_lead_to_pages_of_the_site(site: Path) -> None:
    paths = {page.url_path for page in PAGES}
    for file in (site / "lessons").iterdir():
        links = re.findall(r'<a href="\.\./\?[^"]*#([^"]+)">', file.read_text(encoding="utf-8"))
        assert links
        assert set(links) <= paths


def test_every_row_of_what_learners_ask_has_a_link_on_the_site() -> None:
    written = BlockWriter((), SHOWN).write([entry_table([*learner_questions(), *concepts()])])
    rows = written[0]["cells"][1:]
    assert len(rows) == len(learner_questions()) + len(concepts())
    for row in rows:
        assert re.search(r'"href": "(\?[^"]*#|lessons/)', json.dumps(row[2])), row


def test_what_no_page_loads_is_left_out(site: Path) -> None:
    library = io.BytesIO(gzip.decompress((site / "pyodide" / f"{LIBRARY}.packed").read_bytes()))
    assert zipfile.ZipFile(library).namelist() == ["json/__init__.py"]
    content = gzip.decompress((site / "pyodide" / "modules.packed").read_bytes())
    length = int.from_bytes(content[:4], "little")
    sizes = json.loads(content[4 : 4 + length])
    assert [name for name in sizes if name.startswith("numpy")] == ["numpy/__init__.py"]
    assert sizes.keys() >= {name for name in modules() if name.endswith(".json")}
    assert len(content) == 4 + length + sum(sizes.values())


def test_what_is_packed_is_the_same_at_every_build() -> None:
    files = {"a": b"1" * 1000, "b": b"2"}
    assert packed(b"".join(files.values())) == packed(b"".join(files.values()))
    assert joined(files) == joined(dict(reversed(files.items())))


@pytest.mark.parametrize("change", ["tampered", "missing", "no list"])
def test_a_wheel_that_is_not_the_listed_one_is_refused(
    distribution: Path, tmp_path: Path, change: str
) -> None:
    if change == "tampered":
        with (distribution / WHEEL).open("ab") as wheel:
            wheel.write(b"!")
    else:
        (distribution / {"missing": WHEEL, "no list": "pyodide-lock.json"}[change]).unlink()
    with pytest.raises(BuildError, match="sum" if change == "tampered" else "distribution"):
        build(tmp_path / "site", distribution)
    assert not (tmp_path / "site").exists()


def test_a_package_of_npm_with_another_sum_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site_engine, "CACHE", tmp_path)
    file = tmp_path / f"pyodide-{site_engine.PYODIDE_VERSION}.tgz"
    file.write_bytes(b"another")
    with pytest.raises(BuildError, match="sum"):
        build(tmp_path / "site")
    assert not file.exists()


# Answers the requests of a file with what a folder holds, without what the site leaves out.
RUN = """
import json, sys
folder, requests, left_out = sys.argv[1], *map(json.loads, sys.argv[2:])
class Refuse:
    def find_spec(self, name, *_):
        path = name.replace(".", "/")
        if any(f"{path}{end}".startswith(tuple(left_out)) for end in (".py", "/")):
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
sys.path.insert(0, folder)
from attention_viz.site import answer
assert answer.__code__.co_filename.startswith(folder)
for request in requests:
    print(*json.loads(answer(json.dumps(request))))
"""


def test_the_modules_alone_answer_for_every_page(tmp_path: Path) -> None:
    """Also without the modules of Python and NumPy that no page loads."""
    for name, content in modules().items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    requests = [{"path": page.url_path, "query": ""} for page in PAGES]
    requests += [{"path": "scores", "query": "n_heads=2", "want": name} for name in FILES]
    others = ("streamlit", "pandas", "plotly", "segno", "attention_ui")
    of_numpy = [f"numpy/{name}" for name in NUMPY_LEFT_OUT.split()]
    left_out = [*others, *LIBRARY_LEFT_OUT.split(), *of_numpy]
    given = [str(tmp_path), json.dumps(requests), json.dumps(left_out)]
    command = [sys.executable, "-P", "-c", RUN, *given]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    told = run.stdout.splitlines()
    for request, keys in zip(requests, told, strict=True):
        assert {*keys.split()} & {"scene", "blocks", "file", "needs"}, request
