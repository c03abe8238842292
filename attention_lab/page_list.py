"""The pages of the app, in the order of the menu: assets/data/pages.csv has one line for each."""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl

from attention_core.trace import STEPS

from .home import ASSETS, HOME

DATA_FOLDER = ASSETS / "data"
PAGES_FOLDER = HOME / "pages"

# The headings of the menu by their keys in assets/data/pages.csv.
MENU = {
    "story": "The story",
    "heads": "Heads",
    "masks": "Masks and kinds",
    "diagonal": "The diagonal",
    "trained": "Trained models",
    "labs": "Labs",
    "teach": "Teaching",
    "reference": "Reference",
}


# Steps around the layer, which show no field of it, and what they need: "" for nothing more.
STEP_NEEDS = {"block": "", "next-token": "language model"}


@dataclass(frozen=True)
class OwnControls:
    """What the sidebar says in a section with its own controls, and which of the shared controls
    the section uses.
    """

    says: str
    used: tuple[str, ...] = ()


OWN_CONTROLS = {
    "diagonal": OwnControls(
        "This section uses only the sentence. The page has its other choices.", ("text",)
    ),
    "trained": OwnControls(
        "This section uses the sentence. Sizes, weights and mask are those of the model.",
        ("text", "n_tokens"),
    ),
    "labs": OwnControls(
        "A lab has its own controls on its page. The controls of other sections keep their values."
    ),
    "reference": OwnControls(
        "This page is the same for every sentence. The controls of other sections keep their"
        " values."
    ),
}


@dataclass(frozen=True)
class Page:
    """A page: its section, URL path, title, icon, question, and the trace fields that it shows.

    section: the folder of its file, whose controls it has; one of `MENU`.
    looks_into: the names of the places (head, query, key, feature) that give the cell in focus;
    empty if the page explains no cell. on_boards: whether that cell is on a board, which a notation
    may transpose; charts and tables are never transposed.
    """

    section: str
    url_path: str
    title: str
    icon: str
    question: str
    fields: tuple[str, ...]
    looks_into: tuple[str, ...]
    on_boards: bool

    @property
    def heading(self) -> str:
        """The heading in the menu under which it stands."""
        return MENU[self.section]

    @property
    def path(self) -> str:
        """The absolute path of its file, which has the name of the URL path."""
        return str(PAGES_FOLDER / self.section / f"{self.url_path.replace('-', '_')}.py")

    @property
    def own_controls(self) -> OwnControls | None:
        """What the sidebar says and shows if the page uses few of the controls; None if it uses
        all.
        """
        return None if self.url_path == "glossary" else OWN_CONTROLS.get(self.section)

    @property
    def has_sidebar(self) -> bool:
        """Whether the sidebar stands beside the page; not beside what a class looks at, nor where
        it changes nothing.
        """
        return self.url_path not in ("class", "before-and-after")

    @property
    def needs_layer(self) -> bool:
        """Whether the page needs a layer made from the controls; a class and words do not."""
        return self.url_path not in ("class", "before-and-after", "glossary")


def _page(line: dict[str, str]) -> Page:
    """The page of a row; several names in a cell are separated by spaces."""
    return Page(
        line["section"],
        line["url_path"],
        line["title"],
        f":material/{line['icon']}:",
        line["question"],
        fields=tuple(line["shows"].split()),
        looks_into=tuple(line["looks_into"].split()),
        on_boards=line["drawn_on"] == "boards",
    )


def read_table(name: str) -> list[dict[str, str]]:
    """The rows of a CSV file in `assets/data/`, as dictionaries by the names of its first line."""
    with (DATA_FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


PAGES = tuple(map(_page, read_table("pages")))

# URL paths that pages had in earlier versions: of each, what its choices are now.
_OLD_ROWS = read_table("old_urls")
OLD_URLS = {row["old"]: row["page"] for row in reversed(_OLD_ROWS)}


def page_now(
    url_path: str, asked: Mapping[str, Sequence[str]]
) -> tuple[Page, dict[str, Sequence[str]]]:
    """The page that a URL opens today, and its parameters there; all texts of each.

    >>> page, choices = page_now("break-it", {"bi_fault": ["merge"], "head": ["1"]})
    >>> page.title, choices["change"], choices["head"]
    ('What changes?', ['merge'], ['1'])
    """
    now, held, page = dict(asked), dict[str, Sequence[str]](), page_of(url_path)
    for row in _OLD_ROWS:
        name, _, value = row["asked"].partition("=")
        texts = asked.get(name, ())
        if row["old"] != url_path or (name and not texts):
            continue
        now.pop(name, None)
        if value and value not in texts:
            continue
        if name:
            page = page_of(row["page"])
        if row["now"].isidentifier():
            held[row["now"]] = texts
        else:
            held |= {key: [text] for key, text in parse_qsl(row["now"])}
    return page, held | now


def story_steps() -> tuple[Page, ...]:
    """The steps of the layer and of the model around it, in order."""
    return tuple(
        page
        for page in PAGES
        if page.section == "story" and (page.fields or page.url_path in STEP_NEEDS)
    )


def strip_pages(options: Collection[str] = (), here: Page | None = None) -> tuple[Page, ...]:
    """The pages of the strip: the steps, then the pages that follow them in the story.

    options: those that are on, as `options_on` names them. A step without its option is left out,
    unless it is `here`, the page that is shown.
    """
    return tuple(
        page
        for page in PAGES
        if page.section == "story" and (page == here or option_of(page) in ("", *options))
    )


def option_of(page: Page) -> str:
    """The option of `attend`, or the model around the layer, without which a page has no step of
    its own; "" if it needs none.
    """
    if page.url_path in STEP_NEEDS:
        return STEP_NEEDS[page.url_path]
    return STEPS[page.fields[0]].option if page.fields else ""


def page_of(url_path: str) -> Page:
    """The page at a URL path, also at an old one; the first page if there is none."""
    now = OLD_URLS.get(url_path, url_path)
    return next((page for page in PAGES if page.url_path == now), PAGES[0])


def step_of(field: str) -> Page:
    """The step of the story that explains a trace field."""
    return next((page for page in story_steps()[1:] if field in page.fields), PAGES[0])
