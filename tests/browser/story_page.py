"""The story as a file, opened in a tab: what a board does is seen there as in the app, without a
server.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from unittest.mock import patch
from urllib.parse import parse_qsl, urlencode
from zlib import crc32

from playwright.sync_api import Page, expect

from attention_lab.page_list import page_of
from attention_lab.url_choices import read_url
from attention_viz import handout
from attention_viz.story.stages import OPTION_CHOICES
from attention_viz.story.story_file import story_file
from attention_viz.story.story_view import view_of
from tests.browser.driving import expect_title, naming, settled

# Gives a page its boards by which the tests find a cell, as `attentionBoard` does in the app.
TELL_BOARDS = """const update = Board.prototype.update;
Board.prototype.update = function (scene) {
  (window.storyBoards ??= new Set()).add(this);
  return update.call(this, scene);
};
class StoryPage"""


@cache
def story_html(query: str) -> str:
    """The story of the choices in a URL. Raises: AttentionError."""
    asked = {name: [text] for name, text in parse_qsl(query, keep_blank_values=True)}
    joined = handout.joined_script

    def told(*entries: str) -> str:
        script = joined(*entries)
        assert script.count("class StoryPage") == 1
        return script.replace("class StoryPage", TELL_BOARDS)

    with patch.object(handout, "joined_script", told):
        return story_file(view_of(read_url(asked)))


def story_opened(page: Page, folder: Path, path: str) -> Page:
    """A step of the story when it is drawn. path: as in the app; with `present=true` in lecture
    mode. A step of the same story keeps what was chosen on the one before.
    """
    step, _, query = naming(path).partition("?")
    choices = dict(parse_qsl(query, keep_blank_values=True))
    lecture = choices.pop("present", "") == "true"
    for name, value in OPTION_CHOICES.get(step, {}).items():  # which the file holds if it is on
        choices[name] = str(value).lower()
    chosen = urlencode(choices)
    file = folder / f"{crc32(chosen.encode())}.html"
    if not file.exists():
        file.write_text(story_html(chosen), encoding="utf-8")
    page.goto(f"{file.as_uri()}#{step}")
    expect_title(page, page_of(step).title)
    if lecture and page.locator("body.lecture").count() == 0:
        page.get_by_role("button", name="Lecture mode").click()
        expect(page.locator("body.lecture")).to_be_attached()
    return settled(page)
