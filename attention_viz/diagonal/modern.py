"""Boards of today's variants: where every token looks in each, and one step of the delta rule."""

from collections.abc import Sequence
from dataclasses import replace

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
    sides = Side("query position", labels), Side("key position", labels)
    matrices: list[Matrix] = []
    for number, (variant, looks) in enumerate(runs):
        place = (number % BOARDS_IN_A_ROW, number // BOARDS_IN_A_ROW)
        badge = f"{looks.rows_on_diagonal}/{len(labels)}, own {looks.own_weight:.2f}"
        weights = Matrix(
            variant.key, looks.weights, *sides, place, variant.title, badge, small=True
        )
        hidden = np.isneginf(looks.compared)
        if looks.scores is None:
            says = "The weight is"
            matrices.append(replace(weights, limit=1.0, hidden=hidden, says=says))
            continue
        scores = f"{variant.key} scores"
        matrices.append(Matrix(scores, looks.scores, *sides, None, "scaled score", kind="logit"))
        rule = softmax_rule(scores, len(labels))
        if looks.sink is not None:
            only, logit = Side("sink"), np.array([[looks.sink]])
            matrices.append(Matrix("sink", logit, only, only, None, "sink", kind="logit"))
            rule = replace(rule, adds=(read("sink", Position(), Position()),))
        matrices.append(replace(weights, kind="probability", rule=rule, hidden=hidden))
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
    titles = {
        "key": "k, the key",
        "value": "v, the value",
        "query": "q, the query",
        "read": "kᵀS, what S holds: erased",
        "change": "u = v − kᵀS: written",
        "output": "o = qᵀS, the output",
        "before": "S before",
        "write": "+ β k uᵀ",
        "after": "S after",
    }
    writes = (read("beta", first, first), read("key", first, axis(0)), read("change", first, 1))
    rules = {
        "read": Rule("sum", (read("key", first, RUNNING), read("before", RUNNING, 1)), n_keys),
        "change": Rule("difference", (read("value", 0, 1), read("read", 0, 1))),
        "output": Rule("sum", (read("query", first, RUNNING), read("after", RUNNING, 1)), n_keys),
        "write": Rule("product", writes),
        "after": Rule("sum", (read("before", 0, 1),), adds=(read("write", 0, 1),)),
    }
    arrays = vars(step) | {"write": beta * np.outer(step.key, step.change)}
    matrices = [Matrix("beta", np.array([[beta]]), one, Side("β"), None, "β")]
    for number, (name, title) in enumerate(titles.items()):
        place, rows = (number % 3, number // 3), one if arrays[name].ndim == 1 else in_key
        columns = in_key if name in ("key", "query") else in_value
        matrix = Matrix(name, np.atleast_2d(arrays[name]), rows, columns, place, title)
        matrices.append(replace(matrix, role=ROLES.get(name, "text"), rule=rules.get(name)))
    description = f"The delta rule at one token. State: {n_keys} by {n_values}."
    return matrix_board(matrices, ("after", 0, 0), description)
