"""What a trained layer has learnt: its score on unseen sequences, what its heads look at, and the
score of heads with one answer each.
"""

from dataclasses import dataclass

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.projections import Projections
from attention_core.trace import Trace

from .tasks import (
    N_GENDERS,
    N_NUMBERS,
    TRAINING_TASKS,
    TrainingTask,
    target_variance,
    unseen_examples,
)
from .training_settings import TrainingSettings


@dataclass(frozen=True)
class Score:
    """How well a task is done: in total and for each of `TrainingTask.parts`.

    Units or range: the squared error divided by the variance of the target, where 0 is perfect and
    1 is always predicting the mean; if by_accuracy, the share of right choices.
    """

    total: float
    parts: tuple[float, ...]
    by_accuracy: bool


def score_output(task: TrainingTask, output: Array) -> Score:
    """The score of an output on the unseen sequences. Shapes: output (400, T, P*F)."""
    targets = unseen_examples(task.name).targets
    output_BTPF = output.reshape(targets.shape)
    if task.by_accuracy:
        hits_BTP = output_BTPF.argmax(axis=-1) == targets.argmax(axis=-1)
        return Score(float(hits_BTP.mean()), tuple(hits_BTP.mean(axis=(0, 1)).tolist()), True)
    squares_P = np.square(output_BTPF - targets).mean(axis=(0, 1, 3))
    variances_P = np.square(targets - targets.mean(axis=(0, 1))).mean(axis=(0, 1, 3))
    total = float(squares_P.mean()) / target_variance(task.name)
    return Score(total, tuple((squares_P / variances_P).tolist()), False)


def unseen_trace(settings: TrainingSettings, projections: Projections) -> Trace:
    """The layer run on the 400 unseen sequences."""
    return attend(unseen_examples(settings.task).inputs, projections, scale=settings.scale)


def score_layer(settings: TrainingSettings, projections: Projections) -> Score:
    """How well a layer does the task of a run."""
    return score_output(settings.training_task, unseen_trace(settings, projections).output)


def offset_profile(trace: Trace) -> tuple[Array, Array]:
    """How much of its attention each head gives to each offset on the ring: the offsets, and the
    mean masses.

    Shapes: (T,), (H, T); every row of the masses sums to 1.
    """
    n_tokens = trace.sizes["T"]
    offsets = np.arange(n_tokens) - (n_tokens - 1) // 2
    query_T1 = np.arange(n_tokens)[:, np.newaxis]
    at_offsets_BHTO = trace.probabilities[:, :, query_T1, (query_T1 + offsets) % n_tokens]
    return offsets, at_offsets_BHTO.mean(axis=(0, 2))


def agreement_masses(trace: Trace) -> dict[str, Array]:
    """How much of its attention each head gives to words of the same gender, and of the same
    number.

    trace: of the agreement or the conjunction task. Shapes: each (H,).
    """
    sections = {"gender": slice(0, N_GENDERS), "number": slice(N_GENDERS, N_GENDERS + N_NUMBERS)}
    masses = {}
    for name, section in sections.items():
        features_BTF = trace.inputs[..., section]
        same_BTS = features_BTF @ features_BTF.swapaxes(1, 2)
        masses[name] = (trace.probabilities * same_BTS[:, np.newaxis]).sum(axis=3).mean(axis=(0, 2))
    return masses


def one_answer_score(task: str, n_heads: int, d_v: int | None = None) -> float:
    """The best score if each head answers one question with all its features. Training reaches it
    here.

    With K independent questions no attention that ignores the contents gets below 1 - heads/K.
    agreement: one head compromises; its best additive logits leave .264. letters: one head finds
    one letter, and the other is guessed: 1/2 + 1/2 · 1/6. conjunction: one sum of logits asks for
    both at once, so one head is enough. d_v: the width of the values, None for the width of an
    answer; narrower values bring that part of the features of an answer.
    It serves for comparison and is not a bound for all layers: scores that depend on the contents,
    or a readout that distinguishes the letters of a mixture, can do better. A test gives the
    weights.

    >>> [one_answer_score("staircase", n) for n in (1, 2, 6)]
    [0.75, 0.5, 0.0]
    """
    training_task = TRAINING_TASKS[task]
    share_answered = n_heads / len(training_task.parts)
    if task == "letters":
        return 1 - max(0.0, 1 - share_answered) * (1 - 1 / training_task.n_features)
    share_of_features = min(1.0, (d_v or training_task.n_features) / training_task.n_features)
    if task == "agreement" and n_heads == 1:
        return 1 - share_of_features * (1 - ADDITIVE_LOGITS_ERROR)
    return max(0.0, 1 - share_answered * share_of_features)


def one_answer_loss(settings: TrainingSettings) -> float | None:
    """The training loss if every head answers one question; None for a cross-entropy.

    A layer can lower its cross-entropy by betting on two letters at once, so the accuracy gives no
    bound for it.
    """
    if settings.training_task.by_accuracy:
        return None
    return one_answer_score(settings.task, settings.n_heads, settings.widths[1]) * target_variance(
        settings.task, n_sequences=4000
    )


# The smallest error of one head on the unseen sequences of agreement if its scores are a · [same
# gender] + b · [same number]. A test repeats the search.
ADDITIVE_LOGITS_ERROR = 0.264
