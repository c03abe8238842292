"""The settings of a training run, as plain values that fit into a URL, and its expected time."""

from __future__ import annotations

import math
from dataclasses import dataclass

from attention_core.checks import (
    check_choice,
    is_finite_number,
    number_between,
    seed_number,
    whole_number,
)
from attention_core.errors import SettingsError
from attention_core.limits import check_seconds

from .tasks import Task, task_named

# The matrices whose columns stay orthonormal, head by head.
CONSTRAINTS = {"free": (), "orthonormal": ("w_q", "w_k", "w_v"), "orthonormal values": ("w_v",)}
DATA = ("own", "common")
WIDE = "1 wide head"
LIMITS = {
    "n_heads": (1, 16),
    "d_k": (0, 64),
    "d_v": (0, 64),
    "n_steps": (0, 100_000),
    "batch": (1, 512),
}


@dataclass(frozen=True)
class TrainingSettings:
    """Everything that decides a run. 0 means: d_k, d_v and n_steps as the task has them,
    temperature √d_k.

    data: "own" draws the sequences after the weights, from the same random numbers; "common" draws
    them from the seed alone, so that layers of all sizes learn from the same sequences.
    Raises: SettingsError for a value outside its range.
    """

    task: str = "neighbours"
    n_heads: int = 2
    d_k: int = 0
    d_v: int = 0
    n_steps: int = 0
    batch: int = 32
    learning_rate: float = 0.01
    constraint: str = "free"
    temperature: float = 0.0
    seed: int = 0
    data: str = "own"

    def __post_init__(self) -> None:
        task_named(self.task)
        for name, (low, high) in LIMITS.items():
            whole_number(name, getattr(self, name), low, high)
        seed_number(self.seed)
        number_between("learning_rate", self.learning_rate, 1e-6, 1.0)
        if not is_finite_number(self.temperature) or self.temperature != 0:
            number_between("temperature", self.temperature, 0.001, 1000.0)
        check_choice("constraint", self.constraint, CONSTRAINTS)
        check_choice("data", self.data, DATA)

    @property
    def lesson(self) -> Task:
        """The task itself. Raises: SettingsError."""
        return task_named(self.task)

    @property
    def widths(self) -> tuple[int, int]:
        """d_k and d_v of a head."""
        return self.d_k or self.lesson.d_k, self.d_v or self.lesson.d_v

    @property
    def last_step(self) -> int:
        """How many steps the run has."""
        return self.n_steps or self.lesson.n_steps

    @property
    def scale(self) -> float:
        """What the scores are multiplied by: one over the temperature."""
        return 1 / (self.temperature or math.sqrt(self.widths[0]))

    @property
    def n_parameters(self) -> int:
        """How many numbers the layer learns.

        >>> TrainingSettings(task="neighbours", n_heads=1).n_parameters
        200
        """
        task, (d_k, d_v) = self.lesson, self.widths
        return self.n_heads * (task.d_model * (2 * d_k + d_v) + d_v * task.d_out) + task.d_out


def check_settings(settings: TrainingSettings) -> None:
    """Raises: SettingsError for columns that do not fit the task, and for a run of more than a
    minute.
    """
    task = settings.lesson
    widths = dict(zip(("w_q", "w_k", "w_v"), (settings.widths[0], *settings.widths), strict=True))
    for name in CONSTRAINTS[settings.constraint]:
        if widths[name] > task.d_model:
            raise SettingsError(
                f"{name} cannot have {widths[name]} orthonormal columns in {task.d_model}"
                " dimensions: choose a smaller width or no constraint"
            )
    check_seconds(expected_seconds(settings), "choose fewer steps, fewer heads or a smaller batch")


def expected_seconds(settings: TrainingSettings) -> float:
    """About how long a run takes on one core: measured on 72 sizes, right within a factor of two.

    A step has a fixed cost of NumPy calls, one per small matrix product (sequence and head), and
    one per number.
    """
    task, sequences = settings.lesson, settings.batch * settings.n_heads
    products = 3e-6 * sequences
    numbers = 1.1e-8 * sequences * task.n_tokens * (2 * settings.widths[0] + settings.widths[1])
    manifold = 0 if settings.constraint == "free" else 2e-4 + 2.5e-5 * settings.n_heads
    return settings.last_step * (3e-4 + products + numbers + manifold)


def models(task: str, seed: int = 0) -> dict[str, TrainingSettings]:
    """The models worth comparing on a task, by name: one head, one wide head, two heads and more.
    Those of one seed learn from the same sequences.

    >>> list(models("neighbours"))
    ['1 head', '1 wide head', '2 heads', '4 heads']
    """
    lesson = task_named(task)
    named = {}
    for count in lesson.head_counts:
        named[f"{count} head{'s' if count > 1 else ''}"] = TrainingSettings(
            task=task, n_heads=count, seed=seed, data="common"
        )
        if count == 1 and lesson.compares_wide:
            d_k, d_v = lesson.wide
            named[WIDE] = TrainingSettings(
                task=task, n_heads=1, d_k=d_k, d_v=d_v, seed=seed, data="common"
            )
    return named
