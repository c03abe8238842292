"""The computed part of each training run, kept for all by its settings; what a layer has learnt."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from attention_core import Projections
from attention_core.checks import Array
from attention_lab.cache import Cache, cached
from attention_lab.labs.evaluation import (
    Score,
    agreement_masses,
    offset_profile,
    score_output,
    unseen_trace,
)
from attention_lab.labs.evaluation import score_layer as score_of
from attention_lab.labs.loss_curves import LossPoint, loss_curve
from attention_lab.labs.training import Checkpoint, train_layer
from attention_lab.labs.training_settings import TrainingSettings

MAX_POINTS = 100  # of a run, for the slider
MAX_WEIGHTS = 1_000_000  # in the weights of all these points together


@dataclass
class SharedRun:
    """The computed part of a run. points: the weights at some steps, for the slider. losses: of
    every checkpoint. latest: the last checkpoint, from which training can continue.
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
        """Whether the run is at its last step."""
        return self.step >= self.settings.last_step

    @cached_property
    def unseen_losses(self) -> tuple[LossPoint, ...]:
        """The loss on the unseen sequences by step. The run must be done."""
        return loss_curve(self.settings, self.points)

    def add(self, point: Checkpoint) -> None:
        """Add the next checkpoint; a checkpoint that is known already is ignored."""
        if self.latest and point.step <= self.latest.step:
            return
        self.latest = point
        self.losses.append((point.step, point.loss))
        n_points = max(10, min(MAX_POINTS, MAX_WEIGHTS // self.settings.n_parameters))
        due = len(self.points) * self.settings.last_step / n_points
        if point.step >= due or self.done:
            self.points.append((point.step, point.projections))


_runs: Cache[TrainingSettings, SharedRun] = Cache()


def shared_run(settings: TrainingSettings) -> SharedRun:
    """The computed part of the run of these settings, whoever trained it; a new run has its first
    checkpoint.

    Raises: SettingsError if the settings are not valid.
    """
    run = _runs.get(settings)
    if run is None:
        run = SharedRun(settings)
        run.add(next(train_layer(settings)))
    return _runs.add(settings, run)  # added again, so that the cache counts its new size


@dataclass(frozen=True, eq=False)
class HeadHabits:
    """What a layer does on the unseen sequences. offsets, masses: see `offset_profile`. agreement:
    empty unless the task is about agreement.
    """

    score_layer: Score
    offsets: Array
    masses: Array
    agreement: dict[str, Array]


@cached
def head_habits(settings: TrainingSettings, projections: Projections) -> HeadHabits:
    """The score of a layer and what its heads look at, computed once."""
    trace = unseen_trace(settings, projections)
    by_agreement = settings.task in ("agreement", "conjunction")
    return HeadHabits(
        score_output(settings.training_task, trace.output),
        *offset_profile(trace),
        agreement_masses(trace) if by_agreement else {},
    )


@cached
def cached_score(settings: TrainingSettings, projections: Projections) -> Score:
    """The score of a layer, computed once."""
    return score_of(settings, projections)
