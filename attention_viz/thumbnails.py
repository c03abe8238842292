"""The heads of all layers as one board: a line of small matrices for each layer."""

from collections.abc import Sequence
from math import isqrt

from attention_core.checks import Array

from .payload import JSON, board_json, largest_magnitude, panel_json, sent_numbers
from .pieces import named

MAX_NUMBERS_SENT = 300_000  # enough for 72 heads with 64 tokens
# The words before a number without arithmetic.
HEAD_NUMBER_CAPTIONS = {
    "probability": "This query gives this key the share",
    "logit": "With the change, this key's share moves by",
}
LayerCell = tuple[int, int, int, int]  # layer, head, query, key


def thumbnails(
    layers: Sequence[Array],
    labels: tuple[Sequence[str], Sequence[str]],
    cell: LayerCell = (0, 0, 0, 0),
    description: str = "The attention of every head of every layer as small matrices.",
    *,
    kind: str = "probability",
    own_scale: bool = False,
    captions: Sequence[Sequence[str]] = (),
    one_layer: bool = False,
) -> JSON:
    """The board's JSON object for layers of shape (H, T, S), with one colour scale for all heads or
    one for each.

    labels: of the queries and of the keys. cell: layer, head, query and key of the pinned cell. If
    there are more tokens than `max_tokens_sent`, only a window around the cell is sent. captions: a
    sentence about each head, layer by layer. one_layer: whether only that of the cell is drawn.
    """
    layer, *index = cell
    shown = [layer] if one_layer else range(len(layers))
    side = max_tokens_sent(len(shown) * layers[0].shape[0])
    limits: list[float | JSON | None] = [None] * len(layers)
    if kind != "probability":
        limits = [max(map(largest_magnitude, layers))] * len(layers)
    if own_scale:
        limits = list(map(_limits_of_heads, layers))
    names = {number: f"layer {number}" for number in shown}
    arrays = {
        name: heads_json(name, layers[number], cell[2:], kind, limits[number], side)
        for number, name in names.items()
    }
    panels = [line_of_heads(name, n, name.capitalize()) for n, name in enumerate(names.values())]
    for panel, number in zip(panels, names, strict=True):
        if number < len(captions):
            panel["captions"] = list(captions[number])
    return board_json(description, arrays, head_axes(labels), panels, (names[layer], index))


def line_of_heads(name: str, line: int, title: str, badge: str = "", size: str = "small") -> JSON:
    """The panel of an array of shape (H, T, S): its heads side by side in one line of the board."""
    tiled = {"rows": 1, "columns": 2, "tiles": 0, "arrange": "across", "size": size}
    return panel_json(name, title, badge, (0, line), "tiles", **tiled)


def head_axes(labels: tuple[Sequence[str], Sequence[str]]) -> JSON:
    """The axes of heads, queries and keys, for the board."""
    tokens = {"T": ("query", labels[0]), "S": ("key", labels[1])}
    return {"H": {"word": "head", "labels": None, "block": None}} | {
        letter: {"word": word, "block": None, **named(words)}
        for letter, (word, words) in tokens.items()
    }


def heads_json(
    title: str,
    numbers: Array,
    cell: tuple[int, int] = (0, 0),
    kind: str = "probability",
    limit: float | JSON | None = None,
    side: int = 64,
    hatched: Array | None = None,
) -> JSON:
    """An array for the board: whole, or the part around a cell of its last two axes, queries and
    keys. hatched: cells that are 0 because their key is hidden.

    Shapes: numbers and hatched (T, S) or (H, T, S).
    """
    return {
        "axes": list("HTS"[3 - numbers.ndim :]),
        "title": title,
        "role": "text",
        "limit": limit,
        "given": HEAD_NUMBER_CAPTIONS[kind],
    } | sent_numbers(numbers, kind, windows_around(numbers.shape, cell, side), hatched)


def max_tokens_sent(n_heads: int) -> int:
    """How many queries and keys of each head are sent, at most.

    >>> max_tokens_sent(72), max_tokens_sent(1), max_tokens_sent(1152)
    (64, 64, 16)
    """
    return min(64, isqrt(MAX_NUMBERS_SENT // n_heads))


def windows_around(shape: Sequence[int], cell: Sequence[int], side: int) -> tuple[slice, ...]:
    """All of an array, or the part around a cell of its last two axes."""
    last = zip(shape[-2:], cell[-2:], strict=True)
    first = [slice(None)] * (len(shape) - 2)
    return (*first, *(window_around(size, place, side) for size, place in last))


def window_around(size: int, place: int, side: int) -> slice:
    """The window of an axis that holds a place: the sequence is cut into pieces of `side`.

    >>> window_around(100, 70, 64), window_around(15, 3, 64)
    (slice(64, 100, None), slice(0, 15, None))
    """
    start = place // side * side
    return slice(start, min(size, start + side))


def _limits_of_heads(numbers_HTS: Array) -> JSON:
    """The value of the strongest colour of each head."""
    return {"axis": 0, "values": [round(largest_magnitude(head_TS), 6) for head_TS in numbers_HTS]}
