"""What a change of basis moves and what it leaves as it was."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..checks import Array
from ..decompositions import head_slice
from ..trace import Trace
from . import check_places
from .gauge import change_gauge, output_rows, query_key_forms, random_gauge, value_output_forms
from .reruns import rerun


@dataclass(frozen=True, eq=False)
class Turned:
    """One quantity before and after a change of basis. symbol: LaTeX."""

    symbol: str
    before: Array
    after: Array

    @property
    def change(self) -> float:
        """The largest change of a number, as a part of the largest number; infinite scores count as equal."""
        known = np.isfinite(self.before)
        most = float(np.abs(self.before[known]).max(initial=0.0))
        gap = float(np.abs(self.after[known] - self.before[known]).max(initial=0.0))
        return gap / most if most else gap


def turned(trace: Trace, seed: int) -> Trace:
    """The same layer with the weights of each head in another basis. Raises: SettingsError for a seed below 0."""
    return rerun(trace, projections=change_gauge(trace.projections, random_gauge(trace.projections, seed)))


def moved(before: Trace, after: Trace, head: int) -> tuple[Turned, ...]:
    """The head's own parts of W_Q, W_K, W_V and W_O, which all change."""
    check_places(before, head=head)
    weights = [
        Turned(symbol, head_slice(before, name, head), head_slice(after, name, head))
        for name, symbol in (("w_q", "W_Q"), ("w_k", "W_K"), ("w_v", "W_V"))
    ]
    return (*weights, Turned("W_O", *(output_rows(trace.projections)[head] for trace in (before, after))))


def kept(before: Trace, after: Trace, head: int) -> tuple[Turned, ...]:
    """What the head computes, and the products of its weights that decide it: none of it changes."""
    check_places(before, head=head)
    pairs = [_products(trace, head) for trace in (before, after)]
    products = [Turned(symbol, pairs[0][symbol], pairs[1][symbol]) for symbol in pairs[0]]
    fields = [
        Turned(symbol, getattr(before, name)[:, head], getattr(after, name)[:, head])
        for name, symbol in (("scores", "S_h"), ("probabilities", "A_h"))
    ]
    return (*products, *fields, Turned("Y", before.output, after.output))


def _products(trace: Trace, head: int) -> dict[str, Array]:
    """W_Q W_Kᵀ and W_V W_O of one head. Shapes: (D, M), (M, O)."""
    forms = {r"W_Q W_K^{\top}": query_key_forms, "W_V W_O": value_output_forms}
    return {symbol: form(trace.projections)[head] for symbol, form in forms.items()}
