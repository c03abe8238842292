"""A visit whose URL changes while it runs, driven over the WebSocket as a browser drives it: the
texts of its URL then stand in other places of Streamlit than at its beginning, where `AppTest` puts
them.
"""

from __future__ import annotations

from itertools import product

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

ENDLESS = ("1e400", "9" * 400, "-inf")
NUMBERS = ("d_model", "n_tokens", "n_heads", "seed", "cap")


def run(visit: ClientConnection, page: str, query: str, is_back: bool = False) -> list[ForwardMsg]:
    """Ask for a run with this URL; what the server sends until it has finished."""
    asked = BackMsg()
    asked.rerun_script.page_name = page
    asked.rerun_script.query_string = query
    asked.rerun_script.is_history_navigation = is_back
    visit.send(asked.SerializeToString())
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
