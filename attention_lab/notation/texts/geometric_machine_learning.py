"""How the GeometricMachineLearning.jl manual writes the layer."""

from __future__ import annotations

from ..notation import Notation
from .remarks import FROM_1, FUSED, MASK

GML = Notation(
    "gml",
    "GeometricMachineLearning.jl manual (up to 0.4.8), MultiHeadAttention",
    convention="column",
    indices=("i", "n", "m", "k"),
    heads="brackets",
    first_head=1,
    even=True,
    symbols={
        "n_tokens": "T",
        "d_model": "N",
        "n_heads": r"\mathtt{n\_heads}",
        "d_k": r"N \div \mathtt{n\_heads}",
        "d_v": r"N \div \mathtt{n\_heads}",
        "w_q": "P^Q",
        "w_k": "P^K",
        "w_v": "P^V",
        "inputs": "X",
        "queries": "Q",
        "keys": "K",
        "values": "V",
        "query_heads": "Q",
        "key_heads": "K",
        "value_heads": "V",
        "scores": "C",
        "scaled_scores": r"\tilde C",
        "masked_scores": r"\hat C",
        "probabilities": r"\mathcal{P}",
    },
    words={
        "n_tokens": "sequence length",
        "d_model": "dimension of the vectors",
        "n_heads": "number of heads",
        "d_k": "dimension of a head's vectors",
        "d_v": "dimension of a head's vectors",
        "w_q": "projection matrices for the queries",
        "w_k": "projection matrices for the keys",
        "w_v": "projection matrices for the values",
        "inputs": "input",
        "query_heads": "queries of one head",
        "key_heads": "keys of one head",
        "value_heads": "values of one head",
        "scores": "correlation matrix",
        "probabilities": "matrix of probability vectors, stochastic matrix",
        "head_outputs": "reweighted values",
        "merged": "concatenated outputs",
    },
    remarks={
        "n_heads": FROM_1,
        "d_k": "Holds only where the heads share N evenly; for other widths we write ours.",
        "d_v": "Holds only where the heads share N evenly; for other widths we write ours.",
        **dict.fromkeys(("queries", "values"), FUSED),
        "scaled_scores": "No symbol, hence the tilde.",
        "masked_scores": f"{MASK}Hence the hat.",
        "probabilities": "Each column sums to 1.",
        "head_outputs": "Written V𝒫, without a symbol: ours is used.",
        "merged": (
            "No symbol: ours is used. The heads stand one below the other. They have the input's"
            " size again only if every value has N ÷ n_heads numbers."
        ),
        "w_o": (
            "The manual has no such matrix, so its heads never mix: ours is used where a layer has"
            " one."
        ),
    },
    corrections={
        **dict.fromkeys(
            ("w_q", "w_k", "w_v"),
            (
                "up to version 0.4.0 the manual gave each head's P as N × (N ÷ n_heads) and"
                " multiplied by P from the left, which does not fit; it must be Pᵀ. Since 0.4.1"
                " (2025) P is (N ÷ n_heads) × N. Not being square, P is no projector either; P"
                " times the tokens are coordinates."
            ),
        ),
        "keys": f"twice the manual says “vectors” where keys are meant. {FUSED}",
        "scores": (
            "inner products, neither centred nor normalised, are no correlations and may"
            " exceed 1. The package's code has the roles of queries and keys exchanged."
        ),
        "scaled_scores": (
            "the manual divides by √N once, and so does the package's code; a score adds up N"
            " ÷ n_heads products: the root of that, as in the other formula, is right."
        ),
        "probabilities": "the sum in the manual's softmax lacks its upper limit T.",
    },
)
