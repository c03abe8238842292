"""How tests visit the site: with its engine or without one, and with parts that do not arrive."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import BrowserContext, Page, Route, expect

MS_TO_LOAD = 60_000
SCRIPT = "text/javascript"


def started(page: Page, url: str) -> None:
    """Open a page of the site, and wait until its engine is there."""
    page.goto(url)
    expect(page.locator("#files")).to_be_visible(timeout=MS_TO_LOAD)


@contextmanager
def visiting(context: BrowserContext, **kind: Any) -> Iterator[Page]:
    """A tab of somebody who has never been here, whose faults are meant."""
    assert context.browser
    visitor = context.browser.new_context(**kind)
    yield visitor.new_page()
    visitor.close()


def without_engine(page: Page) -> None:
    """The engine never answers in this tab."""
    page.route("**/worker.js", lambda one: one.fulfill(body="", content_type="text/javascript"))


def missing(route: Route) -> None:
    """No such file."""
    route.fulfill(status=404)


def another(route: Route) -> None:
    """What some servers send in the place of a file that they do not have."""
    route.fulfill(status=200, body="<!DOCTYPE html>")


def hurried(route: Route) -> None:
    """The worker, which waits for a second only."""
    text = route.fetch().text()
    route.fulfill(body=text.replace("PATIENCE = 20", "PATIENCE = 1"), content_type=SCRIPT)
