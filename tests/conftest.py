"""Settings of all tests: Hypothesis draws the same examples in every run and sets no time limit
for one.
"""

import os

# As in app.py, before NumPy is loaded: several threads for small products only take the cores from
# other processes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Leave out the pages' situations that `make test` leaves out, or run them all."""
    parser.addoption(
        "--every-situation",
        action="store_true",
        help="run every page in every situation (make test-all)",
    )
