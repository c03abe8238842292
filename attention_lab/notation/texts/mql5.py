"""How the MQL5 book writes the layer."""

from __future__ import annotations

from ..notation import Notation
from .remarks import MASK

MQL5 = Notation(
    "mql5",
    "MQL5 book, Multi-Head Self-Attention",
    symbols={
        "n_tokens": "N",
        "d_model": r"\mathrm{nI}",
        "d_k": r"\mathrm{nK}",
        "w_q": "W_{QC}",
        "w_k": "W_{KC}",
        "w_v": "W_{VC}",
        "w_o": "W_0",
        "inputs": "I",
        "queries": r"\mathrm{QC}",
        "keys": r"\mathrm{KC}",
        "values": r"\mathrm{VC}",
        "query_heads": "Q",
        "key_heads": "K",
        "value_heads": "V",
    },
    words={
        "n_tokens": "number of sequence elements",
        "d_model": "size of an element's vector",
        "n_heads": "attention heads",
        "d_k": "size of the Query and Key vectors",
        "d_v": "size of the Value vector",
        "w_q": "concatenated matrix for Query",
        "w_k": "concatenated matrix for Key",
        "w_v": "concatenated matrix for Value",
        "w_o": "W0 matrix",
        "inputs": "sequence elements",
        "queries": "concatenated Query",
        "keys": "concatenated Key",
        "values": "concatenated Value",
        "query_heads": "Query",
        "key_heads": "Key",
        "value_heads": "Value",
        "scores": "Score matrix",
        "probabilities": "coefficients of interdependence",
        "head_outputs": "sum of the adjusted values",
        "merged": "concatenated tensor",
    },
    remarks={
        "n_heads": (
            "The book calculates with 3 heads and has no letter for their number: ours is used."
        ),
        "d_v": (
            "The book gives each head's value nI numbers, as many as the input, and allows less:"
            " ours is used."
        ),
        "w_v": "With nI numbers per value it has 3 nI columns in the book; here h·d_v.",
        "scores": (
            "No symbol: ours is used. The book also adds up Q ⊙ K head by head, which gives the"
            " same numbers and needs no transpose; a transpose is usually free, for nothing is"
            " copied."
        ),
        "scaled_scores": "No symbol: ours is used.",
        "masked_scores": f"{MASK}Ours is used.",
        "probabilities": "No symbol: ours is used.",
        "merged": "No symbol: ours is used.",
    },
    corrections={
        "scaled_scores": (
            "“the dimension of the Key vector” must be nK, one head's width, not that of the"
            " concatenated Key."
        ),
        "probabilities": (
            "interdependence suggests symmetry, but what i draws from j is in general not"
            " what j draws from i."
        ),
        "merged": "it is larger than the input only if h·d_v is larger than nI.",
    },
)
