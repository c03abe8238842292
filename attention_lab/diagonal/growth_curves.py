"""Self-attention of random tokens by formula: exact curves, a proven bound and one-line rules.

Tokens are X ~ N(0, I_d), without weights. Given r = |x_i|², which is chi-square with d degrees of
freedom, the scores of row i for other tokens are independent normal numbers with mean 0 and
variance r·scale², and its score for itself is r·scale. With tied orthonormal weights the same holds
with d_k instead of d.
"""

import math
from statistics import NormalDist

import numpy as np

from attention_core.checks import Array, score_scale

from ..cache import cached
from ..time_limit import check_seconds

NORMAL = NormalDist()
# Nodes over the length of a token and over the Laplace variable: the curves are then right to 1e-6.
LENGTH_NODES, LAPLACE_STEP = 48, 0.2


def argmax_rate_exact(n_tokens: int, d_model: int, *, causal: bool = False) -> float:
    """R = E_r[Φ(√r)^(N-1)]: each other token must score below |x_i|². It does not depend on the
    scale.

    >>> round(argmax_rate_exact(16, 8), 3)
    0.874
    """
    lengths_R, weights_R = chi_nodes(d_model)
    log_chance_R = np.log([NORMAL.cdf(length) for length in lengths_R])
    return float(weights_R @ _mean_power(log_chance_R, n_tokens, causal))


def self_mass_exact(
    n_tokens: int, d_model: int, *, scale: float | None = None, causal: bool = False
) -> float:
    """D = E_r E[1/(1 + Y)], Y the sum of N-1 lognormal numbers, by a Laplace transform.

    1/(1 + Y) is the integral of exp(-t - tY) over t > 0, and the N-1 terms of Y are independent
    given r.

    >>> round(self_mass_exact(16, 8), 3)
    0.423
    """
    log_t_L = np.arange(-45.0, 4.0, LAPLACE_STEP)
    density_L = LAPLACE_STEP * np.exp(log_t_L - np.exp(log_t_L))
    log_transform_RL, weights_R = _log_transform(d_model, score_scale(scale, d_model))
    power_RL = _mean_power(log_transform_RL, n_tokens, causal)
    return float(weights_R @ (power_RL @ density_L))


def self_mass_bound(
    n_tokens: int, d_model: int, *, scale: float | None = None, causal: bool = False
) -> float:
    """D ≥ E_r[1/(1 + (N-1) exp(r·scale²/2 - r·scale))]: Jensen's inequality, because 1/(1 + Y) is
    convex in Y.

    Source: Jensen 1906; the mean of a lognormal number is exp(variance/2). It lies close below the
    exact curve.

    >>> round(self_mass_bound(16, 8), 3)
    0.413
    """
    factor = score_scale(scale, d_model)
    lengths_R, weights_R = chi_nodes(d_model)
    rule_RI = _one_rival_rule(lengths_R[:, np.newaxis] ** 2, factor, _others(n_tokens, causal))
    return float(weights_R @ rule_RI.mean(axis=-1))


def self_mass_rule(
    n_tokens: int, d_model: int, *, scale: float | None = None, causal: bool = False
) -> float:
    """D ≈ 1/(1 + (N-1) exp(½ - √d)): the bound if every token has its typical length √d, as after
    LayerNorm. For Gaussian tokens it is too high for many features and too low for few.

    >>> round(self_mass_rule(32, 32), 4)
    0.8485
    """
    factor = score_scale(scale, d_model)
    return float(_one_rival_rule(float(d_model), factor, _others(n_tokens, causal)).mean())


def half_mass_width(n_tokens: int, *, scaled: bool = True) -> float:
    """The number of features at which D = 1/2 by the rule: (ln(N-1) + ½)² if scaled by 1/√d, else
    2 ln(N-1).

    >>> round(half_mass_width(64), 1), round(half_mass_width(64, scaled=False), 1)
    (21.6, 8.3)
    """
    log_others = math.log(n_tokens - 1)
    return (log_others + 0.5) ** 2 if scaled else 2 * log_others


