"""What a change of basis moves and what it leaves as it was."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.head_blocks import check_places
from attention_core.trace import Trace

from ..notation.notation import OURS, Notation, symbol
from .basis_change import (
    change_gauge,
    output_rows,
    query_key_forms,
    random_gauge,
    value_output_forms,
)
from .reruns import rerun
from .weight_blocks import head_slice


@dataclass(frozen=True, eq=False)
class Turned:
    """One quantity before and after a change of basis. symbol: LaTeX."""

    symbol: str
    before: Array
    after: Array

    @property
    def change(self) -> float:
        """The largest change of a number, as a part of the largest number; infinite scores
        count as equal.
        """
        known = np.isfinite(self.before)
        most = float(np.abs(self.before[known]).max(initial=0.0))
        gap = float(np.abs(self.after[known] - self.before[known]).max(initial=0.0))
        return gap / most if most else gap


def in_other_bases(trace: Trace, seed: int) -> Trace:
    """The same layer with the weights of each head in another basis. Raises: SettingsError for
    a seed below 0.
    """
    return rerun(
        trace, projections=change_gauge(trace.projections, random_gauge(trace.projections, seed))
    )


def moved(before: Trace, after: Trace, head: int, notation: Notation = OURS) -> tuple[Turned, ...]:
    """The head's own parts of W_Q, W_K, W_V and W_O, which all change. Raises: SettingsError
    for no head.
    """
    weights = [
        Turned(
            symbol(name, notation).latex,
            head_slice(before, name, head),
            head_slice(after, name, head),
        )
        for name in ("w_q", "w_k", "w_v")
    ]
    w_o = (output_rows(trace.projections)[head] for trace in (before, after))
    return (*weights, Turned(symbol("w_o", notation).latex, *w_o))


def kept(before: Trace, after: Trace, head: int, notation: Notation = OURS) -> tuple[Turned, ...]:
    """What the head computes, and the products of its weights that decide it: none of it changes.

    Raises: SettingsError for no head.
    """
    check_places(before, head=head)
    w_q, w_k, w_v, w_o = (symbol(name, notation) for name in ("w_q", "w_k", "w_v", "w_o"))
    forms = (
        (f"{w_q.latex} {w_k.transposed.latex}", query_key_forms),
        (f"{w_v.latex} {w_o.latex}", value_output_forms),
    )
    products = [
        Turned(named, *(form(trace.projections)[head] for trace in (before, after)))
        for named, form in forms
    ]
    fields = [
        Turned(
            symbol(name, notation).latex,
            getattr(before, name)[:, head],
            getattr(after, name)[:, head],
        )
        for name in ("scores", "probabilities")
    ]
    return (
        *products,
        *fields,
        Turned(symbol("output", notation).latex, before.output, after.output),
    )
