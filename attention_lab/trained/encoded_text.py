"""A sentence in the trained encoder: all layers, or one of them."""

from attention_core.checks import check_text, whole_number
from attention_core.masks import padding_mask
from attention_core.trace import Trace

from ..cache import cached
from ..user_data.matrix_names import MAX_TOKENS
from .encoder import Encoded, encode
from .minilm import load_minilm, word_vectors
from .wordpiece import Pieces

N_LAYERS, N_HEADS, D_MODEL = 6, 12, 384


@cached
def pieces_of(text: str, n_tokens: int = 0) -> Pieces:
    """The tokens of a text, cut or filled with [PAD] to n_tokens; 0 takes all, up to `MAX_TOKENS`.

    Raises: TextError, SettingsError, FileError.
    """
    check_text("text", text)
    whole_number("n_tokens", n_tokens, 0, MAX_TOKENS)
    return load_minilm().wordpiece.read(text, n_tokens or MAX_TOKENS, fill=n_tokens > 0)


@cached
def encoded(text: str, n_tokens: int = 0) -> Encoded:
    """All six layers of a text, with every `Trace` (64 tokens: 8 MB). No token attends to the [PAD]
    at the end.

    Raises: TextError, SettingsError, FileError.
    """
    pieces, model = pieces_of(text, n_tokens), load_minilm()
    n_all = len(pieces.tokens)
    mask = padding_mask([pieces.n_real], n_all) if pieces.n_real < n_all else None
    return encode(word_vectors(model, pieces.ids), model.layers, pieces.tokens, mask)


def encoded_alone(text: str, n_tokens: int = 0) -> Encoded:
    """All layers of a text that is cut to n_tokens but not filled with [PAD].

    Raises: TextError, SettingsError, FileError.
    """
    pieces = pieces_of(text, n_tokens)
    return encoded(text, n_tokens if pieces.n_real == len(pieces.tokens) else 0)


def trained_layer(text: str, layer: int, n_tokens: int = 0) -> Trace:
    """One layer with its weights, on the output of the layers before it.

    Raises: TextError, FileError, SettingsError.
    """
    return encoded(text, n_tokens).traces[whole_number("layer", layer, 0, N_LAYERS - 1)]
