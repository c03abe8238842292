"""Settings of all tests: Hypothesis draws the same examples in every run and sets no time limit
for one.
"""

from __future__ import annotations

import gc
import os

# As in app.py, before NumPy is loaded: several threads for small products only take the cores from
# other processes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings

from scripts.shared import place_of

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    """What `make test` leaves out."""
    every = "every situation of a page, every seed of a training (make test-all)"
    parser.addoption("--every-situation", action="store_true", help=every)


def pytest_configure(config: pytest.Config) -> None:
    """Name the mark of what `make test` leaves out."""
    config.addinivalue_line("markers", "every_situation: runs with --every-situation only")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests in Chromium come last: Playwright leaves an event loop running in its process, in which
    `asyncio.run` of other tests would fail.
    """
    if not config.getoption("every_situation"):
        left_out = [item for item in items if item.get_closest_marker("every_situation")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)
    # What is loaded and collected stays to the end: no collection has to look through it again.
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a PostgreSQL server, one for all processes of a run of the tests."""
    from scripts.local_postgres import shared_server

    with shared_server(place_of(tmp_path_factory.getbasetemp()) / "postgres") as folder:
        yield folder


_SCHEMAS = count()


@pytest.fixture
def database(postgres: Path) -> Iterator[str]:
    """The URL of a database without tables."""
    import psycopg

    from attention_lab.classroom import class_database
    from scripts.local_postgres import url_of

    schema = f"test_{os.getpid()}_{next(_SCHEMAS)}"
    url = url_of(postgres, schema)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
    yield url
    for line in class_database._lines(url):
        line.close()
