"""The bound on open files is raised as far as the system lets it, by the app itself."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.ui.app import ROOT

resource = pytest.importorskip("resource", reason="Windows has no such bound")

START = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
{then}
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""
ALLOWED = "from attention_ui.server import raise_file_limit; raise_file_limit()"
APP = "import app"


def bounds_after(then: str, soft: int, hard: int) -> list[int]:
    """The two bounds of a process that began with others."""
    code = START.format(soft=soft, hard=hard, then=then)
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [int(bound) for bound in run.stdout.split()[-2:]]


@pytest.mark.parametrize(
    ("soft", "hard", "after"), [(256, 1000, 1000), (256, 256, 256), (1000, 1000, 1000)]
)
def test_the_bound_is_raised_as_far_as_it_goes(soft: int, hard: int, after: int) -> None:
    assert bounds_after(ALLOWED, soft, hard) == [after, hard]


def test_the_app_raises_it() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    enough = 8192 if hard == resource.RLIM_INFINITY else min(8192, hard)
    assert bounds_after(APP, 256, hard) == [enough, hard]


def test_a_bound_above_enough_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    from attention_ui import server

    asked: list[object] = []

    def refuses(what: int, bounds: tuple[int, int]) -> None:
        asked.append(bounds)
        raise ValueError

    monkeypatch.setattr(resource, "setrlimit", refuses)
    for soft, unlimited in ((20_000, False), (256, True), (-1, True)):
        hard = resource.RLIM_INFINITY if unlimited else 20_000
        monkeypatch.setattr(resource, "getrlimit", lambda _, found=(soft, hard): found)
        server.raise_file_limit()
    assert asked == [(8192, resource.RLIM_INFINITY)]
