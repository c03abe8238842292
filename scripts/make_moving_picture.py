"""Make docs/stage.webp, the moving picture of the README: the first example, step by step.

It needs Playwright and a Chromium (`CHROMIUM`, or on the PATH); Pillow comes with Streamlit.
"""

import json
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from attention_lab.page_list import page_row
from attention_viz.site import answer
from attention_viz.story.stages import STEPS_OF_STORY
from scripts.find_chromium import find_chromium

FILE = Path(__file__).resolve().parent.parent / "docs" / "stage.webp"
WINDOW = {"width": 1100, "height": 600}
MS_A_STEP, MS_A_CELL = 1_600, 500
WALK = ("scores", "softmax", "mixing")  # the steps on which the pointer walks over cells
KEYS = ("ArrowDown", "ArrowRight", "ArrowDown")


def main() -> None:
    """Take the pictures and write them as one file."""
    frames: list[tuple[Image.Image, int]] = []
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        story = Path(name) / "story.html"
        asked = {"path": "overview", "query": "", "want": "attention-story.html"}
        story.write_text(json.loads(answer(json.dumps(asked)))["file"], encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        page = browser.new_page(viewport=WINDOW, color_scheme="light")
        for step in page_row("story").lecture:
            if step.url_path not in STEPS_OF_STORY:
                continue
            page.goto(f"{story.as_uri()}#{step.url_path}")
            page.reload()
            page.wait_for_selector("section.board .panel")
            page.wait_for_timeout(500)
            frames.append((_picture(page.screenshot()), MS_A_STEP))
            if step.url_path in WALK:
                page.locator("[data-panel$=result]").first.focus()
                for key in KEYS:
                    page.keyboard.press(key)
                    frames.append((_picture(page.screenshot()), MS_A_CELL))
        browser.close()
    first, *others = [picture for picture, _ in frames]
    lasting = [milliseconds for _, milliseconds in frames]
    first.save(FILE, save_all=True, append_images=others, duration=lasting, loop=0, quality=60)


def _picture(png: bytes) -> Image.Image:
    return Image.open(BytesIO(png)).convert("RGB")


if __name__ == "__main__":
    main()
