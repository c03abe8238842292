"""How the lecture note on self-attention writes the layer."""

from __future__ import annotations

from ..notation import Notation
from .remarks import FROM_1, MASK

NOTE = Notation(
    "note",
    "Lecture note on self-attention",
    indices=("i", "j", "k", "l"),
    heads="superscript",
    first_head=1,
    symbols={
        "n_tokens": "n",
        "d_model": "s",
        "n_heads": "d_h",
        "d_k": "d",
        "scale": r"\lambda",
        "w_q": "W^q",
        "w_k": "W^k",
        "w_v": r"W^{\nu}",
        "w_o": "W_0",
        "inputs": "X",
        "queries": "Q",
        "keys": "K",
        "values": "V",
        "query_heads": "Q",
        "key_heads": "K",
        "value_heads": "V",
        "scaled_scores": r"\alpha",
        "masked_scores": r"\hat \alpha",
        "head_outputs": "H",
        "merged": "H",
    },
    words={
        "n_tokens": "length of the sequence",
        "d_model": "dimension of an element",
        "n_heads": "number of heads",
        "d_k": "dimension of queries and keys",
        "d_v": "dimension of the output",
        "values": "values, context-free representations",
        "scores": "inner products of queries and keys",
        "probabilities": "weights, influence of the others",
        "head_outputs": "heads",
        "merged": "joined heads",
    },
    remarks={
        "n_heads": f"A number of heads here, though d_h often means the width of one. {FROM_1}",
        "d_v": (
            "The note writes d_o for one head and silently takes d for several; it may be any"
            " number: ours is used."
        ),
        "scale": "No symbol, and our s is the note's width: hence λ.",
        "scaled_scores": "In the slides α is the weight, after the softmax.",
        "masked_scores": f"{MASK}Hence the hat.",
        "probabilities": (
            "Written softmax(α), its row i also w_i: ours is used. Row i says how much query i"
            " draws from each key."
        ),
    },
    corrections={
        **dict.fromkeys(
            ("w_q", "w_k"), "the note has both x_i W and W x_i; for rows x_i W is right."
        ),
        "w_v": "the note gives it n rows once; it has s.",
        "w_o": (
            "the note gives it d·d_h rows, as if each value were as wide as a key; it has d_h·d_v."
        ),
        "values": (
            "an output is the sum over j of w_ij times the value of x_j; the note drops the"
            " sum and writes x_i."
        ),
        "scaled_scores": (
            "the note once divides by d; right is √d. Its α_ij has tokens i and j; beside a"
            " head i they become j and k."
        ),
        "head_outputs": "the note's H^(i) lacks the factor V^(i), without which it is n × n.",
    },
)
