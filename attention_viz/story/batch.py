"""All sequences of a batch as small matrices with one colour scale: below a step with all heads,
and on its stage with the head in focus.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt

import numpy as np

from attention_core import STEPS, Trace
from attention_core.checks import Array
from attention_core.trace import head_of
from attention_lab.notation.notation import OURS, Notation
from attention_lab.words.text import Tokens

from ..names import role_of
from ..payload import JSON, board_json, largest_magnitude, sent_numbers
from ..scene import axis_word
from ..thumbnails import MAX_NUMBERS_SENT, line_of_heads, windows_around

BATCH_NUMBER_CAPTIONS = {
    "feature": "This number is",
    "logit": "This score is",
    "probability": "This share is",
}
MAX_HEADS_PER_LINE = 2  # with more a sentence has a line of its own
PICTURES_WIDTH = 200  # px, for all pictures together
SEQUENCE_LINK = "sentence "  # how the link of a picture on the stage begins


@dataclass(frozen=True, eq=False)
class BatchField:
    """A field of all sequences of a batch, their tokens, the place of the sequence that is shown,
    and the index of its cell in focus.
    """

    trace: Trace
    field: str
    tokens: Sequence[Tokens]
    shown: int
    index: Sequence[int]
    notation: Notation = OURS

    @property
    def names(self) -> list[str]:
        """The names of the sequences."""
        return [f"sentence {place}" for place in range(len(self.tokens))]

    @property
    def letters(self) -> tuple[str, ...]:
        """The axes of one sequence, as they are declared."""
        return STEPS[self.field].letters[1:]


def batch_board(batch: BatchField) -> JSON:
    """The board's JSON object for a field of a batch, with all heads.

    Rows and columns of [pad] are hatched. Of a very large matrix only the part around the cell is
    sent.
    """
    numbers = getattr(batch.trace, batch.field)
    panels = [line_of_heads(name, place, name) for place, name in enumerate(batch.names)]
    panels[batch.shown]["title"] += ", shown above"
    if numbers.ndim < 4:
        panels = [panel | {"rows": 0, "columns": 1, "tiles": None} for panel in panels]
    if numbers.ndim < 4 or numbers.shape[1] <= MAX_HEADS_PER_LINE:
        panels = [panel | {"place": [place, 0]} for place, panel in enumerate(panels)]
    arrays, axes = _arrays(batch, numbers, batch.letters)
    description = f"The {STEPS[batch.field].title} of every sentence of the batch."
    cell = batch.names[batch.shown], batch.index
    return board_json(description, arrays, axes, panels, cell, batch.notation, arithmetic=False)


def with_batch(stage: JSON, batch: BatchField, sentences: Sequence[str], head: int) -> JSON:
    """A stage with a choice of sentences and a picture of each sequence. The overview has no room
    for pictures.
    """
    choice = {"texts": list(sentences), "chosen": batch.shown}
    stage = stage | {"stage": stage["stage"] | {"sentences": choice}}
    if batch.shown:  # edits of X belong to the first sentence
        stage["panels"] = list(map(_without_editing, stage["panels"]))
    if "flow" in stage:
        return stage
    return with_sequence_pictures(stage, batch, head)


def _without_editing(panel: JSON) -> JSON:
    """A panel in which X cannot be edited."""
    if panel["array"] not in ("inputs", "memory"):
        return panel
    return {name: value for name, value in panel.items() if name != "editable"}


def with_sequence_pictures(board: JSON, batch: BatchField, head: int) -> JSON:
    """The board of a step with one picture of each sequence, for one head; a click on a picture
    opens its link.
    """
    numbers, letters = getattr(batch.trace, batch.field), batch.letters
    if STEPS[batch.field].per_head:
        numbers, letters = numbers[:, head_of(batch.trace, batch.field, head)], letters[1:]
    arrays, axes = _arrays(batch, numbers, letters)
    side = PICTURES_WIDTH // len(batch.names)
    titles = [batch.names[0], *map(str, range(1, len(batch.names)))]
    panels = [
        line_of_heads(name, 0, title)
        | {"rows": 0, "columns": 1, "tiles": None, "place": [place, 9]}
        | {"abreast": place, "most": side, "link": f"{SEQUENCE_LINK}{place}"}
        for place, (name, title) in enumerate(zip(batch.names, titles, strict=True))
    ]
    del panels[batch.shown]["link"]
    return board | {
        "arrays": board["arrays"] | arrays,
        "axes": board["axes"] | axes,
        "panels": [*board["panels"], *panels],
    }


def _arrays(batch: BatchField, numbers: Array, letters: Sequence[str]) -> tuple[JSON, JSON]:
    """The numbers of every sequence, and its axes with its own tokens."""
    kind = STEPS[batch.field].kind
    limit = None
    if kind != "probability":
        limit = round(largest_magnitude(getattr(batch.trace, batch.field)), 6)
    side = min(64, isqrt(MAX_NUMBERS_SENT // int(np.prod(numbers.shape[1:-2]))))
    window = windows_around(numbers.shape[1:], batch.index, side)
    arrays: JSON = {}
    axes: JSON = {}
    for place, (name, tokens) in enumerate(zip(batch.names, batch.tokens, strict=True)):
        own = [f"{letter} {place}" for letter in letters]
        padded = _padded(numbers[place].shape, letters, tokens.n_real)
        about: JSON = {"title": name, "role": role_of(batch.field), "limit": limit}
        about |= {"axes": own, "given": BATCH_NUMBER_CAPTIONS[kind]}
        arrays[name] = about | sent_numbers(numbers[place], kind, window, padded)
        for mine, letter in zip(own, letters, strict=True):
            labels = list(tokens.tokens) if letter in ("T", "S") else None
            axes[mine] = {
                "word": axis_word(letter, batch.notation),
                "labels": labels,
                "block": None,
            }
    return arrays, axes


def _padded(shape: tuple[int, ...], letters: Sequence[str], n_real: int) -> Array:
    """Which cells belong to a [pad]."""
    padded = np.zeros(shape, bool)
    for axis, letter in enumerate(letters):
        if letter in ("T", "S"):
            np.moveaxis(padded, axis, 0)[n_real:] = True
    return padded
