"""axe-core finds nothing serious on any page that Streamlit itself does not bring along."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from attention_ui.registry import PAGES
from attention_ui.registry import Page as Entry

pytestmark = pytest.mark.browser
# What axe-core reports on a bare Streamlit page with the same kinds of widgets: lists in its navigation and menus.
STREAMLIT = {"list", "listitem", "aria-allowed-attr", "nested-interactive"}


@pytest.mark.parametrize(("scheme", "pages"), [("light", PAGES), ("dark", PAGES[::5])])
def test_no_serious_violation(visit: Callable[[str], Page], page: Page, scheme: str, pages: Sequence[Entry]) -> None:
    """Names, roles, contrast and focus of every page in the light theme, of every fifth in the dark one."""
    page.emulate_media(color_scheme=scheme)
    found = []
    for entry in pages:
        tab = visit(f"{entry.url_path}?query=1&key=1")
        for violation in Axe().run(tab).response["violations"]:
            if violation["impact"] in ("serious", "critical") and violation["id"] not in STREAMLIT:
                found += [(entry.url_path, violation["id"], node["html"][:200]) for node in violation["nodes"]]
    assert found == []
