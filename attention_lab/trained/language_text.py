"""A sentence in the language model, as the pages show it: at most 64 pieces, cut or filled up to a
length.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attention_core.checks import Array, check_text, whole_number
from attention_core.errors import TextError
from attention_core.trace import Trace

from ..user_data.matrix_names import MAX_TOKENS
from ..words.pieces import UNKNOWN_SIGN, readable
from ..words.text import PADDING_TOKEN, Tokens
from .allowed_models import ALLOWED, STORIES, cached_run, writing_model
from .byte_pairs import UNKNOWN
from .decoder import without_each_head
from .generation import next_probabilities
from .model_run import LanguageModelRun

_LIMITS = (
    "A model of 260 thousand numbers that has read children’s stories in English; other text gets"
    " nonsense. What holds here need not hold in a large model."
)
_OWN_LIMITS = (
    "{name} is a model of {numbers} numbers, from a folder of whoever runs this app. It has"
    " {layers} layers of {heads} heads, {width} features and {pieces} pieces. What holds in it need"
    " not hold in another model."
)
# Said of a text in other words than those of children's stories.
UNFAMILIAR = (
    "This model has learnt English children’s stories. It reads words that it does not know letter"
    " by letter, and what it says of them means little."
)
MOST_OF_WORD = 12  # pieces
FEWEST_LETTERS = 1.5  # of a piece, on average: English stories have more than 2, Spanish 1.2


def limits_of(model: str = STORIES) -> str:
    """How far to trust a model, said wherever it is shown."""
    if model == STORIES:
        return _LIMITS
    about = ALLOWED[model].config
    return _OWN_LIMITS.format(
        name=model,
        numbers=f"{about.n_numbers:,}",
        layers=about.n_layers,
        heads=about.n_heads,
        width=about.d_model,
        pieces=f"{about.n_pieces:,}",
    )


def grid_of(model: str = STORIES) -> tuple[int, int]:
    """How many layers a model has, and how many heads each of them."""
    opened = writing_model(model)
    return opened.n_layers, opened.n_heads


def most_tokens(model: str = STORIES) -> int:
    """How many tokens of a text a page shows at most, with room for a word to come."""
    return min(MAX_TOKENS, max(1, writing_model(model).longest - MOST_OF_WORD))


@cached_run
def language_ids(text: str, n_tokens: int = 0, model: str = STORIES) -> tuple[int, ...]:
    """The ids of a text, cut to n_tokens, at most 64; 0 takes all up to there. Half characters are
    left out. Raises: TextError, SettingsError, FileError.
    """
    check_text("text", text)
    most = whole_number("n_tokens", n_tokens, 0, MAX_TOKENS) or MAX_TOKENS
    ids = writing_model(model).encode(_readable(text))[: min(most, most_tokens(model))]
    if not ids:
        raise TextError("The text has no pieces for this model: write a word")
    return tuple(ids)


def text_of(ids: tuple[int, ...], model: str = STORIES) -> str | None:
    """The text that has some ids; None if its pieces are others, as where the model wrote a word in
    pieces that are not usual.

    >>> text_of(language_ids("One day")), text_of(language_ids("One day")[1:])
    ('One day', None)
    """
    text = writing_model(model).decode(ids)
    return text if text.strip() and language_ids(text, model=model) == ids else None


def _readable(text: str) -> str:
    return text.encode("utf-8", "ignore").decode("utf-8")


@cached_run
def language_tokens(text: str, n_tokens: int = 0, model: str = STORIES) -> Tokens:
    """The pieces of a text as the layer gets them: cut to n_tokens, or filled with [pad].

    A piece that begins a word begins with a space. Raises: TextError, SettingsError, FileError.
    """
    opened, ids = writing_model(model), language_ids(text, n_tokens, model)
    n_whole = len(opened.encode(_readable(text)))
    n_padding = max(0, min(n_tokens, most_tokens(model)) - len(ids))
    notes, counted = [], f"Pieces in the sentence, with the start: {n_whole:,}."
    if model != STORIES:
        counted = f"Pieces in the sentence: {n_whole:,}."
    if n_whole > len(ids):
        most = f"a page shows at most {most_tokens(model)}."
        notes.append(f"{counted} Used from its start: {len(ids)}; {most}")
    if n_padding:
        added = f"{PADDING_TOKEN} added after them: {n_padding}"
        notes.append(f"{counted} {added}, so the length is {n_tokens}.")
    labels = (*opened.pieces(ids), *[PADDING_TOKEN] * n_padding)
    return Tokens(labels, len(ids), tuple(notes), n_whole - len(ids))


def is_unfamiliar(ids: Sequence[int]) -> bool:
    """Whether a text is of words that stories260K does not know: it has bytes, or few letters in a
    piece.

    >>> frog, other = "One day, a little frog was sad.", "El perro come carne en la casa."
    >>> is_unfamiliar(language_ids(frog)), is_unfamiliar(language_ids(other))
    (False, True)
    """
    pieces = [one.strip() for one in writing_model().pieces(ids)]
    spelled = [len(one) for one in pieces if one.isalpha()]
    has_bytes = any(readable(one) == UNKNOWN_SIGN for one in pieces if one.startswith("<0x"))
    return has_bytes or (bool(spelled) and sum(spelled) < FEWEST_LETTERS * len(spelled))


@cached_run
def run_of_ids(ids: tuple[int, ...], model: str = STORIES) -> LanguageModelRun:
    """All layers on some ids. Raises: SettingsError."""
    return writing_model(model).run(ids)


def language_run(text: str, n_tokens: int = 0, model: str = STORIES) -> LanguageModelRun:
    """All layers on the pieces of a text. [pad] at the end changes no other row, because the mask
    is causal.

    Raises: TextError, SettingsError, FileError.
    """
    ids = language_ids(text, n_tokens, model)
    n_padding = min(n_tokens, most_tokens(model)) - len(ids)
    return run_of_ids((*ids, *[UNKNOWN] * n_padding), model)


def likeliest_piece(run: LanguageModelRun) -> tuple[str, float]:
    """The piece that most probably comes next, and its share.

    >>> likeliest_piece(language_run("One day, a little frog was very sad. The"))[0]
    ' f'
    """
    shares_X = run.probabilities()
    return run.vocabulary[int(shares_X.argmax())], float(shares_X.max())


def likeliest_word(run: LanguageModelRun) -> tuple[str, float]:
    """The word or mark that most probably comes next, and its probability.

    >>> likeliest_word(language_run("One day, a little frog was very sad. The"))[0]
    'frog'
    """
    return run.next_words(1)[0]


def language_layer(text: str, layer: int, n_tokens: int = 0, model: str = STORIES) -> Trace:
    """One layer with its weights, on the normed output of the layers before it.

    Raises: TextError, SettingsError, FileError.
    """
    number = whole_number("layer", layer, 0, writing_model(model).n_layers - 1)
    return language_run(text, n_tokens, model).traces[number]


def language_options(layer: int, model: str = STORIES) -> dict[str, Any]:
    """What the attention of a layer does besides its matrices, as options of `attend`."""
    decoder = writing_model(model).decoder
    options = {"rotary": decoder.rotary, "head_norm": decoder.layers[layer].head_norm}
    return {name: one for name, one in options.items() if one is not None}


@cached_run
def changes_without(text: str, layer: int, n_tokens: int = 0, model: str = STORIES) -> Array:
    """How much the shares of the next token change without each head of a layer: half the sum of
    the differences, from 0 to 1. Shapes: (H,).

    Raises: TextError, SettingsError, FileError.
    """
    run = language_run(text, n_tokens, model)
    last = len(language_ids(text, n_tokens, model)) - 1
    shares_X = next_probabilities(run.logits[last])
    logits_HX = run.decoder.logits(without_each_head(run, layer, last))
    others_HX = np.array([next_probabilities(logits_X) for logits_X in logits_HX])
    changes_H: Array = 0.5 * np.abs(others_HX - shares_X).sum(axis=1)
    return changes_H


def telling_cell(
    text: str, layer: int, n_tokens: int = 0, model: str = STORIES
) -> tuple[int, int, int]:
    """The head of a layer without which the next token changes most, the last token, and the key
    from which it reads most there. Raises: TextError, SettingsError, FileError.

    >>> telling_cell("One day, a little frog was very sad. The", 4)
    (4, 15, 6)
    """
    head = int(changes_without(text, layer, n_tokens, model).argmax())
    last = len(language_ids(text, n_tokens, model)) - 1
    shares_S = language_layer(text, layer, n_tokens, model).probabilities[0, head, last]
    return head, last, int(shares_S.argmax())
