"""Tasks to build a head by hand: what is asked, where it starts, and what a layer still lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array, check_choice
from attention_core.trace import Trace

from .by_hand import HANDMADE_FEATURES, handmade_projections
from .heads.contributions import head_contributions
from .scenario import Scenario
from .user_data.edits import Edit, Edits
from .user_data.painted_masks import mask_to_text

MIN_SHARE = 0.8  # a share that counts as looking at one token
MAX_SHARE_ERROR = 0.02  # how far shares of a plain mean may differ from it
CANCEL_TOLERANCE = 0.05  # of the largest number: what cancels
TASK_SENTENCE = "the cat saw the box and it ran"
HANDMADE_SCENARIO = Scenario(text=TASK_SENTENCE, d_model=8, n_heads=2, weights="by hand")


@dataclass(frozen=True)
class TaskPart:
    """One thing that a task asks for. lacks: what is missing, "" where it is there."""

    says: str
    lacks: str = ""

    @property
    def done(self) -> bool:
        """Whether it is there."""
        return not self.lacks


@dataclass(frozen=True)
class HeadTask:
    """A task. says: what to build; hint: one way to begin; edit: the matrix to begin with; start:
    the layer it starts from; check: what of it a layer has.
    """

    id: str
    title: str
    says: str
    hint: str
    edit: str
    start: Scenario
    check: Callable[[Trace], tuple[TaskPart, ...]]


def judge_task(trace: Trace, task: str) -> tuple[TaskPart, ...]:
    """What a task asks for, part by part, and what the layer lacks of it. Raises: SettingsError.

    >>> from attention_lab.scenario import trace_of
    >>> [part.done for part in judge_task(trace_of(HEAD_TASKS["mean"].start), "mean")]
    [False, True]
    """
    return HEAD_TASKS[check_choice("task", task, HEAD_TASKS)].check(trace)


def _previous(trace: Trace) -> tuple[TaskPart, ...]:
    shares = trace.probabilities[0, 0]
    weak = [i for i in range(1, min(shares.shape)) if shares[i, i - 1] < MIN_SHARE]
    return (_looks("Every token but the first gives the token before it", trace, shares, weak, -1),)


def _first(trace: Trace) -> tuple[TaskPart, ...]:
    shares = trace.probabilities[0, 0]
    weak = [i for i in range(len(shares)) if shares[i, 0] < MIN_SHARE]
    values = np.abs(trace.value_heads[0, 0, 0]).max()
    lacks = "" if values > 0 else "The first token's value vector is 0: there is nothing to copy."
    return (
        _looks("Every token gives the first token", trace, shares, weak, None),
        TaskPart("The first token has a value vector to copy.", lacks),
    )


def _looks(says: str, trace: Trace, shares: Array, weak: list[int], step: int | None) -> TaskPart:
    """Whether each of some queries gives most of its share to one key."""
    says = f"{says} at least {MIN_SHARE:.0%} of its share in head 0."
    if not weak:
        return TaskPart(says)
    query = min(weak, key=lambda i: shares[i, 0 if step is None else i + step])
    key = 0 if step is None else query + step
    given = f"“{trace.labels('T')[query]}” gives “{trace.labels('S')[key]}”"
    return TaskPart(says, f"Tokens to go: {len(weak)}. {given} {shares[query, key]:.0%}.")


def _mean(trace: Trace) -> tuple[TaskPart, ...]:
    shares = trace.probabilities[0, 0]
    off = float(np.abs(shares - 1 / shares.shape[1]).max())
    is_off = off > MAX_SHARE_ERROR
    lacks = f"A share is off by {off:.2f}; {MAX_SHARE_ERROR} is allowed." if is_off else ""
    values = np.abs(trace.value_heads[0, 0]).max()
    return (
        TaskPart("In head 0 every token gives every token the same share.", lacks),
        TaskPart("Head 0 has values to average.", "" if values > 0 else "All its values are 0."),
    )


def _cancel(trace: Trace) -> tuple[TaskPart, ...]:
    adds_HTO = head_contributions(trace)[0]
    largest = [float(np.abs(one).max()) for one in adds_HTO[:2]]
    left = float(np.abs(adds_HTO[:2].sum(axis=0)).max()) if len(adds_HTO) > 1 else np.inf
    quiet = [head for head, size in enumerate(largest) if size <= CANCEL_TOLERANCE]
    lacks = f"Head {quiet[0]} adds nothing." if quiet else ""
    bound = CANCEL_TOLERANCE * max(largest)
    much = f"{left:.2f} is left; at most {bound:.2f} may be." if left > bound else ""
    return (
        TaskPart("Both heads add something to the output.", lacks),
        TaskPart("Together head 0 and head 1 add nothing.", much),
    )


def find_leaks(trace: Trace) -> Array:
    """Which outputs change when a token changes, worked out by running the layer again for each.

    Shapes: (T, T) bool, the row of the output by the token that is changed.
    """
    n_tokens = trace.sizes["T"]
    found = np.zeros((n_tokens, n_tokens), dtype=bool)
    for token in range(n_tokens):
        inputs = trace.inputs[0].copy()
        inputs[token] += 1.0
        again = attend(
            inputs,
            trace.projections,
            mask=~trace.hidden[0],
            scale=trace.scale,
            residual=trace.residual,
        )
        found[:, token] = np.abs(again.output[0] - trace.output[0]).max(axis=-1) > 1e-9
    return found


def _promise(trace: Trace) -> tuple[TaskPart, ...]:
    later = np.triu(np.ones(trace.hidden.shape[2:], dtype=bool), 1)
    hidden, all_later = int((trace.hidden[0, 0] & later).sum()), int(later.sum())
    n_leaks = int((find_leaks(trace) & later).sum())
    few = f"It hides {hidden} of {all_later}." if 2 * hidden < all_later else ""
    none = "" if n_leaks else "No output changes when a later token does."
    return (
        TaskPart("An output changes when a later token is changed.", none),
        TaskPart("The mask still hides at least half of all later keys.", few),
    )


def _without(names: Iterable[str], columns: range) -> str:
    """Edits that put 0 in the place of what head columns of weights by hand hold."""
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

HEAD_TASKS = {
    task.id: task
    for task in (
        HeadTask(
            "previous",
            "The token before",
            "Make head 0 look at the token before.",
            "Head 1 does it already: its queries turn the angle of a place back by one. Copy the"
            " numbers of its columns of W_Q and W_K into those of head 0.",
            "w_q",
            _EMPTY,
            _previous,
        ),
        HeadTask(
            "first",
            "Copy the first token",
            "Make head 0 copy the first token, whatever token asks.",
            "The feature “cos” is largest at place 0, and the feature “one” is 1 everywhere. Let"
            " every query ask for a large cos.",
            "w_q",
            replace(_EMPTY, text="cat saw the box and it ran"),
            _first,
        ),
        HeadTask(
            "mean",
            "Read the mean",
            "Make every token read the plain mean of all tokens in head 0.",
            "Shares are equal where scores are equal: nothing may be asked for.",
            "w_q",
            HANDMADE_SCENARIO,
            _mean,
        ),
        HeadTask(
            "cancel",
            "Two heads that cancel",
            "Make two heads whose outputs cancel.",
            "Both heads read the mean here. Head 0 hands on noun and animate, and so can head 1:"
            " its lines in W_O are 4 to 7. Give them the opposite sign, and take the rest away.",
            "w_o",
            replace(HANDMADE_SCENARIO, edits=_without(("w_k",), range(8))),
            _cancel,
        ),
        HeadTask(
            "promise",
            "Break the promise",
            "Break the causal mask's promise: let an output depend on a later token.",
            "One open cell beyond the diagonal is enough. Paint it in the mask workshop, or choose"
            " a window as the mask.",
            "w_v",
            replace(HANDMADE_SCENARIO, mask="painted", painted=_CAUSAL),
            _promise,
        ),
    )
}
