"""Servers of the app, of another version of it and of its rival, each with the project's
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


class Server(NamedTuple):
    """Where a server is, and its process."""

    address: str
    process: int


@contextmanager
def served(root: Path = ROOT, script: str = "app.py") -> Iterator[Server]:
    """A server that runs a script of a folder: the app, or its rival."""
    with socket.socket() as probe:  # a port that nobody listens on
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = [f"--server.port={port}", "--server.headless=true"]
    with subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", str(root / script), *options],
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
