"""What is said of a text that the language model reads: that it is cut, and what it has learnt."""

from __future__ import annotations

from collections.abc import Sequence

from attention_lab.whose_heads import LANGUAGE, notes_on

from .. import blocks as b
from ..markdown import escape_markdown
from ..story.story_view import StoryView


def text_notes(view: StoryView) -> Sequence[b.Text]:
    """How much of a text that is too long is shown. Raises: AttentionError."""
    notes = notes_on(view.scenario, LANGUAGE, None)
    return [b.Text(escape_markdown(note), small=True) for note in notes]
