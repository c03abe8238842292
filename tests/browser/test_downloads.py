"""What is taken along: a file is made only when its button is pressed, outside the run that
drew the button.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from attention_lab.state_file import read_state
from attention_viz.labels import format_number
from tests.browser.driving import expect_url, settled
from tests.browser.test_guess import AT, asked_for
from tests.browser.test_stage import FIRST

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]


def downloaded(page: Page, group: str, *labels: str) -> dict[str, bytes]:
    """Open a group, or choose one, and press each of its buttons; gives the files by their
    names.
    """
    page.locator("summary, [data-testid=stButtonGroup] button", has_text=group).click()
    files = {}
    for label in labels:
        with settled(page).expect_download() as kept:
            page.get_by_role("button", name=label, exact=True).click()
        files[kept.value.suggested_filename] = Path(kept.value.path()).read_bytes()
    return files


def test_a_state_is_kept_and_comes_back_where_other_files_were_refused(visit: Visit) -> None:
    page = visit("scores?mask=causal&head=1&query=5&key=2&notation=gml")
    kept = downloaded(page, "Own numbers", "These matrices as NPZ", "State")["attention-lab.json"]
    state = read_state(kept)
    assert (state.scenario.mask, state.focus, state.notation) == ("causal", (1, 5, 2, 0), "gml")
    page = visit("scores")
    page.locator("summary", has_text="Own numbers").click()
    place = settled(page).get_by_test_id("stFileUploader")
    files = {
        "words.txt": "Which matrix is it?",
        "b_Q.csv": "your own b_Q",
        "notes.txt": "Which matrix is it?",
    }
    for name, said in files.items():
        file = {"name": name, "mimeType": "", "buffer": b"0,1,2,3,4,5,6,7\n"}
        place.locator("input[type=file]").set_input_files(file)
        expect(place).to_contain_text(name)
        expect(page.get_by_test_id("stSidebar").get_by_text(said)).to_be_visible()
        settled(page)
        if name == "words.txt":
            place.evaluate("element => { element.dataset.place = 'the first'; }")
        # What is said of a file must not make the place anew, which would drop the next upload.
        expect(place).to_have_attribute("data-place", "the first")
    file = {"name": "s.json", "mimeType": "application/json", "buffer": kept}
    place.locator("input[type=file]").set_input_files(file)
    expect_url(page, "mask=causal", "head=1", "query=5", "key=2", "notation=gml")


def test_a_step_is_taken_along_and_asks_at_home(
    visit: Visit, context: BrowserContext, tmp_path: Path
) -> None:
    page = visit(f"scores?{FIRST}&{AT}&guess=true")
    names = (
        "This step as one web page",
        "The layer as a notebook",
        "The layer as a script",
        "The whole trace as NPZ",
    )
    files = downloaded(page, "Take it with you", *names) | downloaded(
        page, "The numbers", "This field as CSV"
    )
    assert {name.rpartition(".")[2] for name in files} == {"html", "ipynb", "py", "npz", "csv"}
    assert all(files.values())
    for kind, begins in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
        page.locator(".save summary").click()
        with page.expect_download() as kept:
            page.get_by_role("button", name=f"Save the board as a picture ({kind})").click()
        expect(page.locator(".save .opened")).to_be_hidden()
        assert kept.value.suggested_filename == f"scores.{kind.lower()}"
        assert Path(kept.value.path()).read_bytes().startswith(begins)
    chosen = page.get_by_role("button", name="The code")
    chosen.click()
    expect(settled(page).get_by_test_id("stCode")).to_have_count(2)
    page.locator(".onward a").click()
    expect(page.get_by_role("heading", name="Scale")).to_be_visible()
    expect(settled(page).get_by_test_id("stCode")).to_have_count(2)
    chosen.click()
    expect(settled(page).get_by_test_id("stCode")).to_have_count(0)
    at_home = tmp_path / "scores.html"
    at_home.write_bytes(next(data for name, data in files.items() if name.endswith(".html")))
    answer_a_guess(context, at_home)


def answer_a_guess(context: BrowserContext, file: Path) -> None:
    """A hand-out that asks is opened from the disk, without a network."""
    assert context.browser
    alone = context.browser.new_context(offline=True)
    page = alone.new_page()
    page.goto(file.as_uri())
    expect(page.locator(".arithmetic")).to_be_hidden()
    page.locator(".guess .typed").fill("12")
    page.locator(".guess .typed").press("Enter")
    _, score = asked_for("scores")
    expect(page.locator(".guess .truth")).to_have_text(re.compile(f"^{score:g}"))
    expect(page.locator(".guess .given")).to_have_text("12")
    expect(page.locator(".arithmetic .result").first).to_have_text(format_number(score, 0))
    alone.close()
