"""The README and the documents tell what the app has, each its reader."""

import inspect
import re
from pathlib import Path

import pytest
from PIL import Image

from attention_core import Projections, attend
from attention_lab.cache import CACHE_BYTES
from attention_lab.classroom.limits import CLASS_LIMITS
from attention_lab.classroom.store import PLACE_VARIABLE
from attention_lab.files.weight_formats import MAX_WEIGHT_BYTES
from attention_lab.page_list import PAGES, page_row
from attention_lab.user_data.layer_search import MAX_LAYER_BYTES
from attention_lab.user_data.text_store import MAX_STORED_CHARACTERS
from attention_ui.server import MAX_OPEN_FILES
from attention_ui.upload_limits import MAX_UPLOADED_BYTES
from tests.test_configuration import OPTIONS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = [
    "README.md",
    "CONTRIBUTING.md",
    "attention_ui/url_state/README.md",
    *(f"docs/{file.name}" for file in sorted((ROOT / "docs").glob("*.md"))),
]


def test_the_tables_of_pages_are_the_chapters() -> None:
    listed = (ROOT / "docs" / "pages.md").read_text(encoding="utf-8")
    tables = {
        part.splitlines()[0].partition(":")[0]: re.findall(r"^\| (.+) \| (.+\?) \|$", part, re.M)
        for part in listed.split("\n## ")[1:]
    }
    chapters: dict[str, list[tuple[str, str]]] = {}
    for page in PAGES:
        chapters.setdefault(page.chapter, []).append((page.title, page.question))
    assert list(chapters.items()) == [one for one in tables.items() if one[1]]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_linked_file_exists(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    targets = [part.split(")")[0].split("#")[0] for part in text.split("](")[1:]]
    folder = (ROOT / name).parent
    missing = [one for one in targets if one and "://" not in one and not (folder / one).exists()]
    assert not missing


@pytest.mark.parametrize("name", DOCUMENTS)
def test_prose_has_short_lines(name: str) -> None:
    text = re.sub(r"^```.*?^```", "", (ROOT / name).read_text("utf-8"), flags=re.M | re.S)
    long = [line for line in text.splitlines() if len(line) > 120 and line[0] not in "|!"]
    assert not long


def test_the_readme_fits_one_screen() -> None:
    assert len(README.splitlines()) <= 40
    for reader in ("pages", "teachers", "notebook", "known-limits", "architecture"):
        assert f"(docs/{reader}.md)" in README


def test_the_moving_picture_has_a_frame_for_every_step() -> None:
    with Image.open(ROOT / "docs" / "stage.webp") as picture:
        assert picture.n_frames >= len(page_row("story").lecture)
    assert (ROOT / "docs" / "stage.webp").stat().st_size < 1e6


@pytest.mark.parametrize("function", [attend, Projections.random])
def test_help_says_how_every_option_is_used(function) -> None:
    words = set(
        inspect.getdoc(function).replace("(", " ").replace(",", " ").replace(";", " ").split()
    )
    assert {"seed"} >= set(inspect.signature(function).parameters) - {
        word.strip(".:") for word in words
    }


def test_known_limits_name_the_bounds_as_they_are() -> None:
    limits = (ROOT / "docs" / "known-limits.md").read_text(encoding="utf-8")
    assert f"{OPTIONS['server.maxUploadSize']} MB" in limits
    assert f"{MAX_OPEN_FILES:,}" in limits
    assert f"{MAX_STORED_CHARACTERS // 10**6} million" in limits
    assert f"{MAX_LAYER_BYTES // 2**20} MiB" in limits
    assert f"{CACHE_BYTES // 2**20} MiB of arrays" in limits
    assert f"{MAX_UPLOADED_BYTES / 1e9:.1f} GB" in limits
    assert f"{MAX_WEIGHT_BYTES // 10**6} MB" in limits


def test_the_page_for_teachers_names_the_bounds_of_a_class() -> None:
    text = (ROOT / "docs" / "teachers.md").read_text(encoding="utf-8")
    table = text[text.index("| bound |") :]
    numbers = re.findall(r"\d+", table[: table.index("\n\n")])
    bounds = [bound for name, bound in vars(CLASS_LIMITS).items() if name not in ("idle", "lasts")]
    assert sorted(map(int, numbers)) == sorted(bounds)
    assert f"`{PLACE_VARIABLE}`" in text
