"""LayerNorm: each token's vector with mean 0 and variance 1, then scaled and shifted by feature;
and RMSNorm, which takes off no mean.
"""

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.formulas import rms_norm
from attention_core.numbers import check_range


@dataclass(frozen=True, eq=False)
class Norm:
    """What LayerNorm has learnt, or without an offset what RMSNorm has. Shapes: gain and offset
    (D,). epsilon: added to the variance, or to the mean of squares.
    """

    gain: Array
    offset: Array | None
    epsilon: float = 1e-12

    @np.errstate(over="ignore", invalid="ignore")
    def of(self, x_TD: Array) -> Array:
        """Every token's vector with mean 0 and variance 1, then scaled and shifted feature by
        feature; with RMSNorm divided by its root mean square, and scaled.

        Shapes: (..., D), of float32 or float64. Raises: SettingsError for numbers whose squares
        their type cannot hold. Source: Ba, Kiros and Hinton 2016, section 3; Zhang and Sennrich
        2019 (RMSNorm).

        >>> norm = Norm(gain=np.array([1.0, 2.0]), offset=np.array([0.0, 5.0]))
        >>> norm.of(np.array([[1.0, 3.0]])).round(6).tolist()
        [[-1.0, 7.0]]
        """
        if self.offset is None:
            return rms_norm(x_TD, self.gain, self.epsilon)
        centred_TD: Array = x_TD - x_TD.mean(axis=-1, keepdims=True)
        variance_T = np.vecdot(centred_TD, centred_TD) / x_TD.dtype.type(x_TD.shape[-1])
        check_range(variance_T)
        centred_TD /= np.sqrt(variance_T + x_TD.dtype.type(self.epsilon))[..., np.newaxis]
        centred_TD *= self.gain
        centred_TD += self.offset
        return centred_TD


def standardised(x_XD: Array) -> Array:
    """LayerNorm without gain and shift: every token with mean 0 and variance 1 over its features.

    All tokens then have length √D. A token whose features are all equal has no direction and
    becomes 0; the epsilon prevents a division by 0, and is too small to change other tokens.
    Shapes: (..., D). Source: Ba, Kiros and Hinton 2016, section 3.

    >>> standardised(np.array([[1.0, 3.0], [5.0, 5.0]])).tolist()
    [[-1.0, 1.0], [0.0, 0.0]]
    """
    # Dividing by a power of 2 keeps the direction of a token, and no square then overflows.
    x_XD = np.ldexp(x_XD, -np.frexp(np.abs(x_XD).max(axis=-1, keepdims=True))[1])
    constant_X1 = (x_XD == x_XD[..., :1]).all(axis=-1, keepdims=True)
    varied_XD = np.where(constant_X1, 0.0, x_XD)
    ones_D = np.ones(x_XD.shape[-1])
    norm = Norm(ones_D, 0 * ones_D, epsilon=float(np.finfo(varied_XD.dtype).tiny))
    return norm.of(varied_XD)
