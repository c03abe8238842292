"""How the tests read a sentence: the numbers that it holds, whatever the words around them."""

from __future__ import annotations

import re
from collections import Counter

NUMBER = re.compile(r"(?<![\w.])[−-]?\d+(?:\.\d+)?(?:e[−-]?\d+)?")


def numbers_said(text: str) -> list[float]:
    """The numbers of a text, in its order.

    >>> numbers_said("Heads 0 and 2: −0.250.")
    [0.0, 2.0, -0.25]
    """
    return [float(number.replace("−", "-")) for number in NUMBER.findall(text)]


def missing(text: str, *facts: float | str) -> list[float | str]:
    """The names and numbers that a text does not hold, numbers as often as they are asked for.

    >>> missing("head is 18 but must be from 0 to 16", "head", 18, 0, 16, "key", 0)
    ['key', 0.0]
    """
    names = [fact for fact in facts if isinstance(fact, str) and fact not in text]
    numbers = Counter(float(fact) for fact in facts if not isinstance(fact, str))
    return [*names, *(numbers - Counter(numbers_said(text))).elements()]


def holds(sentence: str, *facts: float | str) -> bool:
    """Whether a text is a sentence that holds these names and numbers.

    >>> holds("Token 1 out-votes token 0.", 0, 1), holds("Token 1 out-votes itself.", 1, 1)
    (True, False)
    """
    return sentence.endswith(".") and not missing(sentence, *facts)
