"""What frames every page: the sidebar, the link in the corner, the title, and what passes between
the server and the browser.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, WebSocket, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from attention_viz.theme import PALETTES
from tests.browser.driving import Visit, expect_url, resized, rgb, settled, slider

FOLDED = "document.querySelector('[data-testid=stSidebar]').dataset.collapsed === 'true'"
WIDTH = "document.querySelector('[data-testid=stMain]').clientWidth"
# Where the named controls and groups begin in the sidebar.
PLACES = """names => {
  const side = document.querySelector('[data-testid=stSidebarContent]');
  const shown = [...side.querySelectorAll('summary, label')].filter(one => one.offsetHeight);
  return names.map(name => {
    const one = shown.find(one => one.innerText.trim().split('\\n').at(-1) === name);
    return one ? Math.round(one.getBoundingClientRect().top + side.scrollTop) : null;
  });
}"""
NAMES = ["Example", "Sentence", "Sequence length", "Embedding size", "Heads", "Weights", "View"]
COLOURS = "/_stcore/bidi-components/attention-lab.board/draw/colours.js"
# The contrast of the first caption of the sidebar with its ground, which axe-core does not see.
CONTRAST = f"""async () => {{
  const {{contrast, rgbOf}} = await import('{COLOURS}');
  const side = document.querySelector('[data-testid=stSidebar]');
  const caption = side.querySelector('[data-testid=stCaptionContainer]');
  const {{color, opacity}} = getComputedStyle(caption);
  const [ink, paper] = [color, getComputedStyle(side).backgroundColor].map(rgbOf);
  return contrast(ink.map((one, i) => paper[i] + opacity * (one - paper[i])), paper);
}}"""


@pytest.mark.every_situation
def test_in_a_small_window_the_controls_are_a_drawer(visit: Visit, page: Page) -> None:
    page.set_viewport_size({"width": 1000, "height": 700})
    visit("scores")
    page.wait_for_function(FOLDED)
    assert page.evaluate(WIDTH) == 1000
    page.get_by_test_id("stExpandSidebarButton").click()
    page.wait_for_function(f"!({FOLDED})")
    assert page.evaluate(WIDTH) == 1000
    slider(page, "Heads").press("ArrowLeft")
    expect_url(page, "n_heads=2")
    page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    page.locator(".strip .after").click()
    expect_url(settled(page), "n_heads=2")
    assert page.evaluate(FOLDED)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.wait_for_function(f"!({FOLDED}) && {WIDTH} <= 980")
    page.set_viewport_size({"width": 1179, "height": 720})
    page.wait_for_function(f"{FOLDED} && {WIDTH} === 1179")


@pytest.mark.every_situation
def test_controls_keep_their_places_from_layer_to_layer(go: Visit) -> None:
    page = go("scores")
    first = page.evaluate(PLACES, NAMES)
    assert None not in first
    found = {}
    for path in (
        "tokens",
        "output?n_heads=2",
        "scores?d_model=24",
        "tokens?edits=x_0_0_9",
        "scores?weights=trained&layer=3",
    ):
        found[path] = go(path).evaluate(PLACES, NAMES)
    # a group with a choice in it that is not the usual one is longer
    assert {path: shown for path, shown in found.items() if shown[:6] != first[:6]} == {}
    field = page.get_by_label("Sentence", exact=True)
    field.select_text()
    page.evaluate("document.execCommand('insertText', false, 'the cat\\nand it')")
    field.press("Enter")
    expect_url(page, "text=the+cat+and+it")
    expect(field).to_have_value("the cat and it")
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        ground = rgb(PALETTES[scheme]["background"])
        expect(page.get_by_test_id("stApp")).to_have_css("background-color", ground)
        assert page.evaluate(CONTRAST) >= 4.5, scheme


@pytest.mark.every_situation
def test_the_button_that_copies_the_link_covers_nothing(go: Visit) -> None:
    page = go("softmax")
    button = page.locator("#attention-corner button.link")
    found = {}
    for window in ((1366, 768), (1180, 720), (700, 800), (390, 844)):
        resized(page, *window).wait_for_timeout(300)
        corner = button.bounding_box()
        links = page.locator("#attention-book .chapters a, #attention-book button")
        boxes = [box for box in (link.bounding_box() for link in links.all()) if box]
        assert corner
        assert boxes
        ends = max(box["x"] + box["width"] for box in boxes)
        if corner["x"] + corner["width"] > window[0] or ends > corner["x"] + 1:
            found[window] = (ends, corner)
    assert found == {}
    expect(button).to_be_visible()
    go("scores?present=true")
    expect(button).to_be_hidden()


# Each is drawn for itself, and all visitors' messages pass one lock. Each group of controls is one.
MOST_MESSAGES = 33  # those of the elements of this page, and five of the run


def test_an_act_brings_few_messages_each_whole(page: Page, app_url: str) -> None:
    received: list[ForwardMsg] = []
    sockets: list[WebSocket] = []

    def listen(socket: WebSocket) -> None:
        sockets.append(socket)
        socket.on("framereceived", lambda data: received.append(ForwardMsg.FromString(bytes(data))))

    def ends_a_run(data: bytes | str) -> bool:
        return ForwardMsg.FromString(bytes(data)).WhichOneof("type") == "script_finished"

    page.on("websocket", listen)
    page.goto(f"{app_url}/scores?n_heads=16&d_model=64&n_tokens=11&query=1")
    settled(page)
    for _ in range(2):
        with sockets[-1].expect_event("framereceived", ends_a_run):
            page.get_by_text("The code", exact=True).click()
        settled(page)
    before = len(received)
    with sockets[-1].expect_event("framereceived", ends_a_run):
        slider(page, "Sequence length").press("ArrowRight")
    kinds = [message.WhichOneof("type") for message in received]
    # What the browser keeps, and what nobody sees, is not sent again.
    assert kinds.index("script_finished", before) + 1 - before <= MOST_MESSAGES
    boards = [
        message.ByteSize()
        for message in received[:before]
        if message.delta.new_element.WhichOneof("type") == "bidi_component"
        and message.ByteSize() > 10_000
    ]
    assert len(boards) >= 3
    assert "ref_hash" not in kinds, "nothing is sent as a reference"
    page.remove_listener("websocket", listen)
