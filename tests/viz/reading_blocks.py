"""Pages that return blocks, read without a host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from attention_lab.scenario import Scenario
from attention_viz import blocks as b
from attention_viz.story.story_view import StoryView

Kind = TypeVar("Kind")


def blocks_of(page: b.BlockPage, view: StoryView | Scenario, **chosen: Any) -> Sequence[b.Block]:
    """The blocks of a page with some of its choices."""
    if isinstance(view, Scenario):
        view = StoryView(view)
    own = {one.key: one.default for one in page.choices(view)}
    assert own.keys() >= chosen.keys()
    return page.blocks(view, own | chosen)


def all_of(blocks: Sequence[b.Block], kind: type[Kind]) -> list[Kind]:
    """The blocks and fields of a kind, also inside others."""
    return [one for one in b.every_block(blocks) if isinstance(one, kind)]


def the_one(blocks: Sequence[b.Block], kind: type[Kind], label: str) -> Kind:
    """The only block of a kind with a label."""
    (found,) = [one for one in all_of(blocks, kind) if getattr(one, "label", None) == label]
    return found


def words_of(blocks: Sequence[b.Block]) -> str:
    """What a page says, without escapes."""
    says = (getattr(one, "text", "") for one in b.every_block(blocks))
    return "\n".join(says).replace("\\", "")
