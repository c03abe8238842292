"""The choices of sentences and sizes."""

from dataclasses import dataclass
from functools import partial

from .control import MAX_TEXT_LENGTH, Control
from .user_data.matrix_names import MAX_HEAD_WIDTH, MAX_HEADS, MAX_MATRIX_WIDTH, MAX_TOKENS
from .words.embeddings import EMBEDDINGS

MAX_SENTENCES = 4  # of a batch
_size, _token = (partial(Control, group=group) for group in ("Sizes", "Tokens and widths"))
_width = partial(_token, 0, bounds=(0, MAX_HEAD_WIDTH))
_head_width = partial(_width, zero="embedding / heads", other=(2, 4))
_OF_PIECES = "words in pieces, letters in each: {piece}"
_VECTORS = "{embedding} word vectors"
_FIRST = "The animal did not cross the street because it was too tired"


def _reversed_words(text: str) -> str:
    return " ".join(reversed(text.split()))


@dataclass(frozen=True)
class SizeChoices:
    """A size of 0 is decided elsewhere: n_tokens by the sentence (at most 64), d_k and d_v by
    D / heads, d_o by D; piece 0 means whole words. batch: further sentences, one per line, see
    `attention_lab.sentences`.
    """

    text: str = _size(_FIRST, "Sentence", other=_reversed_words).explained(
        f"Any language, at most {MAX_TEXT_LENGTH:,} characters. Words, punctuation marks and emoji"
        " become tokens."
    )
    n_tokens: int = _size(0, "Sequence length", (0, MAX_TOKENS), zero="fit", axis="T").explained(
        "How many tokens the layer sees: a longer sentence is cut, a shorter one is filled up with"
        " [pad], but not on the pages of trained models, which only cut it."
    )
    d_model: int = _size(
        16, "Embedding size", (1, MAX_MATRIX_WIDTH), other=32, told="features: {d_model}"
    ).explained("How many numbers describe one token (d_model).")
    n_heads: int = _size(
        4, "Heads", (1, MAX_HEADS), other=(1, 2), told="heads: {n_heads}"
    ).explained("How many heads attend in parallel.")
    d_k: int = _head_width("Query/key width d_k", axis="K", caption="d_k {d_k}").explained(
        "How many numbers a query or key of one head has."
    )
    d_v: int = _head_width("Value width d_v", axis="V", caption="d_v {d_v}").explained(
        "How many numbers a value of one head has."
    )
    d_o: int = _width(
        "Output width d_o",
        zero="embedding size",
        axis="O",
        other=(6, 4),
        needs="output_matrix=W_O",
        caption="d_o {d_o}",
    ).explained("How many numbers the output of a token has: the columns of W_O.")
    positions: bool = _token(True, "Positions", caption="no positions").explained(
        "Add the sinusoidal code of each position to its word."
    )
    embedding: str = _token(
        "normal", "Word vectors", options=EMBEDDINGS, other="integers", caption=_VECTORS
    ).explained("normal: random, but fixed by the word; integers: −2 to 2, easy to check on paper.")
    batch: str = _token("", "Further sentences", has_lines=True).explained(
        f"A batch: one sentence on each line, at most {MAX_SENTENCES - 1}. All are filled up with"
        " [pad] to the longest, and no query sees a [pad]."
    )
    piece: int = _token(
        0, "Cut words into pieces", (0, 12), zero="whole words", caption=_OF_PIECES
    ).explained("The most characters that a token may have; later pieces are marked ##.")
