r"""How each of five texts writes the layer: its symbols, its words, and where it is silent, loose
or wrong.

Only what a text has is listed; everything else is written as we do, and `remark` says so. A letter
of a text that is given a tilde or hat here stands for a step that the text does not name.
"""

from .all_texts import NOTATIONS
from .doshi import DOSHI
from .geometric_machine_learning import GML
from .lecture_note import NOTE
from .mql5 import MQL5
from .slides import SLIDES

__all__ = ["DOSHI", "GML", "MQL5", "NOTATIONS", "NOTE", "SLIDES"]
