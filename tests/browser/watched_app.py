"""The app as `streamlit run` starts it, in a process that notes whom it asks beyond this machine:
`python -m tests.browser.watched_app OPTION …` writes a line for each.
"""

from __future__ import annotations

import socket
import sys
from typing import Any

from streamlit.web.cli import main

BEYOND = "beyond this machine"
HERE = ("localhost", "127.0.0.1", "::1", "", "0.0.0.0", "::", None)


def note(event: str, given: tuple[Any, ...]) -> None:
    """An audit hook: names that are looked up, connections, and packets without one."""
    host: Any = None
    if event == "socket.getaddrinfo":
        host = given[0]
    elif event in ("socket.connect", "socket.sendto"):
        sock, address = given
        # Choosing the interface for packets sends none.
        is_choice = event == "socket.connect" and sock.type == socket.SOCK_DGRAM
        if isinstance(address, tuple) and not is_choice:
            host = address[0]
    if host not in HERE:
        sys.stderr.write(f"{BEYOND}: {event} {host}\n")
        sys.stderr.flush()


if __name__ == "__main__":
    sys.addaudithook(note)
    sys.argv = ["streamlit", "run", "app.py", *sys.argv[1:]]
    main()
