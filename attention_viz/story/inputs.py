"""The board of the inputs: word vectors plus position codes, where the inputs are that sum."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attention_core import Trace
from attention_lab.words.embeddings import Embedding

from ..payload import JSON, Stage
from ..scene import Panel, scene

FOCUS_COLUMNS = 8  # columns around the feature, so that three matrices have room


def is_sum_of_words(trace: Trace, embedding: Embedding) -> bool:
    """Whether the inputs are word vectors plus position codes. The inputs of a trained layer, and
    the user's own, are not.
    """
    # A trained layer gets what earlier layers made of words and positions.
    is_trained = embedding.words is embedding.inputs
    return not is_trained and np.array_equal(embedding.inputs, trace.inputs[0])


def shows_sum_of_words(stage: Stage, embedding: Embedding) -> bool:
    """Whether the board shows word vectors and position codes: the inputs are their sum, or were
    it before cells were edited.
    """
    return is_sum_of_words(stage.before or stage.trace, embedding)


def inputs_board(
    stage: Stage, embedding: Embedding, query: int, feature: int, focused: bool = False
) -> JSON:
    """Word vectors plus position codes; the inputs alone where they are not this sum.

    focused: show only the columns around the feature.

    After an edit some cells of the inputs differ from the sum, and the description says so.
    """
    if not shows_sum_of_words(stage, embedding):
        panels = [Panel("inputs", 1, 2, (0, 0), "result", editable=True)]
        description = "The inputs, with the user's own numbers."
        if np.array_equal(embedding.inputs, stage.trace.inputs[0]):
            description = "The inputs of the trained layer."
        return scene(stage, panels, ("inputs", (0, query, feature)), description)
    if focused:
        first = feature // FOCUS_COLUMNS * FOCUS_COLUMNS
        stage = stage.windowed("D", (first, min(first + FOCUS_COLUMNS, stage.trace.sizes["D"])))
    stage = replace(stage, extra={"words": embedding.words, "positions": embedding.positions})
    panels = [
        Panel("words", 0, 1, (0, 0)),
        Panel("positions", 0, 1, (1, 0)),
        Panel("inputs", 1, 2, (2, 0), "result", editable=True),
    ]
    description = "Word vectors plus position codes give the inputs."
    if not is_sum_of_words(stage.trace, embedding):
        description = "Word vectors plus position codes give the inputs, except in edited cells."
    return scene(stage, panels, ("inputs", (0, query, feature)), description)
