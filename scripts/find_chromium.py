"""Print the path of a Chromium that starts, installing one if the machine has none.

Order: the variable CHROMIUM, the PATH, Playwright's own, Debian's package (as root).
Only the path goes to standard output.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable

# The shell does the same pages without the windows of a browser, for two thirds of the processor.
SHELL = "chromium-headless-shell"
NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# One that does only what a test or a measurement asks of it.
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-sync", "--disable-background-networking", "--disable-component-update"),
)
ADVICE = (
    "No Chromium was found, and none could be installed. Install Chromium or Google Chrome, "
    "or give the path of one: CHROMIUM=/path/to/chromium make test"
)


def starts(path: str) -> bool:
    """Whether the browser renders an empty page. A stub, or missing libraries, fail here rather
    than in the first test.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}"]
        command = [path, *flags, "--dump-dom", "about:blank"]
        try:
            run = subprocess.run(command, capture_output=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return False
    return run.returncode == 0 and b"<html>" in run.stdout


def on_path(names: Iterable[str] = NAMES) -> str | None:
    """The first browser on the PATH that starts."""
    candidates = (shutil.which(name) for name in names)
    return next((path for path in candidates if path and starts(path)), None)


def attempt(command: list[str], timeout: int = 600) -> None:
    """Run an installation, its output on standard error; a failure is reported, not raised."""
    print("$", *command, file=sys.stderr)
    about = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        subprocess.run(command, stdout=sys.stderr, timeout=timeout, env=about, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        print(error, file=sys.stderr)


def from_playwright() -> str | None:
    """Playwright's own Chromium, downloaded if it is missing."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    if not os.path.exists(path):
        attempt([sys.executable, "-m", "playwright", "install", "chromium"], timeout=300)
    return path if starts(path) else None


def from_debian() -> str | None:
    """Debian's package, if apt-get exists and this process is root."""
    if not shutil.which("apt-get") or not hasattr(os, "geteuid") or os.geteuid() != 0:
        return None
    # A failed update is no reason to stop: the old package lists may still do.
    attempt(["apt-get", "update"])
    for package in (SHELL, "chromium"):  # an older Debian has the second one only
        attempt(["apt-get", "install", "-y", "--no-install-recommends", package])
        if path := on_path():
            return path
    return None


def find_chromium() -> str:
    """The path of a Chromium that starts. Raises: SystemExit with advice if there is none."""
    if given := os.environ.get("CHROMIUM"):
        path = on_path((given,))
        advice = f"CHROMIUM is {given!r}, which is not a browser that starts. Correct or unset it."
    else:
        path, advice = on_path() or from_playwright() or from_debian(), ADVICE
    if path is None:
        raise SystemExit(advice)
    return path


if __name__ == "__main__":
    print(find_chromium())
