"""Training while the visitor watches. Each visitor has runs of their own, which can be stopped,
continued and trained again.

Some runs are stored, and every visitor finds them finished; whoever trains makes a run of their
own. The checkpoints that one visitor's run has computed are kept for all: another run of the same
settings replays them and computes only the rest. Streamlit ends a script when it writes to a page
that its visitor has left or changed, so every checkpoint writes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from time import monotonic, sleep

import streamlit as st

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
from attention_lab.labs.stored_runs import STORED_SETTINGS, stored_runs
from attention_lab.labs.training import Checkpoint, train_layer
from attention_lab.labs.training_settings import TrainingSettings

from ..url_state import session

MAX_POINTS = 100  # of a run, for the slider
MAX_WEIGHTS = 1_000_000  # in the weights of all these points together
MAX_RUNS = 64  # of a visitor
SECONDS_BETWEEN_PICTURES = 0.4
SECONDS_OF_A_REPLAY = 1.0  # at least, so that it can be watched


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


@dataclass
class VisitorRun:
    """The progress of a visitor in a run. latest: the step and its weights, which need not be among
    the points kept for all. is_stored: whether the run is a stored one.
    """

    settings: TrainingSettings
    latest: tuple[int, Projections]
    is_stored: bool = False

    @property
    def _run(self) -> SharedRun:
        if self.is_stored:
            return _stored()[self.settings]
        return shared_run(self.settings)

    @property
    def step(self) -> int:
        """How many steps have been made."""
        return self.latest[0]

    @property
    def done(self) -> bool:
        """Whether the run is at its last step."""
        return self.step >= self.settings.last_step

    @property
    def losses(self) -> list[LossPoint]:
        """The loss of every checkpoint so far."""
        return [point for point in self._run.losses if point[0] <= self.step]

    @property
    def points(self) -> list[tuple[int, Projections]]:
        """The weights so far, at some steps."""
        return [point for point in self._run.points if point[0] <= self.step]

    @property
    def unseen_losses(self) -> tuple[LossPoint, ...]:
        """The loss on the unseen sequences by step. The run must be done."""
        return self._run.unseen_losses

    def at(self, percent: int) -> tuple[int, Projections]:
        """The last known point within this percentage of the whole run: its step and
        its weights.
        """
        end = percent / 100 * self.settings.last_step
        known = [point for point in (*self.points, self.latest) if point[0] <= end]
        return max(known, key=lambda point: point[0])


@cache
def _stored() -> dict[TrainingSettings, SharedRun]:
    """The stored runs by their settings."""
    return {
        settings: SharedRun(settings, stored_runs()[name].points, stored_runs()[name].losses)
        for name, settings in STORED_SETTINGS.items()
    }


def visitor_run(settings: TrainingSettings) -> VisitorRun:
    """The visitor's run of these settings: a stored one, or at its first checkpoint, until it is
    trained.

    Raises: SettingsError if the settings are not valid.
    """
    own: OrderedDict[TrainingSettings, VisitorRun] = session().visitor_runs
    run = own.get(settings)
    if run is None and settings in _stored():
        return VisitorRun(settings, _stored()[settings].points[-1], is_stored=True)
    kept = shared_run(settings)
    # The cache may have dropped what was computed: then the run starts again.
    if run is None or run.step > kept.step:
        return reset_run(settings)
    own.move_to_end(settings)
    return run


def reset_run(settings: TrainingSettings) -> VisitorRun:
    """Put the visitor's run back to its start; gives it."""
    own: OrderedDict[TrainingSettings, VisitorRun] = session().visitor_runs
    run = own[settings] = VisitorRun(settings, shared_run(settings).points[0])
    own.move_to_end(settings)
    while len(own) > MAX_RUNS:
        own.popitem(last=False)
    return run


def continue_training(
    run: VisitorRun, say: Callable[[float, str], object], draw: Callable[[int], None] | None = None
) -> None:
    """Train a run to its end. say: called for every checkpoint with the part done and a text. draw:
    called at intervals with the step, if somebody watches.
    """
    drawn, last = monotonic(), run.settings.last_step
    for loss, pause in _remaining_steps(run):
        sleep(pause if draw else 0)
        say(run.step / last, f"step {run.step} of {last}: loss {loss:.4f}")
        if draw and monotonic() - drawn > SECONDS_BETWEEN_PICTURES:
            draw(run.step)
            drawn = monotonic()


def train_all(missing: Sequence[TrainingSettings], stop_key: str) -> None:
    """Train runs one after the other, with their progress and a button to stop. stop_key: the key
    of the button.
    """
    progress = st.progress(0.0, "Training …")
    st.button("Stop", icon=":material/stop:", help="Finished runs stay.", key=stop_key)

    def say(place: int, share: float, words: str) -> None:
        text = f"run {place + 1} of {len(missing)}, {words}"
        progress.progress((place + share) / len(missing), text)

    for place, settings in enumerate(missing):
        continue_training(visitor_run(settings), partial(say, place))


def _remaining_steps(run: VisitorRun) -> Iterator[tuple[float, float]]:
    """Move a run on: first over the known points, then by computing. Yields the loss of each
    checkpoint and the seconds for which to show it (0 for a new one).
    """
    kept = shared_run(run.settings)
    known, losses = [point for point in kept.points if point[0] > run.step], dict(kept.losses)
    for point in known:
        run.latest = point
        yield losses[point[0]], SECONDS_OF_A_REPLAY / len(kept.points)
    for checkpoint in train_layer(run.settings, kept.latest):
        kept.add(checkpoint)
        if checkpoint.step > run.step:
            run.latest = checkpoint.step, checkpoint.projections
            yield checkpoint.loss, 0.0
