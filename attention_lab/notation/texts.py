"""How each of five texts writes the layer: its symbols, its words, and where it is silent, loose
or wrong.

`assets/data/notations.csv` lists only what a text has, a row for each quantity; everything else is
written as we do, and `remark` says so. A letter of a text that is given a tilde or hat there stands
for a step that the text does not name.
"""

from typing import Any

from ..home import read_table
from .notation import COLUMN_NOTATION, OURS, Notation

_ROWS = read_table("notations")


def _of_text(key: str, title: str, **about: Any) -> Notation:
    """The notation of a text, with its rows of the table."""
    columns = {"symbols": "symbol", "words": "word"}
    columns |= {"remarks": "remark", "corrections": "correction"}
    mine = [row for row in _ROWS if row["text"] == key]
    said: dict[str, Any] = {
        name: {row["quantity"]: row[column] for row in mine if row[column]}
        for name, column in columns.items()
    }
    return Notation(key, title, **said, **about)


GML = _of_text(
    "gml",
    "GeometricMachineLearning.jl manual (up to 0.4.8), MultiHeadAttention",
    convention="column",
    indices=("i", "n", "m", "k"),
    heads="brackets",
    first_head=1,
    even=True,
)
MQL5 = _of_text("mql5", "MQL5 book, Multi-Head Self-Attention")
DOSHI = _of_text(
    "doshi",
    "Doshi, Transformers explained visually, part 3 (2021)",
    axis_names={"B": "Batch", "S": "Input sequence"},
)
SLIDES = _of_text("slides", "Slides on multi-head self-attention and convolution", first_head=1)
NOTE = _of_text(
    "note",
    "Lecture note on self-attention",
    indices=("i", "j", "k", "l"),
    heads="superscript",
    first_head=1,
)
NOTATIONS = {
    notation.key: notation for notation in (OURS, COLUMN_NOTATION, GML, MQL5, DOSHI, SLIDES, NOTE)
}
