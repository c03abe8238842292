"""A formula as it is shown: its name, its LaTeX, a sentence; and the function that computes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Formula:
    """One formula. sentence: one plain sentence."""

    title: str
    latex: str
    sentence: str


@dataclass(frozen=True)
class ComputedFormula(Formula):
    """A formula that is chosen by its name. compute: its function."""

    compute: Callable[..., Any]
