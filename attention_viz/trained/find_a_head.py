"""The board of the page *Find a head*: the heads that give most to what was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from attention_lab.trained.attention_maps import AttentionMaps

from ..labels import format_percent
from ..matrices import Matrix, Side, matrix_board
from ..payload import JSON
from ..thumbnails import HEAD_NUMBER_CAPTIONS, max_tokens_sent, window_around


def best_heads(
    maps: AttentionMaps, best: Sequence[tuple[int, int, float]], cell: tuple[int, int]
) -> JSON:
    """The matrices of some heads side by side, each with the share that it was chosen for.

    best: layer, head and share, at least one of them. cell: the query and key that are pinned in
    the first head.
    """
    side = max_tokens_sent(len(best) * 8)
    rows, columns = (
        window_around(maps.sizes["T"], cell[0], side),
        window_around(maps.sizes["S"], cell[1], side),
    )
    sides = Side("query", maps.tokens[rows]), Side("key", maps.memory_tokens[columns])
    matrices = [
        Matrix(
            f"head {layer} {head}",
            maps.layers[layer][head][rows, columns],
            *sides,
            (column, 0),
            f"layer {layer}, head {head}",
            format_percent(share),
            kind="probability",
            small=True,
            says=HEAD_NUMBER_CAPTIONS["probability"],
        )
        for column, (layer, head, share) in enumerate(best)
    ]
    first = (matrices[0].name, cell[0] - rows.start, cell[1] - columns.start)
    return matrix_board(matrices, first, f"The heads that do it most, in order: {len(matrices)}.")
