"""A URL never ends a page: hostile values for every choice of every page, for a visitor who comes
by the URL, and for one whose URL changes while the page is open.
"""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.control_list import CONTROLS, VIEW_DEFAULTS
from tests.ui.app import EVERY_PAGE, opened, said

ENDLESS = ("1e400", "-inf")
MOST_OF_A_URL = 500_000  # letters; Streamlit reads no more than 524,288
OTHERS = (
    *("nan", "1e308", "9" * 400, "-1", "0", "1.5", "1e2", "1_000", "\u0663", "0x10", "\x00", ""),
    *("true", "None", "[1]", "{}", "<b>", "../..", "a.b.0-0", "0-0-0-0-0-0", "\u202e", "x" * 9_000),
)


def choices(app: AppTest) -> list[str]:
    """The parameters that the page knows."""
    bound = (getattr(one.proto, "query_param_key", "") for one in (*app.main, *app.sidebar))
    of_controls = (control.name for control in CONTROLS)
    written = app.session_state["session"].written
    return sorted({*filter(None, bound), *written, *of_controls, *VIEW_DEFAULTS})


def values(request: pytest.FixtureRequest, page: str) -> list[str]:
    """All values, or in the gate one for each page: an endless number, or another."""
    if request.config.getoption("every_situation"):
        return [*ENDLESS, *OTHERS]
    place, odd = divmod(EVERY_PAGE.index(page), 2)
    kind = OTHERS if odd else ENDLESS
    return [kind[place % len(kind)]]


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_no_value_ends_a_page(page: str, request: pytest.FixtureRequest) -> None:
    app = opened(page)
    names = choices(app)
    for value in values(request, page):
        at_once = MOST_OF_A_URL // max(1, len(value))
        for start in range(0, len(names), at_once):
            asked = dict.fromkeys(names[start : start + at_once], value)
            app.query_params |= asked
            app.run()
            assert not app.exception, (value, app.exception)
            app.query_params.clear()
            fresh = opened(page, **asked)
            assert not fresh.exception, (value, fresh.exception)


@pytest.mark.parametrize("value", ENDLESS)
def test_an_endless_number_is_refused_with_a_sentence(value: str) -> None:
    app = opened("scores", d_model=16, n_heads=2)
    for name in ("d_model", "seed"):
        app.query_params[name] = value
        app.run()
        assert any(f"“{value}”" in sentence for sentence in said(app))
    assert app.query_params.keys().isdisjoint({"seed"})
    assert app.session_state["d_model"] >= 1
