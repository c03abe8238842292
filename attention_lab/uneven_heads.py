"""Heads that cannot share the features of an embedding evenly: what to say, and what to choose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from attention_core.projection_checks import nearest_divisors

from .choices import Scenario, kind_of
from .user_data.matrix_names import MAX_HEADS, MAX_MATRIX_WIDTH


@dataclass(frozen=True)
class WayOut:
    """Choices that make a layer again. changes: fields of a scenario."""

    label: str
    changes: Mapping[str, int]
    help: str = ""


def uneven_heads(scenario: Scenario) -> tuple[str, str]:
    """What is wrong, and why it matters."""
    width, heads = scenario.d_model, scenario.n_heads
    return (
        f"{heads} heads cannot share {width} features evenly",
        f"{width} / {heads} is not a whole number. Each head takes its own block of features of Q,"
        " K and V. In the usual layer all blocks together are as wide as the embedding, so that the"
        " joined heads fit the next layer. Choose one:",
    )


def ways_out(scenario: Scenario) -> list[WayOut]:
    """The nearest divisors and multiples and, if the weights allow it, a width of its own.

    >>> [way.label for way in ways_out(Scenario(d_model=8, n_heads=3))][:3]
    ['Heads: 2', 'Heads: 4', 'Embedding size: 6']
    """
    width, heads = scenario.d_model, scenario.n_heads
    below = width // heads * heads
    counts = [one for one in nearest_divisors(width, heads) if one <= MAX_HEADS]
    sizes = [one for one in (below, below + heads) if 1 <= one <= MAX_MATRIX_WIDTH]
    found = [WayOut(f"Heads: {count}", {"n_heads": count}) for count in counts]
    found += [WayOut(f"Embedding size: {size}", {"d_model": size}) for size in sizes]
    if kind_of(scenario).leaves_widths:
        free = max(1, round(width / heads))
        about = (
            "d_k and d_v need not be embedding / heads: W_O maps the joined heads back to the"
            " embedding size."
        )
        found.append(WayOut(f"Heads: {heads}, each {free} wide", {"d_k": free, "d_v": free}, about))
    return found
