"""The board of every step of the story: which matrices it shows, where they stand, and which
cell is pinned.
"""

from .cutting import HEADS, merge, split
from .inputs import beside_words, made_of_words, tokens
from .per_head import Cell, mask, mixing, pair, scale, scores, softmax, value_pair
from .products import SOURCES, before_and_after, output, projection
from .windows import MOST, around, output_window

__all__ = [
    "HEADS",
    "MOST",
    "SOURCES",
    "Cell",
    "around",
    "before_and_after",
    "beside_words",
    "made_of_words",
    "mask",
    "merge",
    "mixing",
    "output",
    "output_window",
    "pair",
    "projection",
    "scale",
    "scores",
    "softmax",
    "split",
    "tokens",
    "value_pair",
]
