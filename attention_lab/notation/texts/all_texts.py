"""Every notation by its key: ours, ours transposed, then those of the five texts."""

from __future__ import annotations

from ..notation import COLUMN_NOTATION, OURS
from .doshi import DOSHI
from .geometric_machine_learning import GML
from .lecture_note import NOTE
from .mql5 import MQL5
from .slides import SLIDES

NOTATIONS = {
    notation.key: notation for notation in (OURS, COLUMN_NOTATION, GML, MQL5, DOSHI, SLIDES, NOTE)
}
