"""A layer from elsewhere, of a file or of the training laboratory, as own matrices: the story
then tells it.
"""

from __future__ import annotations

from attention_core.checks import Array
from attention_core.errors import SettingsError, ShapeError
from attention_core.projections import BIASES, MATRICES, Projections

from .matrix_names import MAX_HEAD_WIDTH, MAX_HEADS, MAX_MATRIX_WIDTH
from .user_matrices import UserMatrices

_SHARED = ("w_k", "w_v", "b_k", "b_v")


def import_layer(layer: Projections, x: Array | None = None) -> UserMatrices:
    """The matrices and biases of a layer, and x as its inputs where it is given. Shapes: x (T, D).

    Own matrices know no shared heads: a shared key or value head is written out for each query head
    that reads it, which changes no number of what follows.
    Raises: SettingsError, ShapeError when the layer is larger than the controls reach or is no
    self-attention.

    >>> import_layer(Projections.random(d_model=6, n_heads=2, bias=True)).sizes(n_heads=2)
    {'d_model': 6, 'd_k': 3, 'd_v': 3}
    """
    check_fits(layer)
    arrays = {
        name: array for name in MATRICES + BIASES if (array := getattr(layer, name)) is not None
    }
    if layer.groups < layer.n_heads:
        arrays |= {name: repeated_heads(arrays[name], layer) for name in _SHARED if name in arrays}
    own = UserMatrices(x, **arrays)
    own.sizes(layer.n_heads)
    return own


def check_fits(layer: Projections) -> None:
    """Whether the story can tell this layer: its size, and what it reads. Raises:
    SettingsError, ShapeError.
    """
    sizes = {
        "features": (max(layer.d_model, layer.d_out), MAX_MATRIX_WIDTH),
        "heads": (layer.n_heads, MAX_HEADS),
        "numbers in a head": (max(layer.d_k, layer.d_v), MAX_HEAD_WIDTH),
    }
    over = [
        f"{size} {name} where at most {most} are shown"
        for name, (size, most) in sizes.items()
        if size > most
    ]
    if over:
        raise SettingsError(
            f"The layer is too large for the story: it has {' and '.join(over)}; choose a"
            " smaller one"
        )
    if layer.d_memory != layer.d_model:
        raise ShapeError(
            f"The layer makes queries from {layer.d_model} features but keys and values from"
            f" {layer.d_memory}: the story has one sequence alone, so choose a layer that attends"
            " to its own inputs"
        )
    if layer.w_o is None:
        raise ShapeError(
            "The layer has no W_O, and the story would draw one at random; give it an identity"
            " matrix"
        )


def repeated_heads(shared: Array, layer: Projections) -> Array:
    """Key or value heads once for each query head that reads them. Shapes: (..., G*K) -> (...,
    H*K).

    >>> layer = Projections.random(d_model=4, n_heads=2, n_kv_heads=1)
    >>> repeated_heads(layer.w_k, layer).shape
    (4, 4)
    """
    heads = shared.reshape(*shared.shape[:-1], layer.groups, -1)
    return heads.repeat(layer.n_heads // layer.groups, axis=-2).reshape(*shared.shape[:-1], -1)
