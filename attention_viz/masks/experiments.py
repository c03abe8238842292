"""The experiments of the mask workshop: painting, hiding, empty rows, [pad]."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from attention_core.checks import Array
from attention_lab.masks.hiding import HIDING_VALUES
from attention_lab.masks.mask_experiments import (
    EmptyRow,
    compare_all_orders,
    hide_all_keys,
    hiding_effects,
    replace_padding,
)
from attention_lab.masks.mask_workshop import MaskedBatch, hide_row
from attention_lab.rounding import tolerance
from attention_lab.user_data.painted_masks import painted_mask
from attention_lab.words.numbers import format_number, format_percent

from .. import blocks as b
from ..markdown import escape_markdown
from ..story.story_view import StoryView
from . import mask_workshop as boards

PAINTED = "painted"  # the mask, its matrix on the board, and its name in the URL


@dataclass(frozen=True)
class Experiment:
    """The batch, the head, the chosen sequence, query and key, the finite bias, the painted mask as
    text. paint: what sets a painted mask.
    """

    view: StoryView
    masked: MaskedBatch
    head: int
    cell: tuple[int, int, int]
    bias: float
    painted: str
    paint: Callable[[Array], b.Values]

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens of the chosen sequence."""
        return self.masked.sentences[self.cell[0]].tokens

    @property
    def query_name(self) -> str:
        """The chosen query as Markdown."""
        return f":blue[“{escape_markdown(self.tokens[self.cell[1]])}”]"

    @property
    def allowed(self) -> Array:
        """What the masks allow in the chosen sequence. Shapes: (T, T)."""
        allowed: Array = self.masked.allowed[self.cell[0]]
        return allowed


def choose_cell(array: str, index: Sequence[int]) -> b.Values:
    """What a click on a cell chooses: its query and key, and its sequence if the name of the matrix
    ends with one.

    >>> choose_cell("shares 1", [3, 8])
    {'query': 3, 'key': 8, 'mw_sequence': '1'}
    """
    sequence = array.rpartition(" ")[2]
    of_sequence = {"mw_sequence": sequence} if sequence.isdigit() else {}
    return {"query": index[0], "key": index[1]} | of_sequence


def painting(setup: Experiment) -> list[b.Block]:
    """A mask to paint, the same for all sequences and heads."""
    n_tokens = len(setup.allowed)
    painted_TT = painted_mask(setup.painted, n_tokens)

    def toggled(array: str, index: Sequence[int]) -> b.Values:
        chosen: b.Values = {"query": index[0], "key": index[1]}
        if array != PAINTED:
            return chosen
        flipped_TT = painted_TT.copy()
        flipped_TT[tuple(index)] ^= True
        return {**chosen, **setup.paint(flipped_TT)}

    scene = boards.painting_board(
        painted_TT, setup.masked, setup.head, setup.cell, setup.view.notation
    )
    n_hidden, in_use = int((~painted_TT).sum()), setup.view.scenario.mask == PAINTED
    return [
        b.Text(
            "**Click a cell of the first matrix**, or press Enter on it, to hide that key from that"
            " query; again to show it. Added to the score of a hidden key:"
            f" {format_number(-math.inf)}; to all others: 0. All sequences and heads share the"
            f" mask, one cell for each query and key: {n_tokens} × {n_tokens}."
        ),
        b.Board(scene, "paint", press=toggled),
        _paint_buttons(setup, painted_TT),
        b.caption(f"Painted cells: {n_hidden} of {painted_TT.size}. The URL holds the mask."),
        *([b.caption("Every step of the layer uses this mask.")] if in_use else []),
    ]


def _paint_buttons(setup: Experiment, painted_TT: Array) -> b.Row:
    nothing, row = painted_mask("", len(painted_TT)), hide_row(painted_TT, setup.cell[1])
    return b.Row(
        (
            b.Button("Hide nothing", setup.paint(nothing)),
            b.Button("Start from all masks together", setup.paint(setup.allowed)),
            b.Button("Hide all keys from the query", setup.paint(row)),
            b.Button(
                "Use this mask in every step",
                {"mask": PAINTED, PAINTED: setup.painted},
                "The layer then has this mask, in the story and on all pages.",
            ),
        )
    )


