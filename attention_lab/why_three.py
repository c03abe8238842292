"""Why a layer has three matrices: the same layer with W_K = W_Q, and with V = X, in numbers of now;
and layers that have learnt a task without one of the three.
"""

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from attention_core.checks import Array
from attention_core.projections import Projections
from attention_core.trace import Trace

from .heads.reruns import rerun
from .labs.evaluation import score_layer
from .labs.tasks import TRAINING_TASKS
from .labs.training import train_layer
from .labs.training_settings import KEYS_ARE_QUERIES, VALUES_ARE_INPUTS, TrainingSettings
from .rounding import tolerance

STORED_SCORES = Path(__file__).with_name("why_three.json")
# A task with a direction, on which each restriction fails; one that is the same from both sides,
# on which W_K = W_Q loses nothing; and one head, whose W_O can do what W_V does. As wide values as
# with V = X.
LETTERS, AGREEMENT = "letters", "agreement"
COMPARED = (
    TrainingSettings(LETTERS, n_heads=2),
    TrainingSettings(LETTERS, n_heads=2, without=KEYS_ARE_QUERIES),
    TrainingSettings(LETTERS, n_heads=2, without=VALUES_ARE_INPUTS),
    TrainingSettings(AGREEMENT, n_heads=2),
    TrainingSettings(AGREEMENT, n_heads=2, without=KEYS_ARE_QUERIES),
    TrainingSettings(LETTERS, n_heads=1),
    TrainingSettings(LETTERS, n_heads=1, d_v=12, without=VALUES_ARE_INPUTS),
)


def keys_from_queries(projections: Projections) -> Projections:
    """The same weights with W_K = W_Q, and b_K = b_Q. Heads that share keys get keys of their own,
    and keep their values.
    """
    p = projections
    n_shared = p.n_heads // p.groups

    def for_each_head(array: Array) -> Array:
        heads = array.reshape(*array.shape[:-1], p.groups, p.d_v)
        return heads.repeat(n_shared, axis=-2).reshape(*array.shape[:-1], -1)

    b_v = None if p.b_v is None else for_each_head(p.b_v)
    return replace(p, w_k=p.w_q, b_k=p.b_q, w_v=for_each_head(p.w_v), b_v=b_v, n_kv_heads=p.n_heads)


def values_from_inputs(projections: Projections) -> Projections:
    """The same weights with V = X: W_V copies the first features of X, and b_V is 0."""
    return replace(projections, w_v=np.eye(*projections.w_v.shape), b_v=None)


def with_keys_from_queries(trace: Trace) -> Trace:
    """The layer once more with W_K = W_Q; the norm of the queries serves both."""
    norm = trace.head_norm
    tied = None if norm is None else replace(norm, key_gain=norm.query_gain)
    return rerun(trace, projections=keys_from_queries(trace.projections), head_norm=tied)


@dataclass(frozen=True)
class TwoWays:
    """The scores of all pairs of two different tokens in a head, read both ways.

    n_pairs: of tokens. n_alike: those whose two scores are the same up to rounding. gap: the
    largest difference of two scores.
    """

    n_pairs: int
    n_alike: int
    gap: float


@dataclass(frozen=True, eq=False)
class WhyThree:
    """What one head says about W_K = W_Q.

    now, tied: the scores read both ways, of the layer as it is and with W_K = W_Q. asks, answers:
    the pair of tokens whose two scores differ most now. there, back: these two scores. together:
    both of them with W_K = W_Q. after: that layer.
    """

    now: TwoWays
    tied: TwoWays
    asks: int
    answers: int
    there: float
    back: float
    together: float
    after: Trace


def two_ways(trace: Trace, head: int) -> TwoWays:
    """The scores of a head, read both ways. The layer has self-attention."""
    scores_TS = trace.scores[0, head]
    pairs = np.triu_indices(len(scores_TS), 1)
    gaps = np.abs(scores_TS - scores_TS.T)[pairs]
    n_alike = int((gaps <= 2 * tolerance(trace, "scores")).sum())
    return TwoWays(len(gaps), n_alike, float(gaps.max(initial=0.0)))


def why_three(trace: Trace, head: int) -> WhyThree:
    """The scores of a head with its own keys, and with W_K = W_Q. The layer has self-attention."""
    after, scores_TS = with_keys_from_queries(trace), trace.scores[0, head]
    asks, answers = divmod(int((scores_TS - scores_TS.T).argmax()), len(scores_TS))
    return WhyThree(
        now=two_ways(trace, head),
        tied=two_ways(after, head),
        asks=asks,
        answers=answers,
        there=float(scores_TS[asks, answers]),
        back=float(scores_TS[answers, asks]),
        together=float(after.scores[0, head, asks, answers]),
        after=after,
    )


@dataclass(frozen=True)
class TrainedScore:
    """What a layer has learnt without one of the three matrices.

    without: one of `WITHOUT`. parts: for each question of the task the share of right answers, or
    the error where 1 is always guessing the mean. n_learnt: how many numbers it has learnt.
    """

    task: str
    n_heads: int
    without: str
    parts: tuple[float, ...]
    n_learnt: int

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions of the task."""
        return TRAINING_TASKS[self.task].parts


def train_and_score(settings: TrainingSettings) -> TrainedScore:
    """Train a layer to the end, which takes seconds, and try it on sequences it has not seen."""
    *_, last = train_layer(settings)
    parts = score_layer(settings, last.projections).parts
    about = (settings.task, settings.n_heads, settings.without)
    return TrainedScore(*about, tuple(round(one, 4) for one in parts), settings.n_parameters)


@cache
def trained_scores() -> tuple[TrainedScore, ...]:
    """The scores of the layers in `COMPARED`, from the file that scripts/make_training_runs.py
    makes.

    >>> [one.without for one in trained_scores()[:3]]
    ['', 'W_K = W_Q', 'V = X']
    """
    stored = json.loads(STORED_SCORES.read_text(encoding="utf-8"))
    return tuple(TrainedScore(**one | {"parts": tuple(one["parts"])}) for one in stored)
