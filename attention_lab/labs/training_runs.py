"""Runs that train a little whenever a page asks, and are kept for all visitors by their settings.

Runs with which pages open are stored: in `training_runs.npz` three of one task, in
`circuit_runs.npz` those of the small model of two layers, with their losses and some of their
weights, in 32 bits a number. `scripts/make_training_runs.py` makes them; tests train again and
compare.

At the end: the loss of layers on the unseen sequences while they learn, and losses to compare it
with.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import islice
from operator import attrgetter
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any, Self

import numpy as np

from attention_core.checks import Array
from attention_core.projections import Projections

from ..cache import Cache, cached
from .checkpoints import Weights, as_projections, stored_arrays
from .circuit import (
    CircuitScore,
    Head,
    LetterModel,
    LetterWeights,
    score_circuit,
    train_circuit,
)
from .circuit_settings import CircuitSettings
from .deep_stack import train_stack
from .evaluation import one_answer_score, score_layer, score_output, unseen_trace
from .losses import LOSSES
from .readouts import weightless_output
from .stack_settings import StackSettings
from .tasks import TRAINING_TASKS, TrainingTask, unseen_examples
from .training import train_layer
from .training_settings import WIDE_MODEL, TrainingSettings

MAX_POINTS = 100  # of a run, for the slider
MAX_WEIGHTS = 1_000_000  # in the weights of all these points together
STORED_FILE = Path(__file__).with_name("training_runs.npz")
AWAITED_SECONDS = 60.0  # of a run that is trained to its end at once
_ONE, _TWO = TrainingSettings(n_heads=1), TrainingSettings(n_heads=2)
_WIDE = TrainingSettings(n_heads=1, d_k=_ONE.training_task.wide[0], d_v=_ONE.training_task.wide[1])
# One head, one head with as many numbers as two, and two heads.
STORED_SETTINGS = {"1 head": _ONE, WIDE_MODEL: _WIDE, "2 heads": _TWO}

# The runs of the small model.
CIRCUIT_FILE = Path(__file__).with_name("circuit_runs.npz")
STORED_CIRCUITS = {
    "2 layers of 1": CircuitSettings(),
    "2 layers of 2": CircuitSettings(n_heads=2),
    "1 layers of 2": CircuitSettings(n_layers=1, n_heads=2),
}

# One head that names letters, of which only the end is stored, for a claim.
STORED_ENDS = {"letters of 1 head": TrainingSettings("letters", n_heads=1)}


@dataclass
class Run:
    """A run as far as it has come. checkpoints: trains, from the settings and the last checkpoint.
    losses: of every checkpoint so far. latest: the last one, None of a stored run. training: held
    while the run trains, because visitors with the same settings share it.
    """

    settings: Any
    checkpoints: Callable[[Any, Any], Iterator[Any]]
    losses: list[LossPoint] = field(default_factory=list)
    latest: Any = None
    training: Any = field(default_factory=Lock, repr=False, compare=False)

    @property
    def step(self) -> int:
        """How many steps have been made."""
        return self.losses[-1][0]

    @property
    def done(self) -> bool:
        """Whether the run is at its last step."""
        return self.step >= int(self.settings.last_step)

    def add(self, point: Any) -> None:
        """Add the next checkpoint."""
        self.latest = point
        self.losses.append((point.step, point.loss))

    def train(self, seconds: float) -> None:
        """Make at least one checkpoint more, and others for some seconds, unless the run is done.
        Raises: SettingsError if the settings are not valid.
        """
        with self.training:
            end = monotonic() + seconds
            for point in islice(self.checkpoints(self.settings, self.latest), 1, None):
                self.add(point)
                if monotonic() > end:
                    break
            _runs.add(self.settings, self)  # added again, so that the cache counts its new size

    def settled(self) -> Self:
        """The run, once nobody trains it."""
        with self.training:
            return self


@dataclass
class KeptRun(Run):
    """A run that can be looked at as it was before. points: the weights at some steps, the first
    included if they are not stored. kept: what is kept of a checkpoint.
    """

    points: list[tuple[int, Any]] = field(default_factory=list)
    kept: Callable[[Any], Any] = attrgetter("weights")

    @property
    def newest(self) -> tuple[int, Any]:
        """The last step, and the weights after it."""
        if self.latest:
            return self.latest.step, self.kept(self.latest)
        return self.points[-1]

    def add(self, point: Any) -> None:
        """See `Run`."""
        super().add(point)
        n_points = max(10, min(MAX_POINTS, MAX_WEIGHTS // self.settings.n_parameters))
        if point.step >= len(self.points) * self.settings.last_step / n_points or self.done:
            self.points.append(self.newest)

    def at(self, percent: float) -> tuple[int, Any]:
        """The last known point within this percentage of the whole run, or the first that is known:
        its step and weights.
        """
        end = percent / 100 * self.settings.last_step
        known = [point for point in (*self.points, self.newest) if point[0] <= end]
        return max(known or self.points[:1], key=lambda point: point[0])


@dataclass
class LayerRun(KeptRun):
    """A run of one layer, of which the projections are kept."""

    settings: TrainingSettings
    kept: Callable[[Any], Any] = attrgetter("projections")

    @cached_property
    def unseen_losses(self) -> tuple[LossPoint, ...]:
        """The loss on the unseen sequences by step. The run must be done."""
        return loss_curve(self.settings, self.points)


_runs: Cache[Any, Any] = Cache()


def layer_run(settings: TrainingSettings) -> LayerRun:
    """The run of these settings: a stored one, or what has been computed so far, at least its first
    checkpoint. Raises: SettingsError if the settings are not valid.
    """
    stored = next((run for run in stored_runs().values() if run.settings == settings), None)
    run: LayerRun = stored or _runs.get(settings) or _begun(LayerRun(settings, train_layer))
    return run.settled()


def trained_score(task: str, n_heads: int) -> float:
    """The score of a layer with the usual sizes on unseen sequences, after its whole run."""
    settings = TrainingSettings(task, n_heads)
    if settings in STORED_ENDS.values():
        return score_layer(settings, stored_ends()[settings]).total
    run = layer_run(settings)
    while not run.done:
        run.train(AWAITED_SECONDS)
    return score_layer(run.settings, run.newest[1]).total


def stack_run(settings: StackSettings) -> Run:
    """The same for a deep stack. Raises: SettingsError for a run of more than a minute."""
    run: Run = _runs.get(settings) or _begun(Run(settings, train_stack))
    return run.settled()


def circuit_run(settings: CircuitSettings) -> KeptRun:
    """The run of the small model: a stored one, or what has been computed so far."""
    run: KeptRun = (
        stored_circuits().get(settings)
        or _runs.get(settings)
        or _begun(KeptRun(settings, train_circuit))
    )
    return run.settled()


def circuit_at(settings: CircuitSettings, percent: float = 100) -> tuple[int, LetterModel]:
    """The last known step within this percentage of a run, and the model after it."""
    step, weights = circuit_run(settings).at(percent)
    return step, LetterModel(LetterWeights(weights), settings.n_heads)


@cached
def circuit_score(settings: CircuitSettings, step: int, off: tuple[Head, ...] = ()) -> CircuitScore:
    """The score of a model after a step whose weights are known, with some heads off."""
    run = circuit_run(settings)
    weights = next(one for at, one in (*run.points, run.newest) if at == step)
    return score_circuit(LetterModel(LetterWeights(weights), settings.n_heads).without(*off))


def repeated_letters() -> LetterModel:
    """The small model that comes with the product: two layers of one head, trained to go on with
    letters that repeat.

    >>> model = repeated_letters()
    >>> model.n_heads, model.weights["w_q"].shape, sum(one.size for one in model.weights.values())
    (1, (2, 16, 16), 2944)
    """
    return circuit_at(CircuitSettings())[1]


def _begun(run: Run) -> Any:
    run.add(next(run.checkpoints(run.settings, None)))
    return _runs.add(run.settings, run)


@cache
def stored_runs() -> dict[str, LayerRun]:
    """The stored runs by the names of `STORED_SETTINGS`."""
    arrays, runs = stored_arrays(STORED_FILE), {}
    for name, settings in STORED_SETTINGS.items():
        losses, points = _stored(arrays[name], settings.last_step)
        layers = [(step, as_projections(one, settings.n_heads)) for step, one in points]
        runs[name] = LayerRun(settings, train_layer, losses, points=layers)
    return runs


@cache
def stored_ends() -> dict[TrainingSettings, Projections]:
    """The weights at the end of runs of which nothing else is stored."""
    arrays = stored_arrays(STORED_FILE)
    return {one: as_projections(arrays[name], one.n_heads) for name, one in STORED_ENDS.items()}


@cache
def stored_circuits() -> dict[CircuitSettings, KeptRun]:
    """The stored runs of the small model. Of the first, the weights are known at some steps, of the
    others at the end.
    """
    arrays, runs = stored_arrays(CIRCUIT_FILE), {}
    for name, settings in STORED_CIRCUITS.items():
        losses, points = _stored(arrays[name], settings.last_step)
        runs[settings] = KeptRun(settings, train_circuit, losses, points=points)
    return runs


def _stored(
    arrays: Mapping[str, Array], last_step: int
) -> tuple[list[LossPoint], list[tuple[int, Weights]]]:
    """The losses and the weights of a run. The weights at equal distances, from the start to the
    last step, or at the last step alone, are stacked.
    """
    weights = {name: stacked for name, stacked in arrays.items() if name != "losses"}
    n_points = len(next(iter(weights.values())))
    steps = np.linspace(last_step, 0, n_points)[::-1].round().astype(int).tolist()
    points = [
        (step, {name: stacked[place] for name, stacked in weights.items()})
        for place, step in enumerate(steps)
    ]
    return [(int(step), float(loss)) for step, loss in arrays["losses"]], points


LossPoint = tuple[int, float]
MAX_CURVE_POINTS = 27  # of a curve


def unseen_loss(task: TrainingTask, output: Array) -> float:
    """The loss of an output on the unseen sequences: the squared error divided by the variance of
    the target, like the score, or the cross-entropy in nats.
    """
    if task.by_accuracy:
        return float(LOSSES[task.loss].value.compute(output, unseen_examples(task.name).targets))
    return score_output(task, output).total


def weightless_loss(task: str, seed: int = 0) -> float:
    """The loss of Q = K = V = X with the best readout, which needs no training of the layer."""
    return unseen_loss(TRAINING_TASKS[task], weightless_output(task, seed))


def constant_loss(task: str) -> float:
    """The loss of the best constant answer: the variance, which counts as 1, or the entropy of a
    letter, ln 6 nats if all six are equally likely.

    >>> constant_loss("neighbours"), round(constant_loss("letters"), 3)
    (1.0, 1.792)
    """
    training_task = TRAINING_TASKS[task]
    return math.log(training_task.n_features) if training_task.by_accuracy else 1.0


def one_answer_losses(models: Iterable[TrainingSettings]) -> dict[int, float]:
    """The loss that remains with one answer per head, by the number of heads, if it is known and
    above 0.
    """
    losses = {
        one.n_heads: one_answer_score(one.task, one.n_heads, one.widths[1])
        for one in models
        if not one.training_task.by_accuracy
    }
    return {n_heads: loss for n_heads, loss in losses.items() if loss > 0}


def loss_curve(
    settings: TrainingSettings, points: Sequence[tuple[int, Projections]]
) -> tuple[LossPoint, ...]:
    """The loss on the unseen sequences at some steps of a run, including the first and the last."""
    last = len(points) - 1
    places = sorted({round(i * last / (MAX_CURVE_POINTS - 1)) for i in range(MAX_CURVE_POINTS)})
    return tuple(
        (step, unseen_loss(settings.training_task, unseen_trace(settings, projections).output))
        for step, projections in (points[place] for place in places)
    )
