"""The static site, built and served by a plain web server: the engine runs in the browser."""

from __future__ import annotations

import base64
import io
import json
from itertools import cycle
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from attention_lab.mask_kinds import MASKS
from attention_lab.page_list import PAGES, page_of
from attention_lab.scenario import Scenario, trace_of
from attention_lab.weight_kinds import WEIGHTS, DrawnWeights
from attention_viz.site import FILES, answer
from tests.browser.driving import box_of, bytes_of
from tests.browser.site_visits import MS_TO_LOAD, started, visiting, without_engine

SIDEWAYS = "document.documentElement.scrollWidth - innerWidth"
ASK = """([requests]) => new Promise((done, failed) => {
  const worker = new Worker("worker.js"), found = [];
  worker.onmessage = ({data}) => {
    if (data.failed) failed(new Error(data.failed));
    if (data.id === undefined) return;
    found[data.id] = data.answer ?? null;
    if (found.filter(one => one !== undefined).length < requests.length) return;
    worker.terminate();
    done(found);
  };
  requests.forEach((request, id) => worker.postMessage({id, request}));
})"""


def chosen(page: Page, name: str, value: str) -> None:
    """Move a control, as a visitor does, and wait until the URL says so."""
    page.locator("#controls details").evaluate_all(
        "all => all.forEach(one => { one.open = true; })"
    )
    field = page.locator(f"#controls [name={name}]")
    if field.get_attribute("type") == "range":
        field.press(value)
    elif field.evaluate("field => field.tagName") == "SELECT":
        field.select_option(value)
    else:
        field.fill(value)
        field.press("Enter")


