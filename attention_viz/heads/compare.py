"""The boards that compare heads with one another, and a layer with a changed one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from attention_core import Trace
from attention_core.checks import Array
from attention_core.trace import head_of
from attention_lab.heads.similarity import most_alike, overlap
from attention_lab.notation.notation import OURS, Notation

from ..labels import format_number, format_percent
from ..matrices import Matrix, Side, matrix_board
from ..payload import JSON, float_bytes, pack_bits
from ..thumbnails import HEAD_NUMBER_CAPTIONS, line_of_heads, thumbnail_board


def divergence_board(divergence_HH: Array, order: Sequence[int], notation: Notation = OURS) -> JSON:
    """The Jensen-Shannon divergence of each pair of heads, from 0 to ln 2, the closest pair lit."""
    pair = most_alike(-divergence_HH) or (order[0], order[-1])
    name = "Jensen–Shannon divergence"
    return _heads_matrix(divergence_HH, order, math.log(2), name, pair, notation)


def correlation_board(
    correlation_HH: Array, order: Sequence[int], notation: Notation = OURS
) -> JSON:
    """The centred correlation of each pair of heads, from -1 to 1, the most similar pair lit."""
    pair = most_alike(correlation_HH) or (order[0], order[-1])
    name = "centred correlation"
    return _heads_matrix(correlation_HH, order, 1.0, name, pair, notation, lowest=-1.0)


def describe_closest(divergence_HH: Array) -> str:
    """The two heads with the closest patterns, and how far these overlap."""
    near = most_alike(-divergence_HH)
    if near is None or not divergence_HH.any():
        return "All patterns are equal here. The values that the heads read can still differ."
    shared = format_percent(float(overlap(divergence_HH[near])))
    pair = _named_pair("Closest heads", near, len(divergence_HH))
    return (
        f"{pair} {format_number(divergence_HH[near], 3)}. Their patterns overlap to {shared}"
        " (1 − divergence / ln 2)."
    )


def describe_most_alike(correlation_HH: Array) -> str:
    """The two heads with the most similar preferences, and why some heads have no correlation."""
    sentences, alike = [], most_alike(correlation_HH)
    if alike:
        pair = _named_pair("Most similar heads", alike, len(correlation_HH))
        sentences.append(f"{pair} {format_number(correlation_HH[alike], 2)}.")
    if np.isnan(correlation_HH).any():
        sentences.append("Hatched: a head without preferences has no correlation.")
    return " ".join(sentences)


def _named_pair(best: str, pair: tuple[int, int], n_heads: int) -> str:
    """The names of two heads. If there are only two, they are not called the closest ones."""
    names = f"{pair[0]} and {pair[1]}:"
    if n_heads == 2:
        return f"Heads {names}"
    return f"{best}, {names}"


def _heads_matrix(
    numbers_HH: Array,
    order: Sequence[int],
    limit: float,
    name: str,
    pair: tuple[int, int],
    notation: Notation,
    lowest: float = 0.0,
) -> JSON:
    heads = tuple(f"head {head}" for head in order)
    matrix_HH = numbers_HH[list(order)][:, list(order)]
    matrix = Matrix(
        name,
        np.where(np.isnan(matrix_HH), -np.inf, matrix_HH),
        Side("row", heads),
        Side("column", heads),
        (0, 0),
        name,
        kind="logit",
        limit=limit,
        says=f"The {name} of these heads is",
    )
    description = (
        f"The {name} of each pair of heads, from {format_number(lowest, 2)} to"
        f" {format_number(limit, 2)}. Heads: {len(heads)}."
    )
    row, column = (list(order).index(head) for head in pair)
    return matrix_board([matrix], (name, row, column), description, notation)


LATENT = "MLA"  # the kind that makes its keys and values from latent vectors
MAX_KEYS_FULL_SIZE = 200  # keys in a line of heads; longer lines are drawn as small pictures


def shared_keys_board(
    kinds: Mapping[str, Trace],
    cell: tuple[int, int, int],
    limit: float,
    kind: str,
    notation: Notation = OURS,
    latent: int = 0,
) -> JSON:
    """The probabilities of all heads of each kind, such as "MHA", a line for each kind.

    cell: head, query and key of the pinned cell. kind: of the pinned cell. limit: the value of the
    strongest colour. latent: the width of MLA's vectors, of which it makes the keys and values.
    """
    trace = kinds[kind]
    n_heads, n_keys = trace.sizes["H"], trace.sizes["S"]
    description = (
        f"The probabilities of all heads, a line for each of {', '.join(kinds)}. Heads: {n_heads}."
    )
    size = "full" if n_heads * n_keys <= MAX_KEYS_FULL_SIZE else "small"
    panels = [
        line_of_heads(name, line, name, _badge(one, latent * (name == LATENT)), size)
        | {"captions": _captions(one)}
        for line, (name, one) in enumerate(kinds.items())
    ]
    return thumbnail_board(
        description,
        {name: _array(name, one, limit) for name, one in kinds.items()},
        (trace.labels("T"), trace.labels("S")),
        panels,
        (kind, cell),
        transposed=notation.convention == "column",
    )


def strongest_colour(trace: Trace) -> float:
    """The share that one cell in a hundred exceeds. As the strongest colour it keeps pale heads
    visible.
    """
    return float(np.quantile(trace.probabilities, 0.99)) or 1.0


def _array(name: str, trace: Trace, limit: float) -> JSON:
    shares_HTS, hidden_HTS = trace.probabilities[0], trace.hidden[0]
    array: JSON = {
        "shape": list(shares_HTS.shape),
        "axes": ["H", "T", "S"],
        "title": name,
        "role": "text",
        "kind": "probability",
        "limit": float(f"{limit:.6g}"),
        "data": float_bytes(shares_HTS),
        "given": HEAD_NUMBER_CAPTIONS["probability"],
    }
    return array | ({"hatched": pack_bits(hidden_HTS)} if hidden_HTS.any() else {})


def _badge(trace: Trace, latent: int) -> str:
    if latent:
        return f"{latent} numbers a token"
    return f"{trace.projections.groups} × keys and values"


def _captions(trace: Trace) -> list[str]:
    """For each head, the key/value head that it reads."""
    return [f"K/V {head_of(trace, 'key_heads', head)}" for head in range(trace.sizes["H"])]
