"""What a text calls the axes of an array, and in which order it shows them."""

from __future__ import annotations

from collections.abc import Mapping

from attention_core.steps import AXES
from attention_core.trace import Trace

from .notation import Notation
from .symbols import Symbol

AXIS_SIZES = {"T": "n_tokens", "D": "d_model", "H": "n_heads", "K": "d_k", "V": "d_v"}


def axes(trace: Trace, name: str, notation: Notation) -> tuple[str, ...]:
    """The axes of a field or weight as a text would name them, in the order in which its convention
    shows them.

    >>> from attention_core import Projections, attend
    >>> from attention_lab.notation.notation import OURS
    >>> axes(attend([[1.0, 2.0]], Projections.weightless(2)), "queries", OURS)
    ('B', 'T', 'H·K')
    """
    names = axis_names(trace, notation)
    found = tuple(axis_name(axis, names) for axis in trace.axes(name))
    return found if notation.convention == "row" else (*found[:-2], *found[:-3:-1])


def shape(trace: Trace, name: str, notation: Notation) -> tuple[int, ...]:
    """How long the `axes` of a field are, in the same order.

    >>> from attention_core import Projections, attend
    >>> shape(attend([[1.0, 2.0]], Projections.weightless(2)), "queries", Notation("x", "X",
    ...     convention="column"))
    (1, 2, 1)
    """
    found: tuple[int, ...] = getattr(trace, name).shape
    return found if notation.convention == "row" else (*found[:-2], *found[:-3:-1])


def axis_name(axis: str, names: Mapping[str, str]) -> str:
    """The name of an axis; one that holds equal parts of the width is the width."""
    parts = [names[letter] for letter in axis.split("·")]
    if parts[0] == names["H"] and "÷" in parts[-1]:
        return names["D"]
    return (
        "·".join(f"({part})" if "÷" in part else part for part in parts)
        if len(parts) > 1
        else parts[0]
    )


def axis_names(trace: Trace, notation: Notation) -> dict[str, str]:
    """What a text calls each axis letter, for the sizes of this layer."""
    names = {letter: letter for letter in AXES}
    names |= {letter: Symbol(notation.base(name)).plain for letter, name in AXIS_SIZES.items()}
    names |= {letter: Symbol(notation.width(trace, AXIS_SIZES[letter])).plain for letter in "KV"}
    names |= notation.axis_names
    one_length = trace.memory is trace.inputs and "T" not in notation.axis_names
    return names | {"S": names["T"]} if one_length else names
