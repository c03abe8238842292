"""What *One matrix or many* says: one record of facts, from which its sentences take values."""

from dataclasses import dataclass

from attention_core.trace import Trace

from ..rounding import RELATIVE_ROUNDING, tolerance
from ..words.numbers import Case, Count, Number, Share
from .counts import layer_size
from .designs import DesignCount, count_designs
from .schedule import Box, schedule
from .score_schemes import SCHEMES, SchemeGaps, scheme_gaps, wasted_share
from .window_convolution import ArraySize, array_sizes, projections_as_convolutions

DESIGN_COUNTS = ("objects", "calls", "copied", "multiplications")


@dataclass(frozen=True)
class WayFacts:
    """One way to compute the scores. counts: multiplications, additions, extra numbers.
    difference: None for rounding alone.
    """

    name: str
    counts: tuple[Count, ...]
    difference: Number | None


@dataclass(frozen=True)
class BoxFacts:
    """A step, as one of the boxes that can run at once. field: its own."""

    field: Case
    moment: Count
    parts: Count
    multiplications: Count
    exponentials: Count


@dataclass(frozen=True)
class ConvolutionFacts:
    """A projection as a convolution. sizes: the window and the filters of one head, then those of
    all. difference: None for rounding alone.
    """

    field: Case
    sizes: tuple[Count, ...]
    difference: Number | None


@dataclass(frozen=True)
class MatrixFacts:
    """*One matrix or many*. groups: heads of keys and values. compared: tokens whose scores are
    compared. designs: what an object for each head takes of `DESIGN_COUNTS`, and what one object
    takes; more: whether the first takes "more", "as many" or "fewer". depth: moments; generated:
    those of a generation of all tokens. all, chain: multiplications of all boxes, and of the
    longest chain.
    """

    heads: Count
    groups: Count
    tokens: Count
    compared: Count
    ways: tuple[WayFacts, ...]
    wasted: Share
    designs: tuple[tuple[Count, ...], tuple[Count, ...]]
    more: tuple[str, ...]
    boxes: tuple[BoxFacts, ...]
    depth: Count
    generated: Count
    all: Count
    chain: Count
    arrays: tuple[ArraySize, ...]
    head: Count
    convolutions: tuple[ConvolutionFacts, ...]


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
        designs=(_counts_of(designs.separate), _counts_of(designs.together)),
        more=tuple(designs.compared(count) for count in DESIGN_COUNTS),
        boxes=tuple(_box(one) for one in plan.boxes if one.head == 0),
        depth=Count(plan.depth),
        generated=Count(n_tokens * plan.depth),
        all=Count(plan.multiplications),
        chain=Count(plan.longest_chain),
        arrays=array_sizes(trace),
        head=Count(head),
        convolutions=_convolutions(trace, head),
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


def _counts_of(one: DesignCount) -> tuple[Count, ...]:
    return tuple(Count(getattr(one, name)) for name in DESIGN_COUNTS)


def _box(one: Box) -> BoxFacts:
    numbers = (one.moment, one.parts, one.multiplications, one.exponentials)
    return BoxFacts(Case(one.field), *map(Count, numbers))


def _convolutions(trace: Trace, head: int) -> tuple[ConvolutionFacts, ...]:
    found = []
    for one in projections_as_convolutions(trace, head):
        sizes = (one.window_of_one, one.filters_of_one, one.window_of_all, one.filters_of_all)
        gap, rounding = max(one.gaps), tolerance(trace, one.field)
        difference = Number(gap) if gap > rounding else None
        found.append(ConvolutionFacts(Case(one.field), tuple(map(Count, sizes)), difference))
    return tuple(found)
