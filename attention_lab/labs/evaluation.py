"""What a trained layer has learnt: its score on sequences it never saw, what each head looks
at, what each is worth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array, as_numbers, whole_number
from attention_core.errors import ShapeError
from attention_core.number_types import check_range
from attention_core.projections import Projections
from attention_core.trace import Trace

from .tasks import GENDERS, NUMBERS, Task, target_variance, task_named, unseen_examples
from .training_settings import TrainingSettings


@dataclass(frozen=True)
class Score:
    """How well the task is done, over all and part by part (one number for each name in
    `Task.parts`).

    Units or range: NMSE, 0 perfect and 1 what always predicting the mean gives; or, by_accuracy,
    the share of right choices, 1 perfect.
    """

    total: float
    parts: tuple[float, ...]
    by_accuracy: bool


def score_output(task: Task, output: Array) -> Score:
    """The score of what any model says about the unseen sequences. Shapes: output (400, T, P*F)."""
    targets = unseen_examples(task.name).targets
    output = as_numbers("output", output)
    if np.shape(output) != (*targets.shape[:2], task.d_out):
        raise ShapeError(
            f"output has shape {np.shape(output)} but must have {(*targets.shape[:2], task.d_out)}"
        )
    output_BTPF = output.reshape(targets.shape)
    if task.by_accuracy:
        hits_BTP = output_BTPF.argmax(axis=-1) == targets.argmax(axis=-1)
        return Score(float(hits_BTP.mean()), tuple(hits_BTP.mean(axis=(0, 1)).tolist()), True)
    with np.errstate(over="ignore"):
        squares_P = np.square(output_BTPF - targets).mean(axis=(0, 1, 3))
    variances_P = np.square(targets - targets.mean(axis=(0, 1))).mean(axis=(0, 1, 3))
    check_range(squares_P)
    total = float(squares_P.mean()) / target_variance(task.name)
    return Score(total, tuple((squares_P / variances_P).tolist()), False)


def unseen_trace(settings: TrainingSettings, projections: Projections) -> Trace:
    """The layer run on the 400 unseen sequences."""
    return attend(unseen_examples(settings.task).inputs, projections, scale=settings.scale)


def score(settings: TrainingSettings, projections: Projections) -> Score:
    """How well a layer does the task of a run."""
    return score_output(settings.lesson, unseen_trace(settings, projections).output)


def offset_profile(trace: Trace) -> tuple[Array, Array]:
    """How much of each head's attention lies at each distance around the ring: the distances, and
    the mean mass.

    Shapes: (T,), (H, T); every row of the masses sums to 1.
    """
    n_tokens = trace.sizes["T"]
    if trace.sizes["S"] != n_tokens:
        raise ShapeError(
            f"{n_tokens} queries and {trace.sizes['S']} keys are no ring: only self-attention"
            " has one"
        )
    offsets = np.arange(n_tokens) - (n_tokens - 1) // 2
    query_T1 = np.arange(n_tokens)[:, np.newaxis]
    at_offsets_BHTO = trace.probabilities[:, :, query_T1, (query_T1 + offsets) % n_tokens]
    return offsets, at_offsets_BHTO.mean(axis=(0, 2))


def agreement_masses(trace: Trace) -> dict[str, Array]:
    """How much of each head's attention lies on words of the same gender, and of the same number.

    Shapes: each (H,). The inputs must be those of the agreement or conjunction task.
    """
    if (
        trace.inputs.shape[2] != task_named("agreement").d_model
        or trace.sizes["S"] != trace.sizes["T"]
    ):
        raise ShapeError(
            f"inputs of {trace.inputs.shape[2]} features are not those of the agreement task: use"
            " its own"
        )
    sections = {"gender": slice(0, GENDERS), "number": slice(GENDERS, GENDERS + NUMBERS)}
    masses = {}
    for name, section in sections.items():
        features_BTF = trace.inputs[..., section]
        same_BTS = features_BTF @ features_BTF.swapaxes(1, 2)
        masses[name] = (trace.probabilities * same_BTS[:, np.newaxis]).sum(axis=3).mean(axis=(0, 2))
    return masses


def best_possible(task: str, n_heads: int, d_v: int | None = None) -> float:
    """The best score of heads that answer one question each, for all their channels: what training
    reaches here.

    Independent questions, K of them: no attention that ignores the contents can get below 1 -
    heads/K. agreement: one head compromises, its best additive logits leave .264. letters: one head
    finds one letter and guesses the other, 1/2 + 1/2 · 1/6. conjunction: one sum of logits asks for
    both at once, so one head is enough. d_v: how wide the values are, None for as wide as an
    answer; narrower ones bring that part of an answer's features. It is a mark, no bound of every
    layer: scores that depend on the contents, or a readout that tells apart the letters of a
    mixture, can do better; a test gives the weights.

    >>> [best_possible("staircase", n) for n in (1, 2, 6)]
    [0.75, 0.5, 0.0]
    """
    lesson = task_named(task)
    answered = whole_number("n_heads", n_heads, 1) / len(lesson.parts)
    if task == "letters":
        return 1 - max(0.0, 1 - answered) * (1 - 1 / lesson.n_features)
    brought = 1.0 if d_v is None else min(1.0, whole_number("d_v", d_v, 1) / lesson.n_features)
    if task == "agreement" and n_heads == 1:
        return 1 - brought * (1 - ADDITIVE_LOGITS)
    return max(0.0, 1 - answered * brought)


def loss_floor(settings: TrainingSettings) -> float | None:
    """The training loss when every head answers one question, for a line in the picture; None where
    none is known.

    A cross-entropy can be lowered by betting on two letters at once, so accuracy bounds it nowhere.
    """
    if settings.lesson.by_accuracy:
        return None
    return best_possible(settings.task, settings.n_heads, settings.widths[1]) * target_variance(
        settings.task, n_sequences=4000
    )


# The best that one head leaves on the unseen agreement sequences when its scores are a · [same
# gender] + b · [same number]; a test searches for it again.
ADDITIVE_LOGITS = 0.264
