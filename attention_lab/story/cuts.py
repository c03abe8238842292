"""The facts of the steps that multiply with weights, and of those that cut and join heads."""

from dataclasses import dataclass
from typing import Literal

from attention_core.trace import Trace, head_columns

from ..focus import Focus
from ..heads.layout_mistakes import (
    SplitPositions,
    merged_position,
    split_positions,
    wrong_merged_cells,
    wrong_token_cells,
)
from ..heads.weight_blocks import (
    AbsorbedSize,
    absorbed_contributions,
    absorbed_size,
    features_read,
    heads_mixed,
    is_identity,
    output_gap,
)
from ..page_list import Page
from ..rounding import tolerance

HEAD_FIELDS = {"queries": "query_heads", "keys": "key_heads", "values": "value_heads"}


def explained_field(page: Page, which: str) -> str:
    """The field whose cell a step explains. which: queries, keys or values, where a step shows one
    of them.
    """
    one_of_three = {
        "projections": which,
        "split": HEAD_FIELDS[which],
        "qk-norm": f"normed_{compared(which)}",
        "rotary": f"turned_{compared(which)}",
    }
    return one_of_three.get(page.url_path) or page.fields[0]


def compared(which: str) -> str:
    """Queries or keys: values are neither normalised nor turned."""
    return "queries" if which == "values" else which


# The two matrices whose product each field is.
PROJECTION_FACTORS = {
    "queries": ("inputs", "w_q"),
    "keys": ("memory", "w_k"),
    "values": ("memory", "w_v"),
}


@dataclass(frozen=True)
class ProjectionFacts:
    """What a head reads of the embedding, and the number in focus.

    block: the head's columns of the matrix. n_read: features of n_features whose weights are not
    all 0 there. copies: whether the matrix is the identity. row, column, feature: of the number.
    has_bias: whether one is added to it.
    """

    block: slice
    n_read: int
    n_features: int
    copies: bool
    row: int
    column: int
    feature: int
    has_bias: bool


def row_of(field: str, focus: Focus) -> int:
    """The token of the cell in focus that a matrix of queries, keys or values shows."""
    return focus.query if field.startswith(("quer", "normed_quer", "turned_quer")) else focus.key


def projection_facts(trace: Trace, field: str, focus: Focus) -> ProjectionFacts:
    """The facts of queries, keys or values."""
    matrix = PROJECTION_FACTORS[field][1]
    return ProjectionFacts(
        head_columns(trace, field, focus.head),
        features_read(trace, matrix, focus.head),
        trace.sizes["D"],
        is_identity(trace, matrix),
        row_of(field, focus),
        focus.column(trace, field),
        focus.within(trace, field).feature,
        getattr(trace.projections, matrix.replace("w", "b")) is not None,
    )


@dataclass(frozen=True)
class SplitFacts:
    """How one matrix becomes one for each head.

    shape: of the result, with all sequences. places: of the number in focus. n_foreign: of n_cells,
    those that hold a number of another token if the swap is forgotten. rank: the most that the
    scores of a head can have. enough: the width with which a head can make every pattern of shares;
    one less than the number of keys, because a number added to a row of scores changes no share.
    """

    shape: tuple[int, ...]
    places: SplitPositions
    n_foreign: int
    n_cells: int
    n_weights: int
    width: int
    rank: int
    enough: int

    @property
    def n_fused(self) -> int:
        """How many numbers the matrix has for each token."""
        return self.shape[1] * self.shape[3]

    @property
    def is_narrow(self) -> bool:
        """Whether there are patterns that a head of this width cannot make."""
        return self.width < self.enough


def split_facts(batch: Trace, field: str, focus: Focus, sequence: int = 0) -> SplitFacts:
    """The facts of the split of queries, keys or values. batch: the layer with all sequences."""
    heads = HEAD_FIELDS[field]
    shape = getattr(batch, heads).shape
    _, n_heads, n_tokens, width = shape
    place = focus.within(batch, heads)
    foreign_HTF = wrong_token_cells(n_tokens, n_heads, width)
    n_queries, n_keys = batch.scores.shape[-2:]
    return SplitFacts(
        shape,
        split_positions(shape, place.head, row_of(field, place), place.feature, sequence),
        int(foreign_HTF.sum()),
        foreign_HTF.size,
        batch.projections.n_weights,
        batch.sizes["K"],
        min(batch.sizes["K"], n_queries, n_keys),
        n_keys - 1,
    )


Landing = Literal["right", "other head", "other token"]


@dataclass(frozen=True)
class MergeFacts:
    """Where the number in focus lands, and where a reshape alone would put it.

    place, wrong_place: row and column. lands: what is wrong there. n_wrong: of n_cells, those that
    would hold another number. has_swap: whether there is something to swap. feature: of the head's
    vector; is_cut: whether it is the last one in the place of one that does not exist.
    """

    place: tuple[int, int]
    wrong_place: tuple[int, int]
    lands: Landing
    n_wrong: int
    n_cells: int
    has_swap: bool
    feature: int
    is_cut: bool


def merge_facts(trace: Trace, focus: Focus) -> MergeFacts:
    """The facts of the merge."""
    place = focus.within(trace, "merged")
    at = (trace, place.head, place.query, place.feature)
    right, wrong = merged_position(*at), merged_position(*at, swap=False)
    moved = wrong_merged_cells(trace)
    lands: Landing = "other head" if wrong[0] == right[0] else "other token"
    return MergeFacts(
        right,
        wrong,
        "right" if wrong == right else lands,
        int(moved.sum()),
        moved.size,
        trace.sizes["H"] > 1 and trace.sizes["T"] > 1,
        place.feature,
        place.feature < focus.feature,
    )


@dataclass(frozen=True)
class OutputFacts:
    """What an output is made of.

    n_mixed: of n_heads, those with a weight for the number in focus that is not 0. fits: whether
    the output is as wide as the input. gap: between the two ways to compute it. stored: what a
    layer without W_O holds; absorbed_gap: between its output and this. rounding: how far numbers
    are equal.
    """

    n_mixed: int
    n_heads: int
    has_w_o: bool
    has_bias: bool
    residual: bool
    fits: bool
    block: slice
    gap: float
    rounding: float
    stored: AbsorbedSize
    absorbed_gap: float


def output_facts(trace: Trace, head: int, column: int) -> OutputFacts:
    """The facts of one number of the output, and of the part of a head in it."""
    return OutputFacts(
        heads_mixed(trace, column),
        trace.sizes["H"],
        trace.projections.w_o is not None,
        trace.projections.b_o is not None,
        trace.residual,
        trace.sizes["O"] == trace.sizes["D"],
        head_columns(trace, "merged", head),
        output_gap(trace),
        tolerance(trace, "output"),
        absorbed_size(trace),
        output_gap(trace, absorbed_contributions),
    )
