"""What *One matrix or many* says: one record of facts, from which its sentences take values."""

from dataclasses import dataclass

from attention_core.trace import Trace

from ..rounding import RELATIVE_ROUNDING
from ..words.numbers import Count, Number, Share
from .counts import layer_size
from .designs import DesignCount, count_designs
from .schedule import Box, schedule
from .score_schemes import SCHEMES, SchemeGaps, scheme_gaps, wasted_share
from .window_convolution import (
    ArraySize,
    ProjectionConvolution,
    array_sizes,
    projections_as_convolutions,
)


@dataclass(frozen=True)
class WayFacts:
    """One way to compute the scores. counts: multiplications, additions, extra numbers.
    difference: None for rounding alone.
    """

    name: str
    counts: tuple[Count, ...]
    difference: Number | None


@dataclass(frozen=True)
class MatrixFacts:
    """*One matrix or many*. groups: heads of keys and values. compared: tokens whose scores are
    compared. designs: what an object for each head takes, and what one object takes; more: whether
    the first takes "more", "as many" or "fewer". boxes: the first of each step. depth: moments;
    generated: those of a generation of all tokens. all, chain: multiplications of all boxes, and of
    the longest chain.
    """

    heads: Count
    groups: Count
    tokens: Count
    compared: Count
    ways: tuple[WayFacts, ...]
    wasted: Share
    designs: tuple[DesignCount, DesignCount]
    more: tuple[str, ...]
    boxes: tuple[Box, ...]
    depth: Count
    generated: Count
    all: Count
    chain: Count
    arrays: tuple[ArraySize, ...]
    head: Count
    convolutions: tuple[ProjectionConvolution, ...]


def matrix_facts(trace: Trace, head: int) -> MatrixFacts:
    """What *One matrix or many* says of a layer, and of one of its heads."""
    gaps, designs, plan = scheme_gaps(trace), count_designs(trace), schedule(trace)
    n_tokens = trace.sizes["T"]
    return MatrixFacts(
        heads=Count(trace.sizes["H"]),
        groups=Count(trace.sizes["G"]),
        tokens=Count(n_tokens),
        compared=Count(gaps.n_tokens),
        ways=_ways(trace, gaps),
        wasted=Share(wasted_share(trace.sizes["H"])),
        designs=(designs.separate, designs.together),
        more=tuple(designs.compared(count) for count in DesignCount._fields),
        boxes=tuple(one for one in plan.boxes if one.head == 0),
        depth=Count(plan.depth),
        generated=Count(n_tokens * plan.depth),
        all=Count(plan.multiplications),
        chain=Count(plan.longest_chain),
        arrays=array_sizes(trace),
        head=Count(head),
        convolutions=projections_as_convolutions(trace, head),
    )


def _ways(trace: Trace, same: SchemeGaps) -> tuple[WayFacts, ...]:
    size, rounding = layer_size(trace), RELATIVE_ROUNDING[trace.scores.dtype]
    return tuple(
        WayFacts(
            way.name,
            tuple(Count(one.of(size)) for one in (way.multiplications, way.additions, way.extra)),
            Number(same.gaps[way.key]) if same.gaps[way.key] > rounding else None,
        )
        for way in SCHEMES
    )
