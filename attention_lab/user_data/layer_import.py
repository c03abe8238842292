"""A layer from a file or from the training laboratory as the user's matrices, for the pages of the
story.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.errors import SettingsError, ShapeError
from attention_core.projections import BIASES, MATRICES, Projections

from .matrix_names import MAX_HEAD_WIDTH, MAX_HEADS, MAX_MATRIX_WIDTH
from .user_matrices import UserMatrices

_SHARED = ("w_k", "w_v", "b_k", "b_v")


def import_layer(
    layer: Projections, x: Array | None = None, options: Mapping[str, Any] | None = None
) -> UserMatrices:
    """The matrices and biases of a layer; x: its inputs, if they come along; options: of `attend`,
    of which gains and sinks become arrays, too. Shapes: x (T, D).

    The user's matrices have no key/value heads. One that several query heads share is repeated for
    each of them, which changes no number of what follows.
    Raises: SettingsError, ShapeError for a layer that is larger than the controls allow, attends to
    another sequence, or has no W_O; FileError for numbers that are not finite.

    >>> import_layer(Projections.random(d_model=6, n_heads=2, bias=True)).sizes(n_heads=2)
    {'d_model': 6, 'd_k': 3, 'd_v': 3}
    """
    _check_layer(layer)
    arrays = {name: getattr(layer, name) for name in MATRICES + BIASES}
    for name in _SHARED:
        if arrays[name] is not None:
            arrays[name] = repeated_heads(arrays[name], layer)
    norm, sinks = (options or {}).get("head_norm"), (options or {}).get("sink")
    if norm is not None:
        gains = {"g_q": norm.query_gain, "g_k": norm.key_gain}
        arrays |= {name: np.broadcast_to(gain, layer.d_k) for name, gain in gains.items()}
    return UserMatrices(x, **arrays, sinks=sinks)


def _check_layer(layer: Projections) -> None:
    """The pages of the story can show this layer. Raises: SettingsError, ShapeError."""
    sizes = {
        "features": (max(layer.d_model, layer.d_out), MAX_MATRIX_WIDTH),
        "heads": (layer.n_heads, MAX_HEADS),
        "features of a head": (max(layer.d_k, layer.d_v), MAX_HEAD_WIDTH),
    }
    too_large = [
        f"{name}: {size}, at most {most}" for name, (size, most) in sizes.items() if size > most
    ]
    if too_large:
        raise SettingsError(
            f"The layer is too large for the story ({'; '.join(too_large)}); choose a smaller one"
        )
    if layer.d_memory != layer.d_model:
        raise ShapeError(
            f"The layer makes queries from {layer.d_model} features but keys and values from"
            f" {layer.d_memory}. The story has only one sequence: choose a layer that attends to"
            " its own inputs"
        )
    if layer.w_o is None:
        raise ShapeError(
            "The layer has no W_O, and the story would draw one at random; give it an identity"
            " matrix"
        )


def repeated_heads(shared: Array, layer: Projections) -> Array:
    """Key or value heads, repeated for each query head that reads them. Shapes: (..., G*K) ->
    (..., H*K).

    >>> layer = Projections.random(d_model=4, n_heads=2, n_kv_heads=1)
    >>> repeated_heads(layer.w_k, layer).shape
    (4, 4)
    """
    heads = shared.reshape(*shared.shape[:-1], layer.groups, -1)
    return heads.repeat(layer.n_heads // layer.groups, axis=-2).reshape(*shared.shape[:-1], -1)
