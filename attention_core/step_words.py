"""Sentences about a step and names of its axes, for the options of one layer."""

from __future__ import annotations

from .layer import Layer
from .projections import BIASES
from .steps import Step, axis_size

# What a step may add to its product, in words; the bias of the scores is no part of one.
_ADDED = {bias: f"b_{bias[-1].upper()}" for bias in BIASES} | {"inputs": "the inputs"}


def sentence(layer: Layer, step: Step) -> str:
    """What a step did, in one sentence for the options of a layer."""
    added = addition(layer, step)
    if step.name == "output" and layer.projections.w_o is None:
        also = f"{added}," if added else ""
        return (
            f"This layer has no output projection: the heads side by side{also} are the output, and"
            " heads are not mixed."
        )
    return f"{step.sentence.removesuffix('.')}{added}."


def addition(layer: Layer, step: Step) -> str:
    """What is added to the product of a step: its bias, and to a residual layer's output the
    inputs.
    """
    added = (read.array for read in step.rule(layer).adds)
    words = [_ADDED[name] for name in added if name in _ADDED]
    return f", plus {' and '.join(words)}" if words else ""


def display_axes(letters: tuple[str, ...], sizes: dict[str, int]) -> tuple[str, ...]:
    """The names of axes. M and O are called D, and G is called H, where the sizes are equal."""
    usual = (("M", "D"), ("O", "D"), ("G", "H"))
    names = {letter: name for letter, name in usual if sizes[letter] == sizes[name]}
    return tuple("·".join(names.get(a, a) for a in axis.split("·")) for axis in letters)


def position_numbers(axis: str, sizes: dict[str, int]) -> tuple[str, ...]:
    """The positions along an axis as numbers; heads have the word before it."""
    prefix = "head " if axis in "HG" else ""
    return tuple(f"{prefix}{place}" for place in range(axis_size(axis, sizes)))
