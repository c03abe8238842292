"""The settings of a run of the small model that learns to go on with repeated letters, and the
sequences that it learns from.
"""

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array

LETTERS = "abcdefghijklmnop"
N_LETTERS, N_PLACES = len(LETTERS), 24
PERIODS = (5, 12)  # after how many places a sequence repeats: the least and the most
HEAD_WIDTH, BATCH, N_STEPS, LEARNING_RATE = 16, 32, 1500, 0.003
LAYERS, HEADS = (1, 2), (1, 2, 4)  # the models that can be chosen


@dataclass(frozen=True)
class CircuitSettings:
    """Everything that decides a run. n_heads: in each layer, of 16 features each."""

    n_layers: int = 2
    n_heads: int = 1
    seed: int = 0

    @property
    def width(self) -> int:
        """The features of a token: those of all heads of a layer."""
        return HEAD_WIDTH * self.n_heads

    @property
    def n_parameters(self) -> int:
        """How many numbers are learnt.

        >>> [CircuitSettings(*sizes).n_parameters for sizes in ((2, 1), (2, 2), (1, 2))]
        [2944, 9984, 5888]
        """
        return self.width * (2 * N_LETTERS + N_PLACES + 4 * self.n_layers * self.width)

    @property
    def last_step(self) -> int:
        """The number of steps."""
        return N_STEPS

    @property
    def constrained(self) -> tuple[str, ...]:
        """No weights have to stay orthonormal."""
        return ()

    @property
    def expected_seconds(self) -> float:
        """About how long a run takes on one core, right within a factor of two."""
        return N_STEPS * self.n_layers * (0.0004 + 0.0017 * self.n_heads)

    def rate_at(self, step: int) -> float:
        """The learning rate of a step, always the same."""
        return LEARNING_RATE


@dataclass(frozen=True, eq=False)
class Sequences:
    """Letters by their numbers, and after how many places each sequence repeats.

    Shapes: ids (B, T), periods (B,).
    """

    ids: Array
    periods: Array

    @property
    def inducible(self) -> Array:
        """The places whose letter stood there one period before, with what followed it: from them
        the next letter can be known. The last place is none, because nothing follows it. Shapes:
        (B, T).
        """
        place_T = np.arange(self.ids.shape[1])
        induced: Array = (place_T >= self.periods[:, np.newaxis]) & (place_T < len(place_T) - 1)
        return induced


def draw_sequences(rng: np.random.Generator, n: int) -> Sequences:
    """Sequences of 24 letters out of 16, each of which repeats after 5 to 12 places."""
    low, high = PERIODS
    period_B = rng.integers(low, high + 1, size=n)
    letter_BP = rng.integers(N_LETTERS, size=(n, high))
    place_BT = np.arange(N_PLACES) % period_B[:, np.newaxis]
    return Sequences(np.take_along_axis(letter_BP, place_BT, axis=1), period_B)