def half_argmax_width(n_tokens: int) -> float:
    """The number of features near which R = 1/2: [Φ⁻¹(2^(-1/(N-1)))]², fewer than for D = 1/2.

    >>> round(half_argmax_width(64), 1)
    5.3
    """
    return NORMAL.inv_cdf(2.0 ** (-1.0 / (n_tokens - 1))) ** 2


@cached
def chi_nodes(degrees: int) -> tuple[Array, Array]:
    """Lengths √r of Gaussian tokens with weights: Gauss-Legendre nodes times the chi density.

    Sums over them are means over tokens, right to rounding for smooth functions. Shapes: (R,),
    (R,).
    """
    d = degrees
    middle = math.sqrt(d - 0.5)
    low, high = max(0.0, middle - 6.5), middle + 6.5
    node_R, weight_R = np.polynomial.legendre.leggauss(LENGTH_NODES)
    length_R = (low + high) / 2 + (high - low) / 2 * node_R
    log_constant = (d / 2 - 1) * math.log(2) + math.lgamma(d / 2)
    density_R = np.exp((d - 1) * np.log(length_R) - length_R**2 / 2 - log_constant)
    weights_R = (high - low) / 2 * weight_R * density_R
    for array in (length_R, weights_R):
        array.setflags(write=False)
    return length_R, weights_R


@cached
def _log_transform(d_model: int, scale: float) -> tuple[Array, Array]:
    """log E_z exp(-t exp(√r·scale·z - r·scale)) at all lengths and all t: the part of one other
    token in the sum of a row.

    It does not depend on the number of tokens. Shapes: (R, L), with the weights (R,).
    """
    length_R, weights_R = chi_nodes(d_model)
    t_L = np.exp(np.arange(-45.0, 4.0, LAPLACE_STEP))
    # A few nodes must lie within 1/(√r·scale), where the exponent changes fast.
    bend = max(5.0, float(length_R[-1]) * abs(scale))
    check_seconds(4e-3 * bend, "choose a smaller scale or fewer features")
    step = 1.0 / bend
    z_Z = np.arange(-8.5, 8.5 + step, step)
    normal_Z = step * np.exp(-(z_Z**2) / 2) / math.sqrt(2 * math.pi)
    log_transform_RL = np.empty((len(length_R), len(t_L)))
    for i, length in enumerate(length_R):
        rival_Z = np.exp(np.minimum(length * scale * z_Z - length**2 * scale, 700.0))
        transform_L = np.exp(-np.minimum(np.outer(t_L, rival_Z), 745.0)) @ normal_Z
        # Below 0, a scale lets rivals grow so large that nothing is left of it.
        log_transform_RL[i] = np.log(np.maximum(transform_L, np.finfo(np.float64).tiny))
    log_transform_RL.setflags(write=False)
    return log_transform_RL, weights_R


def _one_rival_rule(r: Array | float, scale: float, others: Array) -> Array:
    """1/(1 + n·E[exp(rival - own)]) for n others, with the mean of a lognormal number for each."""
    with np.errstate(over="ignore"):  # if the scale's square overflows, the exponent is above 690
        exponent = np.minimum(r * scale * (np.float64(scale) / 2 - 1), 690.0)
    rule: Array = 1.0 / (1.0 + others * np.exp(exponent))
    return rule


def _others(n_tokens: int, causal: bool) -> Array:
    """The number of other tokens that a row sees: N-1, or 0, 1, ..., N-1 under a causal mask."""
    return np.arange(n_tokens) if causal else np.array([n_tokens - 1])


def _mean_power(log_q_X: Array, n_tokens: int, causal: bool) -> Array:
    """q^(N-1), or under a causal mask the mean of q^0 to q^(N-1), a geometric series."""
    if not causal:
        return np.asarray(np.exp((n_tokens - 1) * log_q_X))
    total, below = np.expm1(n_tokens * log_q_X), n_tokens * np.expm1(log_q_X)
    return np.asarray(np.divide(total, below, out=np.ones_like(log_q_X), where=below != 0))
