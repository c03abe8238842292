"""A formula as it is shown: its name, its LaTeX, a sentence, and the function that computes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Formula:
    """One formula. sentence: one plain sentence. compute: the function of that formula."""

    title: str
    latex: str
    sentence: str
    compute: Callable[..., Any]
