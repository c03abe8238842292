"""The static site before its engine is there, without one, in a frame, and without a network."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from attention_lab.page_list import OLD_URLS, PAGES, page_of
from attention_lab.presets import presets
from tests.browser.conftest import served
from tests.browser.driving import box_of
from tests.browser.site_visits import (
    MS_TO_LOAD,
    another,
    hurried,
    missing,
    started,
    visiting,
    without_engine,
)

PARTS = ("pyodide.js", "pyodide.asm.js.packed", "pyodide-lock.json.packed")
PARTS += ("python_stdlib.zip.packed", "modules.packed", "pyodide.asm.wasm.packed")
# Whether a picture, a table or a sentence of the page lies in the first window.
SHOWS = """() => [...document.querySelectorAll(
  '#steps canvas, #page :is(canvas, .main-svg, table, .text p, .note), #below p')].some(one => {
    const {width, height, top} = one.getBoundingClientRect();
    return width && height && top < innerHeight - 20;
  })"""
# What a visitor uses but does not see whole.
BEYOND_THE_WINDOW = """() => [...document.querySelectorAll(
  'main :is(input, select, button, textarea)')].filter(one => {
    const {width, left, right} = one.getBoundingClientRect();
    const isBeyond = left < -1 || right > innerWidth + 1;
    return width && isBeyond && !one.closest('.strip, .table, .wide, .unseen, .modebar');
  }).map(one => `${one.tagName} ${one.className} ${one.name ?? one.textContent}`)"""
ENABLED = """() => [...document.querySelectorAll('#controls form *, #page form *')]
  .filter(one => one.matches(':is(input, select, textarea, button):enabled:not(.help)'))
  .map(one => one.name || one.textContent)"""
SIDEWAYS = "document.documentElement.scrollWidth - innerWidth"


def test_every_page_fits_its_window_and_shows_something_before_the_engine(
    context: BrowserContext, site: str, request: pytest.FixtureRequest
) -> None:
    """Also where the link has choices: then the page says whose numbers it shows. In the gate each
    page in one of two windows.
    """
    every = request.config.getoption("every_situation")
    paths = [*(one.url_path for one in PAGES), *list(OLD_URLS)[:2]]
    faults: list[str] = []
    with visiting(context, service_workers="block", color_scheme="dark") as page:
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda one: one.type == "error" and faults.append(one.text))
        without_engine(page)
        page.goto(f"{site}/?n_heads=2#{PAGES[0].url_path}")
        for place, (width, theme) in enumerate(((1366, "dark"), (390, "light"))):
            page.set_viewport_size({"width": width, "height": 768})
            page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
            for path in paths if every else paths[place::2]:
                page.evaluate("path => { location.hash = path; }", path)
                expect(page).to_have_title(f"{page_of(path).title} · Attention Lab")
                page.wait_for_function(SHOWS)
                assert page.evaluate(BEYOND_THE_WINDOW) == [], (path, width)
                assert page.evaluate(SIDEWAYS) <= 0, (path, width)
                assert box_of(page.locator("main"))["y"] < 250, (path, width)
        text = presets()[0].scenario.text
        page.evaluate("() => { location.hash = 'scores'; }")
        expect(page.locator("#whose")).to_contain_text(text)
    assert faults == []


@pytest.mark.every_situation
def test_a_part_that_does_not_arrive_is_named(context: BrowserContext, site: str) -> None:
    """Missing, another file in its place, without progress; another attempt then helps."""
    whose = "#whose"
    with visiting(context, service_workers="block") as page:
        page.goto(f"{site}/licences/ORIGINS.txt")
        for number, part in enumerate(PARTS):
            page.route(f"**/{part}", missing if number % 2 else another)
            page.goto(f"{site}/?n_heads=2&part={number}#softmax")
            expect(page.locator(whose)).to_contain_text(part)
            expect(page.locator("#steps section.board")).to_be_visible()
            assert page.evaluate(ENABLED) == []
            page.unroute_all()
        page.route("**/worker.js", hurried)
        page.route(f"**/{PARTS[-1]}", lambda route: None)
        page.goto(f"{site}/?part=slow#softmax")
        expect(page.locator(whose)).to_contain_text(f"{PARTS[-1]} did not arrive")
        page.unroute_all(behavior="ignoreErrors")
        page.locator(f"{whose} button").click()
        expect(page.locator("#files")).to_be_visible(timeout=MS_TO_LOAD)
        expect(page.locator(whose)).to_be_hidden()
        assert page.evaluate(ENABLED) != []
        page.route("**/weights.npz", lambda route: route.abort())
        page.evaluate("() => { location.hash = 'next-token'; }")
        page.locator("#attention-book").get_by_role("link", name="A model that writes").click()
        expect(page.locator("#error")).to_contain_text("weights.npz")
        page.unroute_all()
        page.locator("#error button").click()
        expect(page.locator("#page h1")).to_have_text(page_of("whole-model").title)
        expect(page.locator("#error")).to_be_hidden()


def test_a_browser_without_webassembly_says_whose_numbers_it_shows(
    context: BrowserContext, site: str
) -> None:
    with visiting(context) as page:
        page.add_init_script("delete window.WebAssembly;")
        page.goto(f"{site}/?text=my+own+words#scores")
        expect(page.locator("#whose")).to_contain_text(presets()[0].scenario.text)
        assert page.evaluate(ENABLED) == []
        page.evaluate("() => { location.hash = 'all-heads'; }")
        expect(page.locator("#page h1")).to_have_text(page_of("all-heads").title)
        assert page.evaluate(ENABLED) == []


def test_a_frame_in_a_page_of_a_course_is_as_high_as_it_tells(page: Page, site: str) -> None:
    without_engine(page)
    page.goto(f"{site}/?n_heads=2#sources")
    link = f"{site}/sources/?n_heads=2"
    expect(page.locator("#link")).to_have_value(link)
    code = page.locator("#frame").input_value()
    page.goto(site + "/licences/ORIGINS.txt")
    page.set_content(code)
    frame = page.frame_locator("iframe")
    expect(frame.locator("h1")).to_have_text(page_of("sources").title)
    expect(frame.locator("#attention-book")).to_be_hidden()
    expect(frame.locator("aside")).to_be_hidden()
    expect(frame.locator("#away")).to_have_attribute("href", link)
    main = frame.locator("main")
    page.wait_for_function("() => document.querySelector('iframe').height !== '720'")
    height = main.evaluate("main => main.offsetHeight")
    assert abs(int(page.locator("iframe").get_attribute("height") or 0) - height) <= 2


@pytest.mark.every_situation
def test_a_second_visit_needs_no_network(
    context: BrowserContext, built: Path, tmp_path: Path
) -> None:
    """A new version waits until the visitor asks for it."""
    folder = tmp_path / "lab"
    shutil.copytree(built / "course" / "lab", folder)
    with visiting(context) as page:
        with served(folder) as url:
            started(page, url)
            page.wait_for_function("() => navigator.serviceWorker.controller")
            script = folder / "sw.js"
            script.write_text(script.read_text("utf-8").replace('"version": "', '"version": "2'))
            page.reload()
            news = page.locator("#news")
            expect(news).to_be_visible(timeout=MS_TO_LOAD)
            news.get_by_role("button").click()
            expect(news).to_be_hidden()
        names = page.evaluate("() => caches.keys()")
        assert [name.split()[1][0] for name in names] == ["2"]
        page.goto("about:blank")
        started(page, f"{url}/scores/?n_heads=2&d_model=6&text=a+b+c")
        assert page.url.endswith("#scores")
        expect(page.locator("#steps section.board .word").first).to_be_visible()
        page.evaluate("() => { location.hash = 'writing'; }")
        expect(page.locator("#page h1")).to_have_text(page_of("writing").title)
