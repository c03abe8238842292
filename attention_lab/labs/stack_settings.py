"""The settings of a run of the deep stack as plain values, the four rows of its table, and the
small noisy pictures of ten textures that it learns to classify.
"""

import math
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array

# One tile of each texture, four rows of four pixels: + is 1, - is -1.
TILES = {
    "rows": "++++ ---- ++++ ----",
    "columns": "+-+- +-+- +-+- +-+-",
    "checks": "+-+- -+-+ +-+- -+-+",
    "wide rows": "++++ ++++ ---- ----",
    "wide columns": "++-- ++-- ++-- ++--",
    "wide checks": "++-- ++-- --++ --++",
    "falling": "+--- -+-- --+- ---+",
    "rising": "---+ --+- -+-- +---",
    "dot": "---- -++- -++- ----",
    "corners": "+--+ ---- ---- +--+",
}
TEXTURE_NAMES = tuple(TILES)
N_PATCHES = 8
# Standard deviation of the noise on every pixel: as large as the signal.
NOISE_DEVIATION = 1.0


def clean_tiles() -> Array:
    """The ten tiles without noise. Shapes: (10, 16)."""
    signs = [list(tile.replace(" ", "")) for tile in TILES.values()]
    return np.where(np.array(signs) == "+", 1.0, -1.0)


def draw_textures(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    """Pictures of eight noisy tiles each, one token per tile, and their classes as one-hot vectors.

    Shapes: (n, 8 patches, 16 pixels), (n, 1, 1, 10).
    """
    class_B = rng.integers(len(TEXTURE_NAMES), size=n)
    clean_BTD = np.broadcast_to(clean_tiles()[class_B][:, np.newaxis], (n, N_PATCHES, 16))
    noisy_BTD = clean_BTD + NOISE_DEVIATION * rng.standard_normal((n, N_PATCHES, 16))
    return noisy_BTD, np.eye(len(TEXTURE_NAMES))[class_B][:, np.newaxis, np.newaxis]


STACK_WIDTH = 16
HEAD_WEIGHTS = ("w_q", "w_k", "w_v")
N_CLASSES = len(TEXTURE_NAMES)
MAX_LAYERS = 24


@dataclass(frozen=True)
class StackVariant:
    """The initial W_Q, W_K and W_V of a stack, and whether they stay orthonormal.

    unit_variance: Glorot's numbers scaled to variance 1/D, with which a layer keeps the size of its
    inputs.
    """

    description: str
    orthonormal: bool = False
    unit_variance: bool = False
    constrained: bool = False

    def gain(self, n_heads: int) -> float:
        """The factor of Glorot's numbers, whose variance for a D x D/h matrix is 2/(D + D/h)."""
        if self.unit_variance:
            return math.sqrt((1 + 1 / n_heads) / 2)
        return 1.0


STACK_VARIANTS = {
    "glorot": StackVariant("Glorot's initialisation, free: the default of the package."),
    "scaled": StackVariant("Glorot's numbers scaled to variance 1/D, free.", unit_variance=True),
    "orthonormal": StackVariant(
        "Orthonormal columns at the start, free afterwards.", orthonormal=True
    ),
    "stiefel": StackVariant(
        "Orthonormal columns at every step.", orthonormal=True, constrained=True
    ),
}


@dataclass(frozen=True)
class StackSettings:
    """Everything that decides a run.

    variant: a key of `STACK_VARIANTS`. loss: "relative error", as in the package, or
    "cross-entropy". n_heads: a divisor of 16.
    """

    variant: str = "stiefel"
    loss: str = "relative error"
    n_layers: int = 12
    n_heads: int = 4
    n_steps: int = 200
    batch: int = 32
    learning_rate: float = 0.001
    connection: bool = False
    seed: int = 0

    @property
    def last_step(self) -> int:
        """The number of steps."""
        return self.n_steps

    @property
    def constrained(self) -> tuple[str, ...]:
        """The weights whose columns stay orthonormal."""
        return HEAD_WEIGHTS if STACK_VARIANTS[self.variant].constrained else ()

    def rate_at(self, step: int) -> float:
        """The learning rate of a step, always the same."""
        return self.learning_rate


def expected_stack_seconds(settings: StackSettings) -> float:
    """About how long a run takes on one core, right within a factor of two: per layer and step,
    and per sequence.
    """
    manifold = 1e-4 if STACK_VARIANTS[settings.variant].constrained else 0.0
    per_layer = 3e-4 + manifold + settings.batch * (3e-6 + 3e-6 * settings.n_heads)
    return settings.n_steps * settings.n_layers * per_layer
