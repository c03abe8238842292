"""Tasks to build a head by hand: the goal, the layer to start from, and checks of a layer. Their
words are rows of `assets/data/head_tasks.csv`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from attention_core.checks import Array
from attention_core.trace import Trace

from .by_hand import HANDMADE_FEATURES, handmade_projections
from .heads.reruns import rerun
from .heads.weight_blocks import head_contributions
from .home import read_table
from .scenario import Scenario
from .user_data.edits import Edit, Edits
from .user_data.painted_masks import mask_to_text
from .words.numbers import Number, Share

MIN_SHARE = 0.8  # of one key, for a query that attends to it
MAX_SHARE_ERROR = 0.02  # of the shares of a plain mean
CANCEL_TOLERANCE = 0.05  # of the largest number, for a sum that counts as 0
TASK_SENTENCE = "the cat saw the box and it ran"
HANDMADE_SCENARIO = Scenario(text=TASK_SENTENCE, d_model=8, n_heads=2, weights="by hand")


@dataclass(frozen=True)
class TaskPart:
    """One goal of a task. missing: what the layer does not do yet, "" if the goal is reached."""

    goal: str
    missing: str = ""

    @property
    def done(self) -> bool:
        """Whether the goal is reached."""
        return not self.missing


@dataclass(frozen=True)
class HeadTask:
    """A task. goal: what to build; hint: one way to begin; matrix: the matrix to begin with; start:
    the layer to start from; check: judges a layer.
    """

    title: str
    goal: str
    hint: str
    matrix: str
    start: Scenario
    check: Callable[[Trace], tuple[TaskPart, ...]]


@dataclass(frozen=True)
class Construction:
    """What *Construct* says of a layer: the task, and its parts with what is missing."""

    goal: str
    hint: str
    parts: tuple[TaskPart, ...]

    @property
    def done(self) -> bool:
        """Whether all goals are reached."""
        return all(part.done for part in self.parts)


def _part(goal: str, reached: bool, missing: str) -> TaskPart:
    return TaskPart(goal, missing * (not reached))


def _previous(trace: Trace) -> tuple[TaskPart, ...]:
    pairs = [(query, query - 1) for query in range(1, trace.sizes["T"])]
    return (_attends("Every token but the first gives the token before it", trace, pairs),)


def _first(trace: Trace) -> tuple[TaskPart, ...]:
    pairs = [(query, 0) for query in range(trace.sizes["T"])]
    return (
        _attends("Every token gives the first token", trace, pairs),
        _part(
            "The first token has a value vector to copy.",
            bool(trace.value_heads[0, 0, 0].any()),
            "The first token's value vector is 0: there is nothing to copy.",
        ),
    )


def _attends(goal: str, trace: Trace, pairs: list[tuple[int, int]]) -> TaskPart:
    """Whether each query gives most of its share to its key. pairs: (query, key)."""
    goal = f"{goal} at least {Share(MIN_SHARE, 0)} of its share in head 0."
    shares = {pair: float(trace.probabilities[0, 0][pair]) for pair in pairs}
    weak = [pair for pair in pairs if shares[pair] < MIN_SHARE]
    if not weak:
        return TaskPart(goal)
    query, key = weakest = min(weak, key=shares.__getitem__)
    gives = f"“{trace.labels('T')[query]}” gives “{trace.labels('S')[key]}”"
    says = f"{len(weak)} of {len(pairs)} tokens. {gives} {Share(shares[weakest])}."
    return TaskPart(goal, says)


def _mean(trace: Trace) -> tuple[TaskPart, ...]:
    shares = trace.probabilities[0, 0]
    error = float(np.abs(shares - 1 / shares.shape[1]).max())
    return (
        _part(
            "In head 0 every token gives every token the same share.",
            error <= MAX_SHARE_ERROR,
            f"A share is off by {Number(error)}; {Number(MAX_SHARE_ERROR)} is allowed.",
        ),
        _part(
            "Head 0 has values to average.",
            bool(trace.value_heads[0, 0].any()),
            "All its values are 0.",
        ),
    )


def _cancel(trace: Trace) -> tuple[TaskPart, ...]:
    adds_HTO = head_contributions(trace)[0]
    largest = [float(np.abs(one).max()) for one in adds_HTO[:2]]
    bound = CANCEL_TOLERANCE * max(largest)
    total = float(np.abs(adds_HTO[:2].sum(axis=0)).max())
    return (
        _part(
            "Both heads add something to the output.",
            min(largest) > CANCEL_TOLERANCE,
            f"Head {int(np.argmin(largest))} adds nothing.",
        ),
        _part(
            "Together head 0 and head 1 add nothing.",
            len(adds_HTO) > 1 and total <= bound,
            f"The sum is still {Number(total)}; at most {Number(bound)} is allowed.",
        ),
    )


def construction(task: HeadTask, trace: Trace) -> Construction:
    """How far a layer does what a task asks."""
    return Construction(task.goal, task.hint, task.check(trace))


def find_leaks(trace: Trace) -> Array:
    """Which outputs change if a token changes; the layer runs again for each token.

    Shapes: (T, T) bool, rows of the output by changed tokens.
    """
    n_tokens = trace.sizes["T"]
    leaks_TT = np.zeros((n_tokens, n_tokens), dtype=bool)
    for token in range(n_tokens):
        inputs_BTD = trace.inputs.copy()
        inputs_BTD[:, token] += 1.0
        again = rerun(trace, x=inputs_BTD)
        leaks_TT[:, token] = np.abs(again.output[0] - trace.output[0]).max(axis=-1) > 1e-9
    return leaks_TT


def _leak(trace: Trace) -> tuple[TaskPart, ...]:
    later = np.triu(np.ones(trace.hidden.shape[2:], dtype=bool), 1)
    hidden, all_later = int((trace.hidden[0, 0] & later).sum()), int(later.sum())
    n_leaks = int((find_leaks(trace) & later).sum())
    return (
        _part(
            "An output changes if a later token changes.",
            n_leaks > 0,
            "No output changes if a later token changes.",
        ),
        _part(
            "The mask still hides at least half of all later keys.",
            2 * hidden >= all_later,
            f"It hides {hidden} of {all_later}.",
        ),
    )


def _without(names: Iterable[str], columns: range) -> str:
    """Edits that set some columns of the weights by hand to 0."""
    weights = handmade_projections()
    edits = [
        Edit(name, row, column, 0.0)
        for name in names
        for column in columns
        for row in range(len(HANDMADE_FEATURES))
        if getattr(weights, name)[row, column]
    ]
    return Edits(tuple(edits)).encode()


_CAUSAL = mask_to_text(np.tril(np.ones((8, 8), dtype=bool)))
_EMPTY = replace(HANDMADE_SCENARIO, edits=_without(("w_q", "w_k"), range(4)))

_STARTS_AND_CHECKS = {
    "previous": (_EMPTY, _previous),
    "first": (replace(_EMPTY, text="cat saw the box and it ran"), _first),
    "mean": (HANDMADE_SCENARIO, _mean),
    "cancel": (replace(HANDMADE_SCENARIO, edits=_without(("w_k",), range(8))), _cancel),
    "promise": (replace(HANDMADE_SCENARIO, mask="painted", painted=_CAUSAL), _leak),
}
HEAD_TASKS = {
    row["name"]: HeadTask(
        row["title"], row["goal"], row["hint"], row["matrix"], *_STARTS_AND_CHECKS[row["name"]]
    )
    for row in read_table("head_tasks")
}
