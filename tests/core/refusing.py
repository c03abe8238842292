"""How the tests look at a refusal: its class, and the facts that its sentence names."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from attention_core import AttentionError

# What the sentence names, in words of their own, between bars; and the call that is refused.
Refusal = tuple[str, Callable[[], Any]]


def assert_refused(kind: type[AttentionError], facts: str, call: Callable[[], Any]) -> None:
    """The call raises an error of this class, and its sentence names all facts: the argument, what
    arrived, what is expected. A warning before it would be an error.
    """
    with pytest.raises(kind) as caught:
        call()
    said = str(caught.value)
    for fact in facts.split(" | "):
        assert re.search(rf"(?<!\w){re.escape(fact)}(?!\w)", said), said
