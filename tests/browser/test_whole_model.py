"""The whole model as a file in a browser: the wave is played and stopped at each row, keys walk
through the chips, less motion shows the same rows.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from attention_lab.trained.language_model import language_model
from attention_lab.trained.whole_model import whole_run
from attention_viz import board
from attention_viz.pieces import label_of
from tests.browser.test_on_paper import at_home

MODEL = language_model()
RUN = MODEL.run(MODEL.encode("One day, a little frog was very sad. The"))
WHOLE = whole_run(RUN)
LAST = len(WHOLE.words) - 1


def expect_said(page: Page, layer: int, word: int) -> None:
    """The line below the picture tells the chip of a place."""
    said = WHOLE.said[layer][word]
    line = page.locator("section.board p.place")
    expect(line).to_contain_text(f"layer {layer}, {label_of(WHOLE.words[word])}:")
    expect(line.locator("b")).to_have_text(f"{label_of(said.text)} {100 * said.share:.0f} %")


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_the_wave_stops_at_each_row_with_its_numbers(
    context: BrowserContext, tmp_path: Path, motion: str
) -> None:
    file = board(RUN).save(tmp_path / "whole.html")
    with at_home(context, file, reduced_motion=motion) as page:
        expect_said(page, 4, LAST)
        on, back = (page.get_by_role("button", name=f"One step {way}") for way in ("on", "back"))
        on.click()  # the row of the words
        expect(page.get_by_role("slider", name="Cell")).to_have_value(str(LAST))
        for layer in range(5):
            on.click()
            expect_said(page, layer, LAST)
        back.click()
        expect_said(page, 3, LAST)
        page.get_by_role("combobox", name="Speed").select_option("fast")
        page.get_by_role("button", name="Play").click()
        expect(page.get_by_role("button", name="Play")).to_be_visible()  # it came to its end
        expect_said(page, 4, LAST)


def test_keys_walk_through_the_chips_and_a_screen_reader_hears_them(
    context: BrowserContext, tmp_path: Path
) -> None:
    with at_home(context, board(RUN).save(tmp_path / "whole.html")) as page:
        page.locator('[data-matrix="chips"]').first.focus()
        for key, layer, word in (("ArrowDown", 3, LAST), ("ArrowLeft", 3, LAST - 1)):
            page.keyboard.press(key)
            expect_said(page, layer, word)
        spoken = page.locator("section.board [aria-live]")
        expect(spoken).to_contain_text(f"layer 3, .: {WHOLE.said[3][LAST - 1].text}")