@pytest.mark.every_situation
def test_a_sentence_goes_through_the_layer_in_the_browser(page: Page, site: str) -> None:
    started(page, f"{site}/")
    expect(page.locator("#steps section.board .title").first).to_be_visible()
    chosen(page, "text", "my dog <b>barks</b> & runs")
    page.get_by_role("navigation", name="Pages of this chapter").get_by_role(
        "link", name="Scores", exact=True
    ).click()
    page.wait_for_url("**text=my*#scores")  # who goes on before the answer is there loses nothing
    for path in ("tokens", "projections", "split", "scores", "softmax", "mixing", "output"):
        title = page_of(path).title
        page.get_by_role("navigation", name="Pages of this chapter").get_by_role(
            "link", name=title, exact=True
        ).click()
        expect(page).to_have_title(f"{title} · Attention Lab")
        assert page.evaluate(SIDEWAYS) <= 0
    panel = page.locator("[data-role=result]")
    for key in ("ArrowDown", "Enter"):
        panel.press(key)
    page.wait_for_url("**query=**")
    chosen(page, "n_heads", "ArrowRight")
    chosen(page, "d_model", "13")
    expect(page.locator("#error")).to_contain_text("13")
    expect(page.locator("#steps section.board.rests")).to_have_count(1)
    page.locator("#error button").last.click()
    page.wait_for_url("**d_model=13**d_k=**")
    expect(page.locator("#error")).to_be_hidden()
    page.go_back()
    page.go_back()
    expect(page.locator("#error")).to_be_hidden()
    page.locator("#steps .strip .steps").get_by_role("link", name="Practice").click()
    page.get_by_label("Your answer").fill("many")
    page.get_by_label("Your answer").press("Enter")
    expect(page.locator("#page .wrong")).to_contain_text("many")
    page.locator("#page").get_by_text("a set to hand in", exact=True).click()
    expect(page.locator("#page .share")).to_contain_text("pr_mode=a+set")
    expect(page.locator("#page .share")).not_to_contain_text("pr_answer")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Summary to hand in").click()
    assert bytes_of(saved.value).startswith(b"student,")
    page.locator("#attention-book .chapters").get_by_role("link", name="Heads", exact=True).click()
    expect(page).to_have_title("All heads · Attention Lab")
    expect(page.locator("#page section.board:not(.block)")).to_have_count(2)
    # Who is typing when an answer arrives, also one with other words to choose from, goes on.
    size = page.locator("#controls [name=d_model]")
    chosen(page, "text", "my dog and my cat")
    size.press("Control+A")
    size.press_sequentially("24")
    page.wait_for_url("**text=my+dog+and**")
    expect(size).to_have_value("24")
    expect(size).to_be_focused()
    size.press("Enter")
    page.wait_for_url("**d_model=24**")
    # A sentence alone shows the language model, which is loaded for it; on a tablet, where one
    # button leads to the chapters.
    page.set_viewport_size({"width": 820, "height": 1100})
    page.goto(f"{site}/?text=One+day%2C+a+little+frog+was+very+sad.+The#next-token")
    said = page.locator("#steps section.board .sentence.shown")
    expect(said).to_contain_text("82.5", timeout=MS_TO_LOAD)
    page.evaluate("() => { location.hash = 'softmax'; }")
    expect(page).to_have_title("Softmax · Attention Lab")
    pages = page.locator("#attention-book")
    pages.get_by_role("button", name="Pages").click()
    pages.locator(".list").get_by_role("link", name="Scores", exact=True).click()
    expect(page).to_have_title("Scores · Attention Lab")
    expect(pages.locator(".list")).to_be_hidden()
    box = box_of(page.locator("#steps section.board"))
    assert box["y"] + box["height"] <= 1100
    for width in (820, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate(SIDEWAYS) <= 0
    page.evaluate("() => { location.hash = 'no-such-page'; }")
    expect(page.locator("#error")).to_contain_text("no-such-page")
    assert page.url.endswith("#overview")


def test_a_journey_through_model_and_diagonal(page: Page, site: str) -> None:
    """A word is written, the head that read back is opened by clicks, and a chart is drawn: with
    no error in the console, and no request to elsewhere.
    """
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    started(page, f"{site}/#writing")
    page.get_by_role("button", name="Write a word").click()
    page.wait_for_url("**wr_written=**", timeout=MS_TO_LOAD)
    row = page.locator("#row .steps")
    row.get_by_role("link", name="All heads of a model").click()
    layer = page.locator('[data-panel="layer 4"]')
    layer.focus()
    layer.press("PageDown")
    layer.press("Enter")
    page.wait_for_url("**th_open=true**#trained-heads")
    assert "th_model=language+model" in page.url
    assert "wr_written" not in page.url
    expect(page.locator("#page h1")).to_have_text(page_of("trained-heads").title)
    expect(page.locator('[data-panel^="masked_scores"]').first).to_be_visible()
    row.get_by_role("link", name="Next token: writing").click()  # what was written is still there
    page.wait_for_url("**wr_written=**#writing")
    page.go_back()
    expect(page.locator("#page h1")).to_have_text(page_of("trained-heads").title)
    drawn = page.locator("#page .chart .main-svg").first
    expect(drawn).to_be_visible(timeout=MS_TO_LOAD)
    diagonal = page_of("self-attention-mass")
    chapters = page.locator("#attention-book .chapters")
    chapters.get_by_role("link", name=diagonal.chapter, exact=True).click()
    expect(page.locator("#page h1")).to_have_text(diagonal.title)
    expect(drawn).to_be_visible(timeout=MS_TO_LOAD)
    for path, width in (("modern-diagonal", 1280), ("propositions", 390)):
        page.set_viewport_size({"width": width, "height": 720})
        assert page.evaluate("() => { scrollTo(0, 400); return scrollY; }") > 0
        page.evaluate("path => { location.hash = path; }", path)
        expect(page.locator("#page h1")).to_have_text(page_of(path).title)
        assert page.evaluate("scrollY") == 0
        expect(page.locator("#page section.board").first).to_be_visible()
        assert page.evaluate(SIDEWAYS) <= 0
    assert [url for url in asked if not url.startswith((site, f"blob:{site[:-11]}"))] == []


@pytest.mark.every_situation
def test_thirty_layers_have_the_numbers_of_the_app(page: Page, site: str) -> None:
    weights = [one.name for one in WEIGHTS.values() if isinstance(one, DrawnWeights)]
    layers = zip(weights * 6, cycle(MASKS), cycle((8, 12, 24, 16)), cycle((1, 2)))
    requests = [
        {
            "path": "output",
            "query": f"seed={seed}&weights={kind}&mask={mask}&d_model={size}&n_heads={heads}",
            "want": "trace.npz",
        }
        for seed, (kind, mask, size, heads) in enumerate(layers)
    ]
    page.goto(site + "/")
    for request, told in zip(requests, page.evaluate(ASK, [requests]), strict=True):
        found, wanted = (arrays_in(one) for one in (told, answer(json.dumps(request))))
        assert found.keys() == wanted.keys()
        for name in (name for name, array in wanted.items() if array.dtype.kind == "f"):
            np.testing.assert_allclose(found[name], wanted[name], rtol=1e-12, atol=1e-12)


def arrays_in(told: str) -> dict[str, Any]:
    """The arrays of the NPZ file that an answer brings."""
    return dict(np.load(io.BytesIO(base64.b64decode(json.loads(told)["file"]))))


@pytest.mark.every_situation
def test_the_engine_has_all_that_its_pages_load(context: BrowserContext, site: str) -> None:
    """Modules that no page loads are left out of it."""
    requests = [{"path": page.url_path, "query": ""} for page in PAGES]
    requests += [{"path": "scores", "query": "n_heads=2", "want": name} for name in FILES]
    with visiting(context, service_workers="block") as page:
        without_engine(page)
        page.goto(site + "/")
        page.unroute_all()
        told = page.evaluate(ASK, [requests])
    for request, text in zip(requests, told, strict=True):
        assert text is not None, request
        assert json.loads(text).keys() & {"scene", "blocks", "file", "needs"}, request


@pytest.mark.every_situation
def test_a_link_of_the_app_shows_the_same_in_a_frame(page: Page, site: str) -> None:
    query = "n_heads=2&d_model=6&text=a+b+c&mask=causal&head=1&query=2&key=1"
    page.goto(site + "/licences/ORIGINS.txt")
    page.set_content(f'<iframe src="{site}/?{query}#softmax" width="1200" height="700"></iframe>')
    frame = page.frame_locator("iframe")
    expect(frame.locator("#files")).to_be_visible(timeout=MS_TO_LOAD)
    here = page.frames[-1]
    scene = json.loads(answer(json.dumps({"path": "softmax", "query": query})))["scene"]
    assert here.locator("#controls [name=key]").input_value() == "1"
    expect(frame.locator("h1, .words").first).to_contain_text(scene["stage"]["title"])
    shares = trace_of(Scenario(text="a b c", n_heads=2, d_model=6, mask="causal")).probabilities
    expect(frame.locator("output.result")).to_have_text(f"{shares[0, 1, 2, 1]:.4f}")


@pytest.mark.every_situation
def test_charts_in_space_are_drawn_and_what_is_folded_is_computed_once_opened(
    page: Page, site: str
) -> None:
    started(page, f"{site}/#stiefel")
    page.wait_for_function(
        "() => [...document.querySelectorAll('#page .chart')].filter("
        "one => one._fullLayout?._subplots.gl3d?.length).length === 2"
    )
    experiment = page.locator("#page details", has_text="One layer, two heads")
    expect(experiment.get_by_role("button")).to_have_count(0)
    experiment.locator("summary").click()
    experiment.get_by_role("button", name="Train free").click()
    expect(experiment.get_by_role("button", name="Stop")).to_be_visible()
