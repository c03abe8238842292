"""How far a token reaches over several layers whose masks hide what is far away."""

from collections.abc import Sequence

import numpy as np

from attention_core.checks import Array, whole_number
from attention_core.masks import causal_mask, window_mask

MOST_LAYERS = 12
FULL_EVERY = 6  # of mixed layers: five with a window, then one without (Gemma 3)


def layer_masks(n_tokens: int, window: int, n_layers: int, mixed: bool = False) -> list[Array]:
    """The masks of causal layers whose queries see `window` tokens, themselves among them.

    mixed: whether every sixth layer sees all earlier tokens. Shapes: each (T, T) bool. Raises:
    SettingsError.
    """
    left = whole_number("window", window, 1) - 1
    count = whole_number("n_layers", n_layers, 1, MOST_LAYERS)
    near = window_mask(n_tokens, n_tokens, left=left, right=0)
    full = causal_mask(n_tokens, n_tokens)
    return [full if mixed and (layer + 1) % FULL_EVERY == 0 else near for layer in range(count)]


def layers_until(masks: Sequence[Array]) -> Array:
    """After how many layers a query holds something of a key's token; 0 if after none of these.

    The product of the masks of the first layers counts the ways from token to token. Shapes: (T, T)
    whole numbers.

    >>> layers_until(layer_masks(4, 2, 2)).tolist()
    [[1, 0, 0, 0], [1, 1, 0, 0], [2, 1, 1, 0], [0, 2, 1, 1]]
    """
    reached_TS = np.eye(len(masks[0]), dtype=bool)
    first_TS = np.zeros(reached_TS.shape, dtype=int)
    for layer, mask_TS in enumerate(masks, 1):
        reached_TS = (mask_TS.astype(int) @ reached_TS) > 0
        first_TS = np.where(reached_TS & (first_TS == 0), layer, first_TS)
    return first_TS


def n_reached(needed: Array, query: int) -> int:
    """Of how many tokens a query holds something. needed: see `layers_until`."""
    return int(np.count_nonzero(needed[query]))


def reach(window: int, n_layers: int) -> int:
    """How many tokens, itself among them, a token reaches over layers of a causal window.

    >>> [reach(3, n_layers) for n_layers in (1, 2, 3)]
    [3, 5, 7]
    """
    return n_layers * (window - 1) + 1
