"""Every test of the app also fails when something is logged that a maintainer would have to look at."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

# Said once by Streamlit when its own modules are used outside a running app, as tests do.
EXPECTED = "missing ScriptRunContext"


@pytest.fixture(autouse=True)
def logged() -> Iterator[list[str]]:
    """What is logged at WARNING or above, in any thread and by any logger; a test that expects some clears the list."""
    messages: list[str] = []
    make = logging.getLogRecordFactory()

    def remember(*args: object, **kwargs: object) -> logging.LogRecord:
        record = make(*args, **kwargs)
        if record.levelno >= logging.WARNING and EXPECTED not in record.getMessage():
            messages.append(f"{record.getMessage()} {record.exc_info or ''}")
        return record

    logging.setLogRecordFactory(remember)
    yield messages
    logging.setLogRecordFactory(make)
    assert messages == []
