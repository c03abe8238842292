"""The reference section in a real browser: a link of a concept opens the page in the state it
names.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import parameters, path_of, scenario_in, settled

pytestmark = pytest.mark.browser


def test_a_concept_opens_where_it_can_be_seen(visit: Callable[[str], Page]) -> None:
    """The link opens a new tab with notation, sizes and the page's own choice; the first tab
    stays as it was.
    """
    page = visit("concepts?concepts_words=36%20columns&seed=7")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Projections").click()
    tab = settled(opened.value)
    assert path_of(tab) == "projections"
    assert parameters(tab)["notation"] == "mql5"
    scenario = scenario_in(tab)
    assert (scenario.d_model, scenario.n_heads, scenario.d_v, scenario.seed) == (12, 3, 12, 0)
    expect(tab.get_by_text("MQL5 book").first).to_be_visible()
    expect(tab.get_by_role("radio", name="values")).to_be_checked()
    tab.close()
    assert parameters(page) == {"concepts_words": "36 columns", "seed": "7"}
