"""What the current page shows: the view of the story, with symbols as Markdown. The frame sets it
before the page runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from attention_viz.markdown import escape_markdown
from attention_viz.story.story_view import StoryView

from .url_state import session


@dataclass(frozen=True)
class PageContext(StoryView):
    """The view of the page."""

    def symbol(self, name: str, on_board: bool = False) -> str:
        """A matrix or a size in the chosen notation, as Markdown. on_board: see `written`."""
        return escape_markdown(self.written(name, on_board))


def page_context() -> PageContext:
    """The context of the current page."""
    return cast(PageContext, session().page_context)
