"""Pages that return blocks, read without a host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from attention_lab.scenario import Scenario
from attention_viz import blocks as b
from attention_viz.block_page import BlockPage
from attention_viz.story.story_view import StoryView

Kind = TypeVar("Kind")


def blocks_of(page: BlockPage, view: StoryView | Scenario, **chosen: Any) -> Sequence[b.Block]:
    """The blocks of a page with some of its choices."""
    if isinstance(view, Scenario):
        view = StoryView(view)
    return page.blocks(view, values_read(page, view, **chosen))


def values_read(page: BlockPage, view: StoryView, **chosen: Any) -> dict[str, Any]:
    """The values of all choices of a page with some of them."""
    _, values = page.read(view, lambda one: chosen.get(one.key, one.default))
    assert values.keys() >= chosen.keys()
    return values


def all_of(blocks: Sequence[b.Block], kind: type[Kind]) -> list[Kind]:
    """The blocks and fields of a kind, also inside others."""
    return [one for one in b.every_block(blocks) if isinstance(one, kind)]


def the_one(blocks: Sequence[b.Block], kind: type[Kind], label: str) -> Kind:
    """The only block of a kind with a label."""
    (found,) = [one for one in all_of(blocks, kind) if getattr(one, "label", None) == label]
    return found


def words_of(blocks: Sequence[b.Block]) -> str:
    """What a page says, without escapes."""
    says = []
    for one in b.every_block(blocks):
        lines = (one.head, *one.rows) if isinstance(one, b.Table) else ()
        says += [getattr(one, "text", ""), *(f"| {' | '.join(line)} |" for line in lines)]
    return "\n".join(says).replace("\\", "")


USUAL = StoryView()


def values_of(page: BlockPage, view: StoryView = USUAL, **given: Any) -> dict[str, Any]:
    """The values of a page's choices: its defaults, but for those that are given as in a URL."""
    read = {one.key: one.default for one in page.choices(view)}
    for one in page.choices(view):
        if one.key in given:
            read[one.key] = one.read(str(given.pop(one.key)))
    assert not given
    return read


def shown(page: BlockPage, view: StoryView = USUAL, **given: Any) -> list[b.Block]:
    """The blocks of a page, also those beside one another; what is folded is left out."""
    return _flat(page.blocks(view, values_of(page, view, **given)))


def inside(page: BlockPage, label: str, view: StoryView = USUAL, **given: Any) -> list[b.Block]:
    """The blocks of the folded part whose label begins so."""
    folded = (one for one in shown(page, view, **given) if isinstance(one, b.Folded))
    return _flat(next(one for one in folded if one.label.startswith(label)).inside)


def _flat(blocks: Sequence[b.Block]) -> list[b.Block]:
    flat: list[b.Block] = []
    for block in blocks:
        inner = block.parts if isinstance(block, b.Beside) else ()
        flat += _flat([one for part in inner for one in part]) or [block]
    return flat


def texts(blocks: Sequence[b.Block]) -> str:
    """All words and formulas, also those of tables."""
    formulas = [one.latex for one in blocks if isinstance(one, b.Formula)]
    rows = [" | ".join(row) for one in blocks if isinstance(one, b.Table) for row in one.rows]
    return "\n".join(
        [*(one.text for one in blocks if isinstance(one, b.Text | b.Note)), *formulas, *rows]
    )


def charts(blocks: Sequence[b.Block]) -> dict[str, Any]:
    """The figures by their names."""
    return {one.name: one.figure for one in blocks if isinstance(one, b.Chart)}


def boards(blocks: Sequence[b.Block]) -> list[dict[str, Any]]:
    """The scenes of the boards."""
    return [dict(one.scene) for one in blocks if isinstance(one, b.Board)]


def buttons(blocks: Sequence[b.Block]) -> dict[str, dict[str, Any]]:
    """What each button sets, by its label."""
    rows = [item for one in blocks for item in (one.items if isinstance(one, b.Row) else [one])]
    return {one.label: dict(one.sets) for one in rows if isinstance(one, b.Button)}
