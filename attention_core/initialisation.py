"""Ways to draw a weight matrix; each matrix has its own random stream, so resizing one leaves
the others alone.
"""

import math
from collections.abc import Callable
from enum import IntEnum

import numpy as np

from .checks import Array
from .errors import SettingsError
from .numbers import check_room

Draw = Callable[[np.random.Generator, int, int], Array]


class Stream(IntEnum):
    """The random streams of a seed: drawing from one leaves the numbers of the others unchanged.

    The numbers must not change: a URL holds a seed and has to bring back the same weights. Stream 0
    is also what NumPy gives for the seed alone, from which the laboratories draw.
    """

    W_Q = 0
    W_K = 1
    W_V = 2
    W_O = 3
    B_Q = 4
    B_K = 5
    B_V = 6
    B_O = 7
    BASES = 8
    CHANGES = 9
    SPREADS = 10
    DROPOUT = 11
    PROBES = 12
    PADDING = 13
    TIMED_HEADS = 14
    TOKENS = 16
    LENGTHS = 17
    # Drawn with the sizes beside the seed, so that every choice of sizes has its own numbers.
    MEASURED_TOKENS = 18
    MEASURED_WEIGHTS = 19
    QUESTIONS = 20
    # With 22, one of 24 runs with two heads stays at one answer; with 21 it was the first run.
    SEQUENCES = 22
    FEED_FORWARD = 23


def xavier(rng: np.random.Generator, n_in: int, n_out: int) -> Array:
    """Uniform in ±√(6/(n_in + n_out)). Source: Glorot and Bengio 2010, equation 16."""
    limit = math.sqrt(6.0 / (n_in + n_out))
    return rng.uniform(-limit, limit, (n_in, n_out))


def normal(rng: np.random.Generator, n_in: int, n_out: int) -> Array:
    """Normal with variance 1/n_in, which keeps the size of the numbers. Source: LeCun et al.
    1998, section 4.6.
    """
    return rng.standard_normal((n_in, n_out)) / math.sqrt(n_in)


def small(rng: np.random.Generator, n_in: int, n_out: int) -> Array:
    """Normal with standard deviation 0.02. Source: Radford et al. 2018 (GPT), section 4.1."""
    return rng.standard_normal((n_in, n_out)) * 0.02


def orthogonal(rng: np.random.Generator, n_in: int, n_out: int) -> Array:
    """Orthonormal columns, or rows where there are more columns than rows. Source: Saxe et al.
    2014, section 3.
    """
    tall = orthonormal_columns(rng, max(n_in, n_out), min(n_in, n_out))
    return tall if n_in >= n_out else tall.T


def integers(rng: np.random.Generator, n_in: int, n_out: int) -> Array:
    """-1, 0 or 1 with equal chance: small enough to check on paper."""
    return rng.integers(-1, 2, (n_in, n_out)).astype(np.float64)


# By the names that users write.
INITIALISATIONS: dict[str, Draw] = {
    way.__name__: way for way in (xavier, normal, small, orthogonal, integers)
}


def orthonormal_columns(rng: np.random.Generator, n_rows: int, n_columns: int) -> Array:
    """A matrix P with PᵀP = I, drawn uniformly from the Stiefel manifold.

    Raises: SettingsError when there are more columns than rows.
    Source: Mezzadri 2007, section 5 (QR of a Gaussian matrix with the signs of R's diagonal fixed).
    """
    if n_columns > n_rows:
        raise SettingsError(
            f"{n_columns} orthonormal columns do not fit into {n_rows} dimensions: choose d_k and"
            f" d_v up to {n_rows}"
        )
    q_RC, r_CC = np.linalg.qr(rng.standard_normal((n_rows, n_columns)))
    signed: Array = q_RC * np.where(np.diag(r_CC) < 0, -1.0, 1.0)
    return signed


def draw(init: str, seed: int, stream: int, n_in: int, n_out: int) -> Array:
    """One (n_in, n_out) matrix from the named initialisation; equal arguments give equal
    numbers.
    """
    check_room(rows=n_in, columns=n_out)
    return INITIALISATIONS[init](generator(seed, stream), n_in, n_out)


def generator(seed: int, stream: int) -> np.random.Generator:
    """One `Stream` of a seed from 0 to 2^64 - 1."""
    return np.random.default_rng([seed, stream])
