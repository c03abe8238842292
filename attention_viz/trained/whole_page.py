"""The page *The whole model*: one picture from the prompt to the next word, with a door at every
number.
"""

from __future__ import annotations

from collections.abc import Sequence

from attention_lab.trained.whole_model import WholeModel, whole_model
from attention_lab.whose_heads import HeadsShown

from .. import blocks as b
from ..story.story_view import StoryView
from .head_pages import HeadPage
from .whole_model import whole_board


def _choices(shown: HeadsShown) -> Sequence[b.Choice]:
    return ()


def _whole(view: StoryView, shown: HeadsShown) -> WholeModel:
    return whole_model(shown.maps, shown.run, view.pieces)


def _blocks(view: StoryView, values: b.Values, shown: HeadsShown) -> Sequence[b.Block]:
    whole = _whole(view, shown)
    return [b.Board(whole_board(whole), "whole", fits=True)]


WHOLE_MODEL = HeadPage("whole-model", _choices, _blocks, words=True).page
