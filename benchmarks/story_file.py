"""The story as one file: its size, the time to make it, and the time until a browser shows the
first step and then another one.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, sync_playwright

from attention_lab.scenario import Scenario
from attention_viz.story.story_file import story_file
from attention_viz.story.story_view import StoryView

ROUNDS = 5
LAYERS = {
    "the first example's size: 10 tokens, 8 features, 2 heads": Scenario(
        "the cat saw the old box and then it ran", d_model=8, n_heads=2, weights="by hand"
    ),
    "the controls' defaults: 12 tokens, 16 features, 4 heads": Scenario(),
    "24 tokens, 64 features, 8 heads": Scenario("a b c " * 8, d_model=64, n_heads=8),
    "trained: 14 word pieces, 384 features, 12 heads": Scenario(weights="trained"),
    "64 tokens, 512 features, 16 heads": Scenario("a b " * 32, d_model=512, n_heads=16),
}
# Milliseconds from the change of the hash until the browser has painted the other step.
STEP_JS = """async () => {
  const start = performance.now();
  location.hash = "scores";
  const drawn = () => document.querySelector(".board h1")?.textContent === "Scores";
  while (!drawn()) await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  return performance.now() - start;
}"""


def main() -> None:
    """Measure and print."""
    print("| layer | kB | heads inside | made in, s | first picture, ms | next step, ms |")
    print("|---|---|---|---|---|---|")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM"))
        for name, scenario in LAYERS.items():
            start = time.perf_counter()
            made = story_file(StoryView(scenario))
            seconds = time.perf_counter() - start
            file = Path(folder) / "story.html"
            file.write_text(made.html, encoding="utf-8")
            rounds = [_opened(browser, file) for _ in range(ROUNDS)]
            first, step = (median(times) for times in zip(*rounds, strict=True))
            size = len(made.html.encode()) / 1000
            print(
                f"| {name} | {size:,.0f} | {len(made.heads)} | {seconds:.1f} | {first:.0f} |"
                f" {step:.0f} |"
            )
        browser.close()


def _opened(browser: Browser, file: Path) -> tuple[float, float]:
    """Milliseconds until the first step is shown, and until the next one is."""
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    start = time.perf_counter()
    page.goto(file.as_uri())
    page.wait_for_selector(".board .panel")
    first = 1000 * (time.perf_counter() - start)
    step = float(page.evaluate(STEP_JS))
    page.close()
    return first, step
