"""How the slides on multi-head self-attention write the layer."""

from __future__ import annotations

from ..notation import Notation
from .remarks import FROM_1, FUSED, MASK

SLIDES = Notation(
    "slides",
    "Slides on multi-head self-attention and convolution",
    first_head=1,
    symbols={
        "n_tokens": "N",
        "d_model": "C",
        "n_heads": "h",
        "d_k": "d_k",
        "d_v": "d_v",
        "w_q": "W_Q",
        "w_k": "W_K",
        "w_v": "W_V",
        "w_o": "W_O",
        "inputs": "X",
        "queries": "Q",
        "keys": "K",
        "values": "V",
        "probabilities": r"\alpha",
    },
    words={
        "n_tokens": "number of tokens",
        "d_model": "channels",
        "n_heads": "number of heads",
        "w_q": "weights on Q",
        "w_k": "weights on K",
        "w_v": "weights on V",
        "w_o": "output matrix",
        "probabilities": "attention",
        "head_outputs": "attention of one head",
        "merged": "concatenation of attentions",
    },
    remarks={
        "n_heads": f"As an index, the same letter is one head. {FROM_1}",
        **dict.fromkeys(
            ("w_q", "w_k", "w_v"),
            "The slides write one per head; side by side they are this matrix.",
        ),
        **dict.fromkeys(
            ("queries", "keys", "values"),
            f"In the layer without weights they are X itself. {FUSED}",
        ),
        "scaled_scores": (
            "No symbol: ours is used. The slides divide by √C without weights, by √d_k with them."
        ),
        "masked_scores": f"{MASK}Ours is used.",
        "probabilities": "In the lecture note α is the scaled score, before the softmax.",
        "head_outputs": "No symbol: ours is used.",
        "merged": "No symbol: ours is used.",
    },
    corrections={
        "probabilities": (
            "without weights, the diagonal is not always the largest in its row, nor α_ij at"
            " most the larger of α_ii and α_jj."
        ),
        "head_outputs": "it is the channels of a head that share its attention, not the elements.",
        "merged": (
            "the slides stack the heads one below the other, which does not fit W_O with its"
            " h·d_v rows; they must stand side by side."
        ),
    },
)
