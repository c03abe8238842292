"""Questions that are asked before a step is shown: their data, the engine's answers, and the wrong
rules that learners believe.
"""

from .ask import guess_in_turn as guess_in_turn
from .ask import guess_of as guess_of
from .beside import guess_beside as guess_beside
from .items import ITEMS as ITEMS
from .items import MISCONCEPTIONS as MISCONCEPTIONS
from .items import Guess as Guess
from .items import as_data as as_data
from .items import items_of as items_of
