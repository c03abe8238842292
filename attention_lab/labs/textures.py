"""Small noisy pictures of ten textures, which the deep stack learns to classify."""

from __future__ import annotations

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
    return np.array(
        [
            [1.0 if sign == "+" else -1.0 for sign in tile.replace(" ", "")]
            for tile in TILES.values()
        ]
    )


def draw_textures(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    """Pictures of eight noisy tiles each, one token per tile, and their classes as one-hot vectors.

    Shapes: (n, 8 patches, 16 pixels), (n, 1, 1, 10).
    """
    class_B = rng.integers(len(TEXTURE_NAMES), size=n)
    clean_BTD = np.broadcast_to(clean_tiles()[class_B][:, np.newaxis], (n, N_PATCHES, 16))
    noisy_BTD = clean_BTD + NOISE_DEVIATION * rng.standard_normal((n, N_PATCHES, 16))
    return noisy_BTD, np.eye(len(TEXTURE_NAMES))[class_B][:, np.newaxis, np.newaxis]
