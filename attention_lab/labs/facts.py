"""What *Convolution* and *Orthonormal projections* say: for each page one record of facts, from
which its sentences take their values.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..heads.patterns import largest_entropy
from ..words.numbers import Case, Count, Number, Share, format_agreement
from .content_training import (
    ROUNDING,
    ContentExample,
    ContentScore,
    FourAnswers,
    content_example,
    content_scores,
    four_answers,
)
from .convolution import ConvolutionRun, OneByOne
from .julia_mapping import MappingCheck
from .stiefel import ColumnEffect, parameter_counts
from .subspaces import HeadPlanes


@dataclass(frozen=True)
class ContentFacts:
    """The task that depends on content. mark: of the pixel in focus; share: what it reads from
    `twin`, the other pixel with this mark. grey: how many pixels ask; by_attention, by_kernel: how
    many of them are told right.
    """

    pixel: tuple[int, int]
    mark: Count
    share: Share
    twin: tuple[int, int]
    by_attention: Count
    by_kernel: Count
    grey: Count
    scores: dict[str, ContentScore]
    argument: Callable[[], FourAnswers] = four_answers


def content_facts(pixel: tuple[int, int], example: ContentExample) -> ContentFacts:
    """What *Convolution* says of the task that depends on content."""
    return ContentFacts(
        pixel=pixel,
        mark=Count(example.marks[pixel]),
        share=Share(example.shares[example.twin]),
        twin=example.twin,
        by_attention=Count(example.hits["attention"]),
        by_kernel=Count(example.hits["kernel"]),
        grey=Count(example.grey),
        scores=content_scores(),
    )


@dataclass(frozen=True)
class TwoHeadFacts:
    """The largest error of a head for each sign of the kernel: with the chosen sharpness, and with
    sharp heads.
    """

    error: Number
    sharp_error: Number


@dataclass(frozen=True)
class OneByOneFacts:
    """A head in which every token should choose itself: how many do, and the largest error."""

    choosing: Count
    tokens: Count
    error: Number


def one_by_one_facts(run: OneByOne) -> OneByOneFacts:
    """What *Convolution* says of a 1 × 1 convolution."""
    n_tokens = len(run.self_weights)
    return OneByOneFacts(Count(run.n_choosing_themselves), Count(n_tokens), Number(run.error))


@dataclass(frozen=True)
class ConvolutionFacts:
    """*Convolution*. error: the largest difference; target: the smallest share that a head gives to
    what it looks for; side: of the kernel, with a head for each offset.
    """

    sharpness: str
    error: Number
    target: Share
    side: Count
    heads: Count
    channels: tuple[Count, Count]
    content: ContentFacts
    two_heads: Callable[[], TwoHeadFacts | str]
    one_by_one: Callable[[], OneByOneFacts]


def convolution_facts(
    run: ConvolutionRun,
    sharpness: float,
    shape: tuple[int, ...],
    asking: tuple[int, int],
    two_heads: Callable[[], TwoHeadFacts | str],
    one_by_one: Callable[[], OneByOneFacts],
) -> ConvolutionFacts:
    """What *Convolution* says of a run. shape: of the kernel, (K, K, Cin, Cout). asking: the pixel
    in focus of the task that depends on content. two_heads: their facts, or why there are none.
    """
    return ConvolutionFacts(
        sharpness=f"{sharpness:g}",
        error=Number(run.largest_error),
        target=Share(run.target_share),
        side=Count(shape[0]),
        heads=Count(len(run.offsets)),
        channels=(Count(shape[2]), Count(shape[3])),
        content=content_facts(asking, content_example(*asking, shape[0])),
        two_heads=two_heads,
        one_by_one=one_by_one,
    )


@dataclass(frozen=True)
class ColumnFacts:
    """What one kind of columns does to a layer, as a mean over its heads. smallest and largest:
    singular values of W_Q W_Kᵀ.
    """

    condition: Number
    largest: Number
    smallest: Number
    spread: Number
    entropy: Number


@dataclass(frozen=True)
class StiefelFacts:
    """*Orthonormal projections*. unseen: how many directions a head does not see, None if it sees
    all. several: whether a head has more than one singular value. columns: by kind;
    normal: those of normal numbers. even: the entropy of even attention. free, constrained: the
    numbers of W_Q, W_K, W_V, and how many can be chosen; part: their share. lengths: for each head
    the share of each word's squared length in its plane; stretch: how much free columns stretch.
    agreement: of the package with our engine, same: whether they are equal.
    """

    unseen: Count | None
    several: bool
    width: Count
    heads: Count
    head_width: Count
    columns: dict[str, ColumnFacts]
    normal: ColumnFacts
    tokens: Count
    even: Number
    free: Count
    constrained: Count
    part: Share
    lengths: tuple[tuple[Share, ...], ...]
    stretch: Share | None
    agreement: str
    same: bool


def column_facts(effect: ColumnEffect) -> ColumnFacts:
    """What *Orthonormal projections* says of one kind of columns."""
    values = effect.singular_values
    numbers = (effect.condition, values[0], values[-1], effect.score_spread, effect.entropy)
    return ColumnFacts(*(Number(one, 2) for one in numbers))


def stiefel_facts(
    effects: Mapping[str, ColumnEffect],
    normal: str,
    sizes: tuple[int, int, int],
    planes: HeadPlanes,
    check: MappingCheck,
) -> StiefelFacts:
    """What *Orthonormal projections* says. normal: the name of the columns of normal numbers; the
    sizes are the width, the heads and the tokens.
    """
    width, n_heads, n_tokens = sizes
    columns = {name: column_facts(effect) for name, effect in effects.items()}
    free, constrained = parameter_counts(width, n_heads)
    return StiefelFacts(
        unseen=Count(width - width // n_heads) if n_heads > 1 else None,
        several=width > n_heads,
        width=Count(width),
        heads=Count(n_heads),
        head_width=Count(width // n_heads),
        columns=columns,
        normal=columns[normal],
        tokens=Count(n_tokens),
        even=Number(largest_entropy(n_tokens), 2),
        free=Count(free),
        constrained=Count(constrained),
        part=Share(constrained / free),
        lengths=tuple(tuple(map(Share, row)) for row in planes.length_shares),
        stretch=Share(planes.stretch) if planes.stretch >= ROUNDING else None,
        agreement=format_agreement(check.difference, ROUNDING),
        same=check.difference <= ROUNDING,
    )


@dataclass(frozen=True)
class TemperatureFacts:
    """The temperatures of layers with orthonormal columns, with their errors. case: "lowest",
    "usual" or "between", where the best one lies.
    """

    case: Case
    best: tuple[float, Number]
    usual: tuple[float, Number]
    lowest: tuple[float, Number]


def temperature_facts(errors: Mapping[float, float]) -> TemperatureFacts:
    """Which temperature is best, the highest of those that tie. errors: by temperature; the usual
    one is the highest.
    """
    ordered = sorted(errors, reverse=True)
    usual, lowest = ordered[0], ordered[-1]
    best = min(ordered, key=errors.__getitem__)
    case = {usual: "usual", lowest: "lowest"}.get(best, "between")
    shown = ((one, Number(errors[one], 4)) for one in (best, usual, lowest))
    return TemperatureFacts(Case(case), *shown)


@dataclass(frozen=True)
class StackFacts:
    """One stack beside the others: its share of right pictures and the size of its outputs; the
    lowest and the highest share of the others, and their largest size. case: "no harm" if no other
    one is better, "too large" if all are and its outputs are the largest, else "between".
    """

    case: Case
    right: Number
    others: tuple[Number, Number]
    size: Number
    other_size: Number


def stack_facts(name: str, results: Mapping[str, tuple[float, float]]) -> StackFacts | None:
    """A stack beside the others; None without it or without others. results: accuracy and size."""
    if name not in results or len(results) == 1:
        return None
    accuracy, size = results[name]
    accuracies, sizes = zip(*(one for key, one in results.items() if key != name), strict=True)
    low, high, other_size = min(accuracies), max(accuracies), max(sizes)
    case = "too large" if accuracy < low and size > other_size else "between"
    return StackFacts(
        case=Case("no harm" if accuracy >= high else case),
        right=Number(accuracy, 3),
        others=(Number(low, 3), Number(high, 3)),
        size=Number(size, 1),
        other_size=Number(other_size, 1),
    )
