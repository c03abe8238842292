"""What training has computed, kept for all by its settings, and what a layer has learnt."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from attention_core import Projections
from attention_core.cache import Cache, cached
from attention_core.checks import Array
from attention_lab.labs.evaluation import (
    Score,
    agreement_masses,
    offset_profile,
    score_output,
    unseen_trace,
)
from attention_lab.labs.evaluation import score as score_of
from attention_lab.labs.loss_curves import Point, loss_curve
from attention_lab.labs.training import Checkpoint, train
from attention_lab.labs.training_settings import TrainingSettings

MOST_POINTS = 100  # of a run that a scrubber can show
MOST_NUMBERS = 1_000_000  # of the weights of all these points together


@dataclass
class Run:
    """A run as far as it has gone. points: what the scrubber shows, weights by step; losses: of
    every checkpoint.

    latest: the last checkpoint, with all that continuing needs.
    """

    settings: TrainingSettings
    points: list[tuple[int, Projections]] = field(default_factory=list)
    losses: list[tuple[int, float]] = field(default_factory=list)
    latest: Checkpoint | None = None

    @property
    def step(self) -> int:
        """How many steps have been made."""
        return self.latest.step if self.latest else 0

    @property
    def done(self) -> bool:
        """Whether the run has come to its end."""
        return self.step >= self.settings.last_step

    @cached_property
    def unseen_losses(self) -> tuple[Point, ...]:
        """The loss on the unseen sequences by step, of a run that is done."""
        return loss_curve(self.settings, self.points)

    def add(self, point: Checkpoint) -> None:
        """Take in the next checkpoint; one that is known already is passed over."""
        if self.latest and point.step <= self.latest.step:
            return
        self.latest = point
        self.losses.append((point.step, point.loss))
        n_points = max(10, min(MOST_POINTS, MOST_NUMBERS // self.settings.n_parameters))
        due = len(self.points) * self.settings.last_step / n_points
        if point.step >= due or self.done:
            self.points.append((point.step, point.projections))


_runs: Cache[TrainingSettings, Run] = Cache()


def computed(settings: TrainingSettings) -> Run:
    """What is computed of the run of these settings, by whoever trained it; of a new one the first
    checkpoint.

    Raises: SettingsError for settings that are refused.
    """
    run = _runs.get(settings)
    if run is None:
        run = Run(settings)
        run.add(next(train(settings)))
    return _runs.add(settings, run)  # counted anew, for it may have grown


@dataclass(frozen=True, eq=False)
class Learnt:
    """What a layer does on the unseen sequences. offsets, masses: see `offset_profile`;
    agreement: if any.
    """

    score: Score
    offsets: Array
    masses: Array
    agreement: dict[str, Array]


@cached
def learnt(settings: TrainingSettings, projections: Projections) -> Learnt:
    """The score and the habits of a layer, worked out once."""
    trace = unseen_trace(settings, projections)
    by_agreement = settings.task in ("agreement", "conjunction")
    return Learnt(
        score_output(settings.lesson, trace.output),
        *offset_profile(trace),
        agreement_masses(trace) if by_agreement else {},
    )


@cached
def score(settings: TrainingSettings, projections: Projections) -> Score:
    """The score of a layer, worked out once."""
    return score_of(settings, projections)
