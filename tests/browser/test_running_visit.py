"""A visit whose URL changes while it runs, driven over the WebSocket as a browser drives it: the
texts of its URL then stand in other places of Streamlit than at its beginning, where `AppTest` puts
them.
"""

from __future__ import annotations

from itertools import product
from urllib.parse import parse_qs

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

ENDLESS = ("1e400", "9" * 400, "-inf")
NUMBERS = ("d_model", "n_tokens", "n_heads", "seed", "cap")


def run(
    visit: ClientConnection, page: str, query: str, is_back: bool = False, page_hash: str = ""
) -> list[ForwardMsg]:
    """Ask for a run with this URL; what the server sends until it has finished. page_hash: of a
    page that the visit knows, by which a browser asks for it.
    """
    asked = BackMsg()
    asked.rerun_script.page_name = page * (not page_hash)
    asked.rerun_script.page_script_hash = page_hash
    asked.rerun_script.query_string = query
    asked.rerun_script.is_history_navigation = is_back
    visit.send(asked.SerializeToString())
    sent = []
    while not sent or sent[-1].WhichOneof("type") != "script_finished":
        sent.append(ForwardMsg.FromString(visit.recv(timeout=60)))  # type: ignore[arg-type]
    return sent


def read_query(message: ForwardMsg) -> dict[str, list[str]]:
    """The URL that a message tells the browser."""
    return parse_qs(message.page_info_changed.query_string)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("lesson=why-scale&moment=6&present=true", {"moment": "the-wrong-root"}),
        ("lesson=multi-head-attention", {"weights": "by hand", "d_model": "8"}),
    ],
)
def test_a_bare_lesson_opens_in_a_running_visit(
    app_url: str, query: str, expected: dict[str, str]
) -> None:
    stream = app_url.replace("http", "ws", 1) + "/_stcore/stream"
    with connect(stream, subprotocols=["streamlit"], max_size=None) as visit:  # type: ignore[list-item]
        first = run(visit, "overview", "weights=by+hand&d_model=8&seed=5")
        (pages,) = (one.navigation for one in first if one.WhichOneof("type") == "navigation")
        (home,) = (one for one in pages.app_pages if not one.url_pathname)
        sent = run(visit, "", query, is_back=True, page_hash=home.page_script_hash)
        sent += rest(visit)
        drawn = [message.delta.new_element.WhichOneof("type") for message in sent]
        assert not {"exception", "toast"} & set(drawn)
        told = [read_query(one) for one in sent if one.WhichOneof("type") == "page_info_changed"]
        assert {name: told[-1].get(name) for name in expected} == {
            name: [text] for name, text in expected.items()
        }
        assert ("present" in query) == ("present" in told[-1])


def rest(visit: ClientConnection) -> list[ForwardMsg]:
    """What the server sends until the run after one that ended early has finished."""
    sent = []
    while not sent or sent[-1].WhichOneof("type") != "script_finished":
        sent.append(ForwardMsg.FromString(visit.recv(timeout=60)))  # type: ignore[arg-type]
    return sent


def test_an_endless_number_ends_no_running_visit(app_url: str) -> None:
    stream = app_url.replace("http", "ws", 1) + "/_stcore/stream"
    with connect(stream, subprotocols=["streamlit"], max_size=None) as visit:  # type: ignore[list-item]
        run(visit, "scores", "d_model=24&cap=3")
        for is_back, text in product((False, True), ENDLESS):
            query = "&".join(f"{name}={text}" for name in NUMBERS)
            sent = run(visit, "scores", query, is_back)
            drawn = [message.delta.new_element.WhichOneof("type") for message in sent]
            assert "exception" not in drawn
            assert "toast" in drawn
