"""The settings of a training run as plain values, and its expected time."""

import math
from dataclasses import dataclass, replace

from attention_core.errors import SettingsError

from ..time_limit import check_seconds
from .adam import learning_rate_at
from .tasks import TRAINING_TASKS, TrainingTask

# The matrices whose columns stay orthonormal, head by head.
CONSTRAINTS: dict[str, tuple[str, ...]] = {
    "free": (),
    "orthonormal": ("w_q", "w_k", "w_v"),
    "orthonormal values": ("w_v",),
}
# The matrices that a layer does without.
KEYS_ARE_QUERIES, VALUES_ARE_INPUTS = "W_K = W_Q", "V = X"
WITHOUT = ("", KEYS_ARE_QUERIES, VALUES_ARE_INPUTS)
WIDE_MODEL = "1 wide head"
MAX_STEPS, MAX_BATCH = 100_000, 512


@dataclass(frozen=True)
class TrainingSettings:
    """Everything that decides a run. 0 means the task's own d_k, d_v and n_steps, and the
    temperature √d_k.

    task: a key of `TRAINING_TASKS`. constraint: a key of `CONSTRAINTS`. data: "own" draws the
    sequences after the weights, from the same random numbers; "common" draws them from the seed
    alone, so that layers of all sizes learn from the same sequences. without: one of `WITHOUT`.
    With V = X each head hands on d_v features of X as they are.
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
    without: str = ""

    @property
    def training_task(self) -> TrainingTask:
        """The task itself."""
        return TRAINING_TASKS[self.task]

    @property
    def widths(self) -> tuple[int, int]:
        """d_k and d_v of a head."""
        return self.d_k or self.training_task.d_k, self.d_v or self.training_task.d_v

    @property
    def last_step(self) -> int:
        """The number of steps."""
        return self.n_steps or self.training_task.n_steps

    @property
    def constrained(self) -> tuple[str, ...]:
        """The weights whose columns stay orthonormal."""
        return CONSTRAINTS[self.constraint]

    def rate_at(self, step: int) -> float:
        """The learning rate of a step."""
        return learning_rate_at(step, self.last_step, self.learning_rate)

    @property
    def scale(self) -> float:
        """The factor of the scores: 1 divided by the temperature."""
        return 1 / (self.temperature or math.sqrt(self.widths[0]))

    @property
    def n_parameters(self) -> int:
        """The number of parameters that the layer learns.

        >>> TrainingSettings(task="neighbours", n_heads=1).n_parameters
        200
        """
        task, (d_k, d_v) = self.training_task, self.widths
        learnt = 2 * d_k + d_v
        learnt -= {KEYS_ARE_QUERIES: d_k, VALUES_ARE_INPUTS: d_v}.get(self.without, 0)
        return self.n_heads * (task.d_model * learnt + d_v * task.d_out) + task.d_out


def check_settings(settings: TrainingSettings) -> None:
    """Refuse a run that is impossible or too long.

    Raises: SettingsError for more orthonormal columns than features, and for a run of more than a
    minute.
    """
    task = settings.training_task
    widths = dict(zip(("w_q", "w_k", "w_v"), (settings.widths[0], *settings.widths), strict=True))
    for name in settings.constrained:
        if widths[name] > task.d_model:
            raise SettingsError(
                f"{name} cannot have {widths[name]} orthonormal columns: the tokens have only"
                f" {task.d_model} features. Choose a smaller width or free columns"
            )
    check_seconds(expected_seconds(settings), "choose fewer steps, fewer heads or a smaller batch")


def expected_seconds(settings: TrainingSettings) -> float:
    """About how long a run takes on one core, right within a factor of two: measured for 72 sizes.

    A step costs a fixed time for calls of NumPy, plus a time for each small matrix product
    (sequence and head), plus a time for each number.
    """
    task, sequences = settings.training_task, settings.batch * settings.n_heads
    products = 3e-6 * sequences
    numbers = 1.1e-8 * sequences * task.n_tokens * (2 * settings.widths[0] + settings.widths[1])
    manifold = 0 if settings.constraint == "free" else 2e-4 + 2.5e-5 * settings.n_heads
    return settings.last_step * (3e-4 + products + numbers + manifold)


def models(task: str, seed: int = 0) -> dict[str, TrainingSettings]:
    """The models to compare on a task, by name: one head, one wide head, two heads and more. All
    models of one seed learn from the same sequences.

    >>> list(models("neighbours"))
    ['1 head', '1 wide head', '2 heads', '4 heads']
    """
    training_task = TRAINING_TASKS[task]
    common = TrainingSettings(task, n_heads=1, seed=seed, data="common")
    named = {"1 head": common}
    if training_task.compares_wide:
        d_k, d_v = training_task.wide
        named[WIDE_MODEL] = replace(common, d_k=d_k, d_v=d_v)
    return named | {
        f"{count} heads": replace(common, n_heads=count) for count in training_task.head_counts[1:]
    }
