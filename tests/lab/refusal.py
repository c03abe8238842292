"""How the tests read an error: the names and numbers that its sentence holds, not its wording."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

Fact = str | float
Facts = tuple[Fact, ...]


def says(sentence: str, fact: Fact) -> bool:
    """Whether a sentence holds a name or a number as a whole, not as a part of another.

    >>> says("n_heads is 5 but must divide 16", 5), says("n_heads is 5 but must divide 16", 1)
    (True, False)
    >>> says("at most 4,096 are read", 4096), says("Line 3 is empty", "line 3")
    (True, True)
    """
    forms = {str(fact), f"{fact:,}" if isinstance(fact, int) else str(fact)}
    cases = re.NOFLAG if any(map(str.isupper, str(fact))) else re.IGNORECASE
    return any(
        re.search(rf"(?<!\w)(?<!\w[.,])(?:{re.escape(form)})(?!\w|[.,]\d)", sentence, cases)
        for form in forms
    )


def missing(sentence: str, *facts: Fact) -> list[Fact]:
    """The facts that a sentence does not hold."""
    return [fact for fact in facts if not says(sentence, fact)]


@contextmanager
def refused(
    kind: type[Exception] | tuple[type[Exception], ...], *facts: Fact
) -> Iterator[pytest.ExceptionInfo[Exception]]:
    """What runs inside is refused by this kind of error, whose sentence holds these facts: the
    argument, what arrived, what is expected.
    """
    with pytest.raises(kind) as caught:
        yield caught
    sentence = str(caught.value)
    assert missing(sentence, *facts) == [], sentence
