"""The heads side by side, all heads as one matrix, one query in all heads, one key in all heads."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from attention_core import STEPS, Trace
from attention_core.checks import Array
from attention_lab.heads.habits import HabitFacts, all_habits
from attention_lab.notation.notation import OURS, Notation
from attention_lab.words.numbers import format_number

from ..blocks import Table
from ..matrices import Matrix, Side, field_sides, matrix_board
from ..payload import COLOUR_SCALES, JSON, Stage, largest_magnitude
from ..scene import Panel, scene
from ..thumbnails import HEAD_NUMBER_CAPTIONS

MATRIX_FIELDS = {
    "raw": "scores",
    "scaled": "scaled_scores",
    "masked": "masked_scores",
    "probabilities": "probabilities",
}
HABIT_NAMES = ("itself", "token before", "first token")  # of `HABITS`
HeadCell = tuple[int, int, int]  # head, query and key
NUMBER_LABELS = {
    "probability": HEAD_NUMBER_CAPTIONS["probability"],
    "logit": "The score of this query and this key is",
}


def heads_grid(stage: Stage, field: str, heads: Sequence[int], *, cell: HeadCell) -> JSON:
    """One matrix per chosen head, on one colour scale or each on its own. cell: head, query and key
    in focus; if that head is not chosen, the focus is in the first chosen one. field: a matrix of
    queries and keys.
    """
    trace = stage.trace
    chosen = getattr(trace, field)[0, list(heads)]
    description = (
        f"The {STEPS[field].title} of each head, queries as rows and keys as columns. Heads:"
        f" {len(chosen)}, largest number: {format_number(float(chosen.max()))}."
    )
    head = next((one for one in heads if one == cell[0]), heads[0])
    panel = Panel(field, 2, 3, (0, 0), "tiles", tiles=1, title="of each head")
    board = scene(stage, [panel], (field, (0, head, *cell[1:])), description)
    array = board["arrays"][field]
    array["given"] = NUMBER_LABELS[STEPS[field].kind]
    if not stage.own_scale:
        array["limit"] = float(f"{field_limit(trace, field):.6g}")
    habits = all_habits(trace, range(trace.sizes["H"]), digits=0)
    board["panels"][0]["captions"] = list(map(habit_caption, habits))
    if len(heads) < trace.sizes["H"]:
        board["panels"][0]["only"] = [int(head) for head in heads]
    return as_gallery(board, stage.own_scale)


def habit_caption(habit: HabitFacts) -> str:
    """What a head does, in a few words: what it reads most, or how many tokens."""
    if habit.largest is None:
        return f"{habit.tokens} tokens"
    return f"{HABIT_NAMES[habit.largest]} {habit.shares[habit.largest]}"


def habit_table(habits: Sequence[HabitFacts]) -> Table:
    """What each chosen head does, in numbers; a habit is bold."""
    rows = [
        (
            str(one.head),
            *(
                "–" if share is None else f"**{share}**" if place == one.largest else str(share)
                for place, share in enumerate(one.shares)
            ),
            str(one.tokens),
        )
        for one in habits
    ]
    return Table(("head", *HABIT_NAMES, "effective tokens"), rows)


def combined_heads_board(
    trace: Trace, field: str, merged: Mapping[str, Array], cell: HeadCell, notation: Notation = OURS
) -> JSON:
    """Several heads as one matrix, such as their mean, in the colours of `heads_grid`."""
    hidden = trace.hidden[0].all(axis=0) & (field == "probabilities")
    sides, limit = field_sides(trace, field), field_limit(trace, field)
    drawn = partial(Matrix, kind=STEPS[field].kind, limit=limit, hidden=hidden)
    matrices = [
        drawn(title, numbers, *sides, (place, 0), title, says=f"The {title} of the heads is")
        for place, (title, numbers) in enumerate(merged.items())
    ]
    description = (
        f"The {STEPS[field].title} of the chosen heads as one matrix: {' and '.join(merged)}."
    )
    return as_gallery(matrix_board(matrices, (matrices[0].name, *cell[1:]), description, notation))


def query_board(trace: Trace, head: int, query: int, key: int, notation: Notation = OURS) -> JSON:
    """What one query reads in each head: heads as rows, keys as columns."""
    description = f"What query {query} reads from each key, one row per head. Largest share: "
    keys = Side("key position", trace.labels("S"), "S")
    return _by_head(trace, (slice(None), query), keys, description, (head, key), notation)


def key_board(trace: Trace, head: int, query: int, key: int, notation: Notation = OURS) -> JSON:
    """How much each query reads from one key, in each head: heads as rows, queries as columns."""
    description = f"How much each query reads from key {key}, one row per head. Largest share: "
    queries = Side("query position", trace.labels("T"), "T")
    place = (slice(None), slice(None), key)
    return _by_head(trace, place, queries, description, (head, query), notation)


def as_gallery(board: JSON, own_scale: bool = False) -> JSON:
    """A board that shows all matrices, however small, with a legend of the colours."""
    arrays = board["arrays"].values()
    first = next(iter(arrays))
    strongest = "strongest of each head"
    if not own_scale:
        strongest = format_number(first["limit"] or 1.0, 2)
    legend = [{"scale": "score", "low": f"−{strongest}", "high": strongest}]
    if first["kind"] == "probability":
        legend = [{"scale": "share", "low": "0", "high": strongest}]
    if any("masked" in array or "hatched" in array for array in arrays):
        legend.append({"scale": "masked", "high": "masked"})
    return board | {"gallery": True, "legend": legend}


def field_limit(trace: Trace, field: str) -> float:
    """The value of the strongest colour: the same for all scores, so that the effect of a step
    shows.
    """
    return largest_magnitude(getattr(trace, COLOUR_SCALES.get(field, field)))


def _by_head(
    trace: Trace,
    place: tuple[slice | int, ...],
    columns: Side,
    description: str,
    cell: tuple[int, int],
    notation: Notation,
) -> JSON:
    shares_HN = trace.probabilities[0][place]
    most = max(0.0, float(shares_HN.max()))
    matrix = Matrix(
        "by head",
        shares_HN,
        Side("head", letter="H"),
        columns,
        (0, 0),
        "shares in each head",
        kind="probability",
        limit=most or 1.0,
        hidden=np.asarray(trace.hidden[0][place]),
        says=NUMBER_LABELS["probability"],
    )
    return as_gallery(
        matrix_board([matrix], ("by head", *cell), f"{description}{format_number(most)}.", notation)
    )
