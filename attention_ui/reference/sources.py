"""The papers and books that the app's docstrings and pages name as sources."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from ..markdown import escape_markdown
from ..registry import read_table


@dataclass(frozen=True)
class Paper:
    """A paper or book, and what is taken from it."""

    authors: str
    year: str
    title: str
    used_for: str


@lru_cache(maxsize=1)
def papers() -> tuple[Paper, ...]:
    """Every source, by author."""
    return tuple(
        Paper(row["authors"], row["year"], row["title"], row["for"]) for row in read_table("papers")
    )


def paper_list() -> str:
    """All of them as a Markdown list."""
    return "\n".join(
        f"- {escape_markdown(one.authors)} {one.year}, *{escape_markdown(one.title)}*:"
        f" {escape_markdown(one.used_for)}"
        for one in papers()
    )
