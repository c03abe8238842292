"""Servers of the app, of another version of it and of its rivals, each with the project's
configuration.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
# what is served -> the module that runs a script, the script in its folder, and its page that is
# measured
SERVERS = {
    "floor": ("streamlit", "benchmarks/rivals/floor.py", ""),
    "usual": ("benchmarks.rivals.usual", "app.py", "scores"),
    "app": ("streamlit", "app.py", ""),
}


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def served(name: str, root: Path = ROOT) -> Iterator[str]:
    """The address of a server that runs the app of a folder, or a rival."""
    port = free_port()
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
            yield address
        finally:
            server.terminate()
