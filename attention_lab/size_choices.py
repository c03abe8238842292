"""The choices of sentences and sizes."""

from __future__ import annotations

from dataclasses import dataclass

from .control import MAX_TEXT_LENGTH, declared
from .user_data.matrix_names import MAX_HEAD_WIDTH, MAX_HEADS, MAX_MATRIX_WIDTH, MAX_TOKENS
from .words.embeddings import EMBEDDINGS

MAX_SENTENCES = 4  # of a batch
_SIZES, _WIDTHS = "Sizes", "Tokens and widths"


def _reversed_words(text: str) -> str:
    return " ".join(reversed(text.split()))


@dataclass(frozen=True)
class SizeChoices:
    """A size of 0 is decided elsewhere: n_tokens by the sentence (at most 64), d_k and d_v by
    D / heads, d_o by D; piece 0 means whole words. batch: further sentences, one per line, see
    `attention_lab.sentences`.
    """

    text: str = declared(
        "The animal did not cross the street because it was too tired",
        "Sentence",
        f"Any language, at most {MAX_TEXT_LENGTH:,} characters. Words, punctuation marks and emoji"
        " become tokens.",
        group=_SIZES,
        other=_reversed_words,
    )
    n_tokens: int = declared(
        0,
        "Sequence length",
        "How many tokens the layer sees: a longer sentence is cut, a shorter one is filled up with"
        " [pad], but not on the pages of trained models, which only cut it.",
        group=_SIZES,
        bounds=(0, MAX_TOKENS),
        zero="fit",
        axis="T",
    )
    d_model: int = declared(
        16,
        "Embedding size",
        "How many numbers describe one token (d_model).",
        group=_SIZES,
        bounds=(1, MAX_MATRIX_WIDTH),
        other=(32, 16),
        caption="features: {d_model}",
        is_told=True,
    )
    n_heads: int = declared(
        4,
        "Heads",
        "How many heads attend in parallel.",
        group=_SIZES,
        bounds=(1, MAX_HEADS),
        other=(1, 2),
        caption="heads: {n_heads}",
        is_told=True,
    )
    d_k: int = declared(
        0,
        "Query/key width d_k",
        "How many numbers a query or key of one head has.",
        group=_WIDTHS,
        bounds=(0, MAX_HEAD_WIDTH),
        zero="embedding / heads",
        axis="K",
        other=(2, 4),
        caption="d_k {d_k}",
    )
    d_v: int = declared(
        0,
        "Value width d_v",
        "How many numbers a value of one head has.",
        group=_WIDTHS,
        bounds=(0, MAX_HEAD_WIDTH),
        zero="embedding / heads",
        axis="V",
        other=(2, 4),
        caption="d_v {d_v}",
    )
    d_o: int = declared(
        0,
        "Output width d_o",
        "How many numbers the output of a token has: the columns of W_O.",
        group=_WIDTHS,
        bounds=(0, MAX_HEAD_WIDTH),
        zero="embedding size",
        axis="O",
        other=(6, 4),
        when=lambda chosen: chosen.output_matrix != "none",
        caption="d_o {d_o}",
    )
    positions: bool = declared(
        True,
        "Positions",
        "Add the sinusoidal code of each position to its word.",
        group=_WIDTHS,
        caption="no positions",
    )
    embedding: str = declared(
        "normal",
        "Word vectors",
        "normal: random, but fixed by the word; integers: −2 to 2, easy to check on paper.",
        group=_WIDTHS,
        options=EMBEDDINGS,
        other=("integers", "normal"),
        caption="{embedding} word vectors",
    )
    batch: str = declared(
        "",
        "Further sentences",
        f"A batch: one sentence on each line, at most {MAX_SENTENCES - 1}. All are filled up with"
        " [pad] to the longest, and no query sees a [pad].",
        group=_WIDTHS,
        has_lines=True,
    )
    piece: int = declared(
        0,
        "Cut words into pieces",
        "The most characters that a token may have; later pieces are marked ##.",
        group=_WIDTHS,
        bounds=(0, 12),
        zero="whole words",
        caption="words in pieces, letters in each: {piece}",
    )
