"""How Doshi's text writes the layer."""

from __future__ import annotations

from ..notation import Notation

DOSHI = Notation(
    "doshi",
    "Doshi, Transformers explained visually, part 3 (2021)",
    symbols={
        "n_tokens": r"\text{Sequence}",
        "d_model": r"\text{Embedding size}",
        "n_heads": r"\text{Head}",
        "d_k": r"\text{Query size}",
        "d_v": r"\text{Value size}",
        "queries": "Q",
        "keys": "K",
        "values": "V",
        "query_heads": "Q",
        "key_heads": "K",
        "value_heads": "V",
    },
    words={
        "n_tokens": "sequence length",
        "d_model": "embedding size",
        "n_heads": "number of heads",
        "d_k": "query size",
        "d_v": "query size (equal to key and value size)",
        "w_q": "Linear layer for the Query",
        "w_k": "Linear layer for the Key",
        "w_v": "Linear layer for the Value",
        "inputs": "encoded representation",
        "queries": "Query",
        "keys": "Key",
        "values": "Value",
        "query_heads": "Q split across the heads",
        "key_heads": "K split across the heads",
        "value_heads": "V split across the heads",
        "scores": "result of multiplying Q and K",
        "masked_scores": "result with the mask value added",
        "probabilities": "Attention Score, after the Softmax",
        "head_outputs": "Attention Score of each head",
        "merged": "merged Attention Score",
    },
    remarks={
        "d_v": (
            "The text has one size for queries, keys and values; they may differ, so this one has"
            " its own name."
        ),
        "inputs": "No symbol: ours is used.",
        "scores": "No symbol: ours is used.",
        "scaled_scores": (
            "No symbol: ours is used. The text divides by the square root of the Query size."
        ),
        "masked_scores": (
            "No symbol: ours is used. The text adds the mask before scaling: the same for −∞,"
            " another result for a finite bias."
        ),
        "probabilities": "No symbol: ours is used.",
        "head_outputs": "No symbol: ours is used.",
        "merged": (
            "No symbol: ours is used. It is no score either. Head and Sequence are swapped first,"
            " then joined."
        ),
        "w_o": "The text does not mention it: ours is used. Merging alone does not mix the heads.",
    },
    corrections={
        "inputs": (
            "it is not the embedding that is split across the heads. Every head reads all of"
            " it and owns a section of Q, K and V."
        ),
        "scores": "K must be transposed. One cell compares one query with one key.",
        "masked_scores": "hiding later words belongs to the decoder's self-attention.",
        "probabilities": (
            "the text calls weights, head outputs and merged outputs all Attention Score."
        ),
        "head_outputs": "it is no score but an average of values.",
    },
    axis_names={"B": "Batch", "S": "Input sequence"},
)
