"""Boards of today's variants: where every token looks in each, and one step of the delta rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from attention_core.rules import RUNNING, Position, Rule, axis, read
from attention_lab.diagonal.modern.delta_rule import Correction
from attention_lab.diagonal.modern.variants import Looks, Variant

from ..matrices import Matrix, Side, matrix_board, softmax_rule
from ..payload import JSON

BOARDS_IN_A_ROW = 5
Run = tuple[Variant, Looks]
ROLES = {"key": "key", "query": "query", "value": "value", "output": "output"}


def variants_board(
    runs: Sequence[Run], labels: tuple[str, ...], cell: tuple[str, int, int]
) -> JSON:
    """The weights of every variant, small and side by side. A share explains itself by the scores
    of its row. cell: the variant, row and column of the pinned cell.
    """
    queries, keys = (Side(word, labels) for word in ("query position", "key position"))
    matrices: list[Matrix] = []
    for number, (variant, looks) in enumerate(runs):
        place = (number % BOARDS_IN_A_ROW, number // BOARDS_IN_A_ROW)
        rows = f"{looks.rows_on_diagonal}/{len(labels)}, own {looks.own_weight:.2f}"
        about: dict[str, Any] = {
            "rows": queries,
            "columns": keys,
            "place": place,
            "badge": rows,
            "small": True,
        }
        if looks.scores is None:
            hidden = np.triu(np.ones(looks.weights.shape, dtype=bool), 1)
            matrices.append(
                Matrix(
                    variant.key,
                    looks.weights,
                    title=variant.title,
                    kind="feature",
                    limit=1.0,
                    hidden=hidden,
                    says="The weight is",
                    **about,
                )
            )
            continue
        scores = f"{variant.key} scores"
        matrices.append(
            Matrix(scores, looks.scores, queries, keys, None, "scaled score", kind="logit")
        )
        rule = softmax_rule(scores, len(labels))
        if looks.sink is not None:
            only = Side("sink")
            logit = np.array([[looks.sink]])
            matrices.append(Matrix("sink", logit, only, only, None, "sink", kind="logit"))
            adds = (read("sink", Position(), Position()),)
            rule = Rule("softmax", rule.reads, rule.length, adds, axis(1))
        matrices.append(
            Matrix(
                variant.key,
                looks.weights,
                title=variant.title,
                kind="probability",
                rule=rule,
                hidden=np.isneginf(looks.scores),
                **about,
            )
        )
    description = f"Where every token looks, in {len(runs)} variants of attention."
    legend = [{"scale": "share", "low": "0", "high": "1"}, {"scale": "masked", "high": "masked"}]
    return matrix_board(matrices, cell, description) | {"gallery": True, "legend": legend}


def delta_board(step: Correction, beta: float, word: str) -> JSON:
    """One token of the delta rule: what the state holds for its key, what is written, and the state
    after it; every number explains itself by those that it is made from.
    """
    n_keys, n_values = step.before.shape
    one, in_key, in_value = Side("token", (word,)), Side("key feature"), Side("value feature")
    first = Position()  # the only row of a vector

    def vector(
        name: str, numbers: object, side: Side, place: tuple[int, int], title: str
    ) -> Matrix:
        row = np.asarray(numbers)[np.newaxis]
        return Matrix(name, row, one, side, place, title, role=ROLES.get(name, "text"))

    reads = Rule("sum", (read("key", first, RUNNING), read("before", RUNNING, 1)), n_keys)
    answer = Rule("sum", (read("query", first, RUNNING), read("after", RUNNING, 1)), n_keys)
    change = Rule("difference", (read("value", 0, 1), read("read", 0, 1)))
    writes = (read("beta", first, first), read("key", first, axis(0)), read("change", first, 1))
    sums = Rule("sum", (read("before", 0, 1),), adds=(read("write", 0, 1),))
    scale = Matrix("beta", np.array([[beta]]), one, Side("β"), None, "β")
    key = vector("key", step.key, in_key, (0, 0), "k, the key")
    value = vector("value", step.value, in_value, (1, 0), "v, the value")
    query = vector("query", step.query, in_key, (2, 0), "q, the query")
    held = vector("read", step.read, in_value, (0, 1), "kᵀS, what S holds: erased")
    moved = vector("change", step.change, in_value, (1, 1), "u = v − kᵀS: written")
    output = vector("output", step.output, in_value, (2, 1), "o = qᵀS, the output")
    states = (
        ("before", step.before, (0, 2), "S before", None),
        (
            "write",
            beta * np.outer(step.key, step.change),
            (1, 2),
            "+ β k uᵀ",
            Rule("product", writes),
        ),
        ("after", step.after, (2, 2), "S after", sums),
    )
    made = [
        Matrix(name, numbers, in_key, in_value, place, title, rule=rule)
        for name, numbers, place, title, rule in states
    ]
    matrices = [
        *(scale, key, value, query),
        *(replace(held, rule=reads), replace(moved, rule=change), replace(output, rule=answer)),
        *made,
    ]
    description = f"The delta rule at one token. State: {n_keys} by {n_values}."
    return matrix_board(matrices, ("after", 0, 0), description)