def empty_row(setup: Experiment) -> list[b.Block]:
    """The shares of a query from which every key is hidden, here and in PyTorch."""
    n, query, _ = setup.cell
    row = hide_all_keys(setup.masked, n, setup.head, query)
    notation = setup.view.notation
    scene = boards.empty_row_board(setup.masked, row.zero, setup.head, setup.cell, notation)
    says = f"Here every key is hidden from {setup.query_name}, in addition to the masks above."
    n_empty = int(setup.masked.trace.empty_rows[:, setup.head].sum())
    without = f"Queries without a key, with the masks chosen above: **{n_empty}** in this batch."
    board = b.Board(scene, "empty", press=choose_cell)
    if setup.masked.trace.sink is not None:
        takes = "The sink takes all: the shares are 0, and nothing is divided by 0."
        return [b.Text(f"{says} {takes}"), board, b.Text(without)]
    return [
        b.Text(
            f"{says} There is no largest score, and the exponentials sum to 0: the shares would be"
            " 0 / 0."
        ),
        board,
        _zeros_or_nan(setup, row),
        b.Text(f"{_describe_nan(setup, row)} Zeros do not spread. {without}"),
    ]


def _zeros_or_nan(setup: Experiment, row: EmptyRow) -> b.Table:
    """What the query and the output hold, here and in PyTorch."""
    n, query, _ = setup.cell
    shares = row.zero.probabilities[n, setup.head, query]
    n_shares, total = len(shares), float(shares.sum())
    n_outputs = row.zero.output[n].size
    head = [f"shares of this query: {n_shares}", f"NaN in the output, numbers: {n_outputs}"]
    here = "here, and torch’s scaled_dot_product_attention since 2.5"
    torch = "torch.softmax, and nn.MultiheadAttention with need_weights=True (2.13)"
    zeros, nans = (
        f"all 0, sum {format_number(total, 1)}",
        f"NaN (“not a number”): {row.nan_shares}",
    )
    rows = [[here, zeros, str(row.nan_here)], [torch, nans, str(row.nan_outputs)]]
    return b.Table(["", *head], rows, words=True)


def _describe_nan(setup: Experiment, row: EmptyRow) -> str:
    """How far NaN spreads: in this layer, and in the next one."""
    spoilt = f"Tokens with NaN in their output: {row.nan_tokens} ({row.nan_outputs} numbers)."
    if len(setup.allowed) == 1:
        return f"{spoilt} It is the only token, so everything that follows is NaN."
    return (
        f"{spoilt} In the next layer they are keys for all tokens, so all scores with them are NaN,"
        " and then all outputs."
    )


def padded_queries(setup: Experiment) -> list[b.Block]:
    """A padding mask hides keys. The queries of [pad] still give outputs."""
    n = setup.cell[0]
    n_real, n_tokens = setup.masked.sentences[n].n_real, len(setup.allowed)
    if n_real == n_tokens:
        says = "choose another sequence, or a longer sequence length in the sidebar."
        return [b.Note(f"Sequence {n} holds no [pad]: {says}")]
    replaced = replace_padding(setup.masked, n)
    scene = boards.padding_board(setup.masked, replaced.changed, setup.cell, setup.view.notation)
    moved = replaced.real
    difference = f"**{format_number(moved)}**"
    if moved <= tolerance(setup.masked.trace, "output"):
        difference = "**0** up to rounding" if moved else "**0**"
    return [
        b.Text(
            f"The tokens after position {n_real - 1} are [pad]. Their outputs are computed like all"
            " others but mean nothing: a program that uses the output must leave them out. On the"
            " board, the [pad] vectors were replaced by other numbers:"
        ),
        b.Board(scene, "padding", press=lambda _, index: {"query": index[0]}),
        b.Text(
            f"- Outputs of real tokens move by at most {difference}. Real tokens that see a [pad]:"
            f" {replaced.n_seeing} of {n_real}.\n- Outputs of [pad] tokens move by up to"
            f" **{format_number(replaced.padded)}**: their queries are computed"
            " from [pad], and a padding mask hides keys, not queries."
        ),
    ]


