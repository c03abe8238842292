"""Servers of the app, of another version of it and of its rivals, each with the project's
configuration.
"""

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
# what is served -> the module that runs a script, the script in its folder, and its page that is
# measured
SERVERS = {
    "floor": ("streamlit", "benchmarks/rivals/floor.py", ""),
    "usual": ("benchmarks.rivals.usual", "app.py", "scores"),
    "app": ("streamlit", "app.py", ""),
}


class Server(NamedTuple):
    """Where a server is, and its process."""

    address: str
    process: int


@contextmanager
def served(name: str, root: Path = ROOT) -> Iterator[Server]:
    """A server that runs the app of a folder, or a rival."""
    with socket.socket() as probe:  # a port that nobody listens on
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    module, script, _ = SERVERS[name]
    options = [f"--server.port={port}", "--server.headless=true"]
    with subprocess.Popen(
        [sys.executable, "-m", module, "run", str(root / script), *options],
        cwd=root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            address = f"http://localhost:{port}"
            for _ in range(100):
                try:
                    urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
                    break
                except OSError:
                    time.sleep(0.2)
            yield Server(address, server.pid)
        finally:
            server.terminate()
