"""The book: its chapters, and its pages, each of which has a line in assets/data/pages.csv."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from attention_core.trace import STEPS

from .home import HOME, read_table

PAGES_FOLDER = HOME / "pages"

# The chapters of the book, in its order, by their sections in assets/data/pages.csv.
CHAPTERS = {
    "story": "The story",
    "trained": "A model that writes",
    "diagonal": "The diagonal",
    "heads": "Heads",
    "masks": "Masks",
    "labs": "Labs",
    "teach": "Teach",
    "reference": "Find",
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


# By sections, or by the URL path of a page that differs from its section.
OWN_CONTROLS = {
    "diagonal": OwnControls(
        "This page uses only the sentence. Its other choices stand on it.", ("text",)
    ),
    "trained": OwnControls(
        "This section uses the sentence. Sizes, weights and mask are those of the model.",
        ("text", "n_tokens"),
    ),
    "labs": OwnControls(
        "A lab has its own controls on its page. The controls of other sections keep their values."
    ),
    "growth": OwnControls(
        "This page measures tokens of its own. The controls of other sections keep their values."
    ),
    "reference": OwnControls(
        "This page is the same for every sentence. The controls of other sections keep their"
        " values."
    ),
}


@dataclass(frozen=True)
class Page:
    """A page: its section, URL path, title, question, and the trace fields that it shows.

    section: the folder of its file, whose controls it has; one of `CHAPTERS`.
    looks_into: the names of the places (head, query, key, feature) that give the cell in focus;
    empty if the page explains no cell. on_boards: whether that cell is on a board, which a notation
    may transpose; charts and tables are never transposed. further: whether only specialists need
    it, so that it stands last in its chapter.
    """

    section: str
    url_path: str
    title: str
    question: str
    fields: tuple[str, ...]
    looks_into: tuple[str, ...]
    on_boards: bool
    further: bool

    @property
    def chapter(self) -> str:
        """The name of its chapter."""
        return CHAPTERS[self.section]

    @property
    def path(self) -> str:
        """The absolute path of its file, which has the name of the URL path."""
        return str(PAGES_FOLDER / self.section / f"{self.url_path.replace('-', '_')}.py")

    @property
    def own_controls(self) -> OwnControls | None:
        """What the sidebar says and shows if the page uses few of the controls; None if it uses
        all.
        """
        if self.url_path == "glossary":
            return None
        return OWN_CONTROLS.get(self.url_path, OWN_CONTROLS.get(self.section))

    @property
    def runs_modern(self) -> bool:
        """Whether the page runs the layer with the options of modern attention: the story, and what
        compares it or lists its sizes. The others explain the layer without them.
        """
        return self.section == "story" or self.url_path in ("what-changes", "glossary")

    @property
    def has_sidebar(self) -> bool:
        """Whether the sidebar stands beside the page; not beside what a class looks at."""
        return self.url_path != "class"

    @property
    def fills_lecture(self) -> bool:
        """Whether in lecture mode the picture needs the whole width, as that of a step does."""
        return self.url_path == "whole-model"

    @property
    def needs_layer(self) -> bool:
        """Whether the page needs a layer made from the controls; a class and words do not."""
        return self.url_path not in ("class", "glossary")


def _page(line: dict[str, str]) -> Page:
    """The page of a row; several names in a cell are separated by spaces."""
    return Page(
        line["section"],
        line["url_path"],
        line["title"],
        line["question"],
        fields=tuple(line["shows"].split()),
        looks_into=tuple(line["looks_into"].split()),
        on_boards=line["drawn_on"] == "boards",
        further=line["further"] == "yes",
    )


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


def chapter_pages(section: str) -> tuple[Page, ...]:
    """All pages of a chapter, in order."""
    return tuple(page for page in PAGES if page.section == section)


def book(shown: Collection[str] | None = None) -> dict[str, Any]:
    """The chapters with their pages, as assets/page/book.js reads them. shown: the URL paths of the
    pages that a site has, each a place of its one URL; None for the app, which has all.
    """
    chapters = [
        {
            "title": title,
            "pages": [
                {
                    "title": page.title,
                    "path": page.url_path,
                    "away": shown is not None and page.url_path not in shown,
                }
                for page in chapter_pages(section)
            ],
        }
        for section, title in CHAPTERS.items()
    ]
    return {"chapters": chapters, "hash": shown is not None}


@dataclass(frozen=True)
class PageRow:
    """The row of pages of a chapter. lecture: in the order in which they are shown. further: what
    stands behind the line: pages for specialists, and steps whose option is off.
    """

    lecture: tuple[Page, ...]
    further: tuple[Page, ...]

    @property
    def pages(self) -> tuple[Page, ...]:
        """All pages of the row."""
        return self.lecture + self.further


def page_row(section: str, options: Collection[str] = ()) -> PageRow:
    """The row of a chapter. options: those of the layer that are on, as `options_on` names them.

    >>> [page.title for page in page_row("story").further[:2]]
    ['QK-norm', 'Rotary positions']
    >>> len(page_row("story", ["rotary"]).further) - len(page_row("story").further)
    -1
    """
    behind = [one for one in chapter_pages(section) if _is_further(one, options)]
    before = [one for one in chapter_pages(section) if one not in behind]
    return PageRow(tuple(before), tuple(behind))


def _is_further(page: Page, options: Collection[str]) -> bool:
    return page.further or option_of(page) not in ("", *options)


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