def hiding_values(setup: Experiment) -> list[b.Block]:
    """What −∞, −10⁹ and a small bias do to the shares of one query."""
    n, query, _ = setup.cell
    if setup.allowed.all():
        return [b.Note("No key of this sequence is hidden from any query: choose a mask above.")]
    effects = hiding_effects(setup.masked, n, setup.head, query, setup.bias)
    bars = {f"{one.name} added": one.shares[query] for one in effects}
    rows = []
    for one in effects:
        read = map(format_percent, (float(one.leaked[query]), one.largest_leak))
        rows.append([one.name, *read, *map(_format_range, one.empty_row)])
    head = (
        "added to a hidden score",
        "this query reads from hidden keys",
        "the most that a query with a visible key reads from them",
        "shares if all keys are hidden, float64",
        "the same, float32",
    )
    effects_of = (f"- **{name}**: {effect}" for name, (_, effect) in HIDING_VALUES.items())
    return [
        b.Text(
            f"The shares of {setup.query_name} when a number is added to the score of each hidden"
            " key:"
        ),
        _shares(setup, bars, "with three numbers that hide keys", "hiding"),
        b.caption("Keys in brackets are hidden from this query."),
        b.Table(head, rows, words=True),
        b.Text("\n".join(effects_of)),
    ]


def _shares(setup: Experiment, bars: Mapping[str, Array], which: str, name: str) -> b.Chart:
    """The shares of the chosen query as bars."""
    hidden, says = ~setup.allowed[setup.cell[1]], f"The shares of one query, {which}."
    return b.Chart(boards.query_shares_figure(setup.tokens, bars, hidden, says), name)


def _format_range(shares: Array) -> str:
    """The smallest and the largest share of a query."""
    low, high = format_percent(float(shares.min())), format_percent(float(shares.max()))
    return f"all {low}" if low == high else f"{low} to {high}"


def order(setup: Experiment) -> list[b.Block]:
    """The mask after the scale, and before it."""
    n, query, _ = setup.cell
    scale = setup.masked.trace.scale
    if scale <= 0 or setup.allowed.all():
        return [
            b.Note(
                "This needs a scale above 0 and a mask that hides something: choose them in the"
                " sidebar and above."
            )
        ]
    orders = compare_all_orders(setup.masked, n, setup.head, setup.bias)
    name, last = list(orders.items())[-1]
    bars = {
        "scale, then mask": last.scale_first[query],
        "mask, then scale": last.mask_first[query],
    }
    head = ["added to a hidden score", "largest difference of a share, all queries"]
    rows = [[key, format_number(one.gap, 6)] for key, one in orders.items()]
    return [
        b.Text(
            rf"Mask after the scale: $\operatorname{{softmax}}(s \cdot {scale:.3g} + m)$; before"
            rf" it: $\operatorname{{softmax}}((s + m) \cdot {scale:.3g})$. Here m, the number added"
            f" to a hidden score, is {name}.{_left_out(setup)}"
        ),
        _shares(setup, bars, "with the mask after and before the scale", "order"),
        b.Table(head, rows, words=True),
        b.Text(
            "Minus infinity times any positive scale is minus infinity, so for a true mask the"
            " order does not matter. A finite bias that is added first is scaled as well."
        ),
        b.Text(_scaled_bias(setup, name)),
    ]


def _left_out(setup: Experiment) -> str:
    """What this layer has besides scale and mask, which would stand after both in one order."""
    trace = setup.masked.trace
    has = {"its soft cap": trace.softcap, "ALiBi": trace.bias, "its sink": trace.sink}
    names = ", ".join(name for name, one in has.items() if one is not None)
    return f" Of this layer are left out: {names}." * bool(names)


def _scaled_bias(setup: Experiment, name: str) -> str:
    """What the scale does to the finite bias, and whether that changes a share."""
    scale = setup.masked.trace.scale
    scaled = setup.bias * scale
    in_part = setup.allowed.any(axis=-1) & ~setup.allowed.all(axis=-1)
    differs = scaled != setup.bias
    if differs and in_part.any():
        effect = "So it matters on which side of the scale a model adds its biases."
    elif differs:
        effect = (
            "Here some queries see all keys and the others none. One number added to all scores of"
            " a query changes none of its shares, except by rounding."
        )
    else:
        effect = "With another scale or bias the order would matter."
    return f"Here {name} times {scale:.3g} is {format_number(scaled, 2)}. {effect}"


EXPERIMENTS: Mapping[str, Callable[[Experiment], list[b.Block]]] = {
    "paint a mask": painting,
    "how to hide": hiding_values,
    "mask or scale first": order,
    "nothing left": empty_row,
    "padded queries": padded_queries,
}
