"""What passes between the server and the browser: everything whole, and no widget is told what
it knows.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, WebSocket, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.driving import expect_title, expect_url, parameters, settled, slider

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]


MOST_MESSAGES = 31  # each is drawn for itself, and all visitors' messages pass one lock


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


def test_the_tab_keeps_its_title_and_its_look_from_page_to_page(visit: Visit) -> None:
    page = visit("scores?n_tokens=6")
    above = "() => getComputedStyle(document.querySelector('.st-key-stage')).minHeight"

    def expect_look(title: str, staged: bool) -> None:
        expect(page).to_have_title(f"{title} · Attention Lab")
        assert page.evaluate(above).endswith("px") is staged

    expect_look("Scores", True)
    for number in (7, 8):
        slider(page, "Sequence length").press("ArrowRight")
        expect_url(page, f"n_tokens={number}")
        settled(page)
        expect_look("Scores", True)
    page.locator("[data-testid=stTopNavSection]").nth(1).click()
    page.locator("a[data-testid^=stTopNav]", has_text="All heads").first.click()
    expect_title(page, "All heads")
    settled(page)
    expect_look("All heads", False)
    page.go_back()
    expect_title(page, "Scores")
    settled(page)
    expect_look("Scores", True)


def test_a_reader_changes_the_sentence_and_the_boxes_keep_the_place(visit: Visit) -> None:
    page = visit("scores?text=the+cat+sat+on+the+mat&n_tokens=6&query=5&key=1")

    def expect_boxes(query: str, key: str | None) -> None:
        for label, words in (("Query", query), ("Key", key)):
            if words is not None:
                expect(page.get_by_role("combobox", name=label, exact=True)).to_have_value(words)
        assert parameters(settled(page)).get("query", "0") == query.split()[0]

    expect_boxes("5 · mat", "1 · cat")
    page.get_by_label("Sentence", exact=True).fill("the dog sat on the rug")
    page.get_by_label("Sentence", exact=True).press("Enter")
    expect_boxes("5 · rug", "1 · dog")
    for _ in range(3):
        slider(page, "Sequence length").press("ArrowLeft")
    expect_url(page, "n_tokens=3")
    expect_boxes("0 · the", "1 · dog")
    way = page.get_by_role("navigation", name="Steps of the story")
    way.get_by_role("link", name="Mixing", exact=True).click()
    expect_title(page, "Mixing")
    expect_boxes("0 · the", None)
    page.go_back()
    expect_title(page, "Scores")
    expect_boxes("0 · the", "1 · dog")
