"""Five small tasks that show what heads are good for: each draws its own examples.

Source of the idea of synthetic retrieval tasks: Elhage et al. 2021 (heads that look at a fixed
offset); Clark et al. 2019, section 4 (heads that look at words that agree).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array

from ..cache import cached

RING_LENGTH, N_WORDS = 12, 10  # tokens of a sequence
PAYLOAD_SIZE, N_LETTERS, N_GENDERS, N_NUMBERS = 4, 6, 3, 2  # features
UNSEEN_SEED, N_UNSEEN = 999, 400

DrawExamples = Callable[[np.random.Generator, int], "Examples"]


@dataclass(frozen=True, eq=False)
class Examples:
    """Sequences and targets. Shapes: inputs (B, T, D), targets (B, T, P, F) for P parts of F
    features.
    """

    inputs: Array
    targets: Array


@dataclass(frozen=True)
class TrainingTask:
    """What the layer should learn, and the usual sizes.

    parts: the names of the questions asked at once; a head can answer one. loss: a key of `LOSSES`;
    a task with cross-entropy is scored by accuracy, the others by the error divided by the variance
    of the target. head_counts: the models to compare, from 1 head; compares_wide: whether a single
    head as large as two is one of them.
    """

    name: str
    instruction: str
    n_tokens: int
    d_model: int
    parts: tuple[str, ...]
    draw: DrawExamples
    n_features: int = PAYLOAD_SIZE
    loss: str = "squared error"
    n_steps: int = 800
    d_k: int = 6
    d_v: int = 4
    head_counts: tuple[int, ...] = (1, 2, 4)
    compares_wide: bool = False

    @property
    def wide(self) -> tuple[int, int]:
        """d_k and d_v of a head as large as two."""
        return 2 * self.d_k, 2 * self.d_v

    @property
    def d_out(self) -> int:
        """The width of the output, with all parts side by side."""
        return len(self.parts) * self.n_features

    @property
    def by_accuracy(self) -> bool:
        """Whether the task is scored by the share of right choices."""
        return self.loss == "cross-entropy"


def neighbour_examples(offsets: tuple[int, ...]) -> DrawExamples:
    """Random contents on a ring with position codes. The target is the contents at these offsets
    from each token.
    """

    def draw(rng: np.random.Generator, n: int) -> Examples:
        content_BTF = rng.standard_normal((n, RING_LENGTH, PAYLOAD_SIZE))
        return Examples(_with_positions(content_BTF), _at_offsets(content_BTF, offsets))

    return draw


def draw_letters(rng: np.random.Generator, n: int) -> Examples:
    """Random letters on a ring with position codes. The target is the letter before each token and
    the letter after it.
    """
    letter_BTF = np.eye(N_LETTERS)[rng.integers(N_LETTERS, size=(n, RING_LENGTH))]
    return Examples(_with_positions(letter_BTF), _at_offsets(letter_BTF, (-1, 1)))


def draw_agreement(rng: np.random.Generator, n: int) -> Examples:
    """Words with a gender, a number and a payload. The target is the mean payload over the words of
    the same gender, and that over the words of the same number.
    """
    *kinds, payload_BTF = _draw_words(rng, n)
    means = [_mean_payload(kind @ kind.swapaxes(1, 2), payload_BTF) for kind in kinds]
    return Examples(np.concatenate([*kinds, payload_BTF], axis=2), np.stack(means, axis=2))


def draw_conjunction(rng: np.random.Generator, n: int) -> Examples:
    """The same words. The target is the mean payload over words of the same gender and number."""
    gender_BTF, number_BTF, payload_BTF = _draw_words(rng, n)
    both_BTS = (gender_BTF @ gender_BTF.swapaxes(1, 2)) * (number_BTF @ number_BTF.swapaxes(1, 2))
    inputs = np.concatenate([gender_BTF, number_BTF, payload_BTF], axis=2)
    return Examples(inputs, _mean_payload(both_BTS, payload_BTF)[:, :, np.newaxis])


def ring_positions() -> Array:
    """Cosines and sines of one, two and three turns around the ring. Shapes: (T, 6)."""
    angle_TK = 2 * np.pi * np.outer(np.arange(RING_LENGTH), (1, 2, 3)) / RING_LENGTH
    return np.hstack([np.cos(angle_TK), np.sin(angle_TK)])


def _with_positions(content_BTF: Array) -> Array:
    codes_BTF = np.broadcast_to(ring_positions(), (len(content_BTF), RING_LENGTH, 6))
    return np.concatenate([content_BTF, codes_BTF], axis=2)


def _at_offsets(content_BTF: Array, offsets: tuple[int, ...]) -> Array:
    return np.stack([np.roll(content_BTF, -offset, axis=1) for offset in offsets], axis=2)


def _draw_words(rng: np.random.Generator, n: int) -> tuple[Array, Array, Array]:
    gender_BTF = np.eye(N_GENDERS)[rng.integers(N_GENDERS, size=(n, N_WORDS))]
    number_BTF = np.eye(N_NUMBERS)[rng.integers(N_NUMBERS, size=(n, N_WORDS))]
    return gender_BTF, number_BTF, rng.standard_normal((n, N_WORDS, PAYLOAD_SIZE))


def _mean_payload(same_BTS: Array, payload_BSF: Array) -> Array:
    mean: Array = same_BTS @ payload_BSF / same_BTS.sum(axis=2, keepdims=True)
    return mean


# The number of tokens and of their features: on a ring with position codes, and words.
RING, LETTER_RING = (RING_LENGTH, PAYLOAD_SIZE + 6), (RING_LENGTH, N_LETTERS + 6)
WORDS = (N_WORDS, N_GENDERS + N_NUMBERS + PAYLOAD_SIZE)
_TASKS = (
    TrainingTask(
        "neighbours",
        "Bring me what my left and my right neighbour hold.",
        *RING,
        ("previous", "next"),
        neighbour_examples((-1, 1)),
        compares_wide=True,
    ),
    TrainingTask(
        "agreement",
        "Bring me the average of my gender, and the average of my number.",
        *WORDS,
        ("gender", "number"),
        draw_agreement,
        compares_wide=True,
    ),
    TrainingTask(
        "conjunction",
        "Bring me the average of those who have my gender and my number.",
        *WORDS,
        ("gender and number",),
        draw_conjunction,
        head_counts=(1, 2),
    ),
    TrainingTask(
        "staircase",
        "Bring me what the two tokens on either side hold.",
        *RING,
        ("two before", "previous", "next", "two after"),
        neighbour_examples((-2, -1, 1, 2)),
        n_steps=1000,
        head_counts=(1, 2, 3, 4, 6),
    ),
    TrainingTask(
        "letters",
        "Name the letter before me and the letter after me.",
        *LETTER_RING,
        ("previous", "next"),
        draw_letters,
        n_features=N_LETTERS,
        loss="cross-entropy",
        n_steps=600,
        d_v=6,
        compares_wide=True,
    ),
)
TRAINING_TASKS = {task.name: task for task in _TASKS}


@cached
def unseen_examples(name: str, n_sequences: int = N_UNSEEN) -> Examples:
    """The sequences of a task that no training sees, by default 400. The arrays are read-only."""
    examples = TRAINING_TASKS[name].draw(np.random.default_rng(UNSEEN_SEED), n_sequences)
    for array in (examples.inputs, examples.targets):
        array.setflags(write=False)
    return examples


@cached
def target_variance(name: str, n_sequences: int = N_UNSEEN) -> float:
    """The squared error of always predicting the mean, on the unseen sequences: it counts as 1."""
    targets = unseen_examples(name, n_sequences).targets
    return float(np.square(targets - targets.mean(axis=(0, 1))).mean())
