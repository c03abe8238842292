"""The boards of the story by name, for the tests that go through all of them."""

from __future__ import annotations

from collections.abc import Callable

from attention_viz import story
from attention_viz.overview import overview
from attention_viz.payload import JSON, Stage

FOCUS = (1, 2, 1)  # head, row and column
Scene = Callable[[Stage], JSON]
STORY: dict[str, Scene] = {
    **{
        f"projection of {field}": lambda s, f=field: story.projection_board(s, f, FOCUS)
        for field in story.PROJECTION_FACTORS
    },
    **{
        f"split of {field}": lambda s, f=field: story.split_board(s, f, FOCUS)
        for field in story.PROJECTION_FACTORS
    },
    **{
        name: lambda s, n=name: getattr(story, f"{n}_board")(s, FOCUS)
        for name in ("scores", "scale", "mask", "softmax", "mixing", "merge", "pair")
    },
    "value pair": lambda s: story.value_pair_board(s, FOCUS, 1),
    "output": lambda s: story.output_board(s, 2, 1),
    "overview": lambda s: overview(s, 1, 2, 1),
}
