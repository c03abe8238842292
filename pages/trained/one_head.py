"""One trained head: its heatmap, its lines, the arithmetic of every cell, and its weights."""

from attention_core.derivation import derive
from attention_ui.blocks import show_page
from attention_ui.panels import look_closer
from attention_viz.blocks import Values
from attention_viz.story.story_view import StoryView
from attention_viz.trained.heads import one_head
from attention_viz.trained.one_head_page import CLOSER, ONE_HEAD_PAGE, layer_of


def _look_closer(now: StoryView, values: Values) -> None:
    one = layer_of(now, values)
    cell = one.focus.cell("query", "key")
    arithmetic = derive(one.trace, "probabilities", (0, *cell))
    board = one_head(one.stage, *cell)
    look_closer(one, "probabilities", arithmetic, beside=("scores",), board=board)


show_page(ONE_HEAD_PAGE, {CLOSER: _look_closer})
