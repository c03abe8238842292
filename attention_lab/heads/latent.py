"""Multi-head latent attention (MLA): keys and values that are made from one short vector of each
token, and the same scores without making the keys.

Source: DeepSeek-AI 2024 (DeepSeek-V2), section 2.1. There the matrices are trained; here they are
the best ones of low rank for the keys and values of a layer (Eckart and Young 1936).
"""

from dataclasses import dataclass, replace

import numpy as np

from attention_core.checks import Array, whole_number
from attention_core.formulas import rms_norm
from attention_core.layer_checks import HeadNorm
from attention_core.positions import Rotary, turn
from attention_core.trace import Trace

from .reruns import rerun


@dataclass(frozen=True, eq=False)
class Latent:
    """The matrices of MLA: down to a latent vector, and up to keys and values.

    Shapes: down (D, R), up_keys (R, G·K), up_values (R, G·V).
    """

    down: Array
    up_keys: Array
    up_values: Array


@dataclass(frozen=True, eq=False)
class AbsorbedScores:
    """Scores of one sequence in two ways. plain: queries with keys that are made from the latents;
    absorbed: queries that are taken to the latents, with the latents themselves.

    Shapes: (H, T, S).
    """

    plain: Array
    absorbed: Array

    @property
    def difference(self) -> float:
        """The largest difference between the two."""
        return float(np.abs(self.plain - self.absorbed).max())


def largest_rank(trace: Trace) -> int:
    """The rank at which nothing is lost: that of all keys and values together."""
    p = trace.projections
    return int(min(p.w_k.shape[0], p.w_k.shape[1] + p.w_v.shape[1]))


def latent_of(trace: Trace, rank: int) -> Latent:
    """The best matrices of a rank for the keys and values of a layer. Raises: SettingsError."""
    rank = whole_number("rank", rank, 1, largest_rank(trace))
    p = trace.projections
    both_DF = np.hstack([p.w_k, p.w_v]).astype(np.float64)
    left_DR, sizes_R, right_RF = np.linalg.svd(both_DF, full_matrices=False)
    up_RF = sizes_R[:rank, np.newaxis] * right_RF[:rank]
    n_keys = p.w_k.shape[1]
    return Latent(left_DR[:, :rank], up_RF[:, :n_keys], up_RF[:, n_keys:])


def with_latent(trace: Trace, rank: int) -> Trace:
    """The layer whose keys and values are made from latent vectors of a width."""
    latent, p = latent_of(trace, rank), trace.projections
    w_k = (latent.down @ latent.up_keys).astype(p.w_k.dtype)
    w_v = (latent.down @ latent.up_values).astype(p.w_v.dtype)
    return rerun(trace, projections=replace(p, w_k=w_k, w_v=w_v))


def absorbed_scores(
    trace: Trace, rank: int, rotary: Rotary | None = None, head_norm: HeadNorm | None = None
) -> AbsorbedScores:
    """The scores of the first sequence from made keys, and from latents with W_UK absorbed into the
    queries.

    With rotary positions the keys are turned after they are made, and with QK-norm each is divided
    by a number of its own. Absorbing as if they were not gives other scores.
    """
    p, latent = trace.projections, latent_of(trace, rank)
    latents_SR = trace.memory[0] @ latent.down
    queries_HTK = trace.query_heads[0].astype(np.float64)
    if head_norm is not None:
        queries_HTK = rms_norm(queries_HTK, np.asarray(head_norm.query_gain), head_norm.epsilon)
    up_HRK = _of_readers(trace, latent.up_keys)
    keys_HSK = latents_SR @ up_HRK
    absorbed_HTR = queries_HTK @ up_HRK.swapaxes(-1, -2)
    absorbed_HTS = absorbed_HTR @ latents_SR.T
    if p.b_k is not None:
        bias_H1K = _of_readers(trace, p.b_k[np.newaxis])
        keys_HSK = keys_HSK + bias_H1K
        absorbed_HTS = absorbed_HTS + queries_HTK @ bias_H1K.swapaxes(-1, -2)
    if head_norm is not None:
        keys_HSK = rms_norm(keys_HSK, np.asarray(head_norm.key_gain), head_norm.epsilon)
    if rotary is not None:
        queries_HTK = turn(queries_HTK[np.newaxis], rotary)[0]
        keys_HSK = turn(keys_HSK[np.newaxis], rotary)[0]
    return AbsorbedScores(queries_HTK @ keys_HSK.swapaxes(-1, -2), absorbed_HTS)


def _of_readers(trace: Trace, matrix_RF: Array) -> Array:
    """For every head the columns of the key head that it reads. Shapes: (H, R, K)."""
    groups, n_heads = trace.projections.groups, trace.sizes["H"]
    blocks_GRK = np.stack(np.split(matrix_RF, groups, axis=-1))
    return np.repeat(blocks_GRK, n_heads // groups, axis=0)
