"""What the current page shows. The frame sets it before the page runs."""

from typing import cast

from attention_viz.story.story_view import StoryView

from .url_state import session


def page_context() -> StoryView:
    """The view of the current page."""
    return cast(StoryView, session().page_context)
