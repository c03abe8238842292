"""What is seen where the system forces its few colours on every page: formulas, and what is
chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser


def colours(part: Locator) -> list[tuple[int, int]]:
    """The colours of a part of the page as it is seen, each with how many pixels have it, the
    most frequent first.
    """
    seen = Image.open(BytesIO(part.screenshot())).convert("P", palette=Image.Palette.WEB)
    return sorted(
        ((colour, count) for count, colour in seen.getcolors() or []), key=lambda one: -one[1]
    )


def test_what_is_chosen_is_seen_and_formulas_keep_their_letters(
    go: Callable[[str], Page], page: Page
) -> None:
    page.emulate_media(forced_colors="active", color_scheme="dark")
    go("growth")
    chosen, other = (page.get_by_role("radio", name=name) for name in ("weightless", "tied"))
    assert colours(chosen)[0][0] != colours(other)[0][0]
    assert len(colours(page.locator("[data-testid=stCheckbox] label > div").first)) > 2
    go("mask")
    for track in page.get_by_test_id("stSlider").locator("[role=group]:visible").all():
        assert len(colours(track)) > 2
    # No ground is painted behind an accent, where it would hide the letter below.
    accent = go("glossary").locator(".katex-html .accent").first.locator(".accent-body")
    expect(accent).to_have_css("forced-color-adjust", "none")
